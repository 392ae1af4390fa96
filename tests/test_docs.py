"""The pages made from the code are those that would be made now, and links lead somewhere."""

import re
from pathlib import Path

import pytest

from tests.generated_docs import DOCS, PAGES, commands, page

ROOT = Path(__file__).parent.parent
TEXTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "data" / "README.md", *sorted(DOCS.glob("*.md"))]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name):
    assert (DOCS / name).read_text() == page(name), "run `make docs`"


@pytest.mark.parametrize("name", commands())
def test_help_is_one_sentence_and_one_example(name):
    text = (DOCS / "commands.md").read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert re.search(rf"Example: .*dealbook {name}\b", text)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", path.read_text()):
        assert (path.parent / target).exists(), target
