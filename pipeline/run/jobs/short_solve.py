"""Add short solutions to a dataset: a job that solves.

In: `ShortSettings`. Out: files of the table `solutions` beside those of other efforts and rules.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from pipeline.games.freecell.solve.outcome import SHORT_STATUSES, SOLVER
from pipeline.games.freecell.solve.short.solver import ShortSettings, check_settings
from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.freecell.tables.short_solutions import short_batches
from pipeline.run.config import SolveConfig
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.jobs.solve import SolveJob, SolvingJob


@dataclass(frozen=True)
class ShortJob:
    """Finds short solutions of the games of a part, and proves what the settings ask for."""

    short: ShortSettings
    statuses: ClassVar[tuple[str, ...]] = SHORT_STATUSES
    tables: tuple[str, ...] = (SOLUTIONS.name,)

    @property
    def rules(self) -> tuple[str, tuple[Any, ...]]:
        """One number of freecells."""
        return "freecells", (self.short.freecells,)

    @property
    def variant(self) -> str:
        """Rule set, effort and the proof's seconds, before ``part-`` in the files' names: others stay beside them."""
        proof = f"-prove{round(1000 * self.short.prove)}ms" if self.short.prove else ""
        return f"{self.short.automove}{self.short.freecells}-effort{self.short.effort}{proof}"

    @property
    def settings(self) -> dict[str, str | int]:
        """What the outcomes depend on beside the games."""
        return {
            "freecells": self.short.freecells,
            "automove": self.short.automove,
            "effort": self.short.effort,
            "budget": self.short.budget,
            "proof_states": self.short.proof_states,
            "memory_mb": round(1000 * self.short.memory),
            "solver": SOLVER,
        }

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.RecordBatchReader, str | None]]:
        """Yield the solutions of the part."""
        batches = short_batches(part.start, part.stop, self.short)
        yield SOLUTIONS.name, pa.RecordBatchReader.from_batches(SOLUTIONS.arrow_schema(), batches), None


def solving_job(wanted: SolveConfig, budget: int = DEFAULT_BUDGET) -> SolvingJob:
    """The job that a configuration asks for; raises InputError for settings that make no sense.

    Effort 0 under Horne's rule, without a proof, is the first solution of `solver`.
    """
    if not wanted.effort and wanted.automove == "horne" and not wanted.prove:
        return SolveJob(wanted.freecells, budget)
    short = ShortSettings(wanted.effort, wanted.automove, wanted.freecells, budget, wanted.prove, wanted.memory)
    check_settings(short)
    return ShortJob(short)
