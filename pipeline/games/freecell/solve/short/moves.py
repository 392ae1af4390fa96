"""The moves that short solutions are made of, and what each leaves in the columns.

In: a row of columnless states. Out: every move between columns and cells, with two counts for the position after it.

A move carries a sequence as far as the free places allow: onto a card as many as fit there, into an empty column one card or the most
that may go, as in Microsoft's program and in Campbell's notation (2012, rule 10c). A column that moves as a whole into an empty one changes
nothing and is left out.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import suit_of
from pipeline.games.freecell.solve.state import CARDS, CELLS, EMPTY, EXPOSED, FREE, NEXT, bit, slot
from pipeline.kernels.bits import popcount, trailing_zeros
from pipeline.kernels.compile import bare

MOST_MOVES: Final = 5 * CARDS
"""A card has at most two parents, an empty column and a cell to go to."""


def _higher(card: int) -> int:
    return sum(1 << other for other in range(card + 4, CARDS, 4) if suit_of(other) == suit_of(card))


HIGHER: Final = np.array([_higher(card) for card in range(CARDS)])
"""int64[52]: the higher cards of each card's suit, as a mask."""


class Survey(NamedTuple):
    """What a walk over the columns finds; columns are numbered in the order of their exposed cards."""

    starts: NDArray[np.int64]
    """Where each column begins in the three arrays after this one: its exposed card first, its base last, then one entry of nothing."""
    cards: NDArray[np.int64]
    blocked: NDArray[np.int64]
    """Sequences that hold a card above a lower one of its suit, among this card and those beneath: each must move once more."""
    awaited: NDArray[np.int64]
    """Next cards of the foundations, among this card and those beneath."""
    barred: NDArray[np.int64]
    """By exposed card: the cards that would lie above a lower one of their suit in its column."""
    is_blocked: NDArray[np.int64]
    """By exposed card: whether the sequence it ends is counted in ``blocked``."""
    awaited_below: NDArray[np.int64]
    """By exposed card: the next cards in its column."""
    totals: NDArray[np.int64]
    """The number of columns, of blocked sequences, and of cards above next cards (once for each such card beneath)."""


def new_survey() -> Survey:
    """Make the memory of a walk."""
    return Survey(*(np.zeros(2 * CARDS, np.int64) for _ in Survey._fields))


@bare
def survey(words, places, row, parents, higher, found):  # type: ignore[no-untyped-def]
    """Walk over the columns of a row and note what is there."""
    exposed, next_cards = words[row, EXPOSED], words[row, NEXT]
    start = column = blocked = buried = 0
    while exposed != 0:
        top = trailing_zeros(exposed)
        exposed &= exposed - 1
        found.starts[column] = start
        column += 1
        end, card = start, np.int64(top)
        while card < CARDS:
            buried += ((next_cards >> card) & 1) * (end - start)
            found.cards[end] = card
            end += 1
            card = np.int64(places[row, card])
        found.blocked[end] = found.awaited[end] = 0
        found.cards[end] = EMPTY
        barred = count = awaited = is_blocked = np.int64(0)
        at = end
        while at > start:  # without branches: they are not to be guessed
            at -= 1
            card = found.cards[at]
            is_blocked &= parents[card] >> found.cards[at + 1]
            is_barred = (barred >> card) & 1
            count += is_barred & ~is_blocked
            is_blocked |= is_barred
            barred |= higher[card]
            awaited += (next_cards >> card) & 1
            found.blocked[at] = count
            found.awaited[at] = awaited
        found.barred[top] = barred
        found.is_blocked[top] = is_blocked
        found.awaited_below[top] = awaited
        blocked += count
        start = end + 1
    found.starts[column] = start
    found.totals[0] = column
    found.totals[1] = blocked
    found.totals[2] = buried


@bare
def count_buried(words, places, row):  # type: ignore[no-untyped-def]
    """Count the cards above next cards of the foundations, and the columns with cards, of a row that is not surveyed."""
    exposed, next_cards = words[row, EXPOSED], words[row, NEXT]
    buried = filled = np.int64(0)
    while exposed != 0:
        card = np.int64(trailing_zeros(exposed))
        exposed &= exposed - 1
        filled += 1
        above = 0
        while card < CARDS:
            buried += ((next_cards >> card) & 1) * above
            above += 1
            card = np.int64(places[row, card])
    return buried, filled


@bare
def _list_onto(card, mask, length, blocked, buried, exposed, parents, found, moves, count):  # type: ignore[no-untyped-def]
    """List the moves of a sequence onto each card that fits; returns the number of moves so far."""
    targets = parents[card] & exposed
    while targets != 0:
        target = trailing_zeros(targets)
        targets &= targets - 1
        moves[count, 0] = slot(card, target)
        moves[count, 1] = blocked + (1 if mask & found.barred[target] != 0 and found.is_blocked[target] & 1 == 0 else 0)
        moves[count, 2] = buried + length * found.awaited_below[target]
        count += 1
    return count


@bare
def list_moves(words, row, parents, columns, cells, found, moves):  # type: ignore[no-untyped-def]
    """List the moves of a surveyed row into ``moves`` (int64[MOST_MOVES, 3]); returns their number.

    Each is `slot(card, place)`, then the blocked sequences and the cards above next cards after it as long as nothing goes home.
    """
    exposed, in_cells = words[row, EXPOSED], words[row, CELLS]
    free_cells = cells - popcount(in_cells)
    empty_columns = columns - found.totals[0]
    onto_card = (free_cells + 1) << empty_columns
    into_empty = onto_card >> 1 if empty_columns else 0
    blocked, buried = found.totals[1], found.totals[2]
    count = 0
    rest = in_cells
    while rest != 0:
        card = trailing_zeros(rest)
        rest &= rest - 1
        count = _list_onto(card, bit(card), 1, blocked, buried, exposed, parents, found, moves, count)
        if empty_columns:
            moves[count, 0], moves[count, 1], moves[count, 2] = slot(card, EMPTY), blocked, buried
            count += 1
    for column in range(found.totals[0]):
        start, stop = found.starts[column], found.starts[column + 1] - 1
        mask = np.int64(0)
        at = start
        while at < stop and at - start < onto_card:
            card = found.cards[at]
            mask |= bit(card)
            at += 1
            length = at - start
            left = blocked - found.blocked[start] + found.blocked[at]
            above = buried - length * found.awaited[at]
            count = _list_onto(card, mask, length, left, above, exposed, parents, found, moves, count)
            ends = at == stop or (parents[card] >> found.cards[at]) & 1 == 0
            if at < stop and length <= into_empty and (length == 1 or length == into_empty or ends):
                moves[count, 0], moves[count, 1], moves[count, 2] = slot(card, EMPTY), left, above
                count += 1
            if length == 1 and free_cells:
                moves[count, 0], moves[count, 1], moves[count, 2] = slot(card, FREE), left, above
                count += 1
            if ends:
                break
    return count
