"""Positions from solutions, replayed, encoded and written: CPU time of one core, and bytes a row.

The solutions are our own of games 1 to 4,000 with four cells; compiling is done before the clock starts.
"""

import tempfile
import time

from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving

GAMES = 4_000


def rows() -> list[dict[str, object]]:
    """Measure a dataset's worth after a first one that compiles."""
    with tempfile.TemporaryDirectory() as folder:
        for name, games in (("small", 10), ("measured", GAMES)):
            url = f"{folder}/{name}"
            build(load_config(None, last=games, part_size=GAMES, out=url, jobs=1))
            run_solving(Dataset(url), SolveJob(4, DEFAULT_BUDGET), engine=Engine(jobs=1))
            before = time.process_time()
            added = add_positions(Dataset(url), engine=Engine(jobs=1))
            spent = time.process_time() - before
    return [
        {
            "what": f"positions of {GAMES:,} solutions ({added.rows:,} rows), one core",
            "ours": f"{added.rows / spent / 1e6:.2f} million a second, {added.bytes / added.rows:.1f} bytes a row",
            "reference": "1 million a second on 2 cores",
            "ratio": f"{added.rows / spent / 0.5e6:.1f}",
            "goal": "1 or more",
        }
    ]
