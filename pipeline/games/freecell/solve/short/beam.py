"""The search for a short solution: a beam by number of moves.

In: a root state, tables and the memory of a beam. Out: the moves of the first solution met.

One layer a move. Each state's children are scored without being made, a histogram of the scores picks the best, and only these are made.
All children ever scored, rejected ones too, are remembered by signature and not looked at again. A card that may go home but does not by
itself (rules other than ``max``) goes as a step within its layer, as such a move is not counted.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.short.moves import MOST_MOVES, Survey, count_buried, list_moves, new_survey, survey
from pipeline.games.freecell.solve.short.score import INVERTED_SHIFT
from pipeline.games.freecell.solve.state import (
    CARDS,
    CELLS,
    EMPTY,
    EXPOSED,
    FREE,
    HOME,
    NEXT,
    SUMS,
    automove,
    goes_home,
    put,
    settle,
    slot,
)
from pipeline.kernels.bits import popcount, prefetch, trailing_zeros
from pipeline.kernels.compile import bare, kernel

SIGNATURE: Final = SUMS
SCORE: Final = SUMS + 1
WORDS: Final = SUMS + 2

MOST_LAYERS: Final = 160
"""Moves after which a beam gives up: more than four times the longest of the million games; with no cell some take over a hundred."""
CHILDREN: Final = 32
"""Room for new children, for each state of the width; there are 10 to 15. A beam forgets the rest, as it does with most of them."""
SCORES: Final = 8192
"""Scores from here on count as equal."""
STEP_BITS: Final = 12
MOST_STEPS: Final = MOST_LAYERS + CARDS


class Beam(NamedTuple):
    """The memory of a beam: two layers and one spare row; the log of steps; signatures met; new children and their scores."""

    words: NDArray[np.int64]
    places: NDArray[np.uint8]
    log: NDArray[np.int64]
    met: NDArray[np.int32]
    children: NDArray[np.int64]
    scores: NDArray[np.int32]
    histogram: NDArray[np.int64]
    moves: NDArray[np.int64]
    found: Survey


class BeamTables(NamedTuple):
    """What a beam looks up: parents, home rule, `short_moves.HIGHER`, and the table and prices of `short_score`."""

    parents: NDArray[np.int64]
    home_rule: NDArray[np.int64]
    higher: NDArray[np.int64]
    sums: NDArray[np.int64]
    prices: NDArray[np.int64]


def new_beam(width: int) -> Beam:
    """Make the memory of beams up to a width; about 4 KB a unit of width are touched."""
    words = np.zeros((4 * width + 1, WORDS), np.int64)
    return Beam(
        words,
        words.view(np.uint8),
        np.zeros(MOST_LAYERS * 2 * width, np.int64),
        np.zeros(1 << (768 * width - 1).bit_length(), np.int32),
        np.zeros(CHILDREN * width + MOST_MOVES, np.int64),
        np.zeros(CHILDREN * width + MOST_MOVES, np.int32),
        np.zeros(SCORES, np.int64),
        np.zeros((MOST_MOVES, 4), np.int64),
        new_survey(),
    )


@bare
def inverted_pairs(additive):  # type: ignore[no-untyped-def]
    """The number of cards that lie on a lower one; where there is none, everything runs home."""
    return (additive + (1 << (INVERTED_SHIFT - 1))) >> INVERTED_SHIFT


@bare
def _meet(met, signature):  # type: ignore[no-untyped-def]
    """Remember a signature: returns whether it is new. The low bits say where, the high ones are kept."""
    mask = met.size - 1
    mark = np.int32(signature >> 32) | np.int32(1)
    at = signature & mask
    while met[at] != 0:
        if met[at] == mark:
            return False
        at = (at + 1) & mask
    met[at] = mark
    return True


@bare
def _price(additive, blocked, buried, free_places, empty_columns, prices):  # type: ignore[no-untyped-def]
    """Score a state, 0 .. SCORES - 1."""
    room = min(4, free_places)
    score = additive - (inverted_pairs(additive) << INVERTED_SHIFT) + prices[room] + prices[5 + room] * buried
    return min(max(0, score + prices[10] * empty_columns + prices[11] * blocked), SCORES - 1)


@bare
def _copy(words, source, target):  # type: ignore[no-untyped-def]
    for word in range(WORDS):
        words[target, word] = words[source, word]


@bare
def _make(beam, tables, source, target, step):  # type: ignore[no-untyped-def]
    """Make the state after a step in a row; returns how many cards went home by themselves."""
    _copy(beam.words, source, target)
    put(beam.words, beam.places, target, step >> 6, step & 63, tables.sums)
    return automove(beam.words, beam.places, target, tables.home_rule, tables.sums)


@bare
def _score_children(beam, tables, row, number, columns, cells, count):  # type: ignore[no-untyped-def]
    """Add the new children of a row to those of its layer; returns their number, or -1 - index of a child that wins."""
    words, places, sums, moves, found = beam.words, beam.places, tables.sums, beam.moves, beam.found
    spare = words.shape[0] - 1
    survey(words, places, row, tables.parents, tables.higher, found)
    listed = list_moves(words, row, tables.parents, columns, cells, found, moves)
    next_cards, empty_columns, full_cells = words[row, NEXT], columns - found.totals[0], popcount(words[row, CELLS])
    for k in range(listed):
        step = moves[k, 0]
        card, old = step >> 6, np.int64(places[row, step >> 6])
        moves[k, 3] = words[row, SIGNATURE] + sums[step, 0] - sums[slot(card, old), 0]
        prefetch(beam.met, moves[k, 3] & (beam.met.size - 1))
    for k in range(listed):
        step = moves[k, 0]
        card, place = step >> 6, step & 63
        old = np.int64(places[row, card])
        # Only the card that a move uncovers can be sent home by it.
        if old < CARDS and (next_cards >> old) & 1 != 0 and goes_home(old, next_cards, tables.home_rule):
            _make(beam, tables, row, spare, step)
            if not _meet(beam.met, words[spare, SIGNATURE]):
                continue
            # A card that goes home was not blocked, and those it leaves keep what is beneath them: ``blocked`` stays.
            buried, filled = count_buried(words, places, spare)
            additive, blocked = words[spare, SCORE], moves[k, 1]
            empty = columns - filled
            room = empty + cells - popcount(words[spare, CELLS])
        else:
            if not _meet(beam.met, moves[k, 3]):
                continue
            additive = words[row, SCORE] + sums[step, 1] - sums[slot(card, old), 1]
            blocked, buried = moves[k, 1], moves[k, 2]
            empty = empty_columns + (1 if old == EMPTY else 0) - (1 if place == EMPTY else 0)
            room = empty + cells - full_cells + (1 if old == FREE else 0) - (1 if place == FREE else 0)
        beam.children[count] = (number << STEP_BITS) | step
        if inverted_pairs(additive) == 0:
            return -1 - count
        score = _price(additive, blocked, buried, room, empty, tables.prices)
        beam.scores[count] = score
        beam.histogram[score] += 1
        count += 1
    return count


@bare
def _cut(scores, histogram, count, width):  # type: ignore[no-untyped-def]
    """The score from which on children are one too many, and how many with exactly this score there is room for; clears the histogram."""
    score, room = np.int64(SCORES), width
    if count > width:
        score = np.int64(scores[0])
        for child in range(1, count):
            score = min(score, np.int64(scores[child]))
        while histogram[score] <= room:
            room -= histogram[score]
            score += 1
    for child in range(count):
        histogram[scores[child]] = 0
    return score, room


@bare
def _send_home(beam, tables, layer, size, number):  # type: ignore[no-untyped-def]
    """Add to a layer of this size the states after moves home; returns the size then, or -1 - step number of one that wins."""
    words = beam.words
    at = 0
    while at < size:
        ready = (words[layer + at, EXPOSED] | words[layer + at, CELLS]) & words[layer + at, NEXT]
        while (
            ready != 0
            and layer + size < words.shape[0] - 1
            and number + size < beam.log.size
            and size < words.shape[0] // 2
        ):
            card = trailing_zeros(ready)
            ready &= ready - 1
            _make(beam, tables, layer + at, layer + size, slot(card, HOME))
            if _meet(beam.met, words[layer + size, SIGNATURE]):
                beam.log[number + size] = ((number + at) << STEP_BITS) | slot(card, HOME)
                size += 1
                if inverted_pairs(words[layer + size - 1, SCORE]) == 0:
                    return -(number + size)
        at += 1
    return size


@bare
def _trace(log, last, steps):  # type: ignore[no-untyped-def]
    """Write the steps up to and with an entry of the log, the last one first; returns their number."""
    count = 0
    while last != 0:
        steps[count] = log[last] & ((1 << STEP_BITS) - 1)
        count += 1
        last = log[last] >> STEP_BITS
    return count


@kernel
def search_beam(beam, tables, columns, cells, steps):  # type: ignore[no-untyped-def]
    """Search from the places in row 0; writes the `slot` of each step of the solution, the last one first, into ``steps``.

    ``steps`` is int64[MOST_STEPS]. Returns (number of steps or -1 where the beam finds no solution, number of children scored).
    """
    words, log, half = beam.words, beam.log, beam.words.shape[0] // 2
    settle(words, beam.places, 0, tables.sums)
    automove(words, beam.places, 0, tables.home_rule, tables.sums)
    if inverted_pairs(words[0, SCORE]) == 0:
        return 0, 0
    beam.met[:] = 0
    beam.histogram[:] = 0
    _meet(beam.met, words[0, SIGNATURE])
    met = scored = number = 0
    layer, size = 0, _send_home(beam, tables, 0, 1, 0)
    if size < 0:
        return _trace(log, -size - 1, steps), 0
    for _ in range(MOST_LAYERS):
        if met > beam.met.size // 2:  # a few states will be met again
            beam.met[:] = 0
            met = 0
        count = 0
        for at in range(size):
            if count + MOST_MOVES > beam.children.size:
                break
            count = _score_children(beam, tables, layer + at, number + at, columns, cells, count)
            if count < 0:
                log[number + size] = beam.children[-1 - count]
                return _trace(log, number + size, steps), scored - count
        met += count
        scored += count
        score, room = _cut(beam.scores, beam.histogram, count, half // 2)
        first, number, below = number, number + size, half - layer
        size = 0
        for child in range(count):
            if beam.scores[child] >= score:
                if beam.scores[child] > score or room == 0:
                    continue
                room -= 1
            step = beam.children[child]
            log[number + size] = step
            _make(beam, tables, layer + (step >> STEP_BITS) - first, below + size, step & ((1 << STEP_BITS) - 1))
            size += 1
        layer = below
        if size == 0 or number + 2 * half > log.size:
            break
        size = _send_home(beam, tables, layer, size, number)
        if size < 0:
            return _trace(log, -size - 1, steps), scored
    return -1, scored
