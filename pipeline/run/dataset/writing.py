"""One part of a job: what a worker makes and writes, on this machine or another.

In: a store, a job, a part. Out: the part's files, and their records.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from pipeline.games.registry import TABLES
from pipeline.run.dataset.manifest import FileRecord, made_with
from pipeline.run.dataset.parquet import encode, row_count
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store, sha256

_log = logging.getLogger(__name__)

Rows: TypeAlias = pa.Table | pa.RecordBatchReader
"""The rows of a part of one table; a reader's batches become row groups."""


class Job(Protocol):
    """What makes the tables of a part: a dataclass with a field `tables`, so that it can be sent to other processes and asked for less."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables it writes."""
        ...

    @property
    def variant(self) -> str:
        """What tells its files apart from those of the same table with other settings, or ""."""
        ...

    @property
    def settings(self) -> dict[str, str | int]:
        """What the content depends on beside the part."""
        ...

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, Rows, str | None]]:
        """Yield name, rows and cards digest (or None) of each table of the part."""
        ...


@dataclass(frozen=True)
class Task:
    """A part to be written but for the files, by name and SHA-256, that are recorded and have the recorded size."""

    part: Part
    recorded: dict[str, str]

    def __str__(self) -> str:
        return str(self.part)


@dataclass(frozen=True)
class Written:
    """A part that was written: its files' records, by name (none, where its files are there as recorded), and by what versions."""

    part: Part
    records: dict[str, FileRecord]
    made_with: dict[str, str] = field(default_factory=made_with)


def write_part(store: Store, job: Job, part: Part) -> Written:
    """Make and write one part's files."""
    records = {}
    for table, content, cards_sha256 in job(store, part):
        data = encode(content, statistics=TABLES[table].has_value_statistics)
        name = part.file_name(table, job.variant)
        store.write(name, data)
        records[name] = FileRecord(
            rows=row_count(data),
            bytes=data.size,
            sha256=sha256(data),
            cards_sha256=cards_sha256,
            settings=job.settings,
        )
    return Written(part, records)


def write_or_keep(store: Store, job: Job, task: Task) -> Written:
    """Write those tables of a part whose files are not there to the byte."""
    damaged = [name for name, digest in task.recorded.items() if sha256(store.read(name)) != digest]
    for name in damaged:
        _log.warning("%s/%s: not as recorded; writing it anew", store.url, name)
    kept = task.recorded.keys() - set(damaged)
    lacking = tuple(table for table in job.tables if task.part.file_name(table, job.variant) not in kept)
    if not lacking:
        return Written(task.part, {})
    return write_part(store, job if lacking == job.tables else _only(job, lacking), task.part)


def _only(job: Any, tables: tuple[str, ...]) -> Job:
    """The same job for some of its tables."""
    only: Job = replace(job, tables=tables)
    return only
