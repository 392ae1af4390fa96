"""Tell the dialects apart and read any of them.

In: text. Out: a `Document` for each game in it, or an error in its place.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.words import numbered_lines
from pipeline.games.freecell.notation.catalogue import is_catalogue_line, read_catalogue_lines
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document
from pipeline.games.freecell.notation.fcsolve import looks_like_fcsolve, read_fcsolve
from pipeline.games.freecell.notation.json_lines import read_json
from pipeline.games.freecell.notation.names import Dialect
from pipeline.games.freecell.notation.standard import read_each

_LOOKED_AT: Final = 20_000  # characters; a dialect shows at once


def detect(text: str) -> Dialect:
    """Tell a text's dialect; what looks like no other is taken as standard notation."""
    first = next(
        (line for _, line in numbered_lines(text[:_LOOKED_AT]) if line.strip() and not line.lstrip().startswith("#")),
        "",
    )
    if first.lstrip().startswith("{"):
        return "json"
    number, colon, moves = first.partition(":")
    if is_catalogue_line(first) or (colon and number.strip().isdigit() and len(moves.split()) <= 1):
        return "catalogue"  # and if its moves are none, that is to be said
    return "fcsolve" if looks_like_fcsolve(text[:_LOOKED_AT]) else "standard"


def read_any(
    text: str, dialect: Dialect | None = None, *, game_number: int | None = None, freecells: int | None = None
) -> Iterator[Document | NotationError]:
    """Read a text document by document, giving an error in place of each one that cannot be read.

    ``dialect``: as `detect` tells unless given. ``game_number`` is that of a text that does not say it; ``freecells`` likewise.
    """
    dialect = dialect or detect(text)
    if dialect == "standard":
        found: Iterator[Document | NotationError] = read_each(
            text, STANDARD_FREECELLS if freecells is None else freecells
        )
    elif dialect == "catalogue":
        found = read_catalogue_lines(text)
    else:
        try:
            found = iter(read_json(text) if dialect == "json" else read_fcsolve(text, game_number, freecells))
        except NotationError as error:
            found = iter([error])
    for document in found:
        if isinstance(document, NotationError) or game_number is None or document.game_number == game_number:
            yield document
        elif document.game_number is None:
            yield replace(document, game_number=game_number)
        else:
            yield NotationError(f"line {document.line}: the text says game {document.game_number}, not {game_number}")


def read_all(
    text: str, dialect: Dialect | None = None, *, game_number: int | None = None, freecells: int | None = None
) -> list[Document]:
    """Read every document of a text as `read_any` does; raises NotationError for the first that cannot be read."""
    documents = []
    for found in read_any(text, dialect, game_number=game_number, freecells=freecells):
        if isinstance(found, NotationError):
            raise found
        documents.append(found)
    return documents
