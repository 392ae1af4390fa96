"""What the search values in a state, and the tiers it goes through until a game is solved.

In: nothing. Out: weights as tables for the kernel.

A score is a sum of weights, lower is better: a part that is additive over (card, place) and is looked up, and a part that `search`
computes. The weights were tuned on random games outside the numbered ones that tests and benchmarks count, by the time until all of
them were solved. The price of a move already made counts
most: with none the search took five times as long, with half as much again three times.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.state import CARDS, EMPTY, FREE, PARENTS, SLOTS

KING: Final = 12

INVERTED_SHIFT: Final = 32
CELLS_SHIFT: Final = 40
BASES_SHIFT: Final = 48
"""Above its low 32 bits the additive score counts cards lying on a lower one, cards in cells, and columns in use, each
in 8 bits. Where no card lies on a lower one, everything runs home.
"""


class Weights(NamedTuple):
    """The price of each property of a state; a property that helps has a negative one."""

    card: int
    """Each card that is not home."""
    unordered: int
    """Each card lying on one that is no lower, but not in order."""
    inverted: int
    """Each card lying on a lower one."""
    in_cell: int
    """Each card in a cell."""
    base: int
    """Each column's base that is no king."""
    buried: int
    """Each card lying above the next card of a foundation, once for each such card below it."""
    empty_column: int
    """Each empty column."""
    no_room: int
    """No free place: neither a cell nor a column."""
    move: int
    """Each move made, in sixteenths."""
    king_base: int
    """Each column's base that is a king."""
    in_order: int
    """Each card lying in order: on one a rank higher and of the other colour."""
    same_suit: int
    """Each card lying on a lower one of its own suit, on top of ``inverted``."""
    one_place: int
    """One free place."""
    two_places: int
    """Two free places."""
    buried_no_room: int
    """Each buried card while there is no free place, on top of ``buried``."""
    buried_one_place: int
    """Each buried card while there is one free place, on top of ``buried``."""


class Tier(NamedTuple):
    """One attempt: the number of states after which the next tier takes over, and the weights of a search.

    Without weights the tier is an exhaustion, the only one that can say ``impossible``.
    """

    states: int
    weights: Weights | None


_QUICK: Final = Weights(51, 37, 35, 28, 23, 13, -5, 37, 504, 2, -16, 8, 6, 20, 0, 4)
_STEADY: Final = Weights(22, 36, 33, 25, 25, 8, -3, 30, 500, -8, -10, 5, 14, 22, 1, 2)
_ORDERLY: Final = Weights(8, 23, 49, 12, 12, 4, -5, 18, 400, -2, -6, -8, 39, 11, 3, 1)
_PATIENT: Final = Weights(16, 32, 32, 16, 14, 1, -3, 26, 400, -6, -2, -6, 29, 13, 4, 2)
_BROAD: Final = _STEADY._replace(move=200)
_ROOMY: Final = Weights(17, 41, 24, 12, 7, 10, 15, 2, 380, -8, 15, 14, 28, 15, 4, 1)

# With few cells an early exhaustion decides most games; with four it would only find solutions that are far too long.
_FOUR_CELLS: Final = (
    Tier(8_000, _QUICK),
    Tier(30_000, _STEADY),
    Tier(60_000, _ORDERLY),
    Tier(300_000, _PATIENT),
    Tier(300_000, _ROOMY),
    Tier(300_000, _BROAD),
    Tier(3_100_000, None),
)
_FEW_CELLS: Final = (
    Tier(5_000, _QUICK),
    Tier(30_000, None),
    Tier(60_000, _STEADY),
    Tier(300_000, None),
    Tier(300_000, _PATIENT),
    Tier(300_000, _ROOMY),
    Tier(3_100_000, None),
)


def tiers_for(cells: int) -> tuple[Tier, ...]:
    """Name the tiers of a game with this many cells, in their order."""
    return _FOUR_CELLS if cells >= 4 else _FEW_CELLS


def additive_score(weights: Weights) -> NDArray[np.int64]:
    """Build the additive part of a score: int64[SLOTS], and the three counts above it."""
    cards = np.arange(CARDS)
    ranks, suits = cards >> 2, cards & 3
    in_order = (PARENTS[:, None] >> cards) & 1 == 1
    is_inverted = ranks[:, None] > ranks
    same_suit = weights.same_suit * (suits[:, None] == suits)
    inverted = weights.inverted + same_suit + (1 << INVERTED_SHIFT)
    table = np.zeros((CARDS, SLOTS // CARDS), np.int64)
    table[:, :CARDS] = weights.card + np.where(
        in_order, weights.in_order, np.where(is_inverted, inverted, weights.unordered)
    )
    table[:, FREE] = weights.card + weights.in_cell + (1 << CELLS_SHIFT)
    table[:, EMPTY] = weights.card + np.where(ranks == KING, weights.king_base, weights.base) + (1 << BASES_SHIFT)
    return table.ravel()
