"""The cookbook's commands, queries and answers are real: `python tests/serve/sql/test_cookbook.py` writes the answers anew."""

import importlib
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from pipeline.cli.app import COMMAND_MODULES, app
from pipeline.serve.sql.catalog import Catalog, open_catalog

PAGE = Path(__file__).parents[3] / "docs" / "cookbook.md"
DATASET = "ms32000"
_QUESTION = re.compile(r"### (\d+)\. (.*?)\n.*?```sql\n(.*?)```\n(.*?)(?=\n### |\n## |\n[A-Z]|\Z)", re.DOTALL)
FOUND = {
    f"{number}. {title}": (sql, answer.strip()) for number, title, sql, answer in _QUESTION.findall(PAGE.read_text())
}


def make_dataset(folder: Path) -> Catalog:
    """Run the page's own commands in a folder."""
    for module in COMMAND_MODULES:
        importlib.import_module(f"pipeline.cli.{module}")
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    here = Path.cwd()
    os.chdir(folder)
    try:
        for command in commands.strip().splitlines():
            name, *arguments = shlex.split(command)
            assert name == "dealbook"
            app(arguments, standalone_mode=False)
        return open_catalog(str(folder / DATASET))
    finally:
        os.chdir(here)


def answer_text(catalog: Catalog, sql: str) -> str:
    """The answer as a table of Markdown."""
    answer = catalog.query(sql)
    lines = [answer.names, ["---"] * len(answer.names), *([str(value) for value in row] for row in answer.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return make_dataset(tmp_path_factory.mktemp("cookbook"))


def test_the_page_asks_what_people_ask():
    assert len(FOUND) >= 15
    assert [title.partition(".")[0] for title in FOUND] == [str(n) for n in range(1, len(FOUND) + 1)]
    assert len(FOUND) == PAGE.read_text().count("```sql")


@pytest.mark.parametrize("title", FOUND)
def test_every_answer_is_the_real_one(catalog, title):
    sql, answer = FOUND[title]
    assert answer_text(catalog, sql) == answer


def rewrite() -> None:
    """Write every answer of the page anew."""
    with tempfile.TemporaryDirectory() as folder:
        catalog = make_dataset(Path(folder))
        text = PAGE.read_text()
        for sql, answer in FOUND.values():
            block = f"```sql\n{sql}```\n"
            rest = text.split(block)[1]
            text = text.replace(
                block + rest, f"{block}\n{answer_text(catalog, sql)}\n\n{rest.replace(answer, '', 1).lstrip()}"
            )
        PAGE.write_text(text.rstrip() + "\n")


if __name__ == "__main__":
    sys.exit(rewrite())
