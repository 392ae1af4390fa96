"""A job that deals games as the real one does, and stops or dies at chosen parts. The workers of the tests import it."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from pipeline.games.freecell.tables.layouts import dealt_tables
from pipeline.run.dataset.dataset import LOCAL, Dataset
from pipeline.run.dataset.plan import Part, Plan
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine


@dataclass(frozen=True)
class StagedJob:
    """Notes each part it begins in ``stage`` (file name: first game and process), and goes on when a file `go` is there."""

    stage: str
    waits: bool = True
    deadly: tuple[int, ...] = ()
    pause: float = 0.0
    tables: tuple[str, ...] = ("layouts", "stats")
    variant: str = ""
    settings: dict[str, str | int] = field(default_factory=dict)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        stage = Path(self.stage)
        (stage / f"{part.start}-{os.getpid()}").touch()
        if part.start in self.deadly:
            time.sleep(self.pause / 2)  # its neighbours are still in the middle of their parts
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.pause)
        yield from dealt_tables(part.start, part.stop, self.tables[:1])
        while self.waits and not (stage / "go").exists():  # in the middle of a part: one file is written, one is not
            time.sleep(0.02)
        yield from dealt_tables(part.start, part.stop, self.tables[1:])


@dataclass(frozen=True)
class ElsewhereJob:
    """Deals games on a worker whose folder of the dataset is not the command's."""

    tables: tuple[str, ...] = ("layouts",)
    variant: str = ""
    settings: dict[str, str | int] = field(default_factory=dict)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        store.root += "-of-the-worker"
        yield from dealt_tables(part.start, part.stop, self.tables)


def begun(stage: Path) -> list[tuple[int, int]]:
    """First game and process of each part that was begun."""
    return [(int(a), int(b)) for a, _, b in (p.name.partition("-") for p in stage.iterdir()) if b]


def run_staged(out: str, job: StagedJob, plan: Plan, engine: Engine = LOCAL):
    """Run the job as `build` runs its own."""
    dataset = Dataset(out)
    with dataset.begin("freecell", plan, *job.tables):
        return dataset.write(job, dataset.parts(), engine)


if __name__ == "__main__":
    run_staged(sys.argv[1], StagedJob(sys.argv[2]), Plan(1, int(sys.argv[3]), int(sys.argv[4])), Engine(jobs=2))
