"""The examples of docs/notation.md, run as they stand."""

import importlib
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from pipeline.cards.errors import InputError
from pipeline.cli.app import app

PAGE = (Path(__file__).parents[4] / "docs" / "notation.md").read_text()


def test_the_examples_are_what_the_commands_print(tmp_path, monkeypatch):
    importlib.import_module("pipeline.cli.games")
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"```text (\S+)\n(.*?)```", PAGE, re.DOTALL):
        Path(name).write_text(text)
    runs = re.findall(r"^\$ dealbook ([^\n]*)\n(.*?)(?=^\$ |^```)", PAGE, re.DOTALL | re.MULTILINE)
    assert len(runs) == 9
    for arguments, output in runs:
        done = CliRunner().invoke(app, shlex.split(arguments))
        refused = (
            f"dealbook: {done.exception}\n" if isinstance(done.exception, InputError) else ""
        )  # as `main` prints it
        assert done.stdout + done.stderr + refused == output, arguments
        assert (done.exit_code == 0) == ("dealbook: " not in output and '"illegal"' not in output)
