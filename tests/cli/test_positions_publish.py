"""The commands positions and publish: what they print, and how they end."""

import subprocess
import sys
from pathlib import Path

from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.jobs.build import build
from pipeline.run.jobs.imports import import_solutions

CATALOGUE = Path(__file__).parent.parent / "cases" / "catalogue.txt"


def dealbook(*arguments):
    return subprocess.run([sys.executable, "-m", "pipeline", *map(str, arguments)], capture_output=True, text=True)


def test_positions_and_publish(tmp_path):
    folder = tmp_path / "ds"
    build(load_config(None, last=400, part_size=200, out=str(folder), jobs=1))
    none = dealbook("positions", folder)
    assert (none.returncode, none.stdout) == (2, "")
    assert none.stderr == f"dealbook: {folder}: has no solutions; make them with `dealbook solve {folder}`\n"
    import_solutions(Dataset(str(folder)), [str(CATALOGUE)], source="fcs")
    first = dealbook("positions", folder, "--automove", "max", "--freecells", 4, "--jobs", 1)
    assert first.returncode == 0, first.stderr
    assert "positions import-fcs-max4, " in first.stderr and "bytes each, 2 parts written\n" in first.stderr
    assert dealbook("positions", folder).stderr.endswith("0 parts written, 2 were there\n")
    wrong = dealbook("positions", folder, "--solutions", "own")
    assert wrong.returncode == 2 and "--solutions own" in wrong.stderr and wrong.stderr.count("\n") == 1
    published = dealbook("publish", folder, "--title", "Four hundred deals")
    assert published.returncode == 0, published.stderr
    assert published.stderr == f"{folder}: README.md, croissant.json, catalog.sql, SHA256SUMS written\n"
    assert "# Four hundred deals" in (folder / "README.md").read_text()
    assert dealbook("publish", tmp_path / "other").returncode == 2
