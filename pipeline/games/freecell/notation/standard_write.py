"""Write Standard FreeCell Notation.

In: a `Document`. Out: text that reads back to the same document.

Source of the rules: Gary Campbell's text of 2012.
"""

from collections.abc import Iterable
from typing import Final

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.write import write_fixed
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document
from pipeline.games.freecell.notation.standard import SEPARATOR_RULES, read_standard
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import CELL, EMPTY, HOME, is_layout, to_board

MOVES_PER_LINE: Final = 10
_SEPARATORS: Final = {rules: separator for separator, rules in SEPARATOR_RULES.items()}


def move_text(move: Move) -> str:
    """Write a move with the character before it: a period for a single card, else a blank."""
    if move.count not in (None, 1):
        raise NotationError(f"{move}: standard notation cannot say {move.count} cards")
    return ("." if move.count == 1 else " ") + str(move)


def moves_text(moves: Iterable[Move]) -> str:
    """Write moves in one line, separated by blanks, as tables hold them: ``4a .57 2h``."""
    return " ".join(move_text(move).strip() for move in moves)


def write_standard(document: Document) -> str:
    """Write a document; what it shows is written as it is, and nothing is added.

    Raises NotationError for what the notation cannot say: automoves other than horne and wkr, automoves before the first move,
    packed freecells, a supermove limit of its own, a title that reads as something else, a single-card move in brackets.
    """
    separator = _SEPARATORS.get(document.rules)
    if separator is None:
        raise NotationError(f"standard notation cannot say: {document.rules}")
    shown = document.shown
    if shown is None and separator == "=":
        raise NotationError("WKR automoves are said in the freecell+home line: show a layout")
    title = document.title or (f"GAME #{document.game_number}" if document.game_number is not None else None)
    text = f"{title}\n" if title else ""
    if shown is not None:
        is_plain = is_layout(shown) and shown.freecells == (EMPTY,) * STANDARD_FREECELLS and separator == "-"
        text += write_fixed(to_board(shown), separator, cell_line=not is_plain)
    text += "".join(line + "\n" for line in _move_lines(document.moves, document.bracket))
    _check(document, text)
    return text


def _move_lines(moves: tuple[Move, ...], bracket: int | None) -> list[str]:
    """Write ten moves a line; the characters around the bracketed one become brackets, [**] stands after the last."""
    lines: list[str] = [""]
    in_line = 0
    for index, move in enumerate(moves):
        word = move_text(move)
        after_bracket = bracket is not None and index == bracket + 1
        if in_line == MOVES_PER_LINE or (after_bracket and word[0] == "."):
            lines.append("")
            in_line = 0
            after_bracket = False
        if index == bracket:
            if word[0] == ".":
                raise NotationError(
                    f"move {index + 1} ({word}) is a single card: brackets leave no place for its period"
                )
            word = f"[{move}]"
        elif after_bracket:
            word = str(move)
        lines[-1] += word
        in_line += 1
    if bracket is not None and bracket >= len(moves):
        lines[-1] += "[**]"
    return [line for line in lines if line]


def _check(document: Document, text: str) -> None:
    """Read the text back: a document that reads as another one is not written."""
    freecells = 1 + max(
        (place - CELL for move in document.moves for place in (move.source, move.target) if CELL <= place < HOME),
        default=0,
    )
    try:
        found = read_standard(text, max(freecells, STANDARD_FREECELLS)) if text else []
    except NotationError:
        found = []
    expected = Document(
        document.game_number,
        found[0].title if found and document.title is None else document.title,
        document.shown,
        document.moves,
        document.bracket,
        document.rules,
    )
    if len(found) != 1 or found[0] != expected:
        raise NotationError(
            "the document would read back as another one: its title or layout looks like something else"
        )
