"""The door to what runs parts side by side: joblib's threads on this machine, or Dask's workers on any number of machines.

In: a function and items. Out: each item's result as it is done.

Nothing here schedules, retries or moves data: it keeps the engine's queue short, names what the engine gave up, and tells when it is gone.
"""

import logging
import re
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from os import sched_getaffinity
from typing import Any, Final, Literal, TypeVar
from uuid import uuid4

from pipeline.cards.errors import ConfigError, Failed

Item = TypeVar("Item")
Result = TypeVar("Result")
EngineName = Literal["local", "dask"]

RETRIES: Final = 2
_RERUN: Final = "what is done is kept, run the same command again to go on"
_ADDRESS: Final = re.compile(r"((tcp|tls|ucx|ws|wss)://)?[^/\s:]+:\d+|(tcp|tls)://\[[0-9a-fA-F:.]+\]:\d+")
SECONDS_TO_CONNECT: Final = 10
SECONDS_WITHOUT_WORKERS: Final = 30
_SECONDS_BETWEEN_LOOKS: Final = 1.0
_SECONDS_BETWEEN_POLLS: Final = 0.005


class WorkersKilled(Failed):
    """Items that the engine gave up, because each worker that took one died; all others are done."""

    def __init__(self, items: Sequence[object]):
        super().__init__(f"each worker that took one of these died: {', '.join(map(str, items))}")
        self.items = items


def default_jobs() -> int:
    """Processors this process may use."""
    return len(sched_getaffinity(0))


@dataclass(frozen=True)
class Engine:
    """What runs the parts of a job: joblib's threads, or the workers of a Dask scheduler.

    ``jobs``: how many run at once, for None one a processor; with a scheduler's own workers that is their affair.
    ``scheduler``: its address; without one, Dask's workers are processes started for the purpose.
    """

    name: EngineName = "local"
    jobs: int | None = None
    scheduler: str | None = None

    def run(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Call ``function`` on each item and yield the results as they come; the first error ends it.

        Dask repeats a failed call twice. Raises WorkersKilled after the last result where an item kills its workers, Failed where the
        scheduler cannot be reached or has no worker for half a minute, and ConfigError for a scheduler with the local engine.
        """
        if self.name == "dask":
            return _run_on_dask(function, items, self.jobs, self.scheduler)
        if self.scheduler is not None:
            raise ConfigError("--scheduler: goes with --engine dask")
        return _run_on_threads(function, items, self.jobs or default_jobs())


def _run_on_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Run on joblib's threads: kernels, Parquet and hashing let go of the GIL, and starting processes costs a second.

    An error is passed on when no call is under way any more: Python must not end while a thread is inside Arrow.
    """
    from joblib import Parallel, delayed

    if jobs == 1:
        yield from map(function, items)
        return
    under_way, has_failed = threading.Semaphore(jobs), threading.Event()

    def call(item: Item) -> Result | None:
        with under_way:
            return None if has_failed.is_set() else function(item)

    parallel = Parallel(
        n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
    )
    try:
        yield from parallel(delayed(call)(item) for item in items)
    except Exception:
        has_failed.set()
        for _ in range(jobs):
            under_way.acquire()
        raise


def _run_on_dask(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int | None, scheduler: str | None
) -> Iterator[Result]:
    with _client(jobs, scheduler) as client:
        suspects = yield from _flow(client, function, items, limit=None)
        if len(suspects) > 1:
            # Dask blames all that a dead worker had in hand: each alone tells the guilty from their neighbours.
            suspects = yield from _flow(client, function, suspects, limit=1)
        if suspects:
            raise WorkersKilled(suspects)


def _flow(
    client: Any, function: Callable[[Item], Result], items: Iterable[Item], limit: int | None
) -> Generator[Result, None, list[Item]]:
    """Yield the results as they come, and return the items whose workers died.

    The cluster holds ``limit`` items at a time, or two for each thread of its workers: enough to keep them busy, and no more results
    than that wait for this process.
    """
    from distributed import KilledWorker, as_completed

    done = as_completed(with_results=True, raise_errors=False, loop=client.loop)
    waiting, serial = iter(items), count()
    under_way: dict[Any, Item] = {}
    killed: list[Item] = []
    group = f"dealbook-{uuid4().hex}"  # one group, so that the scheduler hands tasks out as workers become free
    watch = _Watch(client)
    while True:
        for item in islice(waiting, max(0, (limit or 2 * watch.threads()) - len(under_way))):
            future = client.submit(function, item, key=(group, next(serial)), pure=False, retries=RETRIES)
            under_way[future] = item
            done.add(future)
        if not under_way:
            return killed
        if not done.has_ready():
            time.sleep(_SECONDS_BETWEEN_POLLS)
            continue
        for future, result in done.next_batch():
            item = under_way.pop(future)
            if future.status == "finished":
                yield result
            elif future.status == "error" and isinstance(result[1], KilledWorker):
                killed.append(item)
            elif future.status == "error":
                raise _told(result[1])
            else:
                raise Failed(f"lost the Dask scheduler at {client.scheduler.address}; {_RERUN}")


def _told(error: BaseException) -> BaseException:
    """Say what an error of a worker means where its own text does not."""
    if isinstance(error, ModuleNotFoundError):
        return Failed(f"a Dask worker has no module {error.name}: install the same dealbook where the workers run")
    return error


class _Watch:
    """Looks now and then how many threads the workers have; raises Failed when there are none for too long."""

    def __init__(self, client: Any):
        self._client = client
        self._known = 0
        self._seen = time.monotonic()
        self._looked = float("-inf")

    def threads(self) -> int:
        """Threads of all workers at the last look, at least 1."""
        now = time.monotonic()
        if now - self._looked >= _SECONDS_BETWEEN_LOOKS and self._client.status == "running":
            self._known, self._looked = sum(self._client.nthreads().values()), now
        if self._known:
            self._seen = now
        elif now - self._seen > SECONDS_WITHOUT_WORKERS:
            raise Failed(
                f"no worker is left at {self._client.scheduler.address} for {SECONDS_WITHOUT_WORKERS} seconds; {_RERUN}"
            )
        return max(1, self._known)


@contextmanager
def _client(jobs: int | None, scheduler: str | None) -> Iterator[Any]:
    """Connect to a scheduler, or start one with ``jobs`` worker processes on this machine for as long as the run lasts."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigError("--engine dask: needs `pip install 'dealbook[cluster]'`") from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":  # what goes wrong is told in one line of ours
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if scheduler is None:
        with (
            # A worker gets its next part when it is done with one, so that none is blamed for a death it only waited beside.
            dask.config.set({"distributed.scheduler.worker-saturation": 1.0}),
            LocalCluster(
                n_workers=jobs or default_jobs(),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=__name__,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    if not _ADDRESS.fullmatch(scheduler):  # Dask takes half a minute to say so
        raise ConfigError(f"--scheduler {scheduler}: not an address such as tcp://host:8786")
    try:
        client = Client(scheduler, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Failed(
            f"--scheduler {scheduler}: no Dask scheduler answers there ({str(error).splitlines()[0]})"
        ) from None
    with client:
        yield client


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the command: called by Dask in the processes that it starts for us, as its ``preload``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
