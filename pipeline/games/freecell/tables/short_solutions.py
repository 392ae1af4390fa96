"""The table `solutions` as short solutions fill it: each replayed before it is a row, with what is proved of its length.

In: a range of games and `ShortSettings`. Out: Arrow batches of the declared schema.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, IMPOSSIBLE_UNDER_RULE, SOLVED
from pipeline.games.freecell.solve.short.solver import ShortSettings, ShortSolver, solve_short
from pipeline.games.freecell.tables.solutions import solution_rows

GAMES_PER_BATCH: Final = 4_096


def proof_rules(automove: str) -> str:
    """Name the rule set that a proof of the shortest solution holds for."""
    return f"automove {automove}, limit doubling, one card or the most into an empty column"


def whole_budget(settings: ShortSettings) -> int:
    """The states that a game may cost beside its beams: to decide it, and for the proof."""
    return settings.budget + settings.proof_states


def short_batches(start: int, stop: int, settings: ShortSettings) -> Iterator[pa.RecordBatch]:
    """Solve games ``start`` to ``stop - 1`` shortly and yield their rows; raises Failed for a solution that does not replay."""
    solver = ShortSolver(settings)
    for first in range(start, stop, GAMES_PER_BATCH):
        numbers = np.arange(first, min(first + GAMES_PER_BATCH, stop), dtype=np.int64)
        layouts = deal(numbers)
        found = solve_short(layouts, solver)
        solved = found.solved
        solved.status[(solved.status == IMPOSSIBLE) & found.has_other] = IMPOSSIBLE_UNDER_RULE
        is_bounded = (found.lower_bound >= 0) & (solved.status == SOLVED)
        more = {
            "effort": settings.effort,
            "lower_bound": pa.array(found.lower_bound, mask=~is_bounded),
            "is_shortest": pa.array(found.is_shortest & is_bounded),
            "proved_under": pa.array(
                np.full(len(numbers), proof_rules(settings.automove)), pa.string(), mask=~is_bounded
            ),
        }
        yield solution_rows(
            numbers,
            layouts,
            solved,
            settings.freecells,
            whole_budget(settings),
            settings.automove,
            ("doubling",),
            more,
        )
