"""A dataset: the one object that stands for a folder or URL.

In: a URL, a job. Out: the files of the job's parts and the record of them.

    dataset = Dataset("data/ms1m")
    with dataset.open("solutions"):          # refused where there is no dataset, or one of another game; locked meanwhile
        dataset.write(job, dataset.parts())  # the parts that are not there yet
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.cards.errors import ConfigError, Failed
from pipeline.games.registry import TABLES
from pipeline.run.dataset.changes import Dropped, drop, extend
from pipeline.run.dataset.manifest import (
    MANIFEST,
    GameName,
    Manifest,
    PlanRecord,
    made_with,
    read_manifest,
    require_schema,
)
from pipeline.run.dataset.plan import FileName, Part, Plan
from pipeline.run.dataset.store import Store
from pipeline.run.dataset.writing import Job, Task, Written, write_or_keep
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine, WorkersKilled

LOCAL = Engine()
_log = logging.getLogger(__name__)
_OTHERWISE = "choose another --out, or remove this folder to build it anew"


@dataclass(frozen=True)
class Summary:
    """What a run did: games of the parts asked for, parts written now, parts that were there already."""

    games: int
    written: int
    kept: int


class Dataset:
    """A dataset by its folder or URL, whether it is there yet or not."""

    def __init__(self, url: str):
        self.store = Store(url)
        self._manifest: Manifest | None = None

    def __str__(self) -> str:
        return self.store.url

    @property
    def manifest(self) -> Manifest:
        """Its record, read once; raises ConfigError where there is no dataset and Failed where the record is damaged."""
        if self._manifest is None:
            self._manifest = read_manifest(self.store)
        return self._manifest

    def exists(self) -> bool:
        """Whether there is a dataset."""
        return self.store.exists(MANIFEST)

    @property
    def plan(self) -> Plan:
        """The parts that it is planned to have."""
        return self.manifest.parts()

    def parts(self, first: int | None = None, last: int | None = None) -> list[Part]:
        """The parts from game ``first`` to ``last``, the plan's own for None; raises ConfigError for parts cut through."""
        plan = self.plan
        return plan.parts_of(plan.first if first is None else first, plan.last if last is None else last)

    def all_files(self) -> dict[str, FileName]:
        """All recorded files, by name."""
        return {name: FileName.parse(name) for name in self.manifest.files}

    def files(self, table: str, variant: str | None = None) -> dict[str, FileName]:
        """The recorded files of a table, or those of one variant of it, by name."""
        return {n: f for n, f in self.all_files().items() if f.table == table and variant in (None, f.variant)}

    def variants(self, table: str) -> list[str]:
        """The variants of a table that are recorded, sorted."""
        return sorted({file.variant for file in self.files(table).values()})

    def read(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a file's rows."""
        return read_rows(self.store, name, columns)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold it for writing and remove what a killed writer left half written; raises Failed where another process holds it.

        The folder is made where there is none.
        """
        with self.store.locked():
            self._manifest = None  # another process may have written it since it was read
            self.store.remove_temporaries()
            yield

    @contextmanager
    def open(self, *tables: str) -> Iterator[None]:
        """Hold a dataset that is there, to write these tables.

        Raises ConfigError, before anything is made, where there is none, or where it holds another game.
        """
        for table in tables:
            self._require_game(TABLES[table].game)
        with self.lock():
            yield

    @contextmanager
    def begin(self, game: GameName, plan: Plan, *tables: str) -> Iterator[None]:
        """Hold a dataset to write these tables of a plan; it is begun where there is none, and extended where its range is smaller.

        Raises ConfigError where it holds another game or parts that are none of the plan.
        """
        with self.lock():
            planned = PlanRecord(first=plan.first, last=plan.last, part_size=plan.part_size)
            if not self.exists():
                self._manifest = Manifest(game=game, plan=planned)
            self._require_game(game, f"; {_OTHERWISE}")
            if self.manifest.plan != planned and not extend(self.store, self.manifest, plan):
                was = self.manifest.plan
                raise ConfigError(
                    f"{self}: planned as games {was.first}..{was.last} in parts of {was.part_size}, "
                    f"not {plan.first}..{plan.last} in parts of {plan.part_size}, which would cut through its parts; {_OTHERWISE}"
                )
            self._declare(tables, "")
            self.manifest.save(self.store)
            yield

    def write(
        self,
        job: Job,
        parts: Iterable[Part],
        engine: Engine = LOCAL,
        advance: Advance = lambda games, note="": None,
        observe: Callable[[Written], str] = lambda written: "",
    ) -> Summary:
        """Write the parts of a job that are not there yet, while the dataset is held.

        A local file that is recorded is read once, and written anew where it is not as recorded; an object store keeps its own checksums.
        What is done is recorded even when the run is interrupted. ``observe`` may say a few words on each part for the progress bar.
        """
        parts = list(parts)
        self._declare(job.tables, job.variant)
        tasks = self._lacking(job, parts, advance)
        written = 0
        try:
            for done in engine.run(partial(write_or_keep, self.store, job), tasks) if tasks else ():
                if done.records:
                    self._require_same_world(done)
                    self.manifest.add(self.store, done.records)
                    written += 1
                advance(len(done.part), note=observe(done) if done.records else "")
        except WorkersKilled as error:
            raise Failed(
                f"{self}: {len(error.items)} of {len(parts)} parts are not written, games {_listed(error.items)}: each worker that "
                "took one died (out of memory?); the others are done, run the same command again for these"
            ) from None
        finally:
            for table in job.tables:
                self.store.sync(table)  # names before the record of them
            self.manifest.save(self.store)
        self.store.sync()
        return Summary(sum(map(len, parts)), written, len(parts) - written)

    def remove(self, names: Sequence[str]) -> None:
        """Forget files and remove them, while the dataset is held: first the record, so that a killed run leaves none that is not there."""
        for name in names:
            self.manifest.files.pop(name, None)
        self.manifest.save(self.store)
        for name in names:
            if self.store.exists(name):
                self.store.remove(name)

    def stale(self, tables: Iterable[str]) -> list[str]:
        """Those of some tables that were written under another schema than today's."""
        return [table for table in tables if not self.manifest.is_current(table)]

    def drop(self, table: str, variant: str | None = None) -> Dropped:
        """Remove a table or one variant of it; raises ConfigError for one that is not there, and Failed where another process writes."""
        self.manifest  # noqa: B018 - a dataset that is not there is refused before its lock makes the folder
        with self.lock():
            return drop(self.store, self.manifest, table, variant)

    def _require_game(self, game: str, advice: str = "") -> None:
        if self.manifest.game != game:
            raise ConfigError(f"{self}: holds {self.manifest.game} games, not {game}{advice}")

    def _declare(self, tables: Sequence[str], variant: str | None = None) -> None:
        """Record the schema of tables about to be written, and by what.

        A table that was written under another schema is removed where ``variant`` is all that it holds, as it is made anew by what writes
        it now; raises ConfigError where others would be lost.
        """
        manifest = self.manifest
        for table in self.stale(tables):
            if self.variants(table) not in ([], [variant]):
                require_schema(self.store, manifest, (table,))
            _log.warning("%s: its table %s was written with another schema; making it anew", self, table)
            self.remove(list(self.files(table)))
        manifest.tables.update({table: TABLES[table].fingerprint() for table in tables})
        manifest.made_with = dict(made_with())

    def _lacking(self, job: Job, parts: Sequence[Part], advance: Advance) -> list[Task]:
        """The parts to be written or, on a local disk, looked at; the others are told to ``advance``."""
        sizes, recorded = self.store.files(), self.manifest.files
        tasks = []
        for part in parts:
            names = [part.file_name(table, job.variant) for table in job.tables]
            records = {n: r for n in names if (r := recorded.get(n)) is not None and r.settings == job.settings}
            there = {name: r.sha256 for name, r in records.items() if sizes.get(name) == r.bytes}
            if len(there) == len(names) and not self.store.is_local:
                advance(len(part))
            else:
                tasks.append(Task(part, there))
        return tasks

    def _require_same_world(self, written: Written) -> None:
        """Refuse the work of a worker that writes other bytes, or writes to a disk that is not ours."""
        if written.made_with != made_with():
            theirs, ours = (", ".join(f"{k} {v}" for k, v in w.items()) for w in (written.made_with, made_with()))
            raise Failed(f"{self}: a worker has {theirs}, and here is {ours}; install the same where the workers run")
        if self.store.is_local and not all(self.store.exists(name) for name in written.records):
            raise Failed(
                f"{self}: a worker wrote games {written.part} where this process cannot see them; use a folder that all machines share, "
                "or s3://bucket/prefix"
            )


def read_rows(store: Store, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file's rows, of these columns or of all; raises FileNotFoundError."""
    with store.open(name) as file:
        return pq.read_table(file, columns=None if columns is None else list(columns))


def _listed(items: Sequence[object]) -> str:
    shown = ", ".join(map(str, items[:10]))
    return shown if len(items) <= 10 else f"{shown} and {len(items) - 10} more"
