"""Positions against the plain rules: every state, move and mask of legal moves, and the codes they are written in."""

import random
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.codes import parse_card
from pipeline.cards.errors import ConfigError, Failed, InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.bulk_convert import Texts, rewrite_many
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES, automoves
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.moves import Move, carry, legal_moves
from pipeline.games.freecell.rules.position import CELL, HOME, NEXT_CELL, PLACES, from_layout
from pipeline.games.freecell.rules.replay import replay
from pipeline.games.freecell.tables.positions import GAMES_TOGETHER, position_batches
from pipeline.games.freecell.tables.positions_code import (
    ACTIONS,
    AT_HOME,
    action_move,
    action_of,
    decode_legal,
    decode_position,
    encode_legal,
    encode_position,
    places_of,
)
from pipeline.games.freecell.tables.positions_schema import LEGAL_COLUMNS, PLACE_COLUMNS
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.plan import FileName
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.positions import add_positions, check_positions

CATALOGUE = Path(__file__).parents[3] / "cases" / "catalogue.txt"
LINES = [line.split(":") for line in CATALOGUE.read_text().splitlines() if not line.startswith("#")]


TWO_CELLS = tomllib.loads((CATALOGUE.parent / "positions.toml").read_text())


def solutions(automove, freecells, lines=LINES):
    """Game numbers, layouts and standard texts that win under a rule set."""
    if (automove, freecells) == (TWO_CELLS["automove"], TWO_CELLS["freecells"]):
        text = TWO_CELLS["moves"].encode()
        number = np.array([TWO_CELLS["game_number"]])
        return number, deal(number), Texts(np.frombuffer(text, np.uint8), np.array([0, len(text)]))
    numbers = np.array([int(number) for number, _ in lines])
    layouts = deal(numbers)
    ends = np.cumsum([len(moves) for _, moves in lines])
    text = np.frombuffer("".join(moves for _, moves in lines).encode(), np.uint8)
    starts = np.concatenate([[0], ends[:-1]])
    written = rewrite_many(layouts, text, starts, ends, is_catalogue=True, to_automove=automove)
    verdicts = replay_many(layouts, *written, automove=automove, freecells=freecells)
    won = np.flatnonzero(verdicts.is_won & (verdicts.moves_left == 0))
    kept = [bytes(written.text[written.offsets[i] : written.offsets[i + 1]]) for i in won]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in kept])]).astype(np.int64)
    return numbers[won], layouts[won], Texts(np.frombuffer(b"".join(kept), np.uint8), offsets)


def rows_of(numbers, layouts, texts, automove, freecells):
    batches = list(position_batches(numbers, layouts, *texts, automove=automove, freecells=freecells))
    return {name: np.concatenate([b.column(name).to_numpy() for b in batches]) for name in batches[0].schema.names}


@pytest.mark.parametrize(
    ("automove", "freecells"),
    [("horne", 4), ("wkr", 4), ("max", 4), ("none", 4), ("none", 2), ("horne", 6), ("max", 8)],
)
def test_every_state_move_and_mask_is_what_the_plain_rules_say(automove, freecells):
    numbers, layouts, texts = solutions(automove, freecells)
    assert numbers.size >= (5 if freecells >= 4 else 1)
    numbers, layouts = numbers[:12], layouts[:12]
    texts = Texts(texts.text, texts.offsets[: numbers.size + 1])
    rows = rows_of(numbers, layouts, texts, automove, freecells)
    places = np.stack([rows[name] for name in PLACE_COLUMNS], axis=1)
    masks = np.stack([rows[name] for name in LEGAL_COLUMNS], axis=1)
    row = 0
    for i, number in enumerate(numbers):
        words = bytes(texts.text[texts.offsets[i] : texts.offsets[i + 1]]).decode().split()
        moves = [Move(PLACES[w[-2]], PLACES[w[-1]], 1 if w[0] == "." else None) for w in words]
        game = replay(from_layout(layouts[i], freecells), moves, automove)
        assert game.result == "won"
        for ply, step in enumerate(game.steps):
            before = game.position_before(ply)
            assert decode_position(places[row], freecells) == before
            assert (encode_position(before) == places[row]).all()
            assert (masks[row] == encode_legal(legal_moves(before))).all()
            assert (rows["move_source"][row], rows["move_target"][row], rows["move_cards"][row]) == (
                step.move.source,
                step.move.target,
                len(step.cards),
            )
            assert decode_legal(masks[row])[action_of(step.move.source, step.move.target)]
            assert rows["cards_home"][row] == sum(before.foundations)
            assert (rows["game_number"][row], rows["ply"][row]) == (number, ply)
            assert rows["plies_left"][row] == len(game.steps) - ply
            row += 1
    assert row == rows["ply"].size


def test_batches_hold_whole_games_and_do_not_depend_on_each_other():
    numbers, layouts, (text, offsets) = solutions("horne", 4)
    times = GAMES_TOGETHER // numbers.size + 2
    many = Texts(np.tile(text, times), np.concatenate([[0], np.cumsum(np.tile(np.diff(offsets), times))]))
    batches = list(
        position_batches(
            np.arange(numbers.size * times), np.tile(layouts, (times, 1)), *many, automove="horne", freecells=4
        )
    )
    assert len(batches) == 2
    assert batches[0].column("game_number")[-1].as_py() == GAMES_TOGETHER - 1
    assert batches[1].column("ply")[0].as_py() == 0
    alone = rows_of(numbers, layouts, Texts(text, offsets), "horne", 4)
    for name in (*PLACE_COLUMNS, *LEGAL_COLUMNS):
        together = np.concatenate([batch.column(name).to_numpy() for batch in batches])
        assert (together == np.tile(alone[name], times)).all(), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda words: words[:-1], "game 1: its solution does not win"),
        (lambda words: [*words, "12"], "game 1: its solution goes on for 1 moves"),
        (lambda words: ["11", *words[1:]], "game 1: its solution has an illegal move 1: 11: no sequence fits"),
        (lambda words: [*words[:3], "xy"], "illegal move 4: xy: not a move"),
        (lambda words: [], "game 1: its solution does not win"),
    ],
)
def test_what_is_no_solution_is_refused_with_its_reason(change, message):
    _, layouts, (text, offsets) = solutions("horne", 4, LINES[:1])
    changed = " ".join(change(bytes(text[: offsets[1]]).decode().split())).encode()
    texts = np.frombuffer(changed, np.uint8), np.array([0, len(changed)])
    with pytest.raises(Failed, match=message):
        list(position_batches(np.array([1]), layouts, *texts, automove="horne", freecells=4))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(game=st.integers(0, 2**33 - 1), freecells=st.integers(0, 8), seed=st.integers(0, 2**32))
def test_positions_on_random_walks_survive_their_codes(game, freecells, seed):
    rng = random.Random(seed)
    position = from_layout(deal(game)[0], freecells)
    for _ in range(rng.randrange(40)):
        moves = legal_moves(position)
        if not moves:
            break
        position = automoves(carry(position, rng.choice(moves)), rng.choice(AUTOMOVE_RULES))[0]
    assert decode_position(encode_position(position), freecells) == position


def test_a_layout_as_places_is_its_own_inverse():
    layouts = deal(range(1, 50))
    places = places_of(layouts)
    assert (places_of(places) == layouts).all()
    assert (encode_position(from_layout(layouts[0])) == places[0]).all()


def test_codes_of_the_worked_example():
    """What docs/positions.md says of game 617."""
    position = from_layout(deal(617)[0])
    places = encode_position(position)
    assert (places[parse_card("7D")], places[parse_card("AC")], places[parse_card("4H")]) == (0, 11, 51)
    mask = dict(zip(LEGAL_COLUMNS, encode_legal(legal_moves(position)).tolist(), strict=True))
    assert {name: value for name, value in mask.items() if value} == {
        "legal_c5": 128,
        "legal_c8": 6,
        "legal_to_cell": 255,
    }
    assert str(action_move(58)) == "83"
    assert np.flatnonzero(decode_legal(encode_legal(legal_moves(position)))).tolist() == [39, 57, 58, *range(128, 136)]


def test_each_action_has_one_number_and_one_move():
    moves = [action_move(action) for action in range(ACTIONS)]
    assert len(set(moves)) == ACTIONS
    sources = np.array([m.source for m in moves])
    targets = np.array([CELL + 3 if m.target == NEXT_CELL else m.target for m in moves])
    assert (action_of(sources, targets) == np.arange(ACTIONS)).all()
    assert action_of(CELL, HOME) == 144
    assert [action_of(0, CELL + cell) for cell in range(8)] == [128] * 8


@pytest.mark.parametrize(
    ("card", "code", "message"),
    [
        (0, AT_HOME + 1, "place codes of 0 to 160"),
        (4, AT_HOME, "suit C is home before a lower one"),
        (parse_card("6H"), 0, "below row 1 of column 1"),
        (parse_card("6H"), 59, "below row 8 of column 4"),
        (parse_card("6H"), 156, "freecell 5 is taken or there are only 4"),
    ],
)
def test_codes_of_no_position_are_refused(card, code, message):
    places = encode_position(from_layout(deal(1)[0]))
    places[card] = code
    with pytest.raises(InputError, match=message):
        decode_position(places)


def test_kernels_run_uncompiled():
    number, layouts, texts = solutions("none", 2)
    code = (
        "import numpy as np\nfrom pipeline.games.freecell.tables.positions import position_batches\n"
        f"text, layout = np.frombuffer({bytes(texts.text)!r}, np.uint8), np.array([{layouts[0].tolist()}], np.uint8)\n"
        f"for batch in position_batches(np.array([{number[0]}]), layout, text, [0, text.size], automove='none', freecells=2):\n"
        "    print([sum(column.to_pylist()) for column in batch.columns])"
    )
    root = Path(__file__).parents[4]
    environment = {"NUMBA_DISABLE_JIT": "1", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    rows = rows_of(number, layouts, texts, "none", 2)
    assert run.stdout.strip() == str([int(values.astype(np.int64).sum()) for values in rows.values()])


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("positions") / "ds"
    build(load_config(None, last=400, part_size=100, out=str(folder), jobs=1))
    import_solutions(Dataset(str(folder)), [str(CATALOGUE)], source="fcs")
    add_positions(Dataset(str(folder)), engine=Engine(jobs=2))
    return folder


def test_the_table_comes_from_the_solutions_and_is_checked_against_them(dataset):
    store = Store(str(dataset))
    table = pq.read_table(dataset / "positions")
    solved = pq.read_table(dataset / "solutions")
    assert table.num_rows == sum(solved["written_move_count"].to_pylist())
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []


def test_check_names_what_differs_from_the_solutions(dataset):
    store = Store(str(dataset))
    name, record = next((n, r) for n, r in read_manifest(store).files.items() if n.startswith("positions/"))
    part, table = FileName.parse(name).part, pq.read_table(dataset / name)
    assert check_positions(store, part, table, record) == []
    legal = table["legal_c3"].to_pylist()
    legal[7] ^= 1
    place = table.schema.get_field_index("legal_c3")
    altered = table.set_column(place, table.schema.field(place), pa.array(legal, pa.uint8()))
    (problem,) = check_positions(store, part, altered, record)
    assert problem == f"game 1, ply 7: legal_c3 is {legal[7]}, {legal[7] ^ 1} is right"
    assert "its solutions have more" in check_positions(store, part, table.slice(0, 100), record)[0]
    longer = pa.concat_tables([table, table.slice(0, 1)])
    assert f"its solutions have {table.num_rows}" in check_positions(store, part, longer, record)[0]
    other = record.model_copy(update={"settings": {**record.settings, "solutions": "gone"}})
    assert "are not there" in check_positions(store, part, table, other)[0]


def test_a_rerun_writes_what_is_gone_and_jobs_change_no_byte(dataset):
    files = sorted((dataset / "positions").iterdir())
    before = {file.name: file.read_bytes() for file in files}
    files[1].unlink()
    added = add_positions(Dataset(str(dataset)), engine=Engine(jobs=1))
    assert (added.summary.written, added.summary.kept) == (1, 3)
    assert {file.name: file.read_bytes() for file in files} == before


def test_other_solutions_are_chosen_by_name_and_made_anew_when_replaced(tmp_path):
    store = Store(str(tmp_path / "ds"))
    build(load_config(None, last=20, part_size=10, out=store.url, jobs=1))
    with pytest.raises(ConfigError, match="has no solutions; make them with `dealbook solve"):
        add_positions(Dataset(store.url))
    catalogue = tmp_path / "one.txt"
    catalogue.write_text("\n".join(":".join(line) for line in LINES if int(line[0]) <= 20))
    import_solutions(Dataset(store.url), [str(catalogue)], source="one")
    import_solutions(Dataset(store.url), [str(catalogue)], source="two")
    with pytest.raises(ConfigError, match="choose --solutions import-one, import-two"):
        add_positions(Dataset(store.url))
    with pytest.raises(ConfigError, match="no solved game under this rule set; there are --automove max --freecells 4"):
        add_positions(Dataset(store.url), "import-two", freecells=3)
    rows = add_positions(Dataset(store.url), "import-two").rows
    catalogue.write_text("\n".join(":".join(line) for line in LINES if int(line[0]) <= 5))
    import_solutions(Dataset(store.url), [str(catalogue)], source="two", is_replacement=True)
    assert any("solutions" in finding.problem for finding in check(Dataset(store.url), engine=Engine(jobs=1)).findings)
    assert 0 < add_positions(Dataset(store.url), "import-two").rows < rows
    assert "positions/import-two-max4-part-0000000001-0000000010.parquet" in read_manifest(store).files
