"""Import solutions of others into a dataset, each one replayed first.

In: a dataset's store, text files, how to read them. Out: files of the table `solutions` under the name of their source, and the texts
that were turned down.
"""

import hashlib
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
from pipeline.run.dataset.manifest import Manifest, open_manifest, read_manifest
from pipeline.run.dataset.plan import IMPORTED, FileName, Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.imports.rows import ROWS, Reading, Rejected
from pipeline.run.imports.texts import STDIN, find_files, name_of, read_file
from pipeline.run.jobs.build import run_job

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
        schema = SOLUTIONS.arrow_schema()
        same = {
            "status": "solved",
            "nodes": 0,
            "budget": 0,
            "tier": 0,
            "effort": 0,
            "lower_bound": None,
            "is_shortest": False,
            "proved_under": None,
            "source": self.source,
        }
        columns = [
            rows[name].cast(field.type).combine_chunks()
            if name in ROWS.names
            else pa.repeat(pa.scalar(same[name], field.type), len(rows))
            for name, field in zip(schema.names, schema, strict=True)
        ]
        yield SOLUTIONS.name, pa.Table.from_arrays(columns, schema=schema), None


@dataclass(frozen=True)
class Imported:
    """What an import did: solutions written, texts that told one of them again, and texts turned down."""

    solutions: int
    repeated: int
    rejected: list[Rejected]


def import_solutions(
    store: Store,
    paths: list[str],
    *,
    source: str | None = None,
    reading: Reading | None = None,
    is_replacement: bool = False,
    jobs: int | None = None,
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
    read_manifest(store)  # a dataset that is not there is refused before its lock makes the folder
    with store.locked():
        known = read_manifest(store)
        if known.game != "freecell":
            raise InputError(f"{store.url}: holds {known.game} games; solutions of FreeCell games are imported")
        manifest = open_manifest(store, known.game, known.parts(), (SOLUTIONS.name,))
        tables, rejected = [ROWS.empty_table()], []
        for file in files:
            for found in read_file(file, reading or Reading(), jobs):
                is_inside = _is_planned(found.rows, manifest)
                tables.append(found.rows.filter(is_inside))
                rejected += found.rejected
                rejected += _outside(name_of(file), found.rows.filter(pc.invert(is_inside)), manifest)
                advance(found.rows.num_rows + len(found.rejected))
        rows = pa.concat_tables(tables).drop_columns("line")
        job = _job(_sorted(rows), name, variant)
        if not job.rows.num_rows:
            return Imported(0, 0, _in_order(rejected))
        _make_way(store, manifest, job, is_replacement)
        places = np.unique((job.numbers - manifest.plan.first) // manifest.plan.part_size)
        plan = manifest.parts()
        run_job(store, manifest, job, [plan[int(place)] for place in places], jobs=jobs)
    return Imported(job.rows.num_rows, rows.num_rows - job.rows.num_rows, _in_order(rejected))


def _in_order(rejected: list[Rejected]) -> list[Rejected]:
    return sorted(rejected, key=lambda text: (text.file, text.line))


def _own_name(path: str) -> str:
    return Path(path).resolve().stem if Path(path) != STDIN else name_of(STDIN)


def _is_planned(rows: pa.Table, manifest: Manifest) -> pa.ChunkedArray:
    """Which rows are of games that the dataset is planned to hold."""
    numbers = rows["game_number"]
    return pc.and_(pc.greater_equal(numbers, manifest.plan.first), pc.less_equal(numbers, manifest.plan.last))


def _outside(file: str, rows: pa.Table, manifest: Manifest) -> list[Rejected]:
    reason = f"the dataset holds games {manifest.plan.first}..{manifest.plan.last}"
    places = zip(rows["line"].to_pylist(), rows["game_number"].to_pylist(), strict=True)
    return [Rejected(file, line, number, None, reason) for line, number in places]


def _sorted(rows: pa.Table) -> pa.Table:
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


def _job(rows: pa.Table, source: str, variant: str) -> ImportJob:
    keys = [rows[name].cast(pa.large_string()) for name in ("game_number", "freecells", "automove", "moves")]
    lines = pc.binary_join_element_wise(*keys, pa.scalar(" ", pa.large_string()))
    digest = hashlib.sha256("\n".join([source, *lines.to_pylist()]).encode())
    numbers = rows["game_number"].to_numpy()
    return ImportJob(rows, numbers, source, variant, {"source": source, "imported_sha256": digest.hexdigest()})


def _make_way(store: Store, manifest: Manifest, job: ImportJob, is_replacement: bool) -> None:
    """Remove what was imported under the same name before; raises ConfigError where that is not asked for."""
    old = [
        name
        for name, record in manifest.files.items()
        if FileName.parse(name).table == SOLUTIONS.name
        and FileName.parse(name).variant == job.variant
        and record.settings != job.settings
    ]
    if old and not is_replacement:
        was = manifest.files[old[0]].settings.get("source")
        raise ConfigError(
            f"{store.url}: holds other solutions of source {was!r}; choose another --source, or --replace them"
        )
    for name in old:
        del manifest.files[name]
    manifest.save(store)
    for name in old:
        if store.exists(name):
            store.remove(name)
