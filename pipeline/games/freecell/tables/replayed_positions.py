"""Positions made from rows of `solutions`, and the proof that they are what these solutions make.

In: rows of `solutions`, a rule set. Out: Arrow batches of `positions`, or what differs from them.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.tables.positions import position_batches

COLUMNS_READ: Final = ("game_number", "freecells", "automove", "status", "moves", "move_count", "written_move_count")
"""The columns of `solutions` that positions are made from."""


class RuleSet(NamedTuple):
    """What solutions of one kind share."""

    automove: str
    freecells: int

    def __str__(self) -> str:
        return f"--automove {self.automove} --freecells {self.freecells}"


class Texts(NamedTuple):
    """One solution a game: int64[n] game numbers, and the i-th text is ``text[offsets[i]:offsets[i + 1]]``."""

    game_numbers: NDArray[np.int64]
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def rule_sets(rows: pa.Table) -> set[RuleSet]:
    """The rule sets under which games are solved in rows of `solutions`."""
    solved = rows.filter(pc.equal(rows["status"], "solved")).group_by(["automove", "freecells"]).aggregate([])
    return set(map(RuleSet, solved["automove"].to_pylist(), solved["freecells"].to_pylist()))


def positions_of(rows: pa.Table, rules: RuleSet) -> Iterator[pa.RecordBatch]:
    """Replay the shortest solution of each solved game under a rule set; raises Failed for one that does not win."""
    chosen = shortest(rows, rules)
    yield from position_batches(
        chosen.game_numbers, deal(chosen.game_numbers), chosen.text, chosen.offsets, **rules._asdict()
    )


def wrong_positions(table: pa.Table, rows: pa.Table, rules: RuleSet) -> list[str]:
    """Replay the solutions anew and find what differs in a file of positions; raises Failed for one that does not win."""
    at = 0
    for batch in positions_of(rows, rules):
        found = table.slice(at, batch.num_rows)
        if found.num_rows < batch.num_rows:
            return [f"ends with {table.num_rows} positions; its solutions have more"]
        for column, expected in zip(table.schema.names, batch.columns, strict=True):
            if not found[column].equals(pa.chunked_array([expected])):
                return [_difference(found, batch, column)]
        at += batch.num_rows
    return [] if at == table.num_rows else [f"{table.num_rows} positions; its solutions have {at}"]


def _difference(found: pa.Table, batch: pa.RecordBatch, column: str) -> str:
    numbers, plies = batch.column("game_number").to_numpy(), batch.column("ply").to_numpy()
    here, right = found[column].to_numpy(), batch.column(column).to_numpy()
    row = int(np.argmax(here != right))
    return f"game {numbers[row]}, ply {plies[row]}: {column} is {here[row]}, {right[row]} is right"


def shortest(rows: pa.Table, rules: RuleSet) -> Texts:
    """Choose the shortest solution of each solved game under a rule set; of equal ones the first."""
    fits: Any = pc.and_(pc.equal(rows["automove"], rules.automove), pc.equal(rows["freecells"], rules.freecells))
    rows = rows.filter(pc.and_(fits, pc.equal(rows["status"], "solved")))
    numbers = rows["game_number"].to_numpy()
    order = np.lexsort((rows["written_move_count"].to_numpy(), rows["move_count"].to_numpy(), numbers))
    is_first = np.diff(numbers[order], prepend=-1) > 0
    moves = rows["moves"].take(pa.array(order[is_first])).cast(pa.large_string()).combine_chunks()
    if not len(moves):
        return Texts(np.empty(0, np.int64), np.empty(0, np.uint8), np.zeros(1, np.int64))
    _, offsets, text = moves.buffers()
    return Texts(
        numbers[order][is_first],
        np.frombuffer(text, np.uint8),
        np.frombuffer(offsets, np.int64)[moves.offset : moves.offset + len(moves) + 1],
    )
