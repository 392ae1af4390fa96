"""Short solutions: the curve of efforts, and proofs of the shortest, on one core; games and metric as published catalogues have them.

Moves between columns and cells, a supermove as one, cards going home not counted, automoves max from the deal on, supermove limit doubling.
CPU time of warm kernels. The two highest efforts and the proofs look at a sample of the games; `DEALBOOK_BENCH_ALL=1` looks at all.
"""

import os
import time
from typing import Any

import numpy as np

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.solve.short.optimality import Prover
from pipeline.games.freecell.solve.short.solver import ShortSettings, ShortSolver, layout_places, solve_short

GAMES = range(2_000, 1_000_001, 2_000)
GOALS = {1: (1.5, 29.0), 2: (8.0, 26.6), 3: (25.0, 25.95), 4: (300.0, 25.5), 5: (1_100.0, 25.4)}
"""By effort: milliseconds a game and mean length, at most."""
SAMPLE = {4: 10, 5: 25}
"""By effort: one game in so many."""
PROVED = range(1, 201)
PROOF_GOALS = {1: 85, 10: 165}
"""By seconds: how many of the games 1..200 are proved at least."""


def _curve(effort: int, take_all: bool) -> list[dict[str, Any]]:
    games = np.array(GAMES[:: 1 if take_all else SAMPLE.get(effort, 1)])
    layouts = deal(games)
    solver = ShortSolver(ShortSettings(effort, "max"))
    solve_short(layouts[:1], solver)
    before = time.process_time()
    found = solve_short(layouts, solver).solved
    milliseconds = 1000 * (time.process_time() - before) / games.size
    verdicts = replay_many(layouts, found.text, found.offsets, automove="max")
    assert verdicts.is_won.all()
    slowest, longest = GOALS[effort]
    mean = float(verdicts.move_count.mean())
    what = f"short, effort {effort}, {games.size} games: "
    return [
        {
            "what": what + "ms a game",
            "ours": round(milliseconds, 2),
            "reference": slowest,
            "ratio": round(milliseconds / slowest, 2),
            "goal": "ratio <= 1",
        },
        {
            "what": what + "mean moves",
            "ours": round(mean, 3),
            "reference": longest,
            "ratio": round(mean / longest, 4),
            "goal": "ratio <= 1",
        },
    ]


def _proofs(take_all: bool) -> list[dict[str, Any]]:
    """Prove the lengths that effort 3 finds; the time of a proof is that of the search, not of the beam before it."""
    games = np.array(PROVED if take_all else PROVED[::10])
    solver, prover = ShortSolver(ShortSettings(3, "max")), Prover(2e9)
    times = []
    for layout in deal(games):
        start = layout_places(layout)
        length = solver.solve(start, 8).length
        assert length is not None
        before = time.process_time()
        proof = prover.within(start, 8, 4, "max", length - 1, 9_000_000)
        times.append(time.process_time() - before if proof.is_complete else np.inf)
    rows = []
    for seconds, goal in PROOF_GOALS.items():
        proved, least = int((np.array(times) <= seconds).sum()), goal * games.size / len(PROVED)
        rows.append(
            {
                "what": f"shortest proved within {seconds} s each, of {games.size} games",
                "ours": proved,
                "reference": least,
                "ratio": round(proved / least, 2),
                "goal": "ratio >= 1",
            }
        )
    return rows


def rows() -> list[dict[str, Any]]:
    """The efforts' cost and mean length, and how many proofs end in time."""
    take_all = os.environ.get("DEALBOOK_BENCH_ALL") == "1"
    return [row for effort in GOALS for row in _curve(effort, take_all)] + _proofs(take_all)
