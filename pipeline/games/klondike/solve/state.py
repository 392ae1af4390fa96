"""A Klondike position without columns: sets of cards as bits, and what may be done with them.

In: layouts uint8[cards]. Out: inlined kernels over int64 sets in which bit c is the card of code c.

A position is which cards are in the stock, which are home, and how many of its original cards each pile still has. What hangs on what is
not stored: every other card lies face up on one of its two possible parents, and a run moves from the one to the other whenever that is
free. So it is enough to count: a colour and rank has *room* while it has more cards face up than hang on it. docs/klondike.md argues it.
"""

from typing import Final

import numpy as np

from pipeline.kernels.bits import popcount
from pipeline.kernels.compile import bare

# What a step does with its card.
HOME: Final = 0  # from a pile or the stock to its foundation
BASE: Final = 1  # the topmost original card of a pile, with what hangs on it, onto a parent or an empty pile
TAKE: Final = 2  # from the stock to a pile
RETURN: Final = 3  # from its foundation to a pile

# The columns of a position.
KEY, STOCK, HIDDEN, TOPS, HOMES = range(5)

# The exact key, 61 bits: the stock cards left by their place (24 bits), the original cards left of each pile (7 x 3), the cards home of
# each suit (4 x 4).
PILES_AT: Final = 24
HOMES_AT: Final = 45

ONES: Final = (
    0x1_1111_1111_1111  # a bit for each rank: clubs; diamonds, hearts and spades are one, two and three bits higher
)
RED: Final = 6
BLACK: Final = 9


@bare
def set_up(layout, ranks, piles, position, pile_of, under, stock_place):  # type: ignore[no-untyped-def]
    """Fill ``position`` (int64[5]) from a layout, and the game's tables, int64[52] by card; returns the set of the piles' base cards.

    ``pile_of`` holds the pile of an original card of a pile, ``under`` the card beneath it, -1 at the base, ``stock_place`` the place of
    a stock card, -1 in a pile.
    """
    position[KEY], position[STOCK], position[HIDDEN], position[TOPS], position[HOMES] = 0, 0, 0, 0, 0
    bases = 0
    place = 0
    for pile in range(piles):
        below = -1
        for row in range(pile + 1):
            card = np.int64(layout[place])
            pile_of[card], under[card], stock_place[card] = pile, below, -1
            below = card
            place += 1
            if row == 0:
                bases |= 1 << card
            if row < pile:
                position[HIDDEN] |= 1 << card
            else:
                position[TOPS] |= 1 << card
        position[KEY] += (pile + 1) << (PILES_AT + 3 * pile)
    for k in range(4 * ranks - place):
        card = np.int64(layout[place + k])
        stock_place[card] = k
        position[STOCK] |= 1 << card
        position[KEY] += 1 << k
    return bases


@bare
def play(position, kind, card, pile_of, under, stock_place):  # type: ignore[no-untyped-def]
    """Do one step in ``position``."""
    bit = 1 << card
    if kind == HOME:
        position[HOMES] |= bit
        position[KEY] += 1 << (HOMES_AT + 4 * (card & 3))
    elif kind == RETURN:
        position[HOMES] ^= bit
        position[KEY] -= 1 << (HOMES_AT + 4 * (card & 3))
    if position[STOCK] & bit:
        position[STOCK] ^= bit
        position[KEY] -= 1 << stock_place[card]
    elif position[TOPS] & bit:
        position[TOPS] ^= bit
        position[KEY] -= 1 << (PILES_AT + 3 * pile_of[card])
        if under[card] >= 0:
            position[TOPS] |= 1 << under[card]
            position[HIDDEN] ^= 1 << under[card]


@bare
def children_of(cards):  # type: ignore[no-untyped-def]
    """The cards that may lie on one of ``cards``: one rank lower, of the other colour."""
    red, black = (cards >> 1 | cards >> 2) & ONES, (cards | cards >> 3) & ONES
    return (red >> 4) * BLACK | (black >> 4) * RED


@bare
def parents_of(cards):  # type: ignore[no-untyped-def]
    """The cards on which one of ``cards`` may lie: one rank higher, of the other colour."""
    red, black = (cards >> 1 | cards >> 2) & ONES, (cards | cards >> 3) & ONES
    return (red << 4) * BLACK | (black << 4) * RED


@bare
def with_room(face_up, hanging):  # type: ignore[no-untyped-def]
    """The cards of each colour and rank that has more cards ``face_up`` than there are ``hanging`` cards on them."""
    red, other_red = face_up >> 1 & ONES, face_up >> 2 & ONES
    black, other_black = face_up & ONES, face_up >> 3 & ONES
    on_red, on_other_red = hanging << 4 & ONES, hanging << 1 & ONES  # black cards, a rank up
    on_black, on_other_black = hanging << 3 & ONES, hanging << 2 & ONES
    red_room = ((red | other_red) & ~(on_red | on_other_red)) | (red & other_red & ~(on_red & on_other_red))
    black_room = ((black | other_black) & ~(on_black | on_other_black)) | (
        black & other_black & ~(on_black & on_other_black)
    )
    return red_room * RED | black_room * BLACK


@bare
def empty_piles(tops, hanging, kings, piles):  # type: ignore[no-untyped-def]
    """Count the empty piles: those without an original card, less those that a king has started anew."""
    return piles - popcount(tops) - popcount(hanging & kings)


@bare
def next_home(homes):  # type: ignore[no-untyped-def]
    """The next card of each foundation."""
    return (homes << 4 | 15) & ~homes


@bare
def safe_home(homes):  # type: ignore[no-untyped-def]
    """The cards that no solution needs in a pile once they can go home.

    A card is safe when both cards of the other colour two ranks lower are home and that of its own colour three ranks lower: whatever could
    lie on it can then go home itself, and so can whatever lies on that (the usual rule of FreeCell, argued for Klondike in
    docs/klondike.md).
    """
    two, three = homes << 8 | 0xFF, homes << 12 | 0xFFF
    under_black, under_red = two >> 1 & two >> 2 & ONES, two & two >> 3 & ONES
    other_black = (three >> 3 & ONES) | (three & ONES) << 3
    other_red = (three >> 2 & ONES) << 1 | (three >> 1 & ONES) << 2
    return (under_black * BLACK & other_black) | (under_red * RED & other_red)
