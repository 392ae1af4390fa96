"""Dealing and building: the kernel against C, the command against a plain NumPy script, memory and size."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

from pipeline.games.freecell.deal.microsoft import _INCREMENTS, _MULTIPLIERS, _RECIPROCALS, _deal, deal
from tests.bench import numpy_dealer

HERE = Path(__file__).parent
GAMES = 1_000_000


def kernel_seconds(layouts: np.ndarray) -> float:
    """CPU seconds of the kernel for games 1 .. GAMES into memory that is there already, as the C loop writes it."""
    numbers = np.arange(1, GAMES + 1)
    start = time.process_time()
    _deal(numbers, _MULTIPLIERS, _INCREMENTS, _RECIPROCALS, layouts)
    return time.process_time() - start


# Where SciPy is installed numba loads it (0.3 s); the tests bring it, the default install of dealbook does not.
DEALBOOK = [sys.executable, "-c", "import sys; sys.modules['scipy'] = None; from pipeline.cli import main; main()"]


def command(arguments: list[str]) -> tuple[float, int]:
    """Wall seconds and peak memory (kB) of one command in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return time.perf_counter() - start, usage.ru_maxrss


def rows() -> Iterator[dict]:
    """Measure in turn, best of several."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["gcc", "-O3", "-march=native", "-o", folder / "dealer", HERE / "dealer.c"], check=True)
        layouts = np.ones((GAMES, 52), np.uint8)
        deal(1)
        ours, c = [], []
        for _ in range(5):
            ours.append(kernel_seconds(layouts))
            c.append(
                float(
                    subprocess.run(
                        [folder / "dealer", str(GAMES)], capture_output=True, text=True, check=True
                    ).stdout.split()[0]
                )
            )
        per = 1e9 / GAMES
        yield ratio(
            "deal kernel, ns a game, one core; gcc -O3 -march=native", min(ours) * per, min(c) * per, "<= 1", ".0f"
        )
        start = time.process_time()
        for number in range(1, 2001):
            Game("freecell", number, RandomBase.DEALS_MS).calc_layout_string(CardRenderer(True))
        pysol = (time.process_time() - start) / 2000
        yield ratio("deal kernel, ns a game; pysol_cards", min(ours) * per, pysol * 1e9, "<= 1/300", ".0f")

        memory, size = {}, 0
        for games, goal in ((1_000_000, "<= 0.8, aim 0.6"), (10_000_000, "<= 0.45, aim 0.35")):
            ours, plain = [], []
            for run in range(4 if games == 1_000_000 else 2):
                out = folder / f"ds{games}-{run}"
                seconds, memory[games] = command(
                    [*DEALBOOK, "build", "--last", str(games), "--out", str(out), "--jobs", "2"]
                )
                ours.append(seconds)
                size = sum(f.stat().st_size for f in (out / "layouts").iterdir())
                plain.append(
                    command([sys.executable, numpy_dealer.__file__, "1", str(games), str(folder / "plain.parquet")])[0]
                )
                subprocess.run(["rm", "-rf", str(out)], check=True)
            yield ratio(
                f"build 1..{games:,}, layouts and stats, 2 jobs, s; NumPy script, layouts alone",
                min(ours),
                min(plain),
                goal,
                ".2f",
            )
        yield ratio(
            "peak memory, MB: 10,000,000 games; 1,000,000 games",
            memory[10_000_000] / 1e3,
            memory[1_000_000] / 1e3,
            "<= 1.2",
            ".0f",
        )
        yield {
            "what": "layouts on disk, bytes a game",
            "ours": f"{size / 10_000_000:.1f}",
            "reference": "40",
            "ratio": f"{size / 4e8:.2f}",
            "goal": "<= 1",
        }


def ratio(what: str, ours: float, reference: float, goal: str, digits: str) -> dict:
    """One row of the table."""
    share = ours / reference
    return {
        "what": what,
        "ours": f"{ours:{digits}}",
        "reference": f"{reference:{digits}}",
        "ratio": f"{share:.2f}" if share > 0.02 else f"1/{1 / share:.0f}",
        "goal": goal,
    }
