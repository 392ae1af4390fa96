"""Write the parts of a dataset that are not there yet.

In: a dataset's store, a job, a plan. Out: files and a manifest.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import pyarrow as pa

from pipeline.cards.errors import Failed
from pipeline.games.registry import TABLES
from pipeline.run.config import Config
from pipeline.run.dataset.manifest import FileRecord, Manifest, made_with, open_manifest
from pipeline.run.dataset.parquet import encode, row_count
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import EngineName, WorkersKilled, run_tasks

_log = logging.getLogger(__name__)


class Job(Protocol):
    """What makes the tables of a part: a callable that can be sent to another process."""

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

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table | pa.RecordBatchReader, str | None]]:
        """Yield name, content (a reader's batches become row groups) and cards digest (or None) of each table of the part."""
        ...


@dataclass(frozen=True)
class DealJob:
    """Deals games into `layouts` and `stats`, or Klondike games into `klondike`."""

    game: str
    tables: tuple[str, ...]
    variant: str = ""
    settings: dict[str, str | int] = field(default_factory=dict)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the dealt tables of the part."""
        if self.game == "klondike":
            from pipeline.games.klondike.tables.layouts import dealt_klondike_tables

            return dealt_klondike_tables(part.start, part.stop, self.tables)
        from pipeline.games.freecell.tables.layouts import dealt_tables

        return dealt_tables(part.start, part.stop, self.tables)


@dataclass(frozen=True)
class Written:
    """A part that was written: its files' records, by name (none, where its files are there as recorded), and by what versions."""

    part: Part
    records: dict[str, FileRecord]
    made_with: dict[str, str] = field(default_factory=made_with)


@dataclass(frozen=True)
class Summary:
    """What a run did: games of the plan, parts written now, parts that were there already."""

    games: int
    written: int
    kept: int


@dataclass(frozen=True)
class _Task:
    """A part to be written unless the files that are recorded for it, by name and SHA-256, are there as recorded."""

    part: Part
    recorded: dict[str, str]

    def __str__(self) -> str:
        return str(self.part)


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


def _write_or_keep(store: Store, job: Job, task: _Task) -> Written:
    damaged = [name for name, digest in task.recorded.items() if sha256(store.read(name)) != digest]
    if task.recorded and not damaged:
        return Written(task.part, {})
    for name in damaged:
        _log.warning("%s/%s: not as recorded; writing it anew", store.url, name)
    return write_part(store, job, task.part)


def run_job(
    store: Store,
    manifest: Manifest,
    job: Job,
    parts: Iterable[Part],
    *,
    jobs: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    advance: Advance = lambda games, note="": None,
    observe: Callable[[Written], str] = lambda written: "",
) -> Summary:
    """Write the parts of a job that the dataset lacks; the caller holds the store's lock.

    A local file that is recorded is read once, and written anew where it is not as recorded; an object store keeps its own checksums.
    What is done is recorded even when the run is interrupted. ``observe`` may say a few words on each part for the progress bar.
    """
    parts = list(parts)
    sizes = store.files()
    tasks = []
    for part in parts:
        names = [part.file_name(table, job.variant) for table in job.tables]
        records = {n: r for n in names if (r := manifest.files.get(n)) is not None and r.settings == job.settings}
        is_there = len(records) == len(names) and all(sizes.get(name) == r.bytes for name, r in records.items())
        if is_there and not store.is_local:
            advance(len(part))
        else:
            tasks.append(_Task(part, {name: r.sha256 for name, r in records.items()} if is_there else {}))
    written = 0
    try:
        for done in run_tasks(partial(_write_or_keep, store, job), tasks, jobs, engine, scheduler) if tasks else ():
            if done.records:
                _require_same_world(store, done)
                manifest.add(store, done.records)
                written += 1
            advance(len(done.part), note=observe(done) if done.records else "")
    except WorkersKilled as error:
        raise Failed(
            f"{store.url}: {len(error.items)} of {len(parts)} parts are not written, games {_listed(error.items)}: each worker that "
            "took one died (out of memory?); the others are done, run the same command again for these"
        ) from None
    finally:
        for table in job.tables:
            store.sync(table)  # names before the record of them
        manifest.save(store)
    store.sync()
    return Summary(sum(map(len, parts)), written, len(parts) - written)


def _require_same_world(store: Store, written: Written) -> None:
    """Refuse the work of a worker that writes other bytes, or writes to a disk that is not ours."""
    if written.made_with != made_with():
        theirs, ours = (", ".join(f"{k} {v}" for k, v in w.items()) for w in (written.made_with, made_with()))
        raise Failed(f"{store.url}: a worker has {theirs}, and here is {ours}; install the same where the workers run")
    if store.is_local and not all(store.exists(name) for name in written.records):
        raise Failed(
            f"{store.url}: a worker wrote games {written.part} where this process cannot see them; use a folder that all machines share, "
            "or s3://bucket/prefix"
        )


def _listed(items: Sequence[object]) -> str:
    shown = ", ".join(map(str, items[:10]))
    return shown if len(items) <= 10 else f"{shown} and {len(items) - 10} more"


def build(
    config: Config, advance: Advance = lambda games, note="": None, parts: Iterable[Part] | None = None
) -> Summary:
    """Deal the games of a config into its dataset: those of the parts (all of the plan, for None) that are not there yet."""
    store = Store(config.out)
    tables = config.dealt_tables()
    with store.locked():
        manifest = open_manifest(store, config.game, config.plan(), tables)
        store.remove_temporaries()
        manifest.save(store)
        return run_job(
            store,
            manifest,
            DealJob(config.game, tables),
            manifest.parts() if parts is None else parts,
            jobs=config.jobs,
            engine=config.engine,
            scheduler=config.scheduler,
            advance=advance,
        )
