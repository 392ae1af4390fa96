"""Read boards from text in the forms met in the wild, and name every defect at once.

In: text. Out: a `Reading`, or a BoardError.

Forms: one column a line, with or without a colon before it; one row a line; the fixed-width layout of Standard FreeCell Notation.
Foundations and freecells stand in lines of their own, as in Freecell Solver's boards (its manual, USAGE).
"""

import itertools
import re
from dataclasses import dataclass, field
from typing import Final

from pipeline.cards.codes import RANKS, SUITS, UNKNOWN
from pipeline.cards.errors import BoardError
from pipeline.games.freecell.board.board import CELL_LETTERS, COLUMNS, EMPTY, Board, Form, Reading, census
from pipeline.games.freecell.board.fixed_width import is_cell_line, read_fixed
from pipeline.games.freecell.board.words import find_card, numbered_lines, quote, spelling_notes

_ROWS: Final = 7
_MOST_LINES: Final = 1000
_MOST_DEFECTS: Final = 20
_WORDS_QUOTED: Final = 3
_HEADING: Final = re.compile(r"\s*(?:#|(?:game|deal)\b)", re.IGNORECASE)  # before the cards: comments, and a Game line
_LABEL: Final = re.compile(r"\s*(?:(foundations|founds?)|(freecells?|fc))\s*:", re.IGNORECASE)
_FOUNDATION: Final = re.compile(r"([CDHS])-(0|10|[A2-9TJQK])", re.IGNORECASE)
# Freecell Solver prints each cell in four characters, the card at their right end and blanks for an empty cell.
_PRINTED_CELLS: Final = re.compile(r"(?: {4}| 10[CDHS]|  [A2-9TJQK][CDHS])*")


@dataclass
class _Draft:
    """A board while it is being read."""

    is_lenient: bool
    is_partial: bool
    freecells: int
    lines: list[tuple[int, list[int], bool]] = field(
        default_factory=list
    )  # number, cards, whether a colon stands before it
    cells: list[int] | None = None
    foundations: list[int] | None = None
    defects: list[str] = field(default_factory=list)
    lenient_words: list[str] = field(default_factory=list)
    unreadable: int = 0

    def card(self, word: str) -> int | None:
        code = find_card(word, self.is_lenient, self.is_partial)
        if code is not None and find_card(word, False, self.is_partial) is None:
            self.lenient_words.append(word)
        return code


def read_board(text: str, *, lenient: bool = True, partial: bool = False, freecells: int = 4) -> Reading:
    """Read one board.

    A lenient reader also takes lower case and suit glyphs, and says so in the notes. ``partial`` allows ``??`` for a card that is
    not known, and rows left out at the end. ``freecells`` is how many the game has. Raises BoardError with all defects.
    """
    lines = list(numbered_lines(text))
    first = next(
        (index for index, (_, line) in enumerate(lines) if line.strip() and not _HEADING.match(line)), len(lines)
    )
    lines = lines[first:]
    if lines and is_cell_line(lines[0][1]):
        return _read_fixed_board(lines, lenient, partial)
    draft = _Draft(lenient, partial, freecells)
    filled = ((number, content) for number, line in lines if (content := line.partition("#")[0]).strip())
    for number, content in itertools.islice(filled, _MOST_LINES):
        _read_line(draft, number, content)
    if (rest := next(filled, None)) is not None:
        draft.defects.append(f"line {rest[0]}: more than {_MOST_LINES} lines, one board has {COLUMNS} columns")
    if draft.unreadable > _MOST_DEFECTS:
        draft.defects.append(f"and {draft.unreadable - _MOST_DEFECTS} more lines that are no card lines")
    if not draft.lines and not draft.foundations and not draft.defects:
        raise BoardError(["no card line found"])
    form = _form(draft)
    board = Board(_columns(draft, form), _cells(draft), tuple(draft.foundations or (0, 0, 0, 0)))
    # Where a line cannot be read, its cards are not missing.
    draft.defects += [defect for defect in census(board, partial) if not (draft.unreadable and "missing" in defect)]
    if draft.defects:
        raise BoardError(draft.defects)
    notes = ["read as rows, not columns"] if form == "rows" else []
    return Reading(board, form, tuple(notes + spelling_notes(draft.lenient_words)))


def _read_line(draft: _Draft, number: int, line: str) -> None:
    label = _LABEL.match(line)
    if label and label[1]:
        _read_foundations(draft, number, line[label.end() :])
    elif label:
        _read_cells(draft, number, line[label.end() :])
    else:
        stripped = line.strip()
        has_colon = stripped.startswith(":")
        words = stripped[has_colon:].split()
        cards = [draft.card(word) for word in words]
        bad = [word for word, card in zip(words, cards, strict=True) if card is None]
        if words and cards[0] is None:
            draft.unreadable += 1
            if draft.unreadable <= _MOST_DEFECTS:
                draft.defects.append(f"line {number}: not a card line: {quote(words[0])}")
            return
        if bad and len(draft.defects) < 2 * _MOST_DEFECTS:
            more = f" and {len(bad) - _WORDS_QUOTED} more" if len(bad) > _WORDS_QUOTED else ""
            draft.defects.append(
                f"line {number}: not a card: {' '.join(quote(word) for word in bad[:_WORDS_QUOTED])}{more}"
            )
        draft.lines.append((number, [card for card in cards if card is not None], has_colon))


def _read_foundations(draft: _Draft, number: int, text: str) -> None:
    if draft.foundations is not None:
        draft.defects.append(f"line {number}: a second line of foundations")
    draft.foundations = [0, 0, 0, 0]
    suits: set[str] = set()
    for word in text.split():
        match = _FOUNDATION.fullmatch(word)
        if match is None:
            draft.defects.append(f"line {number}: not a foundation such as H-5: {quote(word)}")
            return
        suit = match[1].upper()
        if suit in suits:
            draft.defects.append(f"line {number}: two foundations of one suit: {quote(word)}")
            return
        suits.add(suit)
        rank = match[2].upper().replace("10", "T")
        draft.foundations[SUITS.index(suit)] = 0 if rank == "0" else RANKS.index(rank) + 1


def _read_cells(draft: _Draft, number: int, text: str) -> None:
    if draft.cells is not None:
        draft.defects.append(f"line {number}: a second line of freecells")
    draft.cells = []
    printed = text + " " * (-len(text.rstrip()) % 4 if len(text.rstrip()) == len(text) else 0)
    if text.strip() and _PRINTED_CELLS.fullmatch(printed):
        words = [printed[start : start + 4].strip() or "-" for start in range(0, len(printed.rstrip()), 4)]
    else:
        words = text.split()
    for word in words[: len(CELL_LETTERS) + 1]:
        card = EMPTY if word == "-" else draft.card(word)
        if card is None or card == UNKNOWN:
            draft.defects.append(f"line {number}: not a card or - in a freecell: {quote(word)}")
            return
        draft.cells.append(card)
    if len(words) > draft.freecells:
        draft.defects.append(f"line {number}: {len(words)} freecells, the game has {draft.freecells}")


def _form(draft: _Draft) -> Form:
    """Tell rows from columns by the lengths of the lines: most rows hold eight cards, and there are at most seven of them."""
    full = sum(len(cards) == COLUMNS for _, cards, _ in draft.lines)
    is_start = not any(draft.foundations or ()) and all(card < 0 for card in draft.cells or ())
    return "rows" if is_start and len(draft.lines) <= _ROWS and 2 * full > len(draft.lines) else "columns"


def _columns(draft: _Draft, form: Form) -> tuple[tuple[int, ...], ...]:
    if form == "columns":
        if len(draft.lines) > COLUMNS:
            draft.defects.append(f"{len(draft.lines)} columns, a board has {COLUMNS}")
        columns = [tuple(cards) for _, cards, _ in draft.lines]
        return tuple(columns + [()] * (COLUMNS - len(columns)))
    rows = [cards for _, cards, _ in draft.lines]
    expected = [COLUMNS] * (_ROWS - 1) + [4]
    for (number, cards, _), length in zip(draft.lines, expected, strict=False):
        if len(cards) != length:
            draft.defects.append(f"line {number}: a row of {len(cards)} cards, not {length}")
    if draft.is_partial:
        rows += [[UNKNOWN] * length for length in expected[len(rows) :]]
    return tuple(tuple(row[column] for row in rows if column < len(row)) for column in range(COLUMNS))


def _cells(draft: _Draft) -> tuple[int, ...]:
    cells = draft.cells or []
    return tuple(cells + [EMPTY] * (draft.freecells - len(cells)))


def _read_fixed_board(lines: list[tuple[int, str]], lenient: bool, partial: bool) -> Reading:
    used = [(number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("#")]
    fixed = read_fixed(used, lenient, partial)
    board = Board(fixed.columns, fixed.freecells, fixed.foundations)
    defects = fixed.defects + ([] if fixed.is_unreadable else census(board, partial))
    if defects:
        raise BoardError(defects)
    return Reading(board, "fixed", tuple(spelling_notes(fixed.lenient_words)))
