"""What a beam values in a state.

In: nothing. Out: weights as tables for the kernel.

A score is a sum, lower is better: a part additive over (card, place), looked up, and a part from what the walk over the columns finds.
Beside it stand signatures, random numbers by (card, place) whose sum tells states apart: two states that share one are most unlikely but
possible, so a beam proves nothing. The weights were tuned on random games outside those that tests and benchmarks count, by the mean
length of the solutions that a beam of 100 finds.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import is_in_order, rank_of, suit_of
from pipeline.games.freecell.solve.state import CARDS, EMPTY, FREE, SLOTS, slot

INVERTED_SHIFT: Final = 32
"""The additive score counts in its upper half the cards that lie on a lower one; where there is none, everything runs home."""


class ShortWeights(NamedTuple):
    """The price of each property of a state; ranks count from 0, and a property that helps has a negative price."""

    card: int = 72
    """Each card that is not home,"""
    card_rank: int = -5
    """and its rank times this."""
    in_order: int = -40
    """Each card lying on one a rank higher and of the other colour."""
    unordered: int = 39
    """Each card lying on one that is no lower, but not in order."""
    inverted: int = 64
    """Each card lying on a lower one,"""
    inverted_gap: int = 3
    """and the difference of their ranks times this,"""
    same_suit: int = -8
    """and when they are of one suit."""
    in_cell: int = -18
    """Each card in a cell,"""
    in_cell_rank: int = 6
    """and its rank times this."""
    base: int = 17
    """Each column's base that is no king,"""
    base_gap: int = 5
    """and the ranks it lacks of a king times this."""
    king_base: int = -33
    """Each column's base that is a king."""
    blocked: int = 49
    """Each sequence that must move once more (`short_moves.Survey.blocked`)."""
    buried: int = 31
    """Each card lying above the next card of a foundation, once for each such card below it,"""
    buried_one_place: int = 4
    """and on top of that while there is one free place."""
    no_room: int = 166
    """No free place: neither a cell nor a column."""
    one_place: int = 15
    """One free place."""
    two_places: int = 30
    """Two free places."""
    three_places: int = 7
    """Three free places."""
    empty_column: int = -10
    """Each empty column."""


_SIGNATURES = np.random.Generator(np.random.PCG64(11982)).integers(
    -(2**57), 2**57, SLOTS
)  # 52 of them add up to less than 2^63


def short_table(weights: ShortWeights) -> NDArray[np.int64]:
    """Build the table of signature and additive score: int64[SLOTS, 2], the count of inverted pairs above INVERTED_SHIFT."""
    table = np.zeros((SLOTS, 2), np.int64)
    table[:, 0] = _SIGNATURES
    for card in range(CARDS):
        rank = rank_of(card) - 1
        price = weights.card + weights.card_rank * rank
        table[slot(card, FREE), 1] = price + weights.in_cell + weights.in_cell_rank * rank
        base = weights.king_base if rank == 12 else weights.base + weights.base_gap * (12 - rank)
        table[slot(card, EMPTY), 1] = price + base
        for below in range(CARDS):
            gap = rank - (rank_of(below) - 1)
            if is_in_order(card, below):
                pair = weights.in_order
            elif gap <= 0:
                pair = weights.unordered
            else:
                pair = weights.inverted + weights.inverted_gap * gap + (1 << INVERTED_SHIFT)
                pair += weights.same_suit if suit_of(card) == suit_of(below) else 0
            table[slot(card, below), 1] = price + pair
    return table


def short_prices(weights: ShortWeights) -> NDArray[np.int64]:
    """Build int64[12]: the price of 0 .. 4 free places; of a buried card with as many; of an empty column; of a blocked sequence."""
    buried = [weights.buried, weights.buried + weights.buried_one_place, *[weights.buried] * 3]
    room = [weights.no_room, weights.one_place, weights.two_places, weights.three_places, 0]
    return np.array([*room, *buried, weights.empty_column, weights.blocked], np.int64)
