"""The proof that no solution is shorter: every state within a number of moves, layer by layer, with exact keys.

In: places and a number of moves. Out: that none wins within it, or the log that leads to one that does, or that room or budget ran out,
which proves nothing.

The moves are all of `short_moves`, those home beside them (they are not counted). A state is left out only where its key was met before, at
no more moves, or where `bound` shows that it needs more moves than are left. NONE is said in one place: where a layer is empty.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.exact.exhaustion import INVERSIONS
from pipeline.games.freecell.solve.short.lower_bound import Waits, exceeds, new_waits
from pipeline.games.freecell.solve.short.moves import HIGHER, MOST_MOVES, Survey, list_moves, new_survey, survey
from pipeline.games.freecell.solve.state import (
    CARDS,
    CELLS,
    EXPOSED,
    HOME,
    NEXT,
    SUMS,
    automove,
    exact_keys,
    goes_home,
    put,
    settle,
    slot,
)
from pipeline.kernels.bits import prefetch, trailing_zeros
from pipeline.kernels.compile import bare, kernel

KEYS: Final = SUMS
INVERTED: Final = SUMS + 2
"""Number of cards lying on a lower one; where there is none, everything runs home."""
WORDS: Final = SUMS + 3

NONE: Final = 0
FOUND: Final = 1
TABLE_FULL: Final = 2
OUT_OF_ROOM: Final = 3
OUT_OF_STATES: Final = 4

AT: Final = 0
"""The state that is expanded next, by number; its row is the number modulo the number of rows."""
LAYER_END: Final = 1
"""The first state of the next layer, -1 while moves home are being added to this one."""
END: Final = 2
LAYER: Final = 3
MET: Final = 4
"""Keys met."""
CLOSING: Final = 5
"""The state whose moves home are added next."""

STEP_BITS: Final = 12


class Layers(NamedTuple):
    """The memory of a proof: a ring of rows, the log of steps, where the search stands, and what a state's expansion needs."""

    words: NDArray[np.int64]
    places: NDArray[np.uint8]
    log: NDArray[np.int64]
    stand: NDArray[np.int64]
    moves: NDArray[np.int64]
    found: Survey
    waits: Waits
    higher: NDArray[np.int64]
    table: NDArray[np.int64]


def new_layers(rows: int, states: int) -> Layers:
    """Make the memory for layers of so many rows together and for so many states in all."""
    words = np.zeros((rows + 1, WORDS), np.int64)
    log, stand, moves = np.zeros(states, np.int64), np.zeros(8, np.int64), np.zeros((MOST_MOVES, 4), np.int64)
    return Layers(words, words.view(np.uint8), log, stand, moves, new_survey(), new_waits(), HIGHER, INVERSIONS.copy())


@bare
def _first_place(keys, first, second):  # type: ignore[no-untyped-def]
    """Where a key belongs in a table of two words a key; the factors keep products within 63 bits."""
    low = 0x7FFFFFFF
    mixed = ((first & low) * 2654435761) ^ (((first >> 31) & low) * 2246822519)
    mixed ^= ((second & low) * 3266489917) ^ (((second >> 31) & low) * 4083557303)
    return ((mixed >> 22) << 1) & (keys.size - 1)


@bare
def _enter(keys, first, second):  # type: ignore[no-untyped-def]
    """Enter a key into a table that has room; returns whether it is new. First words are kept plus one, 0 is empty."""
    at = _first_place(keys, first, second)
    while keys[at] != 0:
        if keys[at] == first + 1 and keys[at + 1] == second:
            return False
        at = (at + 2) & (keys.size - 1)
    keys[at] = first + 1
    keys[at + 1] = second
    return True


@kernel
def move_keys(keys, larger):  # type: ignore[no-untyped-def]
    """Enter the keys of a table into a larger one."""
    for at in range(0, keys.size, 2):
        if keys[at] != 0:
            _enter(larger, keys[at] - 1, keys[at + 1])


@bare
def _keep(memory, parents, number, step, most):  # type: ignore[no-untyped-def]
    """Keep the new state in the row of the next number, if it may win in this many moves more; returns whether it wins."""
    words, places, stand = memory.words, memory.places, memory.stand
    child = stand[END] % (words.shape[0] - 1)
    stand[MET] += 1
    if words[child, INVERTED] != 0 and exceeds(words, places, child, parents, most, memory.waits):
        return False
    memory.log[stand[END]] = (number << STEP_BITS) | step
    stand[END] += 1
    return words[child, INVERTED] == 0


@bare
def _make(memory, home_rule, row, step):  # type: ignore[no-untyped-def]
    """Make the state after a step in the row of the next number; returns that row."""
    words, child = memory.words, memory.stand[END] % (memory.words.shape[0] - 1)
    for word in range(WORDS):
        words[child, word] = words[row, word]
    put(words, memory.places, child, step >> 6, step & 63, memory.table)
    automove(words, memory.places, child, home_rule, memory.table)
    return child


@bare
def _send_home(memory, parents, home_rule, keys, number, most):  # type: ignore[no-untyped-def]
    """Try each move home from a state; returns whether one wins."""
    words = memory.words
    row = number % (words.shape[0] - 1)
    ready = (words[row, EXPOSED] | words[row, CELLS]) & words[row, NEXT]
    while ready != 0:
        step = slot(trailing_zeros(ready), HOME)
        ready &= ready - 1
        child = _make(memory, home_rule, row, step)
        if _enter(keys, words[child, KEYS], words[child, KEYS + 1]) and _keep(memory, parents, number, step, most):
            return True
    return False


@bare
def _expand(memory, parents, home_rule, keys, columns, cells, number, most):  # type: ignore[no-untyped-def]
    """Try each move from a state, after which this many more are allowed; returns whether one wins."""
    words, places, moves, table = memory.words, memory.places, memory.moves, memory.table
    row = number % (words.shape[0] - 1)
    survey(words, places, row, parents, memory.higher, memory.found)
    count = list_moves(words, row, parents, columns, cells, memory.found, moves)
    for k in range(count):
        step = moves[k, 0]
        old = np.int64(places[row, step >> 6])
        moves[k, 2] = words[row, KEYS] + table[step, 0] - table[slot(step >> 6, old), 0]
        moves[k, 3] = words[row, KEYS + 1] + table[step, 1] - table[slot(step >> 6, old), 1]
        prefetch(keys, _first_place(keys, moves[k, 2], moves[k, 3]))
    for k in range(count):
        if moves[k, 1] > most:  # what goes home by itself does not change h1
            continue
        step = moves[k, 0]
        old = np.int64(places[row, step >> 6])
        # Only the card that a move uncovers can be sent home by it.
        is_calm = old >= CARDS or (words[row, NEXT] >> old) & 1 == 0 or not goes_home(old, words[row, NEXT], home_rule)
        if is_calm and not _enter(keys, moves[k, 2], moves[k, 3]):
            continue
        child = _make(memory, home_rule, row, step)
        if not is_calm and not _enter(keys, words[child, KEYS], words[child, KEYS + 1]):
            continue
        if _keep(memory, parents, number, step, most):
            return True
    return False


@kernel
def begin(memory, start, keys, parents, home_rule, most):  # type: ignore[no-untyped-def]
    """Begin with the places ``start`` (uint8[52]); returns (whether they win without a move, their h2 as far as ``most``)."""
    words, places, stand = memory.words, memory.places, memory.stand
    places[0, :CARDS] = start
    exact_keys(places, 0, parents, memory.table, 0)
    settle(words, places, 0, memory.table)
    automove(words, places, 0, home_rule, memory.table)
    keys[:] = 0
    _enter(keys, words[0, KEYS], words[0, KEYS + 1])
    stand[:] = 0
    stand[LAYER_END], stand[END], stand[MET] = -1, 1, 1
    bound = 0
    while bound < most and exceeds(words, places, 0, parents, bound, memory.waits):
        bound += 1
    return words[0, INVERTED] == 0, bound


@kernel
def search_layers(memory, keys, parents, home_rule, columns, cells, most, states):  # type: ignore[no-untyped-def]
    """Go on until a state wins within ``most`` moves, none is left, this many keys are met, or something is full; returns which.

    After TABLE_FULL it goes on from where it stands, given a larger table with the same keys (`move_keys`).
    """
    stand, rows = memory.stand, memory.words.shape[0] - 1
    while True:
        oldest = stand[AT] if stand[LAYER_END] >= 0 else min(stand[AT], stand[CLOSING])
        if 8 * (stand[MET] + MOST_MOVES) > 3 * keys.size:
            return TABLE_FULL
        if stand[MET] >= states:
            return OUT_OF_STATES
        if stand[END] + MOST_MOVES - oldest > rows or stand[END] + MOST_MOVES > memory.log.size:
            return OUT_OF_ROOM
        if stand[LAYER_END] < 0:  # add what moves home lead to
            if stand[CLOSING] == stand[END]:
                stand[LAYER_END] = stand[END]
                if stand[AT] == stand[END]:
                    return NONE
                continue
            if _send_home(memory, parents, home_rule, keys, stand[CLOSING], most - stand[LAYER]):
                return FOUND
            stand[CLOSING] += 1
        elif stand[AT] == stand[LAYER_END]:
            stand[LAYER] += 1
            stand[CLOSING], stand[LAYER_END] = stand[AT], -1
        else:
            if _expand(memory, parents, home_rule, keys, columns, cells, stand[AT], most - stand[LAYER] - 1):
                return FOUND
            stand[AT] += 1
