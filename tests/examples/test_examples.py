"""The examples, run in a small form."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving
from pipeline.serve.publish.publish import publish

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples") / "ds"
    build(load_config(None, last=1000, part_size=250, out=str(folder), jobs=1))
    store = Store(str(folder))
    run_solving(Dataset(store.url), SolveJob(4, 1_000_000), engine=Engine(jobs=1))
    add_positions(Dataset(store.url), engine=Engine(jobs=1))
    publish(store)
    return folder


def run(name, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name, *map(str, arguments)],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_difficulty(dataset):
    pytest.importorskip("sklearn", reason="scikit-learn comes with the extra ml")
    printed = run("difficulty.py", dataset, "--trees", 10, OMP_NUM_THREADS="1")
    assert "1,000 solved games" in printed
    rows = {
        line[:34].strip(): [float(r) for r in line[34:].split()]
        for line in printed.splitlines()
        if line[34:].strip()[-1:].isdigit()
    }
    assert rows["the thesis"] == [0.439, 0.366]
    # Of a thousand games the signs are sure: deeper aces make longer solutions and longer searches.
    assert rows["places_of_aces"][0] > 0.15 and rows["cards_over_aces"][1] > 0.1
    assert -0.5 < rows["all statistics, boosted trees"][0] < 0.9


def test_next_move(dataset):
    pytest.importorskip("torch", reason="torch is an optional extra and not installed")
    printed = run("next_move.py", dataset, "--epochs", 1, "--width", 64, "--games", 5)
    model, usual, uniform = (float(share) for share in re.findall(r"([\d.]+)%", printed))
    assert model > usual > uniform > 0
    assert "of 5 games of the split test won (" in printed


def test_load_datasets(dataset, tmp_path):
    pytest.importorskip("datasets", reason="datasets comes with the extra ml")
    printed = run(
        "load_datasets.py",
        dataset,
        HF_HUB_OFFLINE="1",
        HF_HOME=str(tmp_path),
        HF_DATASETS_CACHE=str(tmp_path / "cache"),
    )
    assert [line.partition(":")[0] for line in printed.splitlines() if " rows, " in line] == [
        "layouts",
        "stats",
        "solutions",
        "positions",
    ]
    assert re.search(r"layouts: 1,000 rows, 53 columns; \d+ rows in the split test", printed)
