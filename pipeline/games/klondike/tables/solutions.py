"""The table `klondike_solutions`: every game of a range solved under both rules, and the proof that such a table is right.

In: a range of game numbers, or a table of this kind. Out: an Arrow table as `schema` declares it, or what is wrong with one.
"""

from importlib.metadata import version
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.errors import NotationError
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.notation.bulk import read_klondike_texts, write_klondike_texts
from pipeline.games.klondike.rules.bulk import replay_klondike_many
from pipeline.games.klondike.rules.replay import DRAW
from pipeline.games.klondike.solve.solver import PASSES, RULES, STATUSES, Solutions, solve_klondike_under_both
from pipeline.games.klondike.tables.schema import KLONDIKE_SOLUTIONS
from pipeline.tables.arrow import arrow_array

_LENGTHS: Final = ("move_count", "draw_count", "move_count_with_draws")
SOURCE: Final = f"dealbook {version('dealbook')}"
_DRAW: Final = 16 * DRAW.source + DRAW.target


def _counts(moves: NDArray[np.uint8], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count the moves without draws and the draws of each game."""
    draws_before = np.concatenate(([0], np.cumsum(moves == _DRAW)))
    draws = np.diff(draws_before[offsets])
    return (np.diff(offsets) - draws).astype(np.int32), draws.astype(np.int32)


def _rows(numbers: NDArray[np.int64], rule: str, solutions: Solutions, budget: int) -> pa.Table:
    """The rows of one rule."""
    moves, draws = _counts(solutions.moves, solutions.offsets)
    text, ends = write_klondike_texts(solutions.moves, solutions.offsets)
    is_solved = solutions.status == STATUSES.index("solved")
    bitmap = pa.py_buffer(np.packbits(is_solved, bitorder="little"))

    def counted(values: NDArray[np.int32]) -> pa.Array:
        return pa.Array.from_buffers(pa.int32(), values.size, [bitmap, pa.py_buffer(values)])

    columns = [
        arrow_array(numbers),
        pa.repeat(rule, numbers.size),
        pa.array(STATUSES).take(pa.array(solutions.status)),
        pa.StringArray.from_buffers(numbers.size, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(text), bitmap),
        counted(moves),
        counted(draws),
        counted(moves + draws),
        arrow_array(solutions.states),
        pa.repeat(pa.scalar(budget, pa.int64()), numbers.size),
        pa.repeat(SOURCE, numbers.size),
    ]
    return pa.Table.from_arrays(columns, schema=KLONDIKE_SOLUTIONS.arrow_schema())


def solved_klondike(start: int, stop: int, budget: int = PASSES[-1]) -> pa.Table:
    """Solve games ``start`` to ``stop - 1`` under both rules; a game's two rows follow each other, `RULES` in their order."""
    numbers = np.arange(start, stop, dtype=np.int64)
    layouts = deal_klondike(numbers)
    solutions = solve_klondike_under_both(layouts, budget)
    both = [_rows(numbers, rule, solutions[rule], budget) for rule in RULES]
    order = np.arange(2 * numbers.size).reshape(2, -1).T.ravel()
    return pa.concat_tables(both).take(arrow_array(order)).combine_chunks()


def wrong_klondike_solutions(table: pa.Table) -> list[str]:
    """Replay every solution of a `klondike_solutions` table and compare its counts; returns one line on each kind of fault found."""
    numbers, rules = table.column("game_number").to_numpy(), np.asarray(table.column("rule"))
    status = np.asarray(table.column("status"))
    in_pairs = (numbers[::2] == numbers[1::2]).all() if numbers.size % 2 == 0 else False
    if not in_pairs or any((rules[k::2] != rule).any() for k, rule in enumerate(RULES)):
        return [f"not two rows a game, rules {' and '.join(RULES)}"]
    problems = []
    if (status != "solved").sum() != table.column("moves").null_count or not np.isin(status, STATUSES).all():
        problems.append("a status is none of the declared ones, or does not fit whether the row has moves")
    no_return, with_return = status[1::2] == "solved", status[::2] == "impossible"
    if (no_return & with_return).any():
        problems.append(
            f"game {numbers[::2][no_return & with_return][0]}: solved where no card returns, impossible where cards may"
        )
    for rule in RULES:
        chosen = np.flatnonzero((rules == rule) & (status == "solved"))
        texts = table.column("moves").take(arrow_array(chosen)).combine_chunks().cast(pa.large_string())
        _, ends, text = texts.buffers()
        try:
            if texts.null_count:
                raise NotationError("a solved game has no moves")
            moves, offsets = read_klondike_texts(
                np.frombuffer(text or b"", np.uint8), np.frombuffer(ends, np.int64)[texts.offset :][: chosen.size + 1]
            )
        except NotationError as error:
            problems.append(f"rule {rule}: {error}")
            continue
        verdicts = replay_klondike_many(deal_klondike(numbers[chosen]), moves, offsets, rule == "return")
        lost = numbers[chosen][~verdicts.is_won]
        if lost.size:
            problems.append(f"game {lost[0]}: its solution does not win under rule {rule} ({lost.size} such rows)")
        move_counts, draw_counts = _counts(moves, offsets)
        for name, counts in zip(_LENGTHS, (move_counts, draw_counts, move_counts + draw_counts), strict=True):
            wrong = numbers[chosen][table.column(name).take(arrow_array(chosen)).to_numpy() != counts]
            if wrong.size:
                problems.append(f"game {wrong[0]}: {name} is not that of its moves ({wrong.size} such rows)")
    return problems
