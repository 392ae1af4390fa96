"""The house: which room may import which, one door for each outside library, and modules of a readable size."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pipeline"
ROOMS = ["cards", "kernels", "tables", "games", "run", "serve", "cli"]
FLOORS = ["deal", "board", "rules", "notation", "solve", "tables"]
"""The order inside a game."""

DOORS = {
    "numba": ["kernels/numba_door.py"],
    "typer": ["cli/"],
    "joblib": ["run/engine/"],
    "distributed": ["run/engine/"],
    "duckdb": ["serve/sql/catalog.py"],
    "fsspec": ["run/dataset/store.py"],
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> list[str]:
    """Every module that a file imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent != PACKAGE], ids=name)
def test_imports_point_left(path):
    room = name(path).split("/")[0]
    allowed = ROOMS[: ROOMS.index(room) + 1]
    for module in imports(path):
        if module.startswith("pipeline.") and (target := module.split(".")[1]) in ROOMS:
            assert target in allowed, f"{room} may not import {module}"


def place(module: str) -> tuple[str, str] | None:
    """The game and the floor of a module, None outside the games and for what lies beside their rooms."""
    parts = module.split(".")
    if parts[:2] != ["pipeline", "games"] or len(parts) < 4 or parts[3] not in FLOORS:
        return None
    return parts[2], parts[3]


@pytest.mark.parametrize("path", sorted((PACKAGE / "games").rglob("*.py")), ids=name)
def test_inside_a_game_imports_point_left(path):
    here = place(".".join(("pipeline", *path.relative_to(PACKAGE).with_suffix("").parts)))
    for module in imports(path):
        there = place(module)
        if here and there:
            assert here[0] == there[0], f"{here[0]} imports {module}"
            assert FLOORS.index(there[1]) <= FLOORS.index(here[1]), f"{here[1]} may not import {module}"


@pytest.mark.parametrize("library", DOORS)
def test_each_library_has_one_door(library):
    users = [name(path) for path in MODULES if any(m.split(".")[0] == library for m in imports(path))]
    assert users and all(user.startswith(tuple(DOORS[library])) for user in users), users


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_say_what_they_are_and_stay_short(path):
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 320


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_do_not_name_who_imports_them(path):
    text = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split())
    assert not re.search(r"\bimports? (it|them)\b|\bimported by\b|\bmay import\b", text)


def test_nothing_is_called_utils():
    assert not [p for p in MODULES if p.stem in ("utils", "util", "helpers", "common", "misc")]
