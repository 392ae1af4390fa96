"""The compact catalogue: one game a line, ``game:moves``, two characters a move.

In: text. Out: a `Document` a line, and back.

The rules are those of the public catalogues of solutions for the games 1 to 1,000,000: automoves max, before the first move too; r is the
next place in a row of freecells that closes up when a card leaves it, and a b c d are the places in that row.
"""

import re
from collections.abc import Iterator
from typing import Final

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.words import numbered_lines, quote
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.document import Document
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import PLACES
from pipeline.games.freecell.rules.replay import RuleSet

CATALOGUE_RULES: Final = RuleSet("max", initial=True, limit="doubling", packed=True)

_LINE: Final = re.compile(r"\s*([0-9]{1,10})\s*:\s*(\S*)\s*(?:#.*)?$")
_MOVE: Final = re.compile("[1-8a-gk][1-8rh]")


def is_catalogue_line(line: str) -> bool:
    """Whether a line looks like ``game:moves``."""
    return _LINE.match(line) is not None


def read_catalogue_lines(text: str) -> Iterator[Document | NotationError]:
    """Read a catalogue line by line, giving an error in place of each line that cannot be read.

    Blank lines and # comments are passed over.
    """
    for number, line in numbered_lines(text):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield _read_line(number, line)
            except NotationError as error:
                yield error


def _read_line(number: int, line: str) -> Document:
    match = _LINE.match(line)
    if match is None:
        raise NotationError(f"line {number}: not a catalogue line such as 617:4r462r: {quote(line.strip())}")
    game, moves = int(match[1]), match[2]
    if game > LAST_GAME:
        raise NotationError(f"line {number}: game number {game} is outside 0 .. {LAST_GAME} (2^33 - 1)")
    words = [moves[start : start + 2] for start in range(0, len(moves), 2)]
    for index, word in enumerate(words, 1):
        if not _MOVE.fullmatch(word):
            reason = "half a move" if len(word) == 1 else "not a move"
            raise NotationError(f"line {number}: {reason}: {quote(word)} (move {index} of game {game})")
    return Document(
        game, None, None, tuple(Move(PLACES[w[0]], PLACES[w[1]]) for w in words), None, CATALOGUE_RULES, number
    )


def write_catalogue(document: Document) -> str:
    """Write a document of the catalogue's rules as one line; raises NotationError for what a line cannot say."""
    number = document.game_number
    if document.rules != CATALOGUE_RULES or document.shown is not None or document.bracket is not None:
        raise NotationError(f"a catalogue line holds the moves of a numbered game under {CATALOGUE_RULES}")
    if number is None or not 0 <= number <= LAST_GAME:
        raise NotationError("a catalogue line needs a game number")
    words = [str(move) for move in document.moves]
    for index, (move, word) in enumerate(zip(document.moves, words, strict=True), 1):
        if not _MOVE.fullmatch(word) or move.count is not None:
            raise NotationError(f"move {index} ({word}) cannot be said in a catalogue line")
    return f"{number}:{''.join(words)}\n"
