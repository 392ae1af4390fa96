"""What a dataset is published as: its tables as configurations, their rows by split, and what was proved of its games.

In: a dataset's store and manifest. Out: `Publication`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.games.registry import TABLES
from pipeline.run.dataset.manifest import Manifest
from pipeline.run.dataset.plan import FileName
from pipeline.run.dataset.store import Store
from pipeline.tables.declared import Table
from pipeline.tables.split import SPLITS, split_codes

_RULES: Final = ("freecells", "automove", "rule", "effort", "source")


@dataclass(frozen=True)
class Verdict:
    """How many games have one status under one rule set; ``shortest`` of them with a proof that no shorter solution exists."""

    rules: dict[str, str]
    status: str
    games: int
    shortest: int


@dataclass(frozen=True)
class Configuration:
    """One table, or one kind of its files where it has several. ``splits``: rows of train, validation and test."""

    name: str
    table: Table
    pattern: str
    rows: int
    splits: tuple[int, ...]
    file_bytes: int
    arrow_bytes: int
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Publication:
    """All that cards and metadata tell of a dataset. ``games``: of the plan, by split."""

    manifest: Manifest
    games: tuple[int, ...]
    parts_missing: int
    configurations: tuple[Configuration, ...]


def describe(store: Store, manifest: Manifest) -> Publication:
    """Count what a dataset holds; reads the game numbers, and the texts where there are any."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for name in manifest.files:
        parsed = FileName.parse(name)
        kinds.setdefault((parsed.table, parsed.variant), []).append(name)
    order = list(TABLES)
    kinds = dict(sorted(kinds.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))
    several = Counter(table for table, _ in kinds)
    plan = manifest.parts()
    games = np.zeros(len(SPLITS), np.int64)
    for part in plan:
        games += _by_split(np.arange(part.start, part.stop, dtype=np.int64))
    return Publication(
        manifest,
        tuple(games.tolist()),
        sum(len(plan) - len(files) for files in kinds.values()),
        tuple(
            _configuration(store, manifest, TABLES[table], variant, files, several[table] > 1)
            for (table, variant), files in kinds.items()
        ),
    )


def _configuration(
    store: Store, manifest: Manifest, table: Table, variant: str, files: list[str], is_one_of_several: bool
) -> Configuration:
    texts = [c.name for c in table.columns if c.type == pa.string()]
    fixed = sum(c.type.bit_width / 8 for c in table.columns if c.name not in texts)
    splits = np.zeros(len(SPLITS), np.int64)
    text_bytes = 0
    found: Counter[tuple[str, ...]] = Counter()
    shortest: Counter[tuple[str, ...]] = Counter()
    rules = [name for name in _RULES if name in {c.name for c in table.columns}]
    for rows in _read(store, files, table, texts):
        splits += _by_split(rows["game_number"].to_numpy())
        text_bytes += sum(rows[name].nbytes for name in texts)
        if "status" in texts:
            keys = [*rules, "status", *(["is_shortest"] if "is_shortest" in rows.schema.names else [])]
            counted = rows.group_by(keys).aggregate([([], "count_all")])
            for row in counted.to_pylist():
                key = (*(str(row[name]) for name in rules), row["status"])
                found[key] += row["count_all"]
                shortest[key] += row["count_all"] if row.get("is_shortest") else 0
    count = sum(manifest.files[name].rows for name in files)
    return Configuration(
        name=f"{table.name}_{variant}" if variant and is_one_of_several else table.name,
        table=table,
        pattern=f"{table.name}/{variant + '-' if variant else ''}part-*.parquet",
        rows=count,
        splits=tuple(splits.tolist()),
        file_bytes=sum(manifest.files[name].bytes for name in files),
        arrow_bytes=int(count * fixed) + text_bytes,
        verdicts=tuple(
            Verdict(dict(zip(rules, key, strict=False)), key[-1], games, shortest[key])
            for key, games in sorted(found.items())
        ),
    )


def _read(store: Store, files: list[str], table: Table, texts: list[str]) -> Iterator[pa.Table]:
    """Read game numbers, texts and rules, a row group at a time."""
    known = {c.name for c in table.columns}
    columns = ["game_number", *texts, *(name for name in (*_RULES, "is_shortest") if name in known - {*texts})]
    for name in files:
        with store.open(name) as file, pq.ParquetFile(file) as parquet:
            for group in range(parquet.num_row_groups):
                yield parquet.read_row_group(group, columns)


def _by_split(game_numbers: np.ndarray) -> np.ndarray:
    return np.bincount(split_codes(game_numbers), minlength=len(SPLITS))
