"""Add the table `klondike_solutions` to a Klondike dataset.

In: a dataset's store, a budget. Out: files of solutions, and the counts of their words. `cli` imports it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from pipeline.cards.errors import ConfigError
from pipeline.run.build import Summary, run_job
from pipeline.run.engine import EngineName
from pipeline.run.manifest import open_manifest, read_manifest
from pipeline.run.parts import Store
from pipeline.run.plan import Part
from pipeline.run.progress import Advance
from pipeline.tables.schema import KLONDIKE_SOLUTIONS


@dataclass(frozen=True)
class SolveKlondikeJob:
    """Solves the games of a part under both rules."""

    budget: int
    variant: str = ""
    tables: tuple[str, ...] = (KLONDIKE_SOLUTIONS.name,)

    @property
    def settings(self) -> dict[str, str | int]:
        """What the content depends on beside the part."""
        return {"budget": self.budget}

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the solutions of the part."""
        from pipeline.tables.klondike_solutions import solved_klondike

        yield KLONDIKE_SOLUTIONS.name, solved_klondike(part.start, part.stop, self.budget), None


def solve_klondike_dataset(
    store: Store,
    budget: int | None = None,
    first: int | None = None,
    last: int | None = None,
    *,
    jobs: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    advance: Advance = lambda games, note="": None,
) -> Summary:
    """Write the parts of `klondike_solutions` that are not there yet, of games ``first`` to ``last`` (whole parts) or of all.

    Raises ConfigError where there is no dataset, where it holds another game, and for a range that cuts through parts.
    """
    from pipeline.solve.klondike import PASSES

    with store.locked():
        manifest = read_manifest(store)
        if manifest.game != "klondike":
            raise ConfigError(f"{store.url}: holds {manifest.game} games, not klondike")
        plan = manifest.parts()
        parts = plan.parts_of(plan.first if first is None else first, plan.last if last is None else last)
        manifest = open_manifest(store, "klondike", plan, (KLONDIKE_SOLUTIONS.name,))
        return run_job(
            store,
            manifest,
            SolveKlondikeJob(PASSES[-1] if budget is None else budget),
            parts,
            jobs=jobs,
            engine=engine,
            scheduler=scheduler,
            advance=advance,
        )


def count_klondike_solutions(store: Store) -> Counter[tuple[str, str]]:
    """Count the rows of each rule and status in a dataset's `klondike_solutions`."""
    import io

    import pyarrow.parquet as pq

    counts: Counter[tuple[str, str]] = Counter()
    for name in read_manifest(store).files:
        if name.startswith(f"{KLONDIKE_SOLUTIONS.name}/"):
            table = pq.read_table(io.BytesIO(store.read(name)), columns=["rule", "status"])
            counts.update(zip(table["rule"].to_pylist(), table["status"].to_pylist(), strict=True))
    return counts
