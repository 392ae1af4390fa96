"""Add solutions to a dataset, part by part, and count how the games came out.

In: a dataset, a job that solves. Out: files of a table of solutions, and outcomes by rule set and status.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

import pyarrow as pa

from pipeline.games.freecell.solve.outcome import SOLVER, STATUSES
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.freecell.tables.solutions import AUTOMOVE, solution_batches
from pipeline.run.dataset.dataset import LOCAL, Dataset, Summary
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.dataset.writing import Job, Written
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine

_TABLE: Final = SOLUTIONS.name


class SolvingJob(Job, Protocol):
    """A job whose table tells the status of each game under each of its rules."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses a game may come to."""
        ...

    @property
    def rules(self) -> tuple[str, tuple[Any, ...]]:
        """The column that tells the job's rules apart, and its values."""
        ...


@dataclass(frozen=True)
class SolveJob:
    """Solves the games of a part with a number of freecells: the first solution found."""

    freecells: int
    budget: int
    statuses: ClassVar[tuple[str, ...]] = STATUSES
    tables: tuple[str, ...] = (_TABLE,)

    @property
    def rules(self) -> tuple[str, tuple[Any, ...]]:
        """One number of freecells."""
        return "freecells", (self.freecells,)

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
    """What a run did, and how many of the games it was asked for came out how: by rule, by status."""

    summary: Summary
    by_rule: dict[Any, Counter[str]]

    @property
    def counts(self) -> Counter[str]:
        """Under all rules together, by status."""
        return sum(self.by_rule.values(), Counter())


def run_solving(
    dataset: Dataset,
    job: SolvingJob,
    *,
    first: int | None = None,
    last: int | None = None,
    engine: Engine = LOCAL,
    advance: Advance = lambda games, note="": None,
) -> Outcomes:
    """Write the parts of a table of solutions that are not there yet, games ``first`` to ``last`` of the dataset (all, for None).

    The note of ``advance`` tells the outcomes so far. Raises ConfigError for a dataset of another game and where the range cuts
    through parts, and Failed for a solution that does not replay.
    """
    so_far: Counter[str] = Counter()

    def observe(written: Written) -> str:
        for counts in count_outcomes(dataset, job, written.records).values():
            so_far.update(counts)
        return ", ".join(f"{so_far[status]:,} {status}" for status in job.statuses)

    with dataset.open(*job.tables):
        parts = dataset.parts(first, last)
        summary = dataset.write(job, parts, engine, advance, observe)
        names = (part.file_name(job.tables[0], job.variant) for part in parts)
        return Outcomes(summary, count_outcomes(dataset, job, names))


def count_outcomes(dataset: Dataset, job: SolvingJob, names: Iterable[str]) -> dict[Any, Counter[str]]:
    """Count the outcomes in files of a job, by rule and status."""
    column, rules = job.rules
    counts: dict[Any, Counter[str]] = {rule: Counter() for rule in rules}
    for name in names:
        rows = dataset.read(name, [column, "status"]).group_by([column, "status"]).aggregate([([], "count_all")])
        for row in rows.to_pylist():
            counts[row[column]][row["status"]] += row["count_all"]
    return counts
