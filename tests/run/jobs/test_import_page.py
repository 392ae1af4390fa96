"""The page on imports tells what the commands print: each of them is run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
BLOCKS = re.findall(r"^```console\n(.*?)^```", (ROOT / "docs" / "import.md").read_text(), re.MULTILINE | re.DOTALL)
MINE = """\
GAME #4
 57 57 51 6a 8b 18 81 85 81 58
 3c 3d 4h 34 a4 b3 65 84 38 2a
 3h d3 23 2b 2h 28 68 26 13 71
 17 12 1c 43 42 76 7c

GAME #5
 57 57 51 6a
"""


def test_every_command_prints_what_stands_there(tmp_path):
    shutil.copy(ROOT / "tests" / "cases" / "catalogue.txt", tmp_path)
    (tmp_path / "mine.txt").write_text(MINE)
    steps = [step.split("\n", 1) for block in BLOCKS for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) >= 6
    for command, output in steps:
        done = subprocess.run(
            [sys.executable, "-m", "pipeline", *shlex.split(command)[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.stdout == output, command
