"""The search for a first solution: greedy best-first over columnless states.

In: a root state, tables and a pool. Out: the pool with the states expanded and the row that wins.

The open list is one stack a score: the next state is the latest on the lowest stack that is not empty. An entry is a
row and a move from it; its state is scored without being made, and made when its turn comes: nine of ten never have
one. States already met are told by a signature, a sum of random numbers over (card, place): that two states share one
is unlikely but possible, so a search that ends without a solution proves nothing. `prove` does.
"""

from typing import Final

import numpy as np

from pipeline.games.freecell.solve.first.pool import COVERS, MOVE_UNIT, PARENT, SCORE, SIGNATURE, STACKS, STEP, WORDS
from pipeline.games.freecell.solve.first.weights import BASES_SHIFT, CELLS_SHIFT, INVERTED_SHIFT
from pipeline.games.freecell.solve.state import (
    CARDS,
    CELLS,
    EMPTY,
    EXPOSED,
    FREE,
    HOME,
    NEXT,
    automove,
    goes_home,
    put,
    settle,
    slot,
)
from pipeline.kernels.bits import popcount, prefetch, trailing_zeros
from pipeline.kernels.compile import bare, kernel

MOST_MOVES: Final = 5 * CARDS
"""A card has at most two parents, an empty column, a cell and home to go to."""

NONE_LEFT: Final = -1
OUT_OF_STATES: Final = -2


@bare
def _meet(met, signature):  # type: ignore[no-untyped-def]
    """Enter a signature among those met; returns whether it is new."""
    at = signature & (met.size - 1)
    mark = (signature >> 32) | 1
    while met[at] != 0 and met[at] != mark:
        at = (at + 1) & (met.size - 1)
    new = met[at] == 0
    met[at] = mark
    return new


@bare
def _note_covers(places, row):  # type: ignore[no-untyped-def]
    """Note at the root what lies on each card; returns the cards that are not home, as a mask."""
    in_play = np.int64(0)
    for card in range(CARDS):
        below = places[row, card]
        if below < CARDS:
            places[row, COVERS + below] = card
        if below != HOME:
            in_play |= np.int64(1) << card
    return in_play


@bare
def _foresee(words, places, row, sums, moves, count, signatures, met):  # type: ignore[no-untyped-def]
    """Note the signature after each move of a list, automoves left out, and fetch the place where `_meet` will look.

    A table of signatures is larger than the nearest cache; fetching ahead takes 7 % off a search.
    """
    for k in range(count):
        step = moves[k, 0]
        old = places[row, step >> 6]
        signatures[k] = words[row, SIGNATURE] + sums[step, 0] - sums[slot(step >> 6, old), 0]
        prefetch(met, signatures[k] & (met.size - 1))


@bare
def _survey(words, places, row, in_play, next_below):  # type: ignore[no-untyped-def]
    """Count below each exposed card, in ``next_below``, the next cards of its column; returns the number of buried cards.

    It climbs from the four next cards: a third of the time of going down all columns, a sixth of the whole search less.
    """
    exposed = words[row, EXPOSED]
    # A full foundation's next card never comes; with fewer ranks it is one that was home from the start.
    rest = words[row, NEXT] & ~words[row, CELLS] & in_play
    buried = 0
    while rest != 0:
        card = np.int64(trailing_zeros(rest))
        rest &= rest - 1
        while (exposed >> card) & 1 == 0:
            card = np.int64(places[row, COVERS + card])
            buried += 1
        next_below[card] += 1
    return buried


@bare
def _list_moves(words, places, row, buried, parents, columns, cells, next_below, moves):  # type: ignore[no-untyped-def]
    """List the moves from a state as (slot, buried cards after it); returns their number.

    A run moves as one as far as the free places allow. It is left out that part of a run of three and more moves to an
    empty column, and that a whole column does.
    """
    exposed, in_cells = words[row, EXPOSED], words[row, CELLS]
    next_cards = words[row, NEXT]
    free_cells = cells - popcount(in_cells)
    empty_columns = columns - popcount(exposed)
    onto_card = (free_cells + 1) << empty_columns
    onto_base = onto_card >> 1 if empty_columns else 0
    count = 0
    rest = (exposed | in_cells) & next_cards
    while rest != 0:
        moves[count, 0] = slot(trailing_zeros(rest), HOME)
        rest &= rest - 1
        count += 1
    rest = in_cells
    while rest != 0:
        card = trailing_zeros(rest)
        rest &= rest - 1
        count = _list_targets(card, parents[card] & exposed, 1, buried, next_below, moves, count)
        if empty_columns:
            moves[count, 0], moves[count, 1] = slot(card, EMPTY), buried
            count += 1
    rest = exposed
    while rest != 0:
        top = trailing_zeros(rest)
        rest &= rest - 1
        card, length, freed = np.int64(top), 0, next_below[top]
        while length < onto_card:
            length += 1
            freed -= (next_cards >> card) & 1
            below = np.int64(places[row, card])
            left = buried - length * freed
            count = _list_targets(card, parents[card] & exposed, length, left, next_below, moves, count)
            run_ends = below >= CARDS or (parents[card] >> below) & 1 == 0
            if length <= onto_base and below != EMPTY and (run_ends or length == 1):
                moves[count, 0], moves[count, 1] = slot(card, EMPTY), left
                count += 1
            if length == 1 and free_cells:
                moves[count, 0], moves[count, 1] = slot(card, FREE), left
                count += 1
            if run_ends:
                break
            card = below
    return count


@bare
def _list_targets(card, targets, length, buried, next_below, moves, count):  # type: ignore[no-untyped-def]
    """List the moves of a run of this length onto each exposed card of a mask; returns the number of moves so far."""
    while targets != 0:
        target = trailing_zeros(targets)
        targets &= targets - 1
        moves[count, 0], moves[count, 1] = slot(card, target), buried + length * next_below[target]
        count += 1
    return count


@bare
def _score(total, buried, made, prices, columns, cells):  # type: ignore[no-untyped-def]
    """Score a state by its additive total, its buried cards and the moves made; lower is better, never below 0."""
    empty_columns = columns - ((total >> BASES_SHIFT) & 255)
    room = min(3, empty_columns + cells - ((total >> CELLS_SHIFT) & 255))
    score = (total & 0xFFFFFFFF) + prices[room] + prices[4 + room] * buried + prices[8] * empty_columns
    return min(max(0, score + ((prices[9] * made) >> 4)), STACKS - 1)


@bare
def _wins(total):  # type: ignore[no-untyped-def]
    """Whether no card lies on a lower one, so that the rest runs home."""
    return (total >> INVERTED_SHIFT) & 255 == 0


@bare
def _make(words, places, row, new, card, place, home_rule, sums):  # type: ignore[no-untyped-def]
    """Make in row ``new`` the state after a move from ``row``, automoves included."""
    for word in range(WORDS):
        words[new, word] = words[row, word]
    put(words, places, new, card, place, sums)
    if place < CARDS:
        places[new, COVERS + place] = card
    automove(words, places, new, home_rule, sums)
    words[new, PARENT] = row
    words[new, STEP] = (words[row, STEP] // MOVE_UNIT + 1) * MOVE_UNIT + slot(card, place)


@bare
def _is_calm(words, places, row, card, place, home_rule):  # type: ignore[no-untyped-def]
    """Whether nothing goes home by a move; only the card that it uncovers can be sent there by it."""
    under = np.int64(places[row, card])
    uncovers = under < CARDS and (words[row, NEXT] >> under) & 1 != 0
    return place != HOME and not (uncovers and goes_home(under, words[row, NEXT], home_rule))


@kernel
def search(pool, tables, columns, cells, states):  # type: ignore[no-untyped-def]
    """Search from the places in row 0 until a state wins or this many are met.

    Returns (row, number of states met); the row is NONE_LEFT or OUT_OF_STATES where none wins.
    """
    # Taking an array out of a tuple counts a reference, which costs as much as a state: once a search, not in loops.
    words, places, waiting, stacks, met = pool.words, pool.places, pool.waiting, pool.stacks, pool.met
    parents, home_rule, sums, prices = tables.parents, tables.home_rule, tables.sums, tables.prices
    next_below, scratch = np.zeros(CARDS, np.int64), np.zeros(CARDS, np.int64)
    moves, signatures = np.zeros((MOST_MOVES, 2), np.int64), np.zeros(MOST_MOVES, np.int64)
    met[:] = 0
    stacks[:] = -1
    row, rows, size, lowest = np.int64(0), 1, 0, STACKS
    settle(words, places, row, sums)
    automove(words, places, row, home_rule, sums)
    in_play = _note_covers(places, row)
    words[row, PARENT] = -1
    words[row, STEP] = 0
    _meet(met, words[row, SIGNATURE])
    if _wins(words[row, SCORE]):
        return row, 1
    while True:
        next_below[:] = 0  # `_survey` adds to it
        buried = _survey(words, places, row, in_play, next_below)
        count = _list_moves(words, places, row, buried, parents, columns, cells, next_below, moves)
        _foresee(words, places, row, sums, moves, count, signatures, met)
        made = words[row, STEP] // MOVE_UNIT + 1
        for k in range(count):
            if size + 1 == states:  # before the table of signatures is asked: a full one would be searched for ever
                return OUT_OF_STATES, size + 1
            card, place, buried = moves[k, 0] >> 6, moves[k, 0] & 63, moves[k, 1]
            calm = _is_calm(words, places, row, card, place, home_rule)
            if calm:
                signature = signatures[k]
                total = words[row, SCORE] + sums[moves[k, 0], 1] - sums[slot(card, places[row, card]), 1]
            else:
                _make(words, places, row, rows, card, place, home_rule, sums)
                signature, total = words[rows, SIGNATURE], words[rows, SCORE]
            if not _meet(met, signature):
                continue
            if _wins(total):
                _make(words, places, row, rows, card, place, home_rule, sums)
                return rows, size + 2
            if not calm:
                buried = _survey(words, places, rows, in_play, scratch)
            score = _score(total, buried, made, prices, columns, cells)
            waiting[size, 0] = row * MOVE_UNIT + moves[k, 0]
            waiting[size, 1] = stacks[score]
            stacks[score] = size
            lowest = min(lowest, score)
            size += 1
        while lowest < STACKS and stacks[lowest] < 0:
            lowest += 1
        if lowest == STACKS:
            return NONE_LEFT, size + 1
        entry = np.int64(stacks[lowest])
        stacks[lowest] = waiting[entry, 1]
        row, step = waiting[entry, 0] // MOVE_UNIT, waiting[entry, 0] % MOVE_UNIT
        _make(words, places, row, rows, step >> 6, step & 63, home_rule, sums)
        row = rows
        rows += 1
