"""The README tells the truth: every command in it is run, and prints what stands there."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def console_blocks() -> list[list[tuple[str, str]]]:
    """The console blocks, each as (command, expected output)."""
    blocks = []
    for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        blocks.append([tuple(_joined(step).split("\n", 1)) for step in steps])
    return blocks


def _joined(step: str) -> str:
    """Join a command that goes on after a backslash."""
    return re.sub(r"\\\n\s*", "", step)


STEPS = [step for block in console_blocks() for step in block]
DEALBOOK = [(command, output) for command, output in STEPS if "dealbook " in command]
MAKE = [command.split()[1] for command, _ in STEPS if command.startswith("make ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as after `make data`, with `dealbook` on the path."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("configs", "examples", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "bin").mkdir()
    script = folder / "bin" / "dealbook"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pipeline "$@"\n')
    script.chmod(0o755)
    run("dealbook build configs/ms1m.toml --jobs 2", folder)
    return folder


def run(command: str, folder: Path) -> str:
    """Run a shell command in the folder; returns what it prints, messages included."""
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout


def lines(text: str) -> list[str]:
    """The lines of a text, without blanks at their ends and without empty ones."""
    return [line.rstrip() for line in text.strip("\n").splitlines() if line.strip()]


def test_readme_shows_commands():
    assert len(DEALBOOK) >= 10
    assert {"data", "test"} <= set(MAKE)


@pytest.mark.parametrize("target", sorted(set(MAKE)))
def test_make_targets_exist(target):
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


def test_make_data_is_the_build_of_the_readme():
    recipe = re.search(r"^data:.*\n\t(.*)\n\t(.*)\n", MAKEFILE, re.MULTILINE)
    assert recipe and "dealbook build configs/ms1m.toml" in recipe[1] and "dealbook check data/ms1m" in recipe[2]


def test_console_blocks(folder):
    """In order, as a reader would: later commands use what earlier ones wrote."""
    for command, expected in DEALBOOK:
        assert lines(run(command, folder)) == lines(expected), command


def test_python_blocks(folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = "\n".join(re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
