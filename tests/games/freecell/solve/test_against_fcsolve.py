"""Verdicts with few cells against Freecell Solver with every kind of move; its fast presets leave some out."""

import re
import shutil
import subprocess

import pytest

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.solve.outcome import STATUSES
from pipeline.games.freecell.solve.solver import solve_many

MOST_STATES = 60_000
EVERY_KIND_OF_MOVE = ("--method", "soft-dfs", "-to", "ABCDEFGHI")


def fcsolve_verdict(number: int, cells: int) -> str:
    board = subprocess.run(["make-microsoft-freecell-board", "-t", str(number)], capture_output=True, check=True).stdout
    told = subprocess.run(
        ["fc-solve", "--freecells-num", str(cells), *EVERY_KIND_OF_MOVE, "-mi", str(MOST_STATES), "-"],
        input=board,
        capture_output=True,
        check=False,
    ).stdout.decode()
    if "This game is solveable" in told:
        return "solved"
    checked = re.search(r"states checked is (\d+)", told)
    assert checked and "could not solve" in told
    return "impossible" if int(checked[1]) < MOST_STATES else "unresolved"


@pytest.mark.skipif(shutil.which("fc-solve") is None, reason="Freecell Solver is not installed")
@pytest.mark.parametrize(
    ("cells", "first", "last"),
    [
        (0, 1, 40),
        (1, 1, 40),
        (2, 1, 25),
        (3, 1, 25),
        pytest.param(1, 1, 400, marks=pytest.mark.slow),
        pytest.param(2, 1, 400, marks=pytest.mark.slow),
        pytest.param(3, 1, 400, marks=pytest.mark.slow),
    ],
)
def test_no_verdict_is_contradicted(cells, first, last):
    solved = solve_many(deal(range(first, last + 1)), cells)
    ours = [STATUSES[status] for status in solved.status]
    theirs = [fcsolve_verdict(number, cells) for number in range(first, last + 1)]
    both = [(one, other) for one, other in zip(ours, theirs, strict=True) if "unresolved" not in (one, other)]
    assert all(one == other for one, other in both), [
        number + first for number, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]
    ]
    assert len(both) > (last - first) // 4
