"""Turn the steps of a Klondike search into the moves of a real game, draws and all.

In: a layout and steps (kind << 6 | card) that turn every card face up. Out: moves as bytes, 16 * source box + target box.
"""

from typing import Final

import numpy as np

from pipeline.games.klondike.rules.bulk import lay_out, play_move
from pipeline.games.klondike.solve.state import HOME, RETURN, TAKE
from pipeline.kernels.compile import inlined

MOVES_A_STEP: Final = (
    51  # at most 49 draws bring up a card of the stock, or one move frees a twin; then the step itself
)
MOVES_AT_THE_END: Final = 52 * 25

_DRAW: Final = 1


@inlined
def _find(card, piles, heights):  # type: ignore[no-untyped-def]
    """The pile in which a card lies and its row, or (-1, -1)."""
    for pile in range(7):
        for row in range(heights[pile]):
            if piles[pile, row] == card:
                return pile, row
    return -1, -1


@inlined
def _find_target(card, piles, heights):  # type: ignore[no-untyped-def]
    """A pile on which a card fits, or -1."""
    for pile in range(7):
        if heights[pile] == 0:
            if card >> 2 == 12:
                return pile
        else:
            top = piles[pile, heights[pile] - 1]
            if top >> 2 == (card >> 2) + 1 and ((top & 3) % 3 != 0) != ((card & 3) % 3 != 0):
                return pile
    return -1


@inlined
def write_moves(layout, draw, turns, steps, count, moves, at, stock, waste, piles, heights, face_down, home, sizes):  # type: ignore[no-untyped-def]
    """Play ``steps[:count]`` and then all cards home, writing the moves from ``moves[at]`` on; returns their end, -1 for a wrong step.

    ``moves`` must have room for `MOVES_A_STEP` bytes a step and `MOVES_AT_THE_END`; the other arrays are the boxes of
    `rules.bulk`.
    """
    lay_out(layout, draw, turns, stock, piles, heights, face_down, home, sizes)
    for k in range(count):
        step = np.int64(steps[k])
        kind, card = step >> 6, step & 63
        pile, row = _find(card, piles, heights)
        source, target = pile + 2, 9 + (card & 3)
        if kind == TAKE or (kind == HOME and pile < 0):
            source = 1
            draws = 0
            while (sizes[1] == 0 or waste[sizes[1] - 1] != card) and draws < 49:
                play_move(_DRAW, True, stock, waste, piles, heights, face_down, home, sizes)
                moves[at] = _DRAW
                at += 1
                draws += 1
        if kind == RETURN:
            source = 9 + (card & 3)
        if kind != HOME:
            target = _find_target(card, piles, heights) + 2
        elif pile >= 0 and row < heights[pile] - 1:  # what lies on the card goes to its twin
            twin, twin_row = _find(card ^ 3, piles, heights)
            if twin < 0 or twin_row < heights[twin] - 1:
                return -1
            moves[at] = source << 4 | (twin + 2)
            if play_move(source << 4 | (twin + 2), True, stock, waste, piles, heights, face_down, home, sizes) != 0:
                return -1
            at += 1
        moves[at] = source << 4 | target
        if play_move(source << 4 | target, True, stock, waste, piles, heights, face_down, home, sizes) != 0:
            return -1
        at += 1
    # No card is face down any more: the lowest card not home is free or in the stock, so one round of the stock brings something home.
    while home[0] + home[1] + home[2] + home[3] < 52:
        move = _DRAW
        for pile in range(7):
            if heights[pile] > 0:
                card = piles[pile, heights[pile] - 1]
                if home[card & 3] == card >> 2:
                    move = (pile + 2) << 4 | (9 + (card & 3))
        if sizes[1] > 0 and move == _DRAW:
            card = waste[sizes[1] - 1]
            if home[card & 3] == card >> 2:
                move = 16 | (9 + (card & 3))
        if play_move(move, True, stock, waste, piles, heights, face_down, home, sizes) != 0:
            return -1
        moves[at] = move
        at += 1
    return at
