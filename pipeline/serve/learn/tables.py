"""Read the tables of a dataset into memory: as a frame, or as arrays for learning.

In: a dataset's folder or URL, a table, columns, a split. Out: Polars frames and NumPy arrays.

Columns that belong together have a name of their own and come as one matrix: `cards` of layouts, `statistics`, `places` and `legal` of
positions; `action` numbers the move that is played there (`tables.positions_code`).
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.games.freecell.tables.positions_code import action_of
from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.games.registry import TABLES, matrices_of
from pipeline.run.dataset.manifest import read_manifest, require_schema
from pipeline.run.dataset.plan import FileName
from pipeline.run.dataset.store import Store
from pipeline.tables.split import SPLITS, split_codes

if TYPE_CHECKING:
    import polars

ACTION: Final = "action"
_ACTION_OF: Final = ("move_source", "move_target")
SPLIT: Final = "split"


@dataclass(frozen=True)
class Selection:
    """The files of one table, and which of their rows: those of one split, or all for None."""

    store: Store
    table: str
    files: dict[str, int]
    split: str | None

    @classmethod
    def of(cls, dataset: str, table: str, split: str | None, variant: str | None) -> "Selection":
        """Find them; raises InputError for a table, split or variant that is not there, and ConfigError where there is no dataset.

        ``variant`` names the files of one kind where the table has several (what stands before ``part-`` in their names); None takes
        all of them, side by side as the columns of `solutions` tell them apart, and is refused where nothing does.
        """
        store = Store(dataset)
        manifest = read_manifest(store)
        if split is not None and split not in SPLITS:
            raise InputError(f"split {split!r} is not one of {', '.join(SPLITS)}")
        parsed = {name: FileName.parse(name) for name in manifest.files}
        files = [name for name, parts in parsed.items() if parts.table == table]
        if not files:
            has = sorted({parts.table for parts in parsed.values()})
            raise InputError(f"{dataset}: has no table {table!r}, only {', '.join(has) or 'none yet'}")
        require_schema(store, manifest, (table,))
        variants = sorted({parsed[name].variant for name in files})
        if variant is not None and variant not in variants:
            raise InputError(
                f"{dataset}: its table {table} has no variant {variant!r}, only {', '.join(map(repr, variants))}"
            )
        if variant is None and len(variants) > 1 and table == POSITIONS.name:
            raise InputError(
                f"{dataset}: has positions of several solutions, which no column tells apart: "
                f"choose variant {', '.join(map(repr, variants))}"
            )
        files = [name for name in files if variant in (None, parsed[name].variant)]
        files.sort(key=lambda name: (parsed[name].part.start, name))
        return cls(store, table, {name: manifest.files[name].rows for name in files}, split)

    def names(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        """The columns asked for, groups by their names; all of them for None. Raises InputError for one that there is not."""
        declared = [c.name for c in TABLES[self.table].columns]
        groups = matrices_of(self.table)
        if columns is None:
            grouped = {name for group in groups.values() for name in group}
            return (*(name for name in declared if name not in grouped), *groups)
        known = [*declared, *groups, SPLIT, *([ACTION] if set(_ACTION_OF) <= set(declared) else [])]
        for name in columns:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise InputError(
                    f"{self.table} has no column {name!r}" + (f"; did you mean {near[0]}?" if near else "")
                )
        return tuple(columns)

    def stored(self, names: Iterable[str]) -> list[str]:
        """The stored columns that these names are made of, and the game number."""
        groups = matrices_of(self.table)
        found = ["game_number"]
        for name in names:
            found += _ACTION_OF if name == ACTION else [] if name == SPLIT else groups.get(name, (name,))
        return list(dict.fromkeys(found))

    def read(self, file: str, columns: list[str], row_group: int | None = None) -> pa.Table:
        """Read a file, or one row group of it, and keep the rows of the split."""
        with self.store.open(file) as source, pq.ParquetFile(source) as parquet:
            rows = parquet.read(columns) if row_group is None else parquet.read_row_group(row_group, columns)
        return rows if self.split is None else rows.filter(pa.array(self.keeps(rows)))

    def keeps(self, rows: pa.Table) -> NDArray[np.bool_]:
        """Which rows belong to the split."""
        return split_codes(rows["game_number"].to_numpy()) == SPLITS.index(self.split)

    def row_groups(self, file: str) -> int:
        """How many row groups a file has."""
        with self.store.open(file) as source, pq.ParquetFile(source) as parquet:
            return int(parquet.num_row_groups)

    def array(self, rows: pa.Table, name: str) -> NDArray[Any]:
        """One column or group as an array: [n], or [n, columns of the group]. Raises InputError for text."""
        if name == ACTION:
            actions: NDArray[Any] = action_of(*(rows[part].to_numpy() for part in _ACTION_OF))
            return actions
        if name == SPLIT:
            return split_codes(rows["game_number"].to_numpy())
        group = matrices_of(self.table).get(name)
        if group is None:
            if rows.schema.field(name).type == pa.string():
                raise InputError(f"{self.table}.{name} is text, which no array holds: use load")
            return rows[name].to_numpy()
        matrix = np.empty((rows.num_rows, len(group)), rows.schema.field(group[0]).type.to_pandas_dtype())
        for k, column in enumerate(group):
            matrix[:, k] = rows[column].to_numpy()
        return matrix

    def pieces(self, columns: list[str]) -> Iterator[pa.Table]:
        """Read all rows in order, a row group at a time."""
        for file in self.files:
            for group in range(self.row_groups(file)):
                yield self.read(file, columns, group)


def load(
    dataset: str,
    table: str,
    columns: Sequence[str] | None = None,
    split: str | None = None,
    *,
    variant: str | None = None,
) -> "polars.DataFrame":
    """Load a table as a Polars frame, sorted by game number; the types are the stored ones.

    ``columns``: all and the split for None, else these; ``split`` is train, validation or test, None for all rows. ``variant``: one kind of
    solutions or positions, None for all solutions there are: several rows a game where it was solved in several ways. Raises InputError
    for what is not there, and for positions of several kinds where none is named.
    """
    import polars as pl

    chosen = Selection.of(str(dataset), table, split, variant)
    names = [*(c.name for c in TABLES[table].columns), SPLIT] if columns is None else list(columns)
    groups = matrices_of(table)
    names = [part for name in chosen.names(names) for part in groups.get(name, (name,))]
    frames = [pl.DataFrame(chosen.read(file, chosen.stored(names))) for file in chosen.files]
    frame = pl.concat(frames).sort("game_number", maintain_order=True)
    made = []
    if SPLIT in names:
        codes = split_codes(frame["game_number"].to_numpy())
        made.append(pl.Series(SPLIT, codes).replace_strict(dict(enumerate(SPLITS)), return_dtype=pl.Enum(SPLITS)))
    if ACTION in names:
        made.append(pl.Series(ACTION, action_of(*(frame[part].to_numpy() for part in _ACTION_OF))))
    return frame.with_columns(made).select(names)


def matrix(
    dataset: str,
    table: str = "layouts",
    columns: Sequence[str] | str | None = None,
    split: str | None = None,
    *,
    variant: str | None = None,
) -> NDArray[Any]:
    """Load columns as one NumPy array, rows sorted by game number; layouts are uint8[n, 52] in deal order.

    ``columns``: the table's own matrix for None (`cards`, `statistics`, `places`); the name of one column, which gives [n], or of a group;
    or several columns, which give [n, columns] of their common type. The array is filled row group by row group, so that nothing
    but one of these exists twice. Raises InputError for what is not there and for text.
    """
    chosen = Selection.of(str(dataset), table, split, variant)
    if columns is None and not matrices_of(table):
        raise InputError(f"{table} has no matrix of its own: name the columns")
    wanted = next(iter(matrices_of(table))) if columns is None else columns
    names = chosen.names([wanted] if isinstance(wanted, str) else wanted)
    stored = chosen.stored(names)
    rows = sum(chosen.files.values())
    if split is not None:
        rows = sum(piece.num_rows for piece in chosen.pieces(["game_number"]))
    filled: NDArray[Any] | None = None
    at = 0
    for piece in chosen.pieces(stored):
        arrays = [chosen.array(piece, name) for name in names]
        part = arrays[0] if isinstance(wanted, str) else np.column_stack(arrays)
        if filled is None:
            filled = np.empty((rows, *part.shape[1:]), _common_type(chosen, names))
        filled[at : at + len(part)] = part
        at += len(part)
    if filled is None:
        empty = TABLES[table].arrow_schema().empty_table()
        return np.column_stack([chosen.array(empty, name) for name in names])
    if len({FileName.parse(file).variant for file in chosen.files}) > 1:
        numbers = [piece["game_number"].to_numpy() for piece in chosen.pieces(["game_number"])]
        filled = filled[np.argsort(np.concatenate(numbers), kind="stable")]
    return filled


def _common_type(chosen: Selection, names: Sequence[str]) -> np.dtype[Any]:
    """The type that holds the values of all these columns; of one that may be null, a float with NaN for it."""
    one = TABLES[chosen.table].arrow_schema()
    groups = matrices_of(chosen.table)
    types = []
    for name in names:
        if name in (ACTION, SPLIT):
            types.append(np.dtype(np.int64 if name == ACTION else np.uint8))
            continue
        field = one.field(groups.get(name, (name,))[0])
        types.append(np.dtype(np.float64 if field.nullable else field.type.to_pandas_dtype()))
    return np.result_type(*types)
