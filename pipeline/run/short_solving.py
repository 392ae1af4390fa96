"""Add short solutions to a dataset: a job for `solving`.

In: `ShortSettings`. Out: files of the table `solutions` beside those of other efforts and rules. `cli` imports it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from pipeline.run.parts import Store
from pipeline.run.plan import Part
from pipeline.solve.outcome import SOLVER
from pipeline.solve.short import ShortSettings
from pipeline.solve.short_proof import states_of
from pipeline.tables.schema import SOLUTIONS
from pipeline.tables.short_solutions import short_batches


@dataclass(frozen=True)
class ShortJob:
    """Finds short solutions of the games of a part, and proves what the settings ask for."""

    short: ShortSettings
    tables: tuple[str, ...] = (SOLUTIONS.name,)

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
            "proof_states": states_of(self.short.prove),
            "memory_mb": round(1000 * self.short.memory),
            "solver": SOLVER,
        }

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.RecordBatchReader, str | None]]:
        """Yield the solutions of the part."""
        batches = short_batches(part.start, part.stop, self.short)
        yield SOLUTIONS.name, pa.RecordBatchReader.from_batches(SOLUTIONS.arrow_schema(), batches), None
