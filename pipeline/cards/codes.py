"""Cards as small integers, and their names.

In: nothing. Out: the codes, names and constants that every room speaks.

A card's code is ``4 * (rank - 1) + suit`` with ranks A=1 .. K=13 and suits C=0, D=1, H=2, S=3, so 0 is AC and 51 is KS: the order
of the deck in Microsoft's program (Jim Horne's published dealing algorithm).
"""

from typing import Final

CARDS: Final = 52
COLUMNS: Final = 8
RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
SUIT_GLYPHS: Final = "♣♦♥♠"

UNKNOWN: Final = 255
"""In place of a card's code: a card that is not shown (``??`` in a partial layout)."""

CARD_NAMES: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The two-character name of each card, by code: ``CARD_NAMES[0] == "AC"``."""

CARD_CODES: Final[dict[str, int]] = {name: code for code, name in enumerate(CARD_NAMES)}
"""The code of each card, by its two-character name."""


def card_name(card: int) -> str:
    """Name a card: ``card_name(51) == "KS"``."""
    return CARD_NAMES[card]


def card_glyph(card: int) -> str:
    """Name a card with its suit's glyph: ``card_glyph(51) == "K♠"``."""
    return RANKS[card >> 2] + SUIT_GLYPHS[card & 3]


def parse_card(name: str) -> int:
    """Read a card's strict two-character name; raises KeyError for anything else."""
    return CARD_CODES[name]


def rank_of(card: int) -> int:
    """Rank of a card, 1 (ace) to 13 (king)."""
    return (card >> 2) + 1


def suit_of(card: int) -> int:
    """Suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card & 3


def is_red(card: int) -> bool:
    """Whether a card is a diamond or a heart."""
    return (card & 3) in (1, 2)


def is_in_order(upper: int, lower: int) -> bool:
    """Whether ``upper`` may lie on ``lower`` in a column: one rank lower and of the other colour."""
    return (upper >> 2) + 1 == lower >> 2 and is_red(upper) != is_red(lower)
