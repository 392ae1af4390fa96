"""The proof that a position has no solution: depth-first exhaustion with exact keys.

In: a row of places. Out: whether every state that can be reached was reached, and none wins.

Nothing is left out that could matter: single-card moves make up every supermove, all of them are tried, states are
told apart by exact keys, and only cards that no other card can need go home by themselves. A table that is full, a
path that is too deep or a budget that is spent ends the search with OUT_OF_ROOM, which proves nothing: EXHAUSTED is
said in one place, where the stack of open states has run empty.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.state import (
    CARDS,
    CELLS,
    EMPTY,
    EXPOSED,
    FREE,
    HOME,
    NEXT,
    SLOTS,
    SUMS,
    automove,
    exact_keys,
    put,
    settle,
    slot,
)
from pipeline.kernels.bits import popcount, trailing_zeros
from pipeline.kernels.compile import bare, inlined, kernel

KEYS: Final = SUMS
INVERTED: Final = SUMS + 2
"""Number of cards lying on a lower one; where there is none, everything runs home."""
AT: Final = SUMS + 3
"""Moves that are still to be tried from a state: ``pending[words[row, FROM]:words[row, AT]]``, the last one first."""
FROM: Final = SUMS + 4
STEP: Final = SUMS + 5
"""The move that led here, as `slot(card, place)`."""
WORDS: Final = SUMS + 6

EXHAUSTED: Final = 0
FOUND: Final = 1
OUT_OF_ROOM: Final = 2

_FIRST_ENTRIES: Final = 1 << 14
_FIRST_DEPTH: Final = 1 << 10
_MOST_MOVES: Final = 5 * CARDS
"""A card has at most two parents, an empty column, a cell and home to go to."""

MOST_ENTRIES: Final = 1 << 22
"""Entries of a full-grown table of keys, three quarters of which are filled: 64 MB for 3.1 million states."""
MOST_DEPTH: Final = 1 << 18


def _inversions() -> NDArray[np.int64]:
    table = np.zeros((CARDS, SLOTS // CARDS, 3), np.int64)
    ranks = np.arange(CARDS) // 4
    table[:, :CARDS, 2] = ranks[:, None] > ranks
    return table.reshape(SLOTS, 3)


INVERSIONS: Final = _inversions()
"""int64[SLOTS, 3]: the table of sums with its third column filled; copied before the keys of a game fill the others."""


@bare
def _place_of_key(entries, first, second):  # type: ignore[no-untyped-def]
    """Find the entry of a key: its own or the empty one where it belongs. First words are kept plus one, 0 is empty."""
    low = 0x7FFFFFFF  # factors below 2^31 and 2^32: no product overflows
    mixed = ((first & low) * 2654435761) ^ (((first >> 31) & low) * 2246822519)
    mixed ^= ((second & low) * 3266489917) ^ (((second >> 31) & low) * 4083557303)
    at = (mixed >> 22) & (entries.shape[0] - 1)
    while entries[at, 0] != 0 and (entries[at, 0] != first + 1 or entries[at, 1] != second):
        at = (at + 1) & (entries.shape[0] - 1)
    return at


@bare
def _enter(entries, first, second):  # type: ignore[no-untyped-def]
    """Enter a key into a table that has room; returns whether it is new."""
    at = _place_of_key(entries, first, second)
    new = entries[at, 0] == 0
    entries[at, 0] = first + 1
    entries[at, 1] = second
    return new


@inlined
def _grown_table(entries):  # type: ignore[no-untyped-def]
    """Make a table of keys twice as large."""
    larger = np.zeros((2 * entries.shape[0], 2), np.int64)
    for k in range(entries.shape[0]):
        if entries[k, 0] != 0:
            _enter(larger, entries[k, 0] - 1, entries[k, 1])
    return larger


@bare
def _list_moves(words, places, row, parents, columns, cells, pending, count):  # type: ignore[no-untyped-def]
    """Append every single-card move from a state to ``pending``, those home last; returns the new number of moves.

    Only the move of a whole column of one card to another empty one is left out: it changes nothing.
    """
    exposed, in_cells = words[row, EXPOSED], words[row, CELLS]
    has_empty_column = popcount(exposed) < columns
    has_empty_cell = popcount(in_cells) < cells
    rest = exposed | in_cells
    while rest != 0:
        card = trailing_zeros(rest)
        rest &= rest - 1
        place = np.int64(places[row, card])
        if has_empty_cell and place != FREE:
            pending[count] = slot(card, FREE)
            count += 1
        if has_empty_column and place != EMPTY:
            pending[count] = slot(card, EMPTY)
            count += 1
        targets = parents[card] & exposed
        while targets != 0:
            pending[count] = slot(card, trailing_zeros(targets))
            targets &= targets - 1
            count += 1
    rest = (exposed | in_cells) & words[row, NEXT]
    while rest != 0:
        pending[count] = slot(trailing_zeros(rest), HOME)
        rest &= rest - 1
        count += 1
    return count


@kernel
def prove(start, parents, home_rule, table, columns, cells, most_states, most_entries, most_depth, path):  # type: ignore[no-untyped-def]
    """Try everything from the places ``start`` (uint8[52]) until a state wins or none is left.

    ``home_rule`` is one that loses no solution, ``table`` a copy of INVERSIONS, ``path`` (int64[most]) takes the moves
    of a solution. Returns (outcome, states met, moves of the path). A path longer than ``path`` is OUT_OF_ROOM.
    """
    entries = np.zeros((min(_FIRST_ENTRIES, most_entries), 2), np.int64)
    pending = np.zeros(_FIRST_DEPTH * 16 + _MOST_MOVES, np.int16)
    words = np.zeros((_FIRST_DEPTH, WORDS), np.int64)
    places = words.view(np.uint8)
    places[0, :CARDS] = start
    depth = np.int64(0)
    exact_keys(places, depth, parents, table, depth)
    settle(words, places, depth, table)
    automove(words, places, depth, home_rule, table)
    _enter(entries, words[0, KEYS], words[0, KEYS + 1])
    states = 1
    if words[0, INVERTED] == 0:
        return FOUND, states, 0
    words[0, AT] = _list_moves(words, places, depth, parents, columns, cells, pending, words[0, FROM])
    while depth >= 0:
        if words[depth, AT] == words[depth, FROM]:
            depth -= 1
            continue
        if states >= most_states:
            return OUT_OF_ROOM, states, 0
        words[depth, AT] -= 1
        step = np.int64(pending[words[depth, AT]])
        child = depth + 1
        for word in range(AT):
            words[child, word] = words[depth, word]
        put(words, places, child, step >> 6, step & 63, table)
        automove(words, places, child, home_rule, table)
        if not _enter(entries, words[child, KEYS], words[child, KEYS + 1]):
            continue
        states += 1
        words[child, STEP] = step
        if words[child, INVERTED] == 0:
            if child > path.size:
                return OUT_OF_ROOM, states, 0
            for k in range(child):
                path[k] = words[k + 1, STEP]
            return FOUND, states, child
        if 4 * states > 3 * entries.shape[0]:
            if 2 * entries.shape[0] > most_entries:
                return OUT_OF_ROOM, states, 0
            entries = _grown_table(entries)
        if child + 1 == words.shape[0]:
            if 2 * words.shape[0] > most_depth:
                return OUT_OF_ROOM, states, 0
            words = np.concatenate((words, np.zeros_like(words)))
            places = words.view(np.uint8)
        if words[depth, AT] + _MOST_MOVES > pending.size:
            pending = np.concatenate((pending, np.zeros_like(pending)))
        words[child, FROM] = words[depth, AT]
        words[child, AT] = _list_moves(words, places, child, parents, columns, cells, pending, words[child, FROM])
        depth = child
    return EXHAUSTED, states, 0
