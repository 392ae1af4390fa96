"""The Klondike tables: statistics against a naive twin, solutions and their proof, a dataset from end to end."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cards.codes import CARD_NAMES
from pipeline.cards.errors import ConfigError, InputError
from pipeline.games.klondike.deal import PLACES, deal_klondike, piles_of, stock_of
from pipeline.games.klondike.rules.replay import FIRST_FOUNDATION, FIRST_PILE, Position
from pipeline.games.klondike.tables.definitions import KLONDIKE_STATS
from pipeline.games.klondike.tables.layouts import dealt_klondike_tables
from pipeline.games.klondike.tables.solutions import solved_klondike, wrong_klondike_solutions
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.klondike_solve import SolveKlondikeJob
from pipeline.run.jobs.solve import run_solving
from tests.games.klondike.naive_klondike import fits


def naive_statistics(layout):
    piles, stock = piles_of(layout), stock_of(layout)
    where = {card: (column, row) for column, pile in enumerate(piles, 1) for row, card in enumerate(pile, 1)}
    face_down = {card for pile in piles for card in pile[:-1]}
    found = {}
    for card, name in enumerate(CARD_NAMES):
        name = name.lower()
        column, row = where.get(card, (None, None))
        above = piles[column - 1][row:] if column else None
        found[f"depth_{name}"] = None if above is None else len(above)
        found[f"face_down_over_{name}"] = None if above is None else len(face_down & set(above))
        found[f"stock_place_{name}"] = None if column else stock.index(card) + 1
        found[f"column_{name}"], found[f"row_{name}"] = column, row
    in_piles = [len(piles[where[ace][0] - 1]) - where[ace][1] for ace in range(4) if ace in where]
    kings = [where[king] for king in range(48, 52) if king in where]
    found["ace_depth_sum"], found["ace_depth_max"] = sum(in_piles), max(in_piles, default=0)
    found["aces_in_stock"], found["kings_in_stock"] = 4 - len(in_piles), 4 - len(kings)
    found["kings_at_base"] = sum(row == 1 for _, row in kings)
    found["cards_under_kings"] = sum(row - 1 for _, row in kings)
    pairs = [sum(fits(b, a) for a, b in itertools.pairwise(pile)) for pile in piles]
    found |= {f"in_order_pairs_c{column}": count for column, count in enumerate(pairs, 1)}
    found["in_order_pairs"] = sum(pairs)
    # The moves by the rules themselves.
    legal = Position.start(layout).legal_moves()
    is_pile = range(FIRST_PILE, FIRST_FOUNDATION)
    found["legal_tableau_moves"] = sum(s in is_pile and t in is_pile for s, t in legal)
    found["legal_foundation_moves"] = sum(s in is_pile and t >= FIRST_FOUNDATION for s, t in legal)
    playable = 0
    for card in stock:
        start = Position.start(layout)
        start.stock, start.waste = [], [card]
        playable += any(s == 1 for s, _ in start.legal_moves())
    found["playable_stock_cards"] = playable
    return {name: found[name] for name in KLONDIKE_STATS}


def dealt(start, stop):
    ((name, table, digest),) = dealt_klondike_tables(start, stop, ("klondike",))
    assert (name, len(digest)) == ("klondike", 64)
    return table


def test_statistics_against_the_naive_twin():
    table = dealt(0, 120)
    for row, layout in zip(table.to_pylist(), deal_klondike(range(120)), strict=True):
        assert {name: row[name] for name in KLONDIKE_STATS} == naive_statistics(layout)
        assert [row[place] for place in PLACES] == layout.tolist()


def test_face_up_flags_are_the_last_of_each_column():
    flags = dealt(5, 6).column("face_up").to_pylist()[0]
    assert [place for k, place in enumerate(PLACES[:28]) if flags >> k & 1] == [f"c{n}r{n}" for n in range(1, 8)]


@pytest.fixture(scope="module")
def solutions():
    return solved_klondike(100, 130)


def test_solutions_have_both_rules_side_by_side(solutions):
    solutions.validate(full=True)
    rows = solutions.to_pylist()
    assert [row["game_number"] for row in rows] == [number for number in range(100, 130) for _ in range(2)]
    assert [row["rule"] for row in rows] == ["return", "no-return"] * 30
    of_121 = {row["rule"]: row["status"] for row in rows if row["game_number"] == 121}
    assert of_121 == {"return": "solved", "no-return": "impossible"}
    for row in rows:
        counts = (row["move_count"], row["draw_count"], row["move_count_with_draws"])
        if row["status"] == "solved":
            assert counts[0] + counts[1] == counts[2]
            assert len([word for word in row["moves"].split() if not word.startswith("draw")]) == counts[0]
        else:
            assert (row["status"], row["moves"], *counts) == ("impossible", None, None, None, None)
    assert wrong_klondike_solutions(solutions) == []


def changed(table, row, **values):
    rows = table.to_pylist()
    rows[row] |= values
    return pa.Table.from_pylist(rows, schema=table.schema)


def test_wrong_solutions_are_found(solutions):
    solved = next(k for k, row in enumerate(solutions.to_pylist()) if row["status"] == "solved")
    number, moves = (solutions.column(name)[solved].as_py() for name in ("game_number", "moves"))
    for wrong, said in [
        (changed(solutions, solved, moves=moves.rsplit(" ", 1)[0]), f"game {number}: its solution does not win"),
        (changed(solutions, solved, moves=moves + " draw"), f"game {number}: its solution does not win"),
        (changed(solutions, solved, moves="zz"), "is not in the notation"),
        (changed(solutions, solved, moves=None), "has no moves"),
        (changed(solutions, solved, draw_count=1), f"game {number}: draw_count is not that of its moves"),
        (changed(solutions, solved, move_count_with_draws=1), "move_count_with_draws is not that of its moves"),
        (changed(solutions, solved, status="impossible"), "does not fit whether the row has moves"),
        (changed(solutions, solved, rule="no-return"), "not two rows a game"),
        (solutions.slice(1), "not two rows a game"),
    ]:
        assert any(said in problem for problem in wrong_klondike_solutions(wrong)), said


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    out = str(tmp_path_factory.mktemp("klondike") / "data")
    build(load_config("configs/klondike.toml", out=out, last=39, part_size=20))
    outcomes = run_solving(Dataset(out), SolveKlondikeJob(), engine=Engine(jobs=1))
    assert outcomes.by_rule["return"].total() == outcomes.by_rule["no-return"].total() == 40
    return out


def test_a_dataset_checks_and_resumes(dataset):
    report = check(Dataset(dataset))
    assert (report.findings, report.files, report.rows) == ([], 4, 40 + 80)
    assert run_solving(Dataset(dataset), SolveKlondikeJob()).summary.written == 0


def test_a_changed_card_and_a_changed_null_are_found(dataset, tmp_path):
    from pipeline.run.dataset.manifest import read_manifest
    from pipeline.run.dataset.plan import FileName
    from pipeline.run.jobs.check import _check_table

    name = "klondike/part-0000000000-0000000019.parquet"
    record = read_manifest(Store(dataset)).files[name]
    table = pq.read_table(f"{dataset}/{name}")
    assert _check_table(FileName.parse(name), record, table) == []
    wrong = changed(table, 3, s01=int(table.column("s01")[3].as_py()) ^ 1)
    assert _check_table(FileName.parse(name), record, wrong)[0].startswith("game 3: s01 is ")
    depths = table.column("depth_ac").to_pylist()
    row = depths.index(None)
    assert _check_table(FileName.parse(name), record, changed(table, row, depth_ac=0))[0].startswith(
        f"game {row}: depth_ac is 0"
    )


def test_games_are_never_mixed(dataset, tmp_path):
    with pytest.raises(ConfigError, match="holds klondike games, not freecell"):
        build(load_config(None, out=dataset, first=0, last=39, part_size=20))
    freecell = str(tmp_path / "freecell")
    build(load_config(None, out=freecell, last=20, part_size=20))
    with pytest.raises(InputError, match="holds freecell games, not klondike"):
        run_solving(Dataset(freecell), SolveKlondikeJob())
    with pytest.raises(ConfigError, match="a klondike build writes klondike"):
        load_config("configs/klondike.toml", tables=["layouts"])


def test_the_configured_games_are_all_of_five_digits():
    plan = load_config("configs/klondike.toml").plan()
    assert (plan.first, plan.last) == (0, 99_999)
    assert np.array_equal(deal_klondike(plan.last), deal_klondike([99_999]))
