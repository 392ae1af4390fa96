"""Read the fixed-width layout of Standard FreeCell Notation: a freecell+home line, then columns in three characters each.

In: numbered lines. Out: what lies there and every defect.

Source of the rule: Gary Campbell's text of 2012, rules 2 and 6 to 9.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from pipeline.cards.codes import UNKNOWN
from pipeline.games.freecell.board.board import BLOCKED, COLUMNS, EMPTY
from pipeline.games.freecell.board.words import STRICT_CARDS, find_card, quote

PLUS_AT: Final = 11
"""Where the plus of the freecell+home line stands, from 0."""

MOST_ROWS: Final = 18
CELL_STARTS: Final = (0, 3, 6, 9)
HOME_STARTS: Final = (12, 15, 18, 21)
SEPARATORS: Final = (2, 5, 8)
_CELLS: Final = re.compile(
    r"(?: *(?:\S{1,2})? *[-=]){3} *(?:\S{1,2})? *"
)  # on at most 44 characters: blanks are ambiguous here
_LINE_LENGTH: Final = 23
_MOST_DEFECTS: Final = 20


@dataclass
class Fixed:
    """A fixed-width layout as read; ``separator`` is - (Horne automoves) or = (WKR)."""

    columns: tuple[tuple[int, ...], ...] = ()
    freecells: tuple[int, ...] = (EMPTY,) * 4
    foundations: tuple[int, ...] = (0, 0, 0, 0)
    separator: str = "-"
    defects: list[str] = field(default_factory=list)
    lenient_words: list[str] = field(default_factory=list)
    is_unreadable: bool = False
    is_partial: bool = False
    gaps: set[int] = field(default_factory=set)

    def card(self, word: str, is_lenient: bool, is_partial: bool = False) -> int | None:
        """The code of a card, noting a spelling that only a lenient reader takes."""
        code = find_card(word, is_lenient, is_partial)
        if code not in (None, UNKNOWN) and word not in STRICT_CARDS:
            self.lenient_words.append(word)
        return code


def is_cell_line(line: str) -> bool:
    """Whether a line is meant as a freecell+home line: a plus after separators, wherever runs of blanks may have shifted it."""
    head, plus, _ = line.partition("+")
    return bool(plus) and len(head) <= 4 * PLUS_AT and _CELLS.fullmatch(head) is not None


def read_fixed(lines: list[tuple[int, str]], is_lenient: bool, is_partial: bool = False) -> Fixed:
    """Read a freecell+home line, if the first line is one, and column lines, in which a partial layout may have ``??``."""
    fixed = Fixed(is_partial=is_partial)
    indent = 0
    if lines and is_cell_line(lines[0][1]):
        indent = _read_cell_line(fixed, *lines[0], is_lenient)
        lines = lines[1:]
    elif lines:
        indent = min(len(line) - len(line.lstrip(" ")) for _, line in lines)  # no column of a fresh deal is empty
    if len(lines) > MOST_ROWS:
        fixed.defects.append(f"line {lines[MOST_ROWS][0]}: {len(lines)} column lines, a layout has at most {MOST_ROWS}")
        lines = lines[:MOST_ROWS]
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for row, (number, line) in enumerate(lines):
        _read_row(
            fixed, columns, row, number, line[min(indent, len(line) - len(line.lstrip(" "))) :].rstrip(), is_lenient
        )
    fixed.columns = tuple(tuple(column) for column in columns)
    return fixed


def _read_cell_line(fixed: Fixed, number: int, line: str, is_lenient: bool) -> int:
    """Read the freecell+home line; returns how many extra blanks stand before it."""
    indent = line.index("+") - PLUS_AT
    if indent < 0 or line[:indent].strip():
        fixed.defects.append(
            f"line {number}: the + stands at position {line.index('+') + 1}, not {PLUS_AT + 1}; were blanks lost?"
        )
        fixed.is_unreadable = True
        return 0
    line = line[indent:].rstrip()
    marks = {line[at] for at in SEPARATORS}
    if len(marks) > 1 or not marks <= set("-="):
        fixed.defects.append(
            f"line {number}: positions 3, 6 and 9 must be all - or all =, not {quote(' '.join(line[at] for at in SEPARATORS))}"
        )
    fixed.separator = line[SEPARATORS[0]]
    cells = []
    for start in CELL_STARTS:
        word = line[start : start + 2]
        card = fixed.card(word, is_lenient)
        cells.append(card if card is not None else BLOCKED if word.strip() else EMPTY)
    while cells and cells[-1] == BLOCKED:  # a game with fewer cells
        cells.pop()
    fixed.freecells = tuple(cells)
    foundations = [0, 0, 0, 0]
    for start in HOME_STARTS:
        word = line[start : start + 2]
        card = fixed.card(word, is_lenient)
        if card is None:
            if word.strip():
                fixed.defects.append(f"line {number}: not a card at home: {quote(word)}")
        elif foundations[card & 3]:
            fixed.defects.append(f"line {number}: two home cards of one suit: {quote(word)}")
        else:
            foundations[card & 3] = (card >> 2) + 1
    if any(line[start - 1 : start].strip() for start in HOME_STARTS[1:]) or len(line) > _LINE_LENGTH:
        fixed.defects.append(f"line {number}: text between or after the home cards: {quote(line[PLUS_AT + 1 :])}")
    fixed.foundations = tuple(foundations)
    return indent


def _read_row(fixed: Fixed, columns: list[list[int]], row: int, number: int, line: str, is_lenient: bool) -> None:
    if len(line) > 3 * COLUMNS:
        fixed.defects.append(f"line {number}: more than {COLUMNS} columns: {quote(line[3 * COLUMNS :])}")
    for column in range(COLUMNS):
        chunk = line[3 * column : 3 * column + 3]
        if not chunk.strip():
            continue
        card = fixed.card(chunk[:2], is_lenient, fixed.is_partial)
        if card is None or chunk[2:].strip():
            fixed.is_unreadable = True
            if len(fixed.defects) < _MOST_DEFECTS:
                fixed.defects.append(f"line {number}: not a card in column {column + 1}: {quote(chunk)}")
            continue
        if len(columns[column]) != row and column not in fixed.gaps:
            fixed.gaps.add(column)
            fixed.defects.append(f"line {number}: column {column + 1} has a gap before {quote(chunk[:2])}")
        columns[column].append(card)
