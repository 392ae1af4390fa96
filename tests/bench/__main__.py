"""Run the benchmarks and print one table with versions: `python -m tests.bench [TOPIC ...]`.

Each module beside this one has a function ``rows()`` that yields dictionaries with the keys what, ours, reference, ratio and goal. Machines
differ, so what counts is the ratio of two things measured in turn in one run.
"""

import importlib
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

PACKAGES = ("dealbook", "numpy", "numba", "pyarrow", "polars", "duckdb")


def topics() -> list[str]:
    """Names of the benchmark modules."""
    modules = sorted(path for path in Path(__file__).parent.glob("*.py") if "def rows(" in path.read_text())
    return [path.stem for path in modules if not path.stem.startswith("_")]


def processor() -> str:
    """Name of the processor, where Linux tells it."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.partition(": ")[2] for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return f"{names[0]} x {len(names)}" if names else platform.machine()


def main(chosen: list[str]) -> None:
    """Run the chosen topics, or all."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in PACKAGES))
    console.print(f"{processor()}, {time.strftime('%Y-%m-%d')}\n")
    if unknown := set(chosen) - set(topics()):
        sys.exit(f"no such topic: {', '.join(sorted(unknown))}; there are {', '.join(topics())}")
    for topic in chosen or topics():
        table = Table(
            "what", "ours", "reference", "ratio", "goal", title=topic, title_justify="left", box=box.SIMPLE_HEAD
        )
        for row in importlib.import_module(f"tests.bench.{topic}").rows():
            table.add_row(*(str(row.get(key, "")) for key in ("what", "ours", "reference", "ratio", "goal")))
        console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
