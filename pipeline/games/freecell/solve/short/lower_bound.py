"""How many moves a position needs at least.

In: a row of columnless states. Out: h1 and h2, lower bounds of the moves between columns and cells still to be made.

Look at the sequences of the columns (the longest runs in order). A sequence none of whose cards moves but home goes home from where it
lies, and a card goes home after every lower one of its suit. Two sequences that have not moved never begin to move in one move, as they
would be one sequence. So each sequence of which it is clear that it must move counts one move:

- h1: a sequence with a card above a lower one of its suit in its column can never go home from where it lies.
- h2: say that R waits for S when a lower card of the suit of one of R's cards lies under S. Sequences that wait for each other in a
  circle cannot all go home from where they lie, so h2 is h1 and the fewest sequences whose going away leaves no circle among the others.

The idea of counting deadlocks: Paul and Helmert, Optimal solitaire game solutions using A* search and deadlock analysis (2016).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.state import CARDS, EXPOSED, bit
from pipeline.kernels.bits import popcount, trailing_zeros
from pipeline.kernels.compile import bare

MOST_TRIES: Final = 2_000
"""Steps of the search for circles, after which a state counts as not shown to need more: a state in ten million gets there."""


class Waits(NamedTuple):
    """The memory of a bound: what each sequence waits for, and the sequences not yet decided upon with the moves left, as a stack."""

    sequence: NDArray[np.int64]
    above: NDArray[np.int64]
    waits: NDArray[np.int64]
    awaits: NDArray[np.int64]
    alive: NDArray[np.int64]
    left: NDArray[np.int64]


def new_waits() -> Waits:
    """Make the memory of a bound."""
    return Waits(*(np.zeros(64, np.int64) for _ in range(4)), *(np.zeros(MOST_TRIES + 64, np.int64) for _ in range(2)))


@bare
def _find_waits(words, places, row, parents, memory):  # type: ignore[no-untyped-def]
    """Fill ``waits`` of each sequence of a row; returns the number of sequences."""
    exposed = words[row, EXPOSED]
    count = 0
    in_columns = np.int64(0)
    while exposed != 0:
        card = np.int64(trailing_zeros(exposed))
        exposed &= exposed - 1
        above = np.int64(0)
        while card < CARDS:
            memory.sequence[card] = count
            memory.above[card] = above
            in_columns |= bit(card)
            below = np.int64(places[row, card])
            if below >= CARDS or (parents[card] >> below) & 1 == 0:
                above |= bit(count)
                memory.waits[count] = 0
                memory.awaits[count] = 0
                count += 1
            card = below
    for suit in range(4):
        lower = np.int64(0)
        rest = in_columns & (np.int64(0x1111111111111) << suit)
        while rest != 0:
            card = np.int64(trailing_zeros(rest))
            rest &= rest - 1
            memory.waits[memory.sequence[card]] |= lower
            lower |= memory.above[card]
    return count


@bare
def _drop_free(alive, memory):  # type: ignore[no-untyped-def]
    """Drop the sequences that are in no circle for waiting for none or being awaited by none."""
    rest = alive
    while rest != 0:
        one = np.int64(trailing_zeros(rest))
        rest &= rest - 1
        if memory.waits[one] & alive == 0 or memory.awaits[one] & alive == 0:
            alive ^= bit(one)
            rest = alive & (memory.waits[one] | memory.awaits[one] | rest)
    return alive


@bare
def _find_pairs(alive, memory):  # type: ignore[no-untyped-def]
    """Find the sequence in most pairs that wait for each other; returns it, its partners, and how many pairs have none in common."""
    best, partners, most, disjoint = np.int64(0), np.int64(0), 0, 0
    paired = np.int64(0)
    rest = alive
    while rest != 0:
        one = np.int64(trailing_zeros(rest))
        rest &= rest - 1
        mutual = memory.waits[one] & memory.awaits[one] & alive
        if popcount(mutual) > most:
            best, partners, most = one, mutual, popcount(mutual)
        if (paired >> one) & 1 == 0 and mutual & ~paired != 0:
            paired |= bit(one) | bit(trailing_zeros(mutual & ~paired))
            disjoint += 1
    return best, partners, disjoint


@bare
def _find_circle(alive, memory):  # type: ignore[no-untyped-def]
    """Find a circle, as a mask, among sequences each of which waits for one of them; one of any set to go is in it."""
    walked = np.int64(0)
    at = np.int64(trailing_zeros(alive))
    while (walked >> at) & 1 == 0:
        walked |= bit(at)
        ahead = memory.waits[at] & alive
        at = np.int64(trailing_zeros(ahead & walked if ahead & walked != 0 else ahead))
    # Walk once more, from a sequence of the circle until it comes again.
    circle = np.int64(0)
    while (circle >> at) & 1 == 0:
        circle |= bit(at)
        ahead = memory.waits[at] & walked
        at = np.int64(trailing_zeros(ahead & circle if ahead & circle != 0 else ahead))
    return circle


@bare
def exceeds(words, places, row, parents, most, memory):  # type: ignore[no-untyped-def]
    """Whether h2 shows that a row needs more than this many moves; of the rare row whose search is cut short it is not said."""
    if most < 0:
        return True
    count = _find_waits(words, places, row, parents, memory)
    alive = np.int64(0)
    left = most
    for one in range(count):
        if (memory.waits[one] >> one) & 1:
            left -= 1
        else:
            alive |= bit(one)
    if left < 0:
        return True
    if popcount(alive) <= left:
        return False
    rest = alive
    while rest != 0:
        one = np.int64(trailing_zeros(rest))
        rest &= rest - 1
        ahead = memory.waits[one] & alive
        while ahead != 0:
            memory.awaits[trailing_zeros(ahead)] |= bit(one)
            ahead &= ahead - 1
    memory.alive[0], memory.left[0] = alive, left
    size = 1
    tries = 0
    while size > 0:
        size -= 1
        alive, left = _drop_free(memory.alive[size], memory), memory.left[size]
        tries += 1
        if alive == 0 or tries > MOST_TRIES:
            return False
        if left == 0:
            continue
        best, partners, disjoint = _find_pairs(alive, memory)
        if disjoint > left:
            continue
        if partners != 0:
            if popcount(partners) <= left:
                memory.alive[size], memory.left[size] = alive & ~partners, left - popcount(partners)
                size += 1
            memory.alive[size], memory.left[size] = alive ^ bit(best), left - 1
            size += 1
        else:
            circle = _find_circle(alive, memory)
            while circle != 0:
                memory.alive[size], memory.left[size] = alive ^ (circle & -circle), left - 1
                size += 1
                circle &= circle - 1
        if size + CARDS > memory.alive.size:
            return False
    return True
