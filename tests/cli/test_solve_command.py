"""The commands `solve` and `solution`: datasets byte for byte, resumed, and games, boards and refusals as a person meets them."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline.cards.errors import Failed
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.solve.solver import solve_many
from pipeline.games.freecell.tables.solutions import solution_rows
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.solve import SolveJob, run_solving

BUDGET = 2_000_000


def dealbook(*arguments, text=None):
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments], input=text, capture_output=True, text=True, check=False
    )


def dataset(folder: Path, part_size: int, last: int = 1200) -> Store:
    build(Config(first=1, last=last, part_size=part_size, tables=("layouts",), out=str(folder)))
    return Store(str(folder))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "solutions").glob("*.parquet"))}


def rows(folder: Path) -> list[dict]:
    return [row for path in sorted((folder / "solutions").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def test_jobs_and_parts_do_not_change_the_solutions(tmp_path):
    stores = {name: dataset(tmp_path / name, size) for name, size in [("one", 300), ("two", 300), ("whole", 1200)]}
    outcomes = [
        run_solving(Dataset(stores["one"].url), SolveJob(3, BUDGET), engine=Engine(jobs=1)),
        run_solving(Dataset(stores["two"].url), SolveJob(3, BUDGET), engine=Engine(jobs=2)),
    ]
    run_solving(Dataset(stores["whole"].url), SolveJob(3, BUDGET), engine=Engine(jobs=2))
    assert outcomes[0] == outcomes[1]
    assert sum(outcomes[0].counts.values()) == 1200
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert rows(tmp_path / "one") == rows(tmp_path / "whole")


def test_solving_goes_on_where_it_stopped_and_checks(tmp_path):
    store = dataset(tmp_path / "d", 400)
    first = run_solving(Dataset(store.url), SolveJob(4, BUDGET), first=401, last=800)
    assert (first.summary.games, first.summary.written) == (400, 1)
    notes = []
    second = run_solving(
        Dataset(store.url),
        SolveJob(4, BUDGET),
        engine=Engine(jobs=1),
        advance=lambda games, note="": notes.append(note),
    )
    assert (second.summary.written, second.summary.kept) == (2, 1)
    assert second.counts == Counter(solved=1200)
    assert notes[-1] == "800 solved, 0 impossible, 0 unresolved"
    assert check(Dataset(store.url)).findings == []


def test_other_cells_and_budgets_are_other_solutions(tmp_path):
    store = dataset(tmp_path / "d", 200, last=200)
    assert run_solving(Dataset(store.url), SolveJob(4, BUDGET)).counts["solved"] == 200
    cheap = run_solving(Dataset(store.url), SolveJob(2, 10))
    assert cheap.counts["unresolved"] > 150
    dear = run_solving(Dataset(store.url), SolveJob(2, 100_000))
    assert (dear.summary.written, dear.counts["unresolved"] < cheap.counts["unresolved"]) == (1, True)
    table = [row for row in rows(tmp_path / "d") if row["freecells"] == 2]
    assert len(table) == 200
    assert {row["budget"] for row in table} == {100_000}
    assert max(row["nodes"] for row in table) <= 100_000
    assert all((row["moves"] is None) == (row["status"] != "solved") for row in table)


def test_a_solution_that_does_not_replay_is_not_written():
    numbers = np.arange(1, 4)
    layouts = deal(numbers)
    solved = solve_many(layouts)
    text = solved.text.copy()
    text[solved.offsets[1]] = ord("h")
    with pytest.raises(Failed, match="game 2 with 4 freecells"):
        solution_rows(numbers, layouts, solved._replace(text=text), 4, BUDGET)


def test_a_game_is_printed_in_standard_notation_that_replays():
    shown = dealbook("solution", "617")
    assert (shown.returncode, shown.stdout.splitlines()[:2]) == (0, ["GAME #617", "7D AD 5C 3S 5S 8C 2D AH"])
    for limit in LIMITS:
        verdict = json.loads(dealbook("replay", "-", "--limit", limit, text=shown.stdout).stdout)
        assert verdict["result"] == "won"
    row = json.loads(dealbook("solution", "617", "--format", "json").stdout)
    assert row["moves"].split()[0] == shown.stdout.splitlines()[8].split()[0]
    assert (row["game_number"], row["status"], row["written_move_count"]) == (617, "solved", len(row["moves"].split()))


def test_an_impossible_game_says_so_with_its_cost():
    told = dealbook("solution", "11982")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.splitlines()[-1].startswith("dealbook: game 11982 is impossible, by exhaustive search (")
    row = json.loads(dealbook("solution", "11982", "--format", "json").stdout)
    assert (row["status"], row["moves"]) == ("impossible", None)


def test_a_board_in_mid_game_is_solved():
    board = (
        "Foundations: H-0 C-0 D-0 S-A\nFreecells: 2H - 8D\n4C 2C 9C 8C QS 4S\n5H QH 3C AC 3H 4H QD\nQC 9S 6H 9H 3S KS 3D\n"
        "5D 2S JC 5C JH 6D\n2D KD TH TC TD\n7H JS KH TS KC 7C\nAH 5S 6S AD 8H JD\n7S 6C 7D 4D 8S 9D\n"
    )
    solved = dealbook("solution", "-", text=board)
    verdict = json.loads(dealbook("replay", "-", text=solved.stdout).stdout)
    assert (solved.returncode, verdict["result"]) == (0, "won")


@pytest.mark.parametrize(
    ("arguments", "text", "problem"),
    [
        (("solution", "-"), "junk", "not a card line"),
        (("solution", "99999999999"), None, "outside 0 .. 8589934591"),
        (("solution", "617", "--freecells", "9"), None, "freecells"),
    ],
)
def test_what_cannot_be_solved_is_said_in_a_line(arguments, text, problem):
    told = dealbook(*arguments, text=text)
    assert told.returncode == 2
    assert problem in told.stderr
    assert "Traceback" not in told.stderr


def test_a_spent_budget_is_unresolved():
    told = dealbook("solution", "617", "--budget", "100")
    assert (told.returncode, told.stdout) == (1, "")
    assert "game 617 is unresolved: 100 states searched of 100" in told.stderr


def test_shortest_without_effort_or_proof_is_the_first_solution():
    """There is nothing left to shorten or prove, so it prints what `solution` prints."""
    least = ("shortest", "617", "--effort", "0", "--prove", "0")
    for options in ((), ("--format", "json"), ("--freecells", "2", "--budget", "20")):
        done, first = dealbook(*least, *options), dealbook("solution", "617", *options)
        assert (done.returncode, done.stdout, done.stderr) == (first.returncode, first.stdout, first.stderr)
        assert "Traceback" not in done.stderr and (done.returncode == 0) == ("--budget" not in options)
