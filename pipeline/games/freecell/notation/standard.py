"""Read Standard FreeCell Notation: games, layouts and moves as fixed-width text.

In: text. Out: a `Document` for each game in it.

Source of the rules: Gary Campbell's text of 2012, by its rule numbers. Where a file holds several documents, each begins with its
Game line, its freecell+home line, or column lines after the moves or comments of the one before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.board import census
from pipeline.games.freecell.board.fixed_width import PLUS_AT, is_cell_line, read_fixed
from pipeline.games.freecell.board.words import numbered_lines, quote
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document, game_position
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import PLACES, Position, to_board
from pipeline.games.freecell.rules.replay import RuleSet

SEPARATOR_RULES: Final = {"-": RuleSet("horne"), "=": RuleSet("wkr")}
"""Rule 7: the separators of the freecell+home line tell the automoves."""

_NUMBER: Final = re.compile(r"-?[0-9]+")
# A line that can only begin a document. Any other first line of a text serves as a Game line too (rule 5: commentary is allowed).
_GAME: Final = re.compile(r"\s*(?:game|deal)\b|.*#\s*-?[0-9]|\s*-?[0-9]+\s*$", re.IGNORECASE)
_CARD: Final = "[A2-9TJQK][CDHS]"
_CARD_START: Final = re.compile(rf"{_CARD}(?: |$)")
_COLUMN_LINE: Final = re.compile(rf"(?=.*{_CARD})(?:(?:{_CARD}|  )(?: |$))+\s*$")
_FOUR_CELLS: Final = re.compile("[1-8a-d][1-8a-dh]")
_MORE_CELLS: Final = re.compile("[1-8a-gk][1-8a-ghk]")
# Moves from the first position on, as tables hold them; by rule 10b the line would be a comment, but no comment looks like that.
_BARE_MOVES: Final = re.compile(r"\.?[1-8a-gk][1-8a-ghk](?: \.?[1-8a-gk][1-8a-ghk])+\s*$")
# Else a row in lower case would be a comment, and the rank of its first card a game number.
_LOWER_CASE: Final = re.compile(r"(?:[a2-9tjqk][cdhs](?: +|$)){4,}$")
_MOST_NUMBER_DIGITS: Final = 10
_MOST_NOTES: Final = 5


@dataclass
class _Draft:
    """A document while its lines are collected."""

    line: int
    title: tuple[int, str] | None = None
    is_game_line: bool = False
    has_cell_line: bool = False
    layout: list[tuple[int, str]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    has_solution: bool = False
    has_comment: bool = False
    bracket: int | None = None
    notes: list[str] = field(default_factory=list)
    early_notes: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)

    @property
    def is_title_only(self) -> bool:
        return not self.layout and not self.has_solution

    @property
    def indent(self) -> int:
        """Extra leading blanks, where the plus of the freecell+home line tells them (rule 2)."""
        return max(0, self.layout[0][1].index("+") - PLUS_AT) if self.has_cell_line else 0


def read_standard(text: str, freecells: int = STANDARD_FREECELLS) -> list[Document]:
    """Read every document of a text.

    With more than four ``freecells``, the letters of the others are moves as well. Raises NotationError for the first document with
    defects, and where there is none at all.
    """
    documents = []
    for found in read_each(text, freecells):
        if isinstance(found, NotationError):
            raise found
        documents.append(found)
    return documents


def read_each(text: str, freecells: int = STANDARD_FREECELLS) -> Iterator[Document | NotationError]:
    """Read a text document by document, giving an error in place of each one that cannot be read."""
    count = 0
    for draft in _drafts(text, _MORE_CELLS if freecells > STANDARD_FREECELLS else _FOUR_CELLS):
        if draft.is_title_only and (draft.title is None or not _NUMBER.search(draft.title[1])):
            continue  # a comment before, between or after the documents
        count += 1
        try:
            yield _finish(draft)
        except NotationError as error:
            yield error
    if not count:
        yield NotationError("no game number, layout or moves found")


def _drafts(text: str, pattern: re.Pattern[str]) -> Iterator[_Draft]:
    """Tell the lines of a text apart and collect them by document."""
    draft: _Draft | None = None
    lines = [(number, line) for number, line in numbered_lines(text) if line.strip()]
    for index, (number, line) in enumerate(lines):
        kind, moves = _kind(line, draft, pattern)
        following = lines[index + 1][1] if index + 1 < len(lines) else ""
        if draft is not None and _begins_document(draft, kind, line, following, pattern):
            yield draft
            draft = None
        if draft is None:
            draft = _Draft(number)
        if kind == "cells":
            draft.has_cell_line = True
            draft.layout.append((number, line))
        elif kind == "columns":
            draft.layout.append((number, line))
        elif moves is not None:
            _add_moves(draft, number, moves)
        elif draft.is_title_only and (draft.title is None or (kind == "game" and not draft.is_game_line)):
            draft.title, draft.is_game_line = (number, line.strip()), kind == "game"
        else:
            draft.has_comment |= bool(draft.layout)
            notes = draft.notes if draft.has_solution else draft.early_notes
            if len(notes) < _MOST_NOTES:
                notes.append(f"line {number} is a comment: {quote(line.strip())}")
    if draft is not None:
        yield draft


def _kind(line: str, draft: _Draft | None, pattern: re.Pattern[str]) -> tuple[str, "_MoveLine | None"]:
    """Tell what a line is: cells, columns, moves (and which), game or comment."""
    if is_cell_line(line):
        return "cells", None
    indent = draft.indent if draft else 0
    if _CARD_START.match(line.lstrip(" ")) or (
        draft and draft.layout and not draft.has_solution and _COLUMN_LINE.match(line[indent:])
    ):
        return "columns", None
    moves = _scan_moves(line, pattern)
    if _LOWER_CASE.match(line) and not (draft and draft.has_solution) and (moves is None or _in_lower_case(draft)):
        return "columns", None
    return ("moves" if moves else "game" if _GAME.match(line) else "comment"), moves


def _in_lower_case(draft: _Draft | None) -> bool:
    return draft is not None and any(_LOWER_CASE.match(line) for _, line in draft.layout)


def _begins_document(draft: _Draft, kind: str, line: str, following: str, pattern: re.Pattern[str]) -> bool:
    """Whether a line of a kind begins the next document."""
    if kind == "cells":
        return not draft.is_title_only
    if kind == "columns":
        return draft.has_solution or draft.has_comment
    if kind != "game" or (draft.is_title_only and not draft.is_game_line):
        return False
    if draft.has_solution or draft.is_title_only:
        return True
    # After a layout: the same game's line before its moves is a comment (as solvers print it), anything else is the next document.
    is_same = draft.title is not None and _first_number(draft.title[1]) == _first_number(line)
    return not (is_same and _scan_moves(following, pattern) is not None)


def _first_number(line: str) -> str | None:
    match = _NUMBER.search(line)
    return match[0] if match else None


@dataclass
class _MoveLine:
    moves: list[Move]
    bracket: int | None
    rest: str
    has_second_bracket: bool = False


def _scan_moves(line: str, pattern: re.Pattern[str]) -> _MoveLine | None:
    """Read a solution line (rules 10b to 10d, brackets by rule 12), or tell that it is none."""
    body = line.lstrip(" ")
    if _BARE_MOVES.match(line):
        body = (" " + line).replace(" .", ".")  # in tables a period follows the blank instead of replacing it
        prefix, at = body[0], 1
    elif body[:1] in (".", "["):
        prefix, at = body[0], 1
    elif len(body) < len(line):
        prefix, at = " ", 0
    else:
        return None
    found = _MoveLine([], None, "")
    while True:
        word = body[at : at + 2]
        is_move = pattern.fullmatch(word) is not None
        if prefix == "[":
            if not (is_move or word == "**") or body[at + 2 : at + 3] != "]":
                break
            found.has_second_bracket = found.bracket is not None
            found.bracket = len(found.moves)
        if not is_move:
            at += 3 if prefix == "[" else 0
            break
        found.moves.append(Move(PLACES[word[0]], PLACES[word[1]], 1 if prefix == "." else None))
        at += 2
        was_bracket, prefix = prefix == "[", body[at : at + 1]
        if prefix not in (" ", ".", "[") and not (was_bracket and prefix == "]"):
            break
        at += 1
    if not found.moves and found.bracket is None:
        return None
    found.rest = body[at:].strip()
    return found


def _add_moves(draft: _Draft, number: int, found: _MoveLine) -> None:
    if found.bracket is not None:
        if (draft.bracket is not None or found.has_second_bracket) and not draft.defects:
            draft.defects.append(f"line {number}: a second move in brackets")
        draft.bracket = len(draft.moves) + found.bracket
    draft.moves += found.moves
    draft.has_solution = True
    if found.rest and len(draft.notes) < _MOST_NOTES:
        draft.notes.append(f"line {number} is a comment from: {quote(found.rest)}")


def _finish(draft: _Draft) -> Document:
    """Make the document; raises NotationError with all its defects."""
    defects = draft.defects
    number = _game_number(draft, defects)
    shown, rules = None, RuleSet()
    if _in_lower_case(draft):
        defects.append(f"line {draft.layout[0][0]}: cards in lower case: this notation has them in capitals")
    elif draft.layout:
        fixed = read_fixed(draft.layout, is_lenient=False)
        defects += fixed.defects
        rules = SEPARATOR_RULES.get(fixed.separator, rules)
        shown = Position(fixed.columns, fixed.freecells, fixed.foundations)
        is_bare = len(draft.layout) == 1 and not any(shown.foundations) and all(card < 0 for card in shown.freecells)
        if is_bare and draft.has_cell_line and not defects and Document(number).is_known_game:
            # Rule 2: a Game line and no column lines, so the number tells the layout and this line automoves and blocked cells.
            assert number is not None
            shown = Position(game_position(number).columns, shown.freecells)
        elif not fixed.is_unreadable:
            defects += census(to_board(shown))
            if not defects and not draft.has_cell_line and not to_board(shown).is_layout:
                defects.append("only a fresh deal goes without a freecell+home line")
    if defects:
        where = "" if defects[0].startswith("line") else f"line {draft.line}: "
        raise NotationError(where + "; ".join(defects))
    title = draft.title[1] if draft.title else None
    notes = draft.notes if draft.moves else draft.early_notes
    return Document(number, title, shown, tuple(draft.moves), draft.bracket, rules, draft.line, tuple(notes))


def _game_number(draft: _Draft, defects: list[str]) -> int | None:
    """The number in the Game line (rule 5); a signed one may be a tag."""
    found = _first_number(draft.title[1]) if draft.title else None
    if found is None:
        return None
    assert draft.title is not None
    digits = found.lstrip("-0")
    if len(digits) > _MOST_NUMBER_DIGITS or (found[0] != "-" and int(digits or "0") > LAST_GAME):
        if found[0] != "-":
            defects.append(f"line {draft.title[0]}: game number {quote(found)} is outside 0 .. {LAST_GAME} (2^33 - 1)")
        return None
    number = int(digits or "0")
    return number if found[0] != "-" else -number if number else None
