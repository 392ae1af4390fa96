"""Add solutions to a dataset, part by part.

In: a dataset's store, a number of freecells, a budget. Out: files of the table `solutions`, and how many games came out
how.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.cards.errors import InputError
from pipeline.games.freecell.solve.outcome import SOLVER
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.freecell.tables.solutions import AUTOMOVE, solution_batches
from pipeline.run.dataset.manifest import open_manifest, read_manifest
from pipeline.run.dataset.plan import Part, Plan
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import EngineName
from pipeline.run.jobs.build import Job, Summary, Written, run_job

_TABLE: Final = SOLUTIONS.name


@dataclass(frozen=True)
class SolveJob:
    """Solves the games of a part with a number of freecells."""

    freecells: int
    budget: int
    tables: tuple[str, ...] = (_TABLE,)

    @property
    def variant(self) -> str:
        """The rule set and the effort, before ``part-`` in the files' names."""
        return f"{AUTOMOVE}{self.freecells}-effort0"

    @property
    def settings(self) -> dict[str, str | int]:
        """What the outcomes depend on beside the games."""
        return {"freecells": self.freecells, "budget": self.budget, "solver": SOLVER}

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.RecordBatchReader, str | None]]:
        """Yield the solutions of the part."""
        batches = solution_batches(part.start, part.stop, self.freecells, self.budget)
        yield _TABLE, pa.RecordBatchReader.from_batches(SOLUTIONS.arrow_schema(), batches), None


@dataclass(frozen=True)
class Outcomes:
    """What a run did, and how many of the games it was asked for came out how, by status."""

    summary: Summary
    counts: dict[str, int]


def chosen_parts(plan: Plan, first: int | None, last: int | None) -> list[Part]:
    """The parts from game ``first`` to ``last``, each the plan's own where it is None; raises ConfigError for parts cut through."""
    return plan.parts_of(plan.first if first is None else first, plan.last if last is None else last)


def run_solving(
    store: Store,
    job: Job,
    statuses: tuple[str, ...],
    *,
    first: int | None = None,
    last: int | None = None,
    jobs: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    advance: Advance = lambda games, note="": None,
) -> Outcomes:
    """Write the parts of `solutions` that are not there yet, games ``first`` to ``last`` of the dataset (all, for None).

    The note of ``advance`` tells the outcomes so far. Raises InputError for a dataset of another game, ConfigError where
    the range cuts through parts, and Failed for a solution that does not replay.
    """
    counts: Counter[str] = Counter()
    with store.locked():
        known = read_manifest(store)
        if known.game != SOLUTIONS.game:
            raise InputError(f"{store.url}: holds {known.game} games; {SOLUTIONS.game} games are solved")
        manifest = open_manifest(store, known.game, known.parts(), (_TABLE,))
        store.remove_temporaries()
        parts = chosen_parts(manifest.parts(), first, last)

        def observe(written: Written) -> str:
            counts.update(count_statuses(store, written.records))
            return ", ".join(f"{counts[status]:,} {status}" for status in statuses)

        summary = run_job(
            store,
            manifest,
            job,
            parts,
            jobs=jobs,
            engine=engine,
            scheduler=scheduler,
            advance=advance,
            observe=observe,
        )
        counts = count_statuses(store, (part.file_name(_TABLE, job.variant) for part in parts))
    return Outcomes(summary, {status: counts[status] for status in statuses})


def count_statuses(store: Store, names: Iterable[str]) -> Counter[str]:
    """Count the outcomes in files of `solutions`."""
    counts: Counter[str] = Counter()
    for name in names:
        with store.open(name) as file:
            for pair in pq.read_table(file, columns=["status"])["status"].value_counts().to_pylist():
                counts[pair["values"]] += pair["counts"]
    return counts
