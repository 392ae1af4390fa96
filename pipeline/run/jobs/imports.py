"""Import solutions of others into a dataset, each one replayed first.

In: a dataset, text files, how to read them. Out: files of the table `solutions` under the name of their source, and the texts
that were turned down.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.cards.errors import ConfigError, InputError
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.freecell.tables.solutions import imported_rows
from pipeline.run.dataset.dataset import LOCAL, Dataset
from pipeline.run.dataset.plan import IMPORTED, Part, Plan
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine
from pipeline.run.imports.rows import ROWS, Reading, Rejected, digest, sorted_once
from pipeline.run.imports.texts import STDIN, find_files, name_of, read_file

_LONGEST_VARIANT: Final = 100


@dataclass(frozen=True)
class ImportJob:
    """Writes the parts of `solutions` that one source brings; ``rows`` are all of them, sorted by game number."""

    rows: pa.Table
    numbers: NDArray[np.int64]
    source: str
    variant: str
    settings: dict[str, str | int]
    tables: tuple[str, ...] = (SOLUTIONS.name,)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the solutions of the part."""
        first, end = np.searchsorted(self.numbers, [part.start, part.stop])
        rows = self.rows.slice(first, end - first)
        yield SOLUTIONS.name, imported_rows(rows, self.source), None


@dataclass(frozen=True)
class Imported:
    """What an import did: solutions written, texts that told one of them again, and texts turned down."""

    solutions: int
    repeated: int
    rejected: list[Rejected]


def import_solutions(
    dataset: Dataset,
    paths: list[str],
    *,
    source: str | None = None,
    reading: Reading | None = None,
    is_replacement: bool = False,
    engine: Engine = LOCAL,
    advance: Advance = lambda games, note="": None,
) -> Imported:
    """Replay the solutions in files and folders and write those that win into `solutions`, as from ``source``.

    ``source`` is the file's or folder's own name where one is given. What was imported under it before is kept, and other
    solutions are refused with ConfigError, unless ``is_replacement``; where no text wins, nothing is written or removed.
    Raises InputError for paths that are not there and options that conflict.
    """
    files = find_files(paths)
    if source is None and len(paths) > 1:
        raise InputError("several files: name their --source, which the column `source` tells them by")
    name = source if source is not None else _own_name(paths[0])
    variant = IMPORTED + re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
    if not len(IMPORTED) < len(variant) <= _LONGEST_VARIANT:
        raise InputError(
            f"a source's name needs a letter or digit, and no more than {_LONGEST_VARIANT} of them: {name[:99]!r}"
        )
    with dataset.open(SOLUTIONS.name):
        tables, rejected = [ROWS.empty_table()], []
        for file in files:
            for found in read_file(file, reading or Reading(), engine.jobs):
                is_inside = _is_planned(found.rows, dataset.plan)
                tables.append(found.rows.filter(is_inside))
                rejected += found.rejected
                rejected += _outside(name_of(file), found.rows.filter(pc.invert(is_inside)), dataset.plan)
                advance(found.rows.num_rows + len(found.rejected))
        told = pa.concat_tables(tables).drop_columns("line")
        rows = sorted_once(told)
        rejected.sort(key=lambda text: (text.file, text.line))
        if not rows.num_rows:
            return Imported(0, 0, rejected)
        job = ImportJob(
            rows,
            rows["game_number"].to_numpy(),
            name,
            variant,
            {"source": name, "imported_sha256": digest(rows, name)},
        )
        _make_way(dataset, job, is_replacement)
        places = np.unique((job.numbers - dataset.plan.first) // dataset.plan.part_size)
        dataset.write(job, [dataset.plan[int(place)] for place in places], engine)
    return Imported(rows.num_rows, told.num_rows - rows.num_rows, rejected)


def _own_name(path: str) -> str:
    return Path(path).resolve().stem if Path(path) != STDIN else name_of(STDIN)


def _is_planned(rows: pa.Table, plan: Plan) -> pa.ChunkedArray:
    """Which rows are of games that the dataset is planned to hold."""
    numbers = rows["game_number"]
    return pc.and_(pc.greater_equal(numbers, plan.first), pc.less_equal(numbers, plan.last))


def _outside(file: str, rows: pa.Table, plan: Plan) -> list[Rejected]:
    reason = f"the dataset holds games {plan.first}..{plan.last}"
    places = zip(rows["line"].to_pylist(), rows["game_number"].to_pylist(), strict=True)
    return [Rejected(file, line, number, None, reason) for line, number in places]


def _make_way(dataset: Dataset, job: ImportJob, is_replacement: bool) -> None:
    """Remove what was imported under the same name before; raises ConfigError where that is not asked for."""
    recorded = dataset.manifest.files
    old = [name for name in dataset.files(SOLUTIONS.name, job.variant) if recorded[name].settings != job.settings]
    if old and not is_replacement:
        was = recorded[old[0]].settings.get("source")
        raise ConfigError(
            f"{dataset}: holds other solutions of source {was!r}; choose another --source, or --replace them"
        )
    dataset.remove(old)
