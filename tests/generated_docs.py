"""Pages that are made from the code, so that they cannot tell another story: `python -m tests.generated_docs` writes them."""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pipeline.games.registry import TABLES

DOCS = Path(__file__).parent.parent / "docs"


def command_help(*words: str) -> str:
    """The help text of a command, 100 characters wide."""
    run = subprocess.run(
        [sys.executable, "-m", "pipeline", *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100"},
    )
    return run.stdout.replace("python -m pipeline", "dealbook").strip()


@functools.cache
def commands() -> list[str]:
    """Names of all commands, in the order of the help page."""
    return re.findall(r"^  ([a-z]+) {2,}\S", command_help().partition("Commands:")[2], re.MULTILINE)


def commands_page() -> Iterator[str]:
    """Lines of docs/commands.md."""
    yield "# Commands"
    yield "\nExit codes: 0 good, 1 found wanting (a solution that fails, a dataset that does not check, a layout no number deals), 2 usage."
    yield f"\n```\n{command_help()}\n```"
    for name in commands():
        yield f"\n## {name}\n\n```\n{command_help(name)}\n```"


def tables_page() -> Iterator[str]:
    """Lines of docs/tables.md."""
    yield "# Tables"
    yield "\nEvery table begins with `game_number` and is sorted by it. The same words stand in the Parquet files' field metadata."
    for table in TABLES.values():
        yield f"\n## {table.name}\n\nOne row a {table.row}. {table.description}\n"
        yield "| column | type | unit | meaning |\n| --- | --- | --- | --- |"
        for column in table.columns:
            null = ", may be null" if column.nullable else ""
            yield f"| `{column.name}` | {column.type}{null} | {column.unit} | {column.description.replace('|', chr(92) + '|')} |"


PAGES = {"commands.md": commands_page, "tables.md": tables_page}


def page(name: str) -> str:
    """The text of a page."""
    return "\n".join(PAGES[name]()) + "\n"


if __name__ == "__main__":
    for name in PAGES:
        (DOCS / name).write_text(page(name))
