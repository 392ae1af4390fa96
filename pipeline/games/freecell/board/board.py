"""Boards: the cards of a game as they lie, and everything that can be wrong with them.

In: columns, freecells and foundations as card codes. Out: a `Board`, or all its defects at once.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.cards.codes import CARD_NAMES, CARDS, COLUMNS, UNKNOWN

EMPTY: Final = -1
"""In a row of freecells: no card lies there."""

BLOCKED: Final = -2
"""In a row of freecells: no card may ever lie there (a game with fewer cells than the notation has letters)."""

CELL_LETTERS: Final = "abcdefgk"
"""The letter of each freecell. h is home, so the eighth is k, as in Freecell Solver's notation."""

MAX_FREECELLS: Final = len(CELL_LETTERS)
_MOST_PLACES: Final = 4  # named of one doubled card

Form = Literal["columns", "rows", "fixed"]
"""How a board was written: one column a line, one row a line, or the fixed-width layout of Standard FreeCell Notation."""


@dataclass(frozen=True, slots=True)
class Board:
    """The cards of a game as they lie.

    ``columns``: card codes of each column, base first (UNKNOWN in a partial layout). ``freecells``: a card code, EMPTY or BLOCKED
    for each cell. ``foundations``: the rank on top of each foundation in the order C D H S, 0 for none.
    """

    columns: tuple[tuple[int, ...], ...]
    freecells: tuple[int, ...] = (EMPTY,) * 4
    foundations: tuple[int, ...] = (0, 0, 0, 0)

    @property
    def is_layout(self) -> bool:
        """Whether this is a fresh deal: all 52 cards in four columns of seven and then four of six."""
        lengths = [len(column) for column in self.columns]
        return lengths == [7] * 4 + [6] * 4 and not any(self.foundations) and all(card < 0 for card in self.freecells)


@dataclass(frozen=True, slots=True)
class Reading:
    """A board as it was read: the form it was written in, and what a reader should know (``read as rows``, lower case, glyphs)."""

    board: Board
    form: Form
    notes: tuple[str, ...] = ()


def board_of_layout(layout: Sequence[int], freecells: int = 4) -> Board:
    """Lay out 52 card codes in deal order as a board with that many empty freecells."""
    return Board(
        tuple(tuple(int(card) for card in layout[column::COLUMNS]) for column in range(COLUMNS)), (EMPTY,) * freecells
    )


def census(board: Board, is_partial: bool = False) -> list[str]:
    """List what is wrong with the cards of a board: doubled cards with their places, then missing cards by name.

    In a partial layout cards may be missing, as many as are UNKNOWN.
    """
    places: dict[int, list[str]] = defaultdict(list)
    unknown = 0
    for suit, rank in enumerate(board.foundations):
        for below in range(rank):
            places[4 * below + suit].append("home")
    for number, column in enumerate(board.columns, 1):
        for row, card in enumerate(column, 1):
            if card == UNKNOWN:
                unknown += 1
            else:
                places[card].append(f"in column {number} row {row}")
    for letter, card in zip(CELL_LETTERS, board.freecells, strict=False):
        if card >= 0:
            places[card].append(f"in cell {letter}")
    defects = [
        f"{CARD_NAMES[card]} is {', '.join(found[:-1])} and {found[-1]}"
        if len(found) <= _MOST_PLACES
        else f"{CARD_NAMES[card]} is {', '.join(found[:_MOST_PLACES])} and in {len(found) - _MOST_PLACES} more places"
        for card, found in sorted(places.items())
        if len(found) > 1
    ]
    missing = [CARD_NAMES[card] for card in range(CARDS) if card not in places]
    if is_partial:
        if unknown != len(missing):
            defects.append(f"{unknown} cards are unknown, but {len(missing)} are not shown")
    elif len(missing) > COLUMNS:
        defects.append(f"{len(missing)} cards are missing: {' '.join(missing)}")
    else:
        defects += [f"{name} is missing" for name in missing]
    return defects
