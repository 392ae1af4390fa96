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
UNLESS_TOLD: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "status": "solved",
        "nodes": 0,
        "budget": 0,
        "tier": 0,
        "effort": 0,
        "lower_bound": None,
        "is_shortest": False,
        "proved_under": None,
    }
)
"""What a row says where its maker says nothing: a solution that was found without a search, as an import is."""


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
    told = {**columns, "freecells": freecells, "automove": automove, "budget": budget, "source": SOLVER, **more}
    return pa.RecordBatch.from_arrays(_filled(told, count), schema=SOLUTIONS.arrow_schema())


def imported_rows(rows: pa.Table, source: str) -> pa.Table:
    """Lay solutions of others out as rows; ``rows`` have the columns that their replays fill."""
    told = {name: rows[name].combine_chunks() for name in rows.schema.names}
    return pa.Table.from_arrays(_filled({**told, "source": source}, len(rows)), schema=SOLUTIONS.arrow_schema())


def solution_record(told: Mapping[str, Any]) -> dict[str, Any]:
    """One row as a dictionary, in the order of the columns; raises KeyError where a column's value is neither told nor usual."""
    return {column.name: {**UNLESS_TOLD, **told}[column.name] for column in SOLUTIONS.columns}


def _filled(told: Mapping[str, Any], count: int) -> list[pa.Array]:
    """The columns in their order and types: arrays as told, other values the same in all rows."""
    values = {**UNLESS_TOLD, **told}
    return [
        value.cast(field.type)
        if isinstance(value := values[field.name], pa.Array)
        else pa.repeat(pa.scalar(value, field.type), count)
        for field in SOLUTIONS.arrow_schema()
    ]
