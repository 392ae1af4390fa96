"""How long a cluster takes: the scheduler, the client and a thousand workers as queues, with measured times of each step.

In: seconds a part takes, seconds of scheduler and client a task costs. Out: the time from the first task to the last result. The scheduler
and the client are one processor each that serves one message after the other, which is what bounds a large cluster; workers hold one part
under way and one in waiting, and the client keeps two parts for each worker in flight, as `pipeline/run/engine/tasks.py` does.
"""

import heapq
import random
from collections import deque
from dataclasses import dataclass
from itertools import count

LATENCY = 0.001
VARIATION = 0.2
"""A part takes up to this share more or less than the mean."""


@dataclass
class Server:
    """A processor that serves one message after the other."""

    seconds: float
    free_at: float = 0.0

    def serve(self, now: float) -> float:
        """Take in a message and return when it is dealt with."""
        self.free_at = max(self.free_at, now) + self.seconds
        return self.free_at


def simulate(parts: int, seconds: float, workers: int, scheduler: float, client: float, seed: int = 1) -> float:
    """Seconds from the first submission to the last result; half of a task's cost falls on its way out, half on its way back."""
    draw = random.Random(seed)
    at_scheduler, at_client = Server(scheduler / 2), Server(client / 2)
    events: list[tuple[float, int, str, int]] = []
    serial = count()
    queued = 0
    idle = deque([*range(workers), *range(workers)])  # a worker's name for each part it may still take
    busy_until = [0.0] * workers

    def post(when: float, kind: str, worker: int = -1) -> None:
        heapq.heappush(events, (when, next(serial), kind, worker))

    def submit(now: float) -> None:
        post(at_client.serve(now) + LATENCY, "submitted")

    def hand_out(now: float) -> None:
        worker = idle.popleft()
        begin = max(busy_until[worker], now + LATENCY)
        busy_until[worker] = begin + seconds * draw.uniform(1 - VARIATION, 1 + VARIATION)
        post(busy_until[worker] + LATENCY, "finished", worker)

    waiting = parts
    for _ in range(min(parts, 2 * workers)):
        waiting -= 1
        submit(0.0)
    done = 0
    while True:
        now, _, kind, worker = heapq.heappop(events)
        if kind == "submitted":
            now = at_scheduler.serve(now)
            if idle:
                hand_out(now)
            else:
                queued += 1
        elif kind == "finished":
            now = at_scheduler.serve(now)
            idle.append(worker)
            if queued:
                queued -= 1
                hand_out(now)
            post(now + LATENCY, "told")
        else:
            now = at_client.serve(now)
            done += 1
            if done == parts:
                return now
            if waiting:
                waiting -= 1
                submit(now)


def efficiency(parts: int, seconds: float, workers: int, scheduler: float, client: float) -> float:
    """Share of the workers' time that goes into parts."""
    return parts * seconds / workers / simulate(parts, seconds, workers, scheduler, client)
