"""The page of faults tells the truth: each row names tests that are there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def names_in(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}


def test_every_row_of_the_page_is_a_test():
    rows = [line for line in (ROOT / "docs" / "faults.md").read_text().splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith(("| ---", "| fault |", "| input |"))]
    assert len(rows) > 30
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for file, test in named:
            assert test in names_in(ROOT / file), (file, test)
