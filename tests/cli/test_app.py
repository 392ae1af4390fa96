"""What all commands share: the version, the bar on a terminal, messages that name their input."""

import os
import pty
import re
import subprocess
import sys
from importlib.metadata import version

import pytest


def run(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_the_version():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"dealbook {version('dealbook')}\n", "")


def test_no_command_at_all_gets_the_help():
    done = run()
    assert done.returncode == 2
    assert "Deal numbered solitaire games" in done.stdout + done.stderr


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_bar_cuts_no_number_on_a_narrow_terminal(columns):
    code = (
        "import time\n"
        "from pipeline.run.engine.progress import progress_bar\n"
        "with progress_bar('solve data/ms1m', 1_000_000) as advance:\n"
        "    advance(400_000)\n"
        "    time.sleep(0.3)\n"
        "    advance(600_000, '999,992 solved, 8 impossible')\n"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    subprocess.run([sys.executable, "-c", code], stderr=theirs, env=environment, check=True)
    os.close(theirs)
    shown = re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", os.read(ours, 1 << 16).decode())
    os.close(ours)
    last = shown.split("\r")[-1] if shown.split("\r")[-1].strip() else shown.split("\r")[-2]
    assert "1000000/1000000" in last
    assert "games/s" in last
    assert all(len(line.strip("\n")) <= columns for line in shown.split("\r"))


@pytest.mark.parametrize("command", ["solution", "shortest"])
def test_a_board_with_defects_is_named(command, tmp_path):
    board = tmp_path / "mine.txt"
    board.write_text("JD KD 2S 4C 3S 6D 6S\n2D KC KS 5C TD 8S 9C\n")
    for done, name in ((run(command, str(board)), str(board)), (run(command, "-", text=board.read_text()), "stdin")):
        assert done.returncode == 2
        assert done.stderr.startswith(f"dealbook: {name}: ")
        assert done.stderr.count("\n") == 1
