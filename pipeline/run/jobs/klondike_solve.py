"""Add the table `klondike_solutions` to a Klondike dataset.

In: a dataset's store, a budget. Out: files of solutions, and how many games came out how.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.cards.errors import ConfigError
from pipeline.games.klondike.solve.solver import PASSES, RULES, STATUSES
from pipeline.games.klondike.tables.schema import KLONDIKE_SOLUTIONS
from pipeline.games.klondike.tables.solutions import SOURCE, solved_klondike
from pipeline.run.dataset.manifest import open_manifest, read_manifest
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import EngineName
from pipeline.run.jobs.build import Summary, Written, run_job


@dataclass(frozen=True)
class SolveKlondikeJob:
    """Solves the games of a part under both rules."""

    budget: int
    variant: str = ""
    tables: tuple[str, ...] = (KLONDIKE_SOLUTIONS.name,)

    @property
    def settings(self) -> dict[str, str | int]:
        """What the content depends on beside the part."""
        return {"budget": self.budget, "solver": SOURCE}

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the solutions of the part."""
        yield KLONDIKE_SOLUTIONS.name, solved_klondike(part.start, part.stop, self.budget), None


@dataclass(frozen=True)
class Outcomes:
    """What a run did, and how many of the games it was asked for came out how under each rule."""

    summary: Summary
    counts: dict[str, Counter[str]]


def klondike_parts(store: Store, first: int | None, last: int | None) -> list[Part]:
    """The parts of a Klondike dataset from game ``first`` to ``last``, its own where they are None.

    Raises ConfigError where there is no dataset, where it holds another game, and for parts cut through.
    """
    manifest = read_manifest(store)
    if manifest.game != KLONDIKE_SOLUTIONS.game:
        raise ConfigError(f"{store.url}: holds {manifest.game} games, not {KLONDIKE_SOLUTIONS.game}")
    plan = manifest.parts()
    return plan.parts_of(plan.first if first is None else first, plan.last if last is None else last)


def solve_klondike_dataset(
    store: Store,
    budget: int = PASSES[-1],
    *,
    first: int | None = None,
    last: int | None = None,
    jobs: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    advance: Advance = lambda games, note="": None,
) -> Outcomes:
    """Write the parts of `klondike_solutions` that are not there yet, games ``first`` to ``last`` of the dataset (all, for None).

    The note of ``advance`` tells the outcomes so far. Raises what `klondike_parts` does, and Failed for a solution that does not replay.
    """
    job = SolveKlondikeJob(budget)
    so_far: Counter[str] = Counter()
    with store.locked():
        parts = klondike_parts(store, first, last)
        manifest = open_manifest(store, "klondike", read_manifest(store).parts(), (KLONDIKE_SOLUTIONS.name,))
        store.remove_temporaries()

        def observe(written: Written) -> str:
            for counts in _count(store, written.records).values():
                so_far.update(counts)
            return ", ".join(f"{so_far[status]:,} {status}" for status in STATUSES)

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
        return Outcomes(summary, _count(store, [part.file_name(KLONDIKE_SOLUTIONS.name) for part in parts]))


def _count(store: Store, names: Iterable[str]) -> dict[str, Counter[str]]:
    """Count the statuses in files of solutions, rule by rule."""
    counts: dict[str, Counter[str]] = {rule: Counter() for rule in RULES}
    for name in names:
        with store.open(name) as file:
            table = pq.read_table(file, columns=["rule", "status"])
        for rule in RULES:
            counts[rule].update(table.filter(pc.field("rule") == rule)["status"].to_pylist())
    return counts
