"""Shuffled batches of a table for a training loop, in bounded memory.

In: a dataset, a table, a seed. Out: dictionaries of arrays.

Row groups are read in a shuffled order, drawn from a few parts at a time; the rows of several are shuffled together and cut into batches.
The order is a pure function of seed and files: every shard of one reading sees the same order and takes its own row groups from it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.serve.learn.tables import Selection

PARTS_TOGETHER: Final = 8
"""Parts whose row groups are shuffled together; only their footers are read ahead."""

BUFFER_ROWS: Final = 200_000
"""Rows that are shuffled together: about 20 MB of positions."""


def batches(
    dataset: str,
    table: str,
    batch_size: int = 1024,
    seed: int | Sequence[int] | None = 0,
    split: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    variant: str | None = None,
    shard: tuple[int, int] = (0, 1),
    buffer_rows: int = BUFFER_ROWS,
) -> Iterator[dict[str, NDArray[Any]]]:
    """Stream a table once in shuffled batches: each a dictionary of arrays by column or group (`cards`, `places`, `legal`, `action`).

    ``seed``: the same one gives the same batches; None keeps the order of the files. ``shard``: (i, n) for the i-th of n readers that
    share the rows. ``buffer_rows`` bounds the memory and is how many rows are shuffled together. The last batch may be smaller.
    Raises InputError for what is not there.
    """
    index, count = shard
    if batch_size < 1 or buffer_rows < 1 or not 0 <= index < count:
        raise InputError(f"batch_size {batch_size}, buffer_rows {buffer_rows}, shard {shard}: out of range")
    chosen = Selection.of(str(dataset), table, split, variant)
    names = chosen.names(columns)
    return _batches(chosen, names, batch_size, seed, shard, buffer_rows)


def _batches(
    chosen: Selection, names: Sequence[str], batch_size: int, seed: Any, shard: tuple[int, int], buffer_rows: int
) -> Iterator[dict[str, NDArray[Any]]]:
    order = None if seed is None else np.random.default_rng(seed)
    mixing = None if seed is None else np.random.default_rng([*np.atleast_1d(seed).tolist(), *shard])
    stored = chosen.stored(names)
    waiting: list[pa.Table] = []
    rows = 0
    for place, (file, group) in enumerate(_row_groups(chosen, order)):
        if place % shard[1] != shard[0]:
            continue
        waiting.append(chosen.read(file, stored, group))
        rows += waiting[-1].num_rows
        if rows >= max(buffer_rows, batch_size):
            whole = rows - rows % batch_size
            together = pa.concat_tables(waiting)
            places = np.arange(rows) if mixing is None else mixing.permutation(rows)
            yield from _cut(chosen, names, together, places[:whole], batch_size)
            waiting, rows = [together.take(pa.array(places[whole:]))], rows - whole
    if rows:
        places = np.arange(rows) if mixing is None else mixing.permutation(rows)
        yield from _cut(chosen, names, pa.concat_tables(waiting), places, batch_size)


def _cut(
    chosen: Selection, names: Sequence[str], rows: pa.Table, places: NDArray[np.int64], batch_size: int
) -> Iterator[dict[str, NDArray[Any]]]:
    """Cut the rows at these places into batches."""
    arrays = {name: chosen.array(rows, name) for name in names}
    for at in range(0, places.size, batch_size):
        yield {name: array[places[at : at + batch_size]] for name, array in arrays.items()}


def _row_groups(chosen: Selection, order: np.random.Generator | None) -> Iterator[tuple[str, int]]:
    """Name the row groups of all files in the order in which they are read."""
    files = list(chosen.files)
    if order is not None:
        files = [files[i] for i in order.permutation(len(files))]
    for first in range(0, len(files), PARTS_TOGETHER):
        some = files[first : first + PARTS_TOGETHER]
        groups = [(file, group) for file in some for group in range(chosen.row_groups(file))]
        yield from groups if order is None else (groups[i] for i in order.permutation(len(groups)))
