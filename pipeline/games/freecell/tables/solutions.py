"""The table `solutions` as the solver fills it: a range of games solved, each solution replayed before it is a row.

In: a range of games, a number of freecells, a budget. Out: Arrow batches of the declared schema.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.errors import Failed
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.moves import LIMITS, Limit
from pipeline.games.freecell.solve.outcome import SHORT_STATUSES, SOLVED, SOLVER
from pipeline.games.freecell.solve.solver import Solved, make_plan, solve_many
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.tables.arrow import arrow_array

GAMES_PER_BATCH: Final = 16_384
AUTOMOVE: Final = "horne"


def solution_batches(start: int, stop: int, freecells: int, budget: int) -> Iterator[pa.RecordBatch]:
    """Solve games ``start`` to ``stop - 1`` and yield their rows; raises Failed for a solution that does not replay."""
    plan = make_plan(freecells, budget)
    for first in range(start, stop, GAMES_PER_BATCH):
        numbers = np.arange(first, min(first + GAMES_PER_BATCH, stop), dtype=np.int64)
        layouts = deal(numbers)
        yield solution_rows(numbers, layouts, solve_many(layouts, freecells, budget, plan), freecells, budget)


def solution_rows(
    numbers: NDArray[np.int64],
    layouts: NDArray[np.uint8],
    solved: Solved,
    freecells: int,
    budget: int,
    automove: str = AUTOMOVE,
    limits: tuple[Limit, ...] = LIMITS,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> pa.RecordBatch:
    """Replay solutions under supermove limits and lay outcomes out as rows; raises Failed for one that fails.

    ``more``: values of columns beyond those of a first solution, an array or the same for all rows.
    """
    is_solved = solved.status == SOLVED
    verdicts = {
        limit: replay_many(layouts, solved.text, solved.offsets, automove=automove, limit=limit, freecells=freecells)
        for limit in limits
    }
    for limit, verdict in verdicts.items():
        wrong = np.flatnonzero(is_solved & ~(verdict.is_won & (verdict.moves_left == 0)))
        if wrong.size:
            raise Failed(
                f"game {numbers[wrong[0]]} with {freecells} freecells: the solver's own solution does not replay under "
                f"limit {limit}; this is a defect, nothing was written"
            )
    counts = verdicts["doubling"]
    count = numbers.size
    is_given = pa.py_buffer(np.packbits(is_solved, bitorder="little"))
    columns: dict[str, pa.Array] = {
        "game_number": arrow_array(numbers),
        "status": pa.array(SHORT_STATUSES).take(arrow_array(solved.status)),
        "moves": pa.Array.from_buffers(
            pa.string(),
            count,
            [is_given, pa.py_buffer(solved.offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(solved.text))],
        ),
        "nodes": arrow_array(solved.nodes),
        "tier": arrow_array(solved.tier),
    }
    for name in ("move_count", "written_move_count", "card_move_count"):
        values = np.ascontiguousarray(getattr(counts, name), np.int32)
        columns[name] = pa.Array.from_buffers(pa.int32(), count, [is_given, pa.py_buffer(values)])
    same: dict[str, Any] = {
        "freecells": freecells,
        "automove": automove,
        "budget": budget,
        "effort": 0,
        "lower_bound": None,
        "is_shortest": False,
        "proved_under": None,
        "source": SOLVER,
    }
    for name, value in more.items():
        (columns if isinstance(value, pa.Array) else same)[name] = value
    schema = SOLUTIONS.arrow_schema()
    return pa.RecordBatch.from_arrays(
        [columns.get(f.name, pa.repeat(pa.scalar(same.get(f.name), f.type), count)) for f in schema], schema=schema
    )
