"""Write the parts of a dataset that are not there yet.

In: a dataset's store, a job, a plan. Out: files and a manifest. `cli` imports it, and so does whatever adds tables to a dataset.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import pyarrow as pa

from pipeline.cards.errors import Failed
from pipeline.run.config import Config
from pipeline.run.engine import EngineName, WorkersKilled, run_tasks
from pipeline.run.manifest import FileRecord, Manifest, open_manifest
from pipeline.run.parquet import encode, row_count
from pipeline.run.parts import Store, sha256
from pipeline.run.plan import Part
from pipeline.run.progress import Advance
from pipeline.tables.schema import TABLES


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
        from pipeline.tables.layouts import dealt_tables

        return dealt_tables(part.start, part.stop, self.tables)


@dataclass(frozen=True)
class Written:
    """A part that was written: its files' records, by name."""

    part: Part
    records: dict[str, FileRecord]


@dataclass(frozen=True)
class Summary:
    """What a run did: games of the plan, parts written now, parts that were there already."""

    games: int
    written: int
    kept: int


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

    What is done is recorded even when the run is interrupted. ``observe`` may say a few words on each part for the progress bar.
    """
    parts = list(parts)
    sizes = store.files()

    def is_done(part: Part) -> bool:
        return all(
            manifest.has(part, table, job.variant, job.settings)
            and sizes.get(name := part.file_name(table, job.variant)) == manifest.files[name].bytes
            for table in job.tables
        )

    missing = []
    for part in parts:
        if is_done(part):
            advance(len(part))
        else:
            missing.append(part)
    try:
        for written in run_tasks(partial(write_part, store, job), missing, jobs, engine, scheduler) if missing else ():
            manifest.add(store, written.records)
            advance(len(written.part), note=observe(written))
    except WorkersKilled as error:
        raise Failed(
            f"{store.url}: {len(error.items)} of {len(missing)} parts are not written, games {', '.join(map(str, error.items))}: "
            "each worker that took one died (out of memory?); the others are done, run the same command again for these"
        ) from None
    finally:
        manifest.save(store)
    store.sync()
    return Summary(sum(map(len, parts)), len(missing), len(parts) - len(missing))


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
