"""The solver against Freecell Solver, processor time on one core, interleaved in one run.

Ours writes every solution and replays it under both supermove limits; Freecell Solver's fastest preset prints none.
"""

import resource
import shutil
import subprocess
import sys
import time

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.document import game_position
from pipeline.games.freecell.solve.solver import solve_many, solve_position
from pipeline.games.freecell.tables.solutions import solution_batches

FIRST, LAST, ROUND = 1, 32_000, 4_000
IMPOSSIBLE = (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948)
EXHAUSTIVE = ("-to", "0ABCDE")


def _children_seconds(command: list[str], text: str | None = None) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    silent = subprocess.DEVNULL
    subprocess.run(command, input=text, text=True, stdout=silent, stderr=silent, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _row(what: str, ours: float, reference: float, games: int, goal: str) -> dict[str, str]:
    return {
        "what": what,
        "ours": f"{ours / games * 1e6:,.0f} us a game",
        "reference": f"{reference / games * 1e6:,.0f} us a game",
        "ratio": f"{ours / reference:.2f}",
        "goal": goal,
    }


def _games() -> list[dict[str, str]]:
    search = replayed = reference = 0.0
    for first in range(FIRST, LAST, ROUND):
        last = first + ROUND - 1
        layouts = deal(range(first, last + 1))
        start = time.process_time()
        solve_many(layouts)
        middle = time.process_time()
        list(solution_batches(first, last + 1, 4, 10_000_000))
        replayed += time.process_time() - middle
        search += middle - start
        reference += _children_seconds(
            ["freecell-solver-range-parallel-solve", str(first), str(last), str(ROUND), "-l", "lg"]
        )
    games = LAST - FIRST + 1
    return [
        _row("games 1..32,000 solved, moves written", search, reference, games, "0.4, aim 0.3"),
        _row("the same, dealt, replayed twice, laid out as rows", replayed, reference, games, ""),
    ]


def _proofs() -> dict[str, str]:
    ours = reference = 0.0
    for number in IMPOSSIBLE:
        start = time.process_time()
        solve_position(game_position(number))
        ours += time.process_time() - start
        board = subprocess.run(
            ["make-microsoft-freecell-board", "-t", str(number)], capture_output=True, text=True, check=True
        ).stdout
        reference += _children_seconds(["fc-solve", *EXHAUSTIVE, "-"], board)
    return _row("the 8 impossible games of 1..1,000,000 proved, searches included", ours, reference, 8, "below 1")


def _command() -> dict[str, str]:
    seconds = min(_children_seconds([sys.executable, "-m", "pipeline", "solution", "617"]) for _ in range(3))
    return {
        "what": "dealbook solution 617, warm",
        "ours": f"{seconds:.2f} s",
        "reference": "",
        "ratio": "",
        "goal": "2 s",
    }


def rows() -> list[dict[str, str]]:
    """Measure the solver."""
    solve_many(deal([1, 2]))  # compiled, or read from the cache
    solve_position(game_position(617))
    if shutil.which("fc-solve") is None:
        return [
            {
                "what": "the solver",
                "ours": "",
                "reference": "freecell-solver-bin is not installed",
                "ratio": "",
                "goal": "",
            }
        ]
    return [*_games(), _proofs(), _command()]
