"""Read moves from bytes, compiled: the two dialects of bulk replay.

In: uint8 texts. Out: moves as places.

Standard notation (``57 .5a 2h``) separates moves by blanks and marks a single card by a period (Campbell, 2012). The compact catalogue
(``4r462r``) packs two characters a move; its letters name places in a row of cells that closes up when one leaves, r the next place.
"""

from typing import Final

import numpy as np

from pipeline.games.freecell.rules.compiled import CELL_EMPTY, CELLS, LEGAL, NO_PLACE
from pipeline.games.freecell.rules.position import CELL, HOME, NEXT_CELL, PLACE_LETTERS
from pipeline.kernels.compile import inlined

PLACES: Final = np.full(256, NO_PLACE, np.uint8)
"""The place that each character names."""
PLACES[np.frombuffer(PLACE_LETTERS.encode(), np.uint8)] = np.arange(len(PLACE_LETTERS))


@inlined
def skip_blanks(text, position, end):  # type: ignore[no-untyped-def]
    """The first position that is no blank, tab or line end."""
    while position < end and (text[position] == 32 or 9 <= text[position] <= 13):
        position += 1
    return position


@inlined
def read_move(text, position, end, places, is_packed, move):  # type: ignore[no-untyped-def]
    """Read the move at ``position`` into ``move``: source, target, whether a single card. Returns where it ends, or -1: unreadable."""
    move[2] = 0
    if not is_packed and text[position] == 46:
        move[2] = 1
        position += 1
    if position + 1 >= end:
        return -1
    move[0], move[1] = places[text[position]], places[text[position + 1]]
    position += 2
    if move[0] >= HOME or move[1] == NO_PLACE:
        return -1
    if (CELL <= move[1] < HOME) if is_packed else (move[1] == NEXT_CELL):
        return -1  # a cell is named in one dialect, and is r in the other
    if not is_packed and position < end and not (text[position] == 32 or 9 <= text[position] <= 13):
        return -1
    return position


@inlined
def find_cells(board, row, freecells, move):  # type: ignore[no-untyped-def]
    """Turn the places of a catalogue move in the row of cells into cells; returns CELL_EMPTY or LEGAL.

    ``row`` is int64[9]: how many places are filled, then the cell of each; cells emptied since the last move are taken out first.
    Where no cell is free, NEXT_CELL is left for `play_move` to refuse.
    """
    filled = 0
    for k in range(row[0]):
        if board[CELLS + row[1 + k]] >= 0:
            filled += 1
            row[filled] = row[1 + k]
    row[0] = filled
    if CELL <= move[0] < CELL + freecells:
        if move[0] - CELL >= filled:
            return CELL_EMPTY
        move[0] = CELL + row[1 + move[0] - CELL]
    if move[1] == NEXT_CELL and filled < freecells:
        free = 0
        while board[CELLS + free] >= 0:
            free += 1
        move[1] = CELL + free
        row[0] += 1
        row[row[0]] = free
    return LEGAL


@inlined
def count_moves(text, position, end, is_packed):  # type: ignore[no-untyped-def]
    """Count the moves from ``position`` on: words in standard notation, pairs of characters in the catalogue."""
    moves = 0
    position = skip_blanks(text, position, end)
    while position < end:
        moves += 1
        if is_packed:
            position += 2
        while not is_packed and position < end and not (text[position] == 32 or 9 <= text[position] <= 13):
            position += 1
        position = skip_blanks(text, position, end)
    return moves
