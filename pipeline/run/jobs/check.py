"""Prove a dataset: every file as recorded, every row as dealt, computed and replayed anew.

In: a dataset. Out: findings, each a file and what is wrong with it.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.games.freecell.tables.layouts import dealt_tables, layout_matrix
from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.registry import TABLES
from pipeline.run.dataset.dataset import LOCAL, Dataset
from pipeline.run.dataset.manifest import MANIFEST, FileRecord, Manifest
from pipeline.run.dataset.plan import IMPORTED, FileName, Part
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.positions import check_positions
from pipeline.tables.arrow import cards_digest

BESIDE_THE_DATA = ("README.md", "SHA256SUMS", "croissant.json", "catalog.sql", MANIFEST)


@dataclass(frozen=True)
class Finding:
    """Something wrong: the file, and what."""

    file: str
    problem: str


@dataclass(frozen=True)
class Report:
    """What a check looked at and found: files and rows whose content was looked at, and all files that are recorded."""

    files: int
    rows: int
    recorded: int
    findings: list[Finding]


def check(
    dataset: Dataset,
    engine: Engine = LOCAL,
    advance: Advance = lambda games, note="": None,
    sample: int | None = None,
    seed: int | None = None,
) -> Report:
    """Check a dataset; raises ConfigError where there is none and Failed where its manifest is damaged.

    With ``sample`` the content of that many parts is looked at, one drawn from each of as many equal stretches of the range (``seed``
    makes the draw repeatable), and the names and sizes of all files.
    """
    store, manifest = dataset.store, dataset.manifest
    sizes = store.files()
    findings = list(_check_names(store, manifest, sizes))
    stale = dataset.stale(manifest.tables)
    findings += [
        Finding(f"{table}/", f"written with another schema; `dealbook drop {dataset} {table}` and make it anew")
        for table in stale
    ]
    present = {n: r for n, r in manifest.files.items() if n in sizes and FileName.parse(n).table not in stale}
    if sample is not None:
        drawn = _draw(sorted({FileName.parse(name).part for name in present}), sample, Random(seed))
        wrong_sizes = [name for name, record in present.items() if sizes[name] != record.bytes]
        findings += [Finding(name, f"{sizes[name]} bytes, recorded {present[name].bytes}") for name in wrong_sizes]
        present = {n: r for n, r in present.items() if FileName.parse(n).part in drawn and sizes[n] == r.bytes}
    for name, problems in engine.run(partial(_check_file, store), list(present.items())):
        findings += [Finding(name, problem) for problem in problems]
        advance(present[name].rows)
    rows = sum(record.rows for record in present.values())
    return Report(len(present), rows, len(manifest.files), sorted(findings, key=lambda f: f.file))


def _draw(parts: list[Part], sample: int, random: Random) -> set[Part]:
    """Draw one part from each of ``sample`` equal stretches."""
    if sample >= len(parts):
        return set(parts)
    bounds = [i * len(parts) // sample for i in range(sample + 1)]
    return {parts[random.randrange(low, high)] for low, high in pairwise(bounds)}


def _check_names(store: Store, manifest: Manifest, sizes: dict[str, int]) -> Iterator[Finding]:
    """Compare the files that are there with those that are recorded and those that are planned."""
    planned = set(manifest.parts())
    extra = {name for name in sizes if name not in manifest.files and name not in BESIDE_THE_DATA}
    for name in manifest.files:
        if name not in sizes:
            twin = next(
                (
                    other
                    for other in extra
                    if sizes[other] == manifest.files[name].bytes
                    and _has_content_of(store, other, manifest.files[name])
                ),
                None,
            )
            extra.discard(twin or "")
            yield Finding(name, f"renamed to {twin}" if twin else "missing; build again to write it")
        if FileName.parse(name).part not in planned:
            yield Finding(name, "is no part of the plan")
    for name in sorted(extra):
        yield Finding(name, "extra: not recorded in the manifest")
    for what, wanted, written in _parts(manifest):
        if lacking := sorted(wanted - written):
            yield Finding(
                what,
                f"unfinished: {len(lacking)} of {len(wanted)} parts are not written yet, the first of them games {lacking[0]}; "
                "run the same command for them again",
            )


def _parts(manifest: Manifest) -> Iterator[tuple[str, set[Part], set[Part]]]:
    """Name each table, with the parts that it is to have and those that it has.

    Imported solutions are of the games that their source has, and positions of those that their solutions are of.
    """
    planned = set(manifest.parts())
    files = {FileName.parse(name): record for name, record in manifest.files.items()}
    for table in manifest.tables:
        own = [file for file in files if file.table == table]
        variants = sorted({file.variant for file in own})
        if table == POSITIONS.name and own:
            for variant in variants:
                made = {file.part: files[file].settings.get("solutions") for file in own if file.variant == variant}
                wanted = {f.part for f in files if f.table == SOLUTIONS.name and f.variant in made.values()}
                yield f"{table}/{variant}-*", wanted, set(made)
        elif not own or not all(variant.startswith(IMPORTED) for variant in variants):
            yield f"{table}/", planned, {file.part for file in own if not file.variant.startswith(IMPORTED)}


def _has_content_of(store: Store, name: str, record: FileRecord) -> bool:
    return sha256(store.read(name)) == record.sha256


def _check_file(store: Store, item: tuple[str, FileRecord]) -> tuple[str, list[str]]:
    """Find all that is wrong with one file."""
    name, record = item
    file_name = FileName.parse(name)
    data = store.read(name)
    problems = []
    if len(data) != record.bytes:
        problems.append(
            f"{'truncated' if len(data) < record.bytes else 'too long'}: {len(data)} bytes, recorded {record.bytes}"
        )
    elif sha256(data) != record.sha256:
        problems.append("changed: its SHA-256 is not the recorded one")
    try:
        table = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        return name, [*problems, f"not a readable Parquet file ({str(error).splitlines()[0]})"]
    problems += _check_table(file_name, record, table)
    if file_name.table == POSITIONS.name and not problems:
        problems += check_positions(store, file_name.part, table, record)
    return name, problems


def _check_table(name: FileName, record: FileRecord, table: pa.Table) -> list[str]:
    """Find what is wrong with the content of one file that can be read."""
    declared = TABLES[name.table].arrow_schema()
    if not table.schema.equals(declared, check_metadata=True):
        told = "names or types of columns" if not table.schema.equals(declared) else "descriptions of columns"
        return [f"another schema than declared: {told} differ"]
    if table.num_rows != record.rows:
        return [f"{table.num_rows} rows, recorded {record.rows}"]
    content = _CONTENT_CHECKS.get(name.table)
    numbers = table.column("game_number").to_numpy()
    if (problem := _check_numbers(numbers, name.part, one_row_a_game=name.table in _ONE_ROW_A_GAME)) is not None:
        return [problem]
    return content(name.part, table, record) if content is not None else []


def _check_numbers(numbers: np.ndarray, part: Part, *, one_row_a_game: bool) -> str | None:
    """Compare the game numbers of a file with those of its part."""
    outside = (numbers < part.start) | (numbers >= part.stop)
    if outside.any():
        return f"game {numbers[outside][0]} does not belong to this part: the file is of another part or dataset"
    is_behind = np.diff(numbers) < (1 if one_row_a_game else 0)
    if is_behind.any():
        return f"rows out of order at row {int(np.argmax(is_behind)) + 2}"
    if one_row_a_game and numbers.size != len(part):
        return f"{numbers.size} games of {len(part)}"
    return None


def _check_layouts(part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    layouts = layout_matrix(table)
    problems = _compare("layouts", part, table)
    if record.cards_sha256 != cards_digest(layouts.T):
        problems.append("the digest of its cards is not the recorded one")
    return problems


def _check_stats(part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    return _compare("stats", part, table)


def _check_klondike(part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    from pipeline.games.klondike.tables.layouts import dealt_klondike_tables

    ((_, expected, digest),) = dealt_klondike_tables(part.start, part.stop, ("klondike",))
    problems = _differences(part, table, expected)
    if record.cards_sha256 != digest:
        problems.append("the recorded digest of its cards is not theirs")
    return problems


def _check_klondike_solutions(part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    from pipeline.games.klondike.tables.solutions import wrong_klondike_solutions

    games = len(np.unique(table.column("game_number").to_numpy()))
    return [f"{games} games of {len(part)}"] if games != len(part) else wrong_klondike_solutions(table)


def _compare(name: str, part: Part, table: pa.Table) -> list[str]:
    """Deal the part anew and name the first value that differs."""
    ((_, expected, _),) = dealt_tables(part.start, part.stop, (name,))
    return _differences(part, table, expected)


def _differences(part: Part, table: pa.Table, expected: pa.Table) -> list[str]:
    """Name the first value that differs from the expected one."""
    for column in table.schema.names[1:]:
        found, right = _values(table.column(column)), _values(expected.column(column))
        wrong = np.flatnonzero(found != right)
        if wrong.size:
            row = int(wrong[0])
            return [
                f"game {part.start + row}: {column} is {found[row]}, {right[row]} is right ({wrong.size} such rows)"
            ]
    return []


def _values(column: pa.ChunkedArray) -> np.ndarray:
    """The values of a column of integers, -1 for null."""
    return column.cast(pa.int64()).fill_null(-1).to_numpy() if column.null_count else column.to_numpy()


def _check_solutions(part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    from pipeline.games.freecell.tables.solutions_proof import wrong_solutions

    return wrong_solutions(table)


TableCheck = Callable[[Part, pa.Table, FileRecord], list[str]]
_CONTENT_CHECKS: dict[str, TableCheck] = {
    "layouts": _check_layouts,
    "stats": _check_stats,
    "solutions": _check_solutions,
    "klondike": _check_klondike,
    "klondike_solutions": _check_klondike_solutions,
}
_ONE_ROW_A_GAME = ("layouts", "stats", "klondike")
