"""Replay a whole catalogue file, and shape its verdicts as rows.

In: the bytes of a file of compact catalogue lines. Out: verdicts batch by batch, or the rows that `replay` prints.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pipeline.cards.codes import SUITS
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.bulk_scan import Lines, scan_catalogue
from pipeline.games.freecell.notation.catalogue import read_catalogue_lines
from pipeline.games.freecell.rules.bulk import ILLEGAL, RESULTS, Verdicts, replay_catalogue

if TYPE_CHECKING:
    import polars

BATCH: Final = 50_000
"""Lines dealt and replayed together: some 20 MB of layouts, texts and verdicts."""


class Batch(NamedTuple):
    """Some lines of a catalogue, and what became of each."""

    lines: Lines
    verdicts: Verdicts


def is_catalogue(data: bytes) -> bool:
    """Whether the first line that is neither blank nor a comment is one of a compact catalogue."""
    for line in data[:4096].splitlines():
        word = line.strip()
        if word and not word.startswith(b"#"):
            return word.partition(b":")[0].isdigit() and b":" in word
    return False


def replay_batches(data: Any, *, freecells: int = 4, jobs: int = 1) -> Iterator[Batch]:
    """Replay each line of a catalogue given as bytes; raises InputError for ``freecells`` outside 0 .. 8.

    The verdict of a line that is not readable says nothing.
    """
    text = np.frombuffer(data, np.uint8)
    lines = scan_catalogue(text)
    for first in range(0, lines.line.size, BATCH):
        batch = Lines(*(array[first : first + BATCH] for array in lines))
        yield Batch(
            batch,
            replay_catalogue(deal(batch.game_number), text, batch.starts, batch.ends, freecells=freecells, jobs=jobs),
        )


def reasons(batch: Batch) -> list[str | None]:
    """Why each line is not plainly won, in the words of `catalogue` and `rules.moves`; None where it is, or is unfinished."""
    lines, verdicts = batch
    said: list[str | None] = [None] * lines.line.size
    for i in np.flatnonzero(verdicts.result == ILLEGAL).tolist():
        said[i] = verdicts.reason(i)
    for i in np.flatnonzero(lines.starts == lines.ends).tolist():
        said[i] = "no moves"
    for i in np.flatnonzero(lines.is_readable == 0).tolist():
        text = bytes(verdicts.text[lines.starts[i] : lines.ends[i]]).decode("utf-8", "replace")
        said[i] = str(next(read_catalogue_lines(text))).replace("line 1:", f"line {lines.line[i]}:", 1)
    for i in np.flatnonzero(verdicts.moves_left).tolist():
        said[i] = f"won with {verdicts.moves_left[i]} moves left over"
    return said


def verdict_rows(batch: Batch) -> "polars.DataFrame":
    """The rows that `replay` prints: game number, result, moves played, first illegal move, reason, cards home."""
    import polars as pl

    lines, verdicts = batch
    is_bad = lines.is_readable == 0
    home = verdicts.home
    results = pl.Series([*RESULTS, "unreadable"])
    return pl.DataFrame(
        {
            "game_number": lines.game_number,
            "result": results.gather(np.where(is_bad, len(RESULTS), verdicts.result)),
            "moves": np.where(is_bad, 0, verdicts.written_move_count),
            "illegal_move": verdicts.illegal_move,
            "reason": pl.Series(reasons(batch), dtype=pl.String),
            **{suit: home[:, k] for k, suit in enumerate(SUITS)},
        }
    ).select(
        pl.when(pl.col("result") != "unreadable").then("game_number").alias("game_number"),
        "result",
        "moves",
        pl.when(pl.col("result") == "illegal").then("illegal_move").alias("illegal_move"),
        "reason",
        pl.when(pl.col("result") != "unreadable").then(pl.format("C{} D{} H{} S{}", *SUITS)).alias("home"),
    )
