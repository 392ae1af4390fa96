"""The door to what runs parts side by side: joblib on this machine.

In: a function and items. Out: each item's result as it is done. `build`, `check` and their kind import it.
"""

from collections.abc import Callable, Iterable, Iterator
from os import sched_getaffinity
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def default_jobs() -> int:
    """Processors this process may use."""
    return len(sched_getaffinity(0))


def run_tasks(function: Callable[[Item], Result], items: Iterable[Item], jobs: int | None = None) -> Iterator[Result]:
    """Call ``function`` on each item, ``jobs`` at once, and yield the results as they come; the first error ends it.

    Threads, not processes: kernels, the Parquet writer and hashing let go of the GIL, and starting processes costs a second.
    """
    from joblib import Parallel, delayed

    jobs = jobs or default_jobs()
    if jobs == 1:
        yield from map(function, items)
        return
    parallel = Parallel(
        n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
    )
    yield from parallel(delayed(function)(item) for item in items)
