"""What an import finds in texts: solutions as rows, and texts that are none.

In: moves in standard notation. Out: rows of those that win, and of the others where they stand and why.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.bulk import RESULTS, Verdicts, replay_many
from pipeline.games.freecell.rules.moves import Limit

ROWS: Final = pa.schema(
    [
        ("line", pa.int64()),
        ("game_number", pa.int64()),
        ("freecells", pa.uint8()),
        ("automove", pa.string()),
        ("moves", pa.large_string()),
        ("move_count", pa.int32()),
        ("written_move_count", pa.int32()),
        ("card_move_count", pa.int32()),
    ]
)
"""What an import knows of a solution: its line in the file, and columns of `solutions`; no automoves come before the first move."""


class Rejected(NamedTuple):
    """A text that is no solution: where it stands, its game, its first illegal move and why."""

    file: str
    line: int
    game_number: int | None
    move: int | None
    reason: str


@dataclass(frozen=True)
class Reading:
    """How to read what the texts leave unsaid: automove rule, automoves before the first move, freecells, supermove limit."""

    automove: AutomoveRule | None = None
    initial: bool = False
    freecells: int | None = None
    limit: Limit | None = None


class Found(NamedTuple):
    """The solutions of some texts (`ROWS`) and the texts that are none."""

    rows: pa.Table
    rejected: list[Rejected]


def joined(found: list[Found]) -> Found:
    """Put what was found together."""
    return Found(pa.concat_tables([one.rows for one in found]), [text for one in found for text in one.rejected])


def rows_of(lines: Any, numbers: Any, freecells: int, automove: str, moves: pa.Array, verdicts: Verdicts) -> pa.Table:
    """All texts of one rule set as rows, won or not."""
    n = len(numbers)
    columns = [
        pa.array(lines, pa.int64()),
        pa.array(numbers, pa.int64()),
        pa.array(np.full(n, freecells, np.uint8)),
        pa.repeat(pa.scalar(automove), n),
        moves,
        *(pa.array(c) for c in (verdicts.move_count, verdicts.written_move_count, verdicts.card_move_count)),
    ]
    return pa.Table.from_arrays(columns, schema=ROWS)


def replayed(
    file: str, lines: Any, numbers: Any, freecells: int, automove: str, moves: pa.Array, jobs: int = 1
) -> Found:
    """Replay texts in standard notation of one rule set; moves after the one that wins are left out."""
    _, offsets, data = moves.buffers()
    text = np.frombuffer(data if data is not None else b"", np.uint8)
    ends = np.frombuffer(offsets, np.int64)[moves.offset : moves.offset + len(moves) + 1] if len(moves) else [0]
    verdicts = replay_many(deal(numbers), text, ends, automove=automove, freecells=freecells, jobs=jobs)
    wins = verdicts.is_won
    rejected = []
    for i in np.flatnonzero(~wins).tolist():
        reason = verdicts.reason(i) or unfinished(verdicts, i)
        rejected.append(Rejected(file, int(lines[i]), int(numbers[i]), int(verdicts.illegal_move[i]) or None, reason))
    if verdicts.moves_left.any():
        kept = zip(moves.to_pylist(), verdicts.written_move_count.tolist(), strict=True)
        moves = pa.array([" ".join(text.split()[:count]) for text, count in kept], pa.large_string())
    return Found(rows_of(lines, numbers, freecells, automove, moves, verdicts).filter(pa.array(wins)), rejected)


def unfinished(verdicts: Verdicts, index: int) -> str:
    """Say that moves do not win."""
    return f"{RESULTS[verdicts.result[index]]}: {52 - int(verdicts.home[index].sum())} cards are not home"


def unread(file: str, line: int, reason: str, first_line: int = 1) -> Rejected:
    """A text that a reader turned down: the line that its reason begins with counts, in a text that begins at ``first_line``."""
    match = re.match(r"line (\d+): ", reason)
    line = int(match[1]) + first_line - 1 if match else line
    return Rejected(file, line, None, None, reason[match.end() :] if match else reason)


def sorted_once(rows: pa.Table) -> pa.Table:
    """Sort solutions by game, rule set, length and text, each text once: the order of the files read does not tell."""
    keys = ["game_number", "freecells", "automove", "move_count", "written_move_count", "moves"]
    rows = rows.sort_by([(key, "ascending") for key in keys]).combine_chunks()
    if rows.num_rows < 2:
        return rows
    differs = pa.repeat(pa.scalar(False), rows.num_rows - 1)
    for key in ("game_number", "freecells", "automove", "moves"):
        column = rows[key].combine_chunks()
        differs = pc.or_(differs, pc.not_equal(column.slice(1), column.slice(0, rows.num_rows - 1)))
    return rows.filter(pa.concat_arrays([pa.array([True]), differs]))


def digest(rows: pa.Table, source: str) -> str:
    """SHA-256 of what rows say and of the name they are imported under."""
    keys = [rows[name].cast(pa.large_string()) for name in ("game_number", "freecells", "automove", "moves")]
    lines = pc.binary_join_element_wise(*keys, pa.scalar(" ", pa.large_string()))
    return hashlib.sha256("\n".join([source, *lines.to_pylist()]).encode()).hexdigest()
