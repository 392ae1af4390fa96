"""A Dask scheduler and workers as processes of their own, over TCP on loopback; all of them end with the test."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


class Cluster:
    """``nanny`` workers are started anew when they die, as `dask worker` does unless told otherwise."""

    def __init__(self, folder: Path, workers: int = 0, *, nanny: bool = True, threads: int = 1):
        self._folder, self._nanny, self._first, self._threads = folder, nanny, workers, threads
        self.processes: list[subprocess.Popen] = []

    def __enter__(self) -> "Cluster":
        file = self._folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--idle-timeout",
            "300",
            "--scheduler-file",
            str(file),
        )
        for _ in range(self._first):
            self.add_worker(file)
        wait_for(lambda: file.exists() and file.read_text().strip().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def add_worker(self, scheduler_file: Path | None = None) -> subprocess.Popen:
        where = ("--scheduler-file", str(scheduler_file)) if scheduler_file else (self.address,)
        nanny = () if self._nanny else ("--no-nanny",)
        self._folder.joinpath("scratch").mkdir(exist_ok=True)
        return self._start(
            "dask_worker", *where, "--nthreads", str(self._threads), "--memory-limit", "0", "--death-timeout", "60", *nanny,
            "--local-directory", str(self._folder / "scratch"),
        )  # fmt: skip

    def _start(self, module: str, *options: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            "PYTHONPATH": str(HERE),
            "PYTHONWARNINGS": "ignore",
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s",
        }
        with (self._folder / f"{module}-{len(self.processes)}.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *options],
                env=environment,
                cwd=self._folder,
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self.processes.append(process)
        return process


def wait_for(condition, seconds: float = 60.0):
    """Wait until a condition holds and return its value; a loaded machine may take its time."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value
