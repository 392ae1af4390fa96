"""Measure and write the tables of docs/scaling.md: `python -m tests.bench.scaling_page [LARGEST]`.

About three minutes on two idle cores with LARGEST = 1e7 (builds; solves and positions go to a hundredth of it), and twelve minutes and 8 GB
of disk more with 1e8.
"""

import os
import platform
import sys
import time
from pathlib import Path

from tests.bench.__main__ import processor
from tests.bench.cluster_simulation import efficiency, simulate
from tests.bench.scaling import Overhead, Run, best, measure, per_game, task_overhead

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
FULL_RANGE = 2**33 - 1
PART_SIZE = 1_000_000
CORE_HOUR, GIGABYTE_MONTH, THOUSAND_PUTS = 0.05, 0.023, 0.005
STEPS = ("build", "solve", "positions")

Runs = list[tuple[str, int, str, Run]]


def runs_table(runs: Runs) -> str:
    """Every run."""
    lines = ["| job | games | workers | engine | wall s | games/s | CPU s | peak MB |", "| --- " + "| ---: " * 7 + "|"]
    for what, workers, engine, run in runs:
        lines.append(
            f"| {what} | {run.games:,} | {workers} | {engine} | {run.wall:.1f} | {run.speed:,.0f} | {run.cpu:.1f} | {run.peak:.0f} |"
        )
    return "\n".join(lines)


def comparison_table(runs: Runs) -> str:
    """Two workers against one, Dask against threads, at the largest size."""
    lines = [
        "| job | games | speed of 2 workers over 1 | without the start of the command | time of Dask over threads |",
        "| --- " + "| ---: " * 4 + "|",
    ]
    for what in STEPS:
        one, two, dask = best(runs, what, 1), best(runs, what, 2), best(runs, what, 2, "dask")
        steady = per_game(runs, what, 1, "wall") / per_game(runs, what, 2, "wall")
        lines.append(
            f"| {what} | {one.games:,} | {one.wall / two.wall:.2f} | {steady:.2f} | {dask.wall / two.wall:.2f} |"
        )
    return "\n".join(lines)


def overhead_table(overhead: Overhead) -> str:
    """What a task that does nothing costs."""
    return (
        "| a Dask task that does nothing | ms |\n| --- | ---: |\n"
        f"| on the wall, two workers | {1000 * overhead.wall:.2f} |\n"
        f"| of the scheduler's processor | {1000 * overhead.scheduler:.2f} |\n"
        f"| of the client's processor | {1000 * overhead.client:.2f} |"
    )


def cost_table(runs: Runs, overhead: Overhead) -> str:
    """The full range, step by step."""
    lines = [
        "| step | µs a game | core-hours | bytes a game | TB | parts | 100 workers | 1,000 workers | processors | puts | storage a month |",
        "| --- " + "| ---: " * 10 + "|",
    ]
    parts = -(-FULL_RANGE // PART_SIZE)
    for what in STEPS:
        seconds, run = per_game(runs, what, 1, "cpu"), best(runs, what, 1)
        size = run.written / run.games
        spans = [
            simulate(parts, seconds * PART_SIZE, workers, overhead.scheduler, overhead.client)
            for workers in (100, 1000)
        ]
        hours, files = FULL_RANGE * seconds / 3600, parts * (2 if what == "build" else 1)
        lines.append(
            f"| {what} | {1e6 * seconds:.2f} | {hours:,.1f} | {size:,.1f} | {FULL_RANGE * size / 1e12:.2f} | {parts:,} | "
            f"{_span(spans[0])} | {_span(spans[1])} | ${hours * CORE_HOUR:,.2f} | ${files / 1000 * THOUSAND_PUTS:,.2f} | "
            f"${FULL_RANGE * size / 1e9 * GIGABYTE_MONTH:,.0f} |"
        )
    return "\n".join(lines)


def _span(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def part_size_table(runs: Runs, overhead: Overhead) -> str:
    """Share of the workers' time that goes into parts, by part size."""
    lines = ["| games a part | parts | build, 100 | build, 1,000 | solve, 100 | solve, 1,000 |", "| ---: " * 6 + "|"]
    for games in (100_000, 250_000, 1_000_000, 4_000_000):
        parts = -(-FULL_RANGE // games)
        shares = [
            efficiency(parts, per_game(runs, what, 1, "cpu") * games, workers, overhead.scheduler, overhead.client)
            for what in ("build", "solve")
            for workers in (100, 1000)
        ]
        lines.append(f"| {games:,} | {parts:,} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")
    return "\n".join(lines)


def main(largest: int) -> None:
    """Measure, and write the page's tables anew."""
    overhead = task_overhead()
    load = os.getloadavg()[0]
    runs = measure(largest, largest // 100)
    measured = "\n\n".join(
        [
            f"Measured on {processor()}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}; "
            f"load of the machine before: {load:.1f}.",
            runs_table(runs),
            comparison_table(runs),
            overhead_table(overhead),
            "### The full range, games 1 to 8,589,934,591\n\nParts of 1,000,000 games; time with 100 and 1,000 workers simulated.",
            cost_table(runs, overhead),
            "Share of the workers' time that goes into parts, simulated for 100 and 1,000 workers:",
            part_size_table(runs, overhead),
        ]
    )
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{measured}\n\n{END}{rest.partition(END)[2]}")
    print(measured)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
