"""Add the table `klondike_solutions` to a Klondike dataset: a job that solves.

In: a budget. Out: files of solutions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from pipeline.games.klondike.solve.solver import PASSES, RULES, STATUSES
from pipeline.games.klondike.tables.schema import KLONDIKE_SOLUTIONS
from pipeline.games.klondike.tables.solutions import SOURCE, solved_klondike
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store


@dataclass(frozen=True)
class SolveKlondikeJob:
    """Solves the games of a part under both rules."""

    budget: int = PASSES[-1]
    statuses: ClassVar[tuple[str, ...]] = STATUSES
    rules: ClassVar[tuple[str, tuple[Any, ...]]] = ("rule", RULES)
    variant: str = ""
    tables: tuple[str, ...] = (KLONDIKE_SOLUTIONS.name,)

    @property
    def settings(self) -> dict[str, str | int]:
        """What the content depends on beside the part."""
        return {"budget": self.budget, "solver": SOURCE}

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the solutions of the part."""
        yield KLONDIKE_SOLUTIONS.name, solved_klondike(part.start, part.stop, self.budget), None
