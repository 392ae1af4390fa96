"""The memory of a search for a first solution, and the tables it looks up.

In: a number of states, weights. Out: `Pool`, `Tables` and what they are made of.
"""

import functools
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.first.weights import Weights, additive_score
from pipeline.games.freecell.solve.state import SLOTS, SUMS
from pipeline.kernels.compile import inlined

SIGNATURE: Final = SUMS
SCORE: Final = SUMS + 1
PARENT: Final = SUMS + 2
"""The row of the state before the last move, -1 at the root."""
STEP: Final = SUMS + 3
"""The last move as `slot(card, place)`, plus MOVE_UNIT times the number of moves made."""
WORDS: Final = SUMS + 11
COVERS: Final = 8 * (SUMS + 4)
"""Bytes from here on: what lies on each card; that of an exposed card is out of date."""

MOVE_UNIT: Final = 4096
STACKS: Final = 8192
"""Scores from here on share the last stack."""


class Pool(NamedTuple):
    """The memory of a search."""

    words: NDArray[np.int64]
    """Rows of expanded states."""
    places: NDArray[np.uint8]
    """The same memory by bytes."""
    waiting: NDArray[np.int64]
    """Entries of the open list: row * MOVE_UNIT + slot, and the entry below on its stack, -1 at the bottom."""
    stacks: NDArray[np.int32]
    """The top entry of each stack, -1 where it is empty."""
    met: NDArray[np.int32]
    """Signatures met, by open addressing; a power of two of them."""


class Tables(NamedTuple):
    """What a search looks up: parents and home rule of `state`, signature and score by slot, prices of `price_list`."""

    parents: NDArray[np.int64]
    home_rule: NDArray[np.int64]
    sums: NDArray[np.int64]
    prices: NDArray[np.int64]


@inlined
def table_size(states):  # type: ignore[no-untyped-def]
    """Entries of a table of signatures that this many states leave half empty."""
    size = 2
    while size < 2 * states:
        size *= 2
    return size


def search_pool(states: int) -> Pool:
    """Make a pool for this many states."""
    words = np.zeros((states + 2, WORDS), np.int64)
    waiting = np.zeros((states, 2), np.int64)
    return Pool(
        words, words.view(np.uint8), waiting, np.zeros(STACKS, np.int32), np.zeros(table_size(states), np.int32)
    )


# So large that 52 of them do not overflow.
_SIGNATURES = np.random.Generator(np.random.PCG64(617)).integers(0, 2**56, SLOTS)


@functools.cache
def sums_table(weights: Weights) -> NDArray[np.int64]:
    """Build the table of signature and additive score: int64[SLOTS, 2]."""
    return np.ascontiguousarray(np.stack([_SIGNATURES, additive_score(weights)], axis=1))


def price_list(weights: Weights) -> NDArray[np.int64]:
    """Build int64[10]: the price of 0, 1, 2, 3 or more free places; of a buried card with as many; of an empty column;
    of a move in sixteenths.
    """
    room = [weights.no_room, weights.one_place, weights.two_places, 0]
    buried = [weights.buried + weights.buried_no_room, weights.buried + weights.buried_one_place]
    return np.array([*room, *buried, weights.buried, weights.buried, weights.empty_column, weights.move], np.int64)
