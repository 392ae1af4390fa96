"""Identifying a layout against a linear search in C: CPU time of one core, both after their start.

The linear search tries the 2^32 numbers below 2^32; ours searches all 2^33 and, for a deck that no number deals, the 23 exchanges of
suits as well.
"""

import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from pipeline.games.freecell.deal.identify import identify
from pipeline.games.freecell.deal.microsoft import deal

GAME = 2**32 - 12345
ROUNDS = 50


def _ours(layout: np.ndarray) -> float:
    identify(layout)
    before = time.process_time()
    for _ in range(ROUNDS):
        identify(layout)
    return (time.process_time() - before) / ROUNDS


def _linear(layout: np.ndarray) -> tuple[float, list[int]]:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise FileNotFoundError("gcc is needed to compile the linear search")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/linear"
        subprocess.run([compiler, "-O3", "-o", program, str(Path(__file__).with_suffix(".c"))], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        printed = subprocess.run([program, *map(str, layout)], check=True, capture_output=True, text=True).stdout
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return spent, [int(line) for line in printed.split()]


def rows() -> list[dict[str, object]]:
    """Measure; the linear search must find the same number."""
    layout = deal(GAME)[0]
    exchanged = layout.copy()
    exchanged[[0, 1]] = exchanged[[1, 0]]
    reference, found = _linear(layout)
    assert found == [GAME] == [match.game_number for match in identify(layout)]
    assert identify(exchanged) == []
    cases = [
        ("identify a layout, all 2^33 numbers", layout),
        ("identify a deck no number deals, 2^33 numbers under 24 exchanges of suits", exchanged),
    ]
    result: list[dict[str, object]] = []
    for what, cards in cases:
        ours = _ours(cards)
        result.append(
            {
                "what": what,
                "ours": f"{ours * 1000:.2f} ms",
                "reference": f"{reference:.2f} s, linear search of 2^32 numbers in C",
                "ratio": f"1/{reference / ours:.0f}",
                "goal": "1/10 or less, aim 1/50",
            }
        )
    return result
