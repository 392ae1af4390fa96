"""How the jobs scale: games a second by size and workers, peak memory, and what Dask costs beside threads.

Each run is a command of its own in a fresh process with warm kernels, so that its time holds all that a user waits for. About three
minutes on two idle cores. `scaling_page` makes docs/scaling.md of the same measurements.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from pipeline.run.engine.tasks import Engine

TASKS = 1000


@dataclass(frozen=True)
class Run:
    """What one command took (seconds on the wall and of processors, peak of the largest process in megabytes) and wrote (bytes)."""

    games: int
    wall: float
    cpu: float
    peak: float
    written: int

    @property
    def speed(self) -> float:
        """Games a second."""
        return self.games / self.wall


def size(folder: Path) -> int:
    """Bytes of all Parquet files."""
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def command(games: int, out: Path, *words: object) -> Run:
    """Run one command on a dataset to its end."""
    before = size(out)
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    messages = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    assert process.returncode == 0, messages.decode()
    wall = time.monotonic() - started
    return Run(games, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, size(out) - before)


def build(out: Path, games: int, *options: object) -> Run:
    """Build games 1 to ``games`` anew, in parts of 100,000 or a tenth."""
    shutil.rmtree(out, ignore_errors=True)
    return command(
        games, out, "build", "--last", games, "--part-size", min(100_000, games // 10), "--out", out, *options
    )


def engines(workers: int) -> list[tuple[object, ...]]:
    """Options of the runs to compare."""
    return [("--jobs", workers)] + ([("--jobs", workers, "--engine", "dask")] if workers == 2 else [])


def builds(folder: Path, games: int) -> Iterator[tuple[str, int, str, Run]]:
    """Table, workers, engine and measurement of builds."""
    for workers in (1, 2):
        for options in engines(workers):
            yield "build", workers, "dask" if "dask" in options else "threads", build(folder / "d", games, *options)


def solves(folder: Path, games: int) -> Iterator[tuple[str, int, str, Run]]:
    """The same of solving a dataset and of making its positions."""
    build(folder / "base", games, "--tables", "layouts")
    for workers in (1, 2):
        for options in engines(workers):
            out = folder / "d"
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(folder / "base", out)
            name = "dask" if "dask" in options else "threads"
            yield "solve", workers, name, command(games, out, "solve", out, *options)
            yield "positions", workers, name, command(games, out, "positions", out, *options)


def nothing(number: int) -> int:
    """A task that takes no time."""
    return number


@dataclass(frozen=True)
class Overhead:
    """Seconds that one task costs: on the wall with two workers, and of the scheduler's and the client's processor."""

    wall: float
    scheduler: float
    client: float


def task_overhead() -> Overhead:
    """Run tasks that do nothing on a scheduler and two workers, each a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        options = {"cwd": folder, "stderr": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": str(Path.cwd())}}
        start = [
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
        ]
        work = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        processes = [subprocess.Popen([*start, "--scheduler-file", str(file)], **options)]
        processes += [subprocess.Popen([*work, "--scheduler-file", str(file)], **options) for _ in range(2)]
        try:
            while not file.exists() or not file.read_text().endswith("}"):
                time.sleep(0.05)
            address = file.read_text().partition('"address": "')[2].partition('"')[0]
            assert len(list(Engine("dask", scheduler=address).run(nothing, range(50)))) == 50  # all are up and warm
            scheduler = psutil.Process(processes[0].pid)
            used, own, wall = sum(scheduler.cpu_times()[:2]), time.process_time(), time.monotonic()
            assert sum(1 for _ in Engine("dask", scheduler=address).run(nothing, range(TASKS))) == TASKS
            wall, own = time.monotonic() - wall, time.process_time() - own
            return Overhead(wall / TASKS, (sum(scheduler.cpu_times()[:2]) - used) / TASKS, own / TASKS)
        finally:
            for process in processes:
                process.kill()
                process.wait()


def measure(largest: int, solved: int) -> list[tuple[str, int, str, Run]]:
    """All runs: builds of 100,000 games up to ``largest`` by tens, solves and positions up to ``solved``."""
    runs = []
    with tempfile.TemporaryDirectory(prefix="dealbook-scaling-") as name:
        folder = Path(name)
        build(folder / "d", 1000)
        command(1000, folder / "d", "solve", folder / "d")
        command(1000, folder / "d", "positions", folder / "d")  # kernels are compiled now
        games = 100_000
        while games <= largest:
            runs += builds(folder, games)
            games *= 10
        games = min(10_000, solved // 10)
        while games <= solved:
            runs += solves(folder, games)
            games *= 10
    return runs


def best(runs: list[tuple[str, int, str, Run]], what: str, workers: int, engine: str = "threads") -> Run:
    """The run of the largest size."""
    return max(
        (run for table, n, name, run in runs if (table, n, name) == (what, workers, engine)), key=lambda r: r.games
    )


def per_game(runs: list[tuple[str, int, str, Run]], what: str, workers: int, figure: str) -> float:
    """Seconds of one more game by a figure of `Run`, ``wall`` or ``cpu``: largest run less smallest, so that the start is taken off."""
    one = sorted(
        (run for table, n, name, run in runs if (table, n, name) == (what, workers, "threads")), key=lambda r: r.games
    )
    seconds = (getattr(one[-1], figure) - getattr(one[0], figure)) / (one[-1].games - one[0].games)
    assert seconds > 0, f"{what}: the smallest run took longest; were its kernels compiled on the way?"
    return seconds


def rows() -> list[dict[str, object]]:
    """Compare two workers with one, and Dask with threads."""
    runs = measure(10_000_000, 100_000)
    result: list[dict[str, object]] = []
    for what in ("build", "solve", "positions"):
        one, two = best(runs, what, 1), best(runs, what, 2)
        result.append(
            {
                "what": f"{what} {one.games:,} games, 2 workers against 1",
                "ours": f"{two.wall:.1f} s",
                "reference": f"{one.wall:.1f} s",
                "ratio": f"{one.wall / two.wall:.2f}",
                "goal": ">= 1.8" if what != "positions" else "",
            }
        )
        alone, together = (per_game(runs, what, workers, "wall") for workers in (1, 2))
        result.append(
            {
                "what": f"{what}, the same without the start of the command",
                "ours": f"{1 / together:,.0f} games/s",
                "reference": f"{1 / alone:,.0f} games/s",
                "ratio": f"{alone / together:.2f}",
                "goal": "",
            }
        )
        dask = best(runs, what, 2, "dask")
        result.append(
            {
                "what": f"{what} {one.games:,} games, 2 Dask processes against 2 threads",
                "ours": f"{dask.wall:.1f} s",
                "reference": f"{two.wall:.1f} s",
                "ratio": f"{dask.wall / two.wall:.2f}",
                "goal": "",
            }
        )
    peaks = [
        run for what, n, engine, run in runs if (what, n, engine) == ("build", 2, "threads") and run.games >= 10**6
    ]
    first, last = min(peaks, key=lambda r: r.games), max(peaks, key=lambda r: r.games)
    result.append(
        {
            "what": f"peak memory of a build of {last.games:,} games against {first.games:,}",
            "ours": f"{last.peak:.0f} MB",
            "reference": f"{first.peak:.0f} MB",
            "ratio": f"{last.peak / first.peak:.2f}",
            "goal": "<= 1.2",
        }
    )
    return result
