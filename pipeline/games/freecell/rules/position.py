"""A FreeCell position: what lies in the columns, in the freecells and at home.

In: card codes. Out: immutable positions and the numbers and letters of places.

A place is a small integer: columns 0..7, freecells 8..15, then HOME, and NEXT_CELL for a notation that names no freecell.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.cards.codes import CARDS, COLUMNS, SUITS
from pipeline.cards.errors import InputError
from pipeline.games.freecell.board.board import BLOCKED, CELL_LETTERS, EMPTY, MAX_FREECELLS, Board

CELL: Final = 8
"""The place of the first freecell; cell i is place CELL + i."""

HOME: Final = 16
NEXT_CELL: Final = 17
"""The leftmost empty freecell, whichever it is (the letter r of the compact catalogues)."""

PLACE_LETTERS: Final = "12345678" + CELL_LETTERS + "hr"
"""The letter of each place."""

PLACES: Final[dict[str, int]] = {letter: place for place, letter in enumerate(PLACE_LETTERS)}
"""The place of each letter."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game in progress.

    ``columns``: a tuple of card codes for each column, base first. ``freecells``: a card code, EMPTY or BLOCKED for each cell;
    letters beyond the last one are blocked. ``foundations``: the rank on top of each foundation, in the order of the suits
    C D H S, 0 for none.
    """

    columns: tuple[tuple[int, ...], ...]
    freecells: tuple[int, ...]
    foundations: tuple[int, ...] = (0, 0, 0, 0)

    @property
    def is_won(self) -> bool:
        """Whether every card is home."""
        return not any(self.columns) and all(card < 0 for card in self.freecells)

    @property
    def home(self) -> str:
        """The foundations as text: ``"C1 D7 H3 S4"``."""
        return " ".join(f"{suit}{rank}" for suit, rank in zip(SUITS, self.foundations, strict=True))

    @property
    def free_count(self) -> int:
        """How many freecells are empty."""
        return self.freecells.count(EMPTY)

    def card_at(self, place: int) -> int | None:
        """The exposed card at a place (column or freecell), or None where no card can be taken."""
        if place < CELL:
            return self.columns[place][-1] if place < len(self.columns) and self.columns[place] else None
        index = place - CELL
        card = self.freecells[index] if index < len(self.freecells) else BLOCKED
        return card if card >= 0 else None

    def place_of(self, card: int) -> int | None:
        """The place where a card lies, exposed or not: a column, a freecell or HOME; None for a card of no place."""
        for place, column in enumerate(self.columns):
            if card in column:
                return place
        if card in self.freecells:
            return CELL + self.freecells.index(card)
        return HOME if card >> 2 < self.foundations[card & 3] else None


def from_layout(layout: Sequence[int], freecells: int = 4) -> Position:
    """Deal a layout (52 card codes in deal order) into a position with that many empty freecells.

    Raises InputError unless the layout is the whole deck and ``freecells`` is 0 to 8.
    """
    if not 0 <= freecells <= MAX_FREECELLS:
        raise InputError(f"{freecells} freecells: a game has 0 to {MAX_FREECELLS}")
    cards = [int(card) for card in layout]
    if sorted(cards) != list(range(CARDS)):
        doubled = [card for card, count in Counter(cards).items() if count > 1]
        raise InputError(
            f"a layout is the 52 codes 0..51 once each, not {len(cards)} codes with {len(doubled)} doubled"
        )
    return Position(tuple(tuple(cards[column::COLUMNS]) for column in range(COLUMNS)), (EMPTY,) * freecells)


def from_board(board: Board) -> Position:
    """Take a board that was read as a position."""
    return Position(board.columns, board.freecells, board.foundations)


def to_board(position: Position) -> Board:
    """Take a position as a board, to write it."""
    return Board(position.columns, position.freecells, position.foundations)


def is_layout(position: Position) -> bool:
    """Whether a position is a fresh deal: nothing home or in a cell, four columns of seven cards and then four of six."""
    return to_board(position).is_layout


def layout_of(position: Position) -> tuple[int, ...]:
    """The 52 card codes of a fresh deal in deal order; raises InputError for a position in mid-game."""
    if not is_layout(position):
        raise InputError("the position is not a fresh deal of 7 7 7 7 6 6 6 6 cards")
    return tuple(position.columns[k % COLUMNS][k // COLUMNS] for k in range(CARDS))
