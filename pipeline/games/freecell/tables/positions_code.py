"""Positions and moves as small integers: how the table `positions` is written and read.

In: positions of `play`, or rows of the table as uint8 arrays. Out: the other one.

A place code tells where a card lies. In the tableau it is 8 * row + column, both from 0, as in a layout: the k-th card dealt has place
code k. A column has at most 19 cards (seven dealt, the last a king, and twelve on it), so row 19 stands for the freecells; 160 is home.

A move is one of 152 actions, and the legal ones are a mask of as many bits in 19 bytes: action a is bit a % 8 of byte a // 8. Freecells
are one target, since which of them is free changes letters only; how many cards go into an empty column is not told by an action.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, CARDS, COLUMNS
from pipeline.cards.errors import InputError
from pipeline.games.freecell.board.board import BLOCKED, EMPTY, MAX_FREECELLS
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import CELL, HOME, NEXT_CELL, Position

MOST_ROWS: Final = 19
FIRST_CELL: Final = COLUMNS * MOST_ROWS
"""Place code of the first freecell, 152; cell i has FIRST_CELL + i."""

AT_HOME: Final = FIRST_CELL + MAX_FREECELLS
"""Place code of every card on a foundation, 160."""

PLACE_CODES: Final = AT_HOME + 1
"""How many place codes there are: the width of a one-hot vector or an embedding."""

CELL_TO_COLUMN: Final = COLUMNS * COLUMNS
TO_CELL: Final = CELL_TO_COLUMN + MAX_FREECELLS * COLUMNS
COLUMN_HOME: Final = TO_CELL + COLUMNS
CELL_HOME: Final = COLUMN_HOME + COLUMNS
ACTIONS: Final = CELL_HOME + MAX_FREECELLS
"""How many actions there are.

    column s to column t      8 * s + t             0 ..  63
    freecell s to column t   64 + 8 * s + t        64 .. 127
    column s to a freecell  128 + s               128 .. 135
    column s home           136 + s               136 .. 143
    freecell s home         144 + s               144 .. 151
"""

LEGAL_BYTES: Final = ACTIONS // 8


def encode_position(position: Position) -> NDArray[np.uint8]:
    """Write a position as the place code of each card, uint8[52] by card code; raises InputError unless it holds the whole deck."""
    places = np.full(CARDS, 255, np.uint8)
    for index, column in enumerate(position.columns):
        for row, card in enumerate(column):
            places[card] = COLUMNS * row + index
    for index, card in enumerate(position.freecells):
        if card >= 0:
            places[card] = FIRST_CELL + index
    for suit, rank in enumerate(position.foundations):
        places[suit : 4 * rank : 4] = AT_HOME
    if (places == 255).any():
        raise InputError(f"{CARD_NAMES[int(np.argmax(places))]} has no place in the position")
    return places


def decode_position(places: Any, freecells: int = 4) -> Position:
    """Read a position from the place code of each card, uint8[52]; raises InputError where no position has these."""
    codes = np.asarray(places)
    if codes.shape != (CARDS,) or codes.min() < 0 or codes.max() > AT_HOME:
        raise InputError(f"a position is {CARDS} place codes of 0 to {AT_HOME}")
    home = codes == AT_HOME
    foundations = tuple(int(home[suit::4].sum()) for suit in range(4))
    for suit, rank in enumerate(foundations):
        if not home[suit : 4 * rank : 4].all():
            raise InputError(f"a card of suit {CARD_NAMES[suit][1]} is home before a lower one")
    cells = [EMPTY] * freecells + [BLOCKED] * (MAX_FREECELLS - freecells)
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for card in np.argsort(codes, kind="stable")[: CARDS - sum(foundations)].tolist():
        row, index = divmod(int(codes[card]), COLUMNS)
        if row < MOST_ROWS:
            if row != len(columns[index]):
                raise InputError(
                    f"{CARD_NAMES[card]}: nothing or another card lies below row {row + 1} of column {index + 1}"
                )
            columns[index].append(card)
        elif cells[index] != EMPTY:
            raise InputError(f"{CARD_NAMES[card]}: freecell {index + 1} is taken or there are only {freecells}")
        else:
            cells[index] = card
    return Position(tuple(map(tuple, columns)), tuple(cells[:freecells]), foundations)


def places_of(layouts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn layouts in deal order into place codes by card: uint8[n, 52] to uint8[n, 52]."""
    places = np.empty_like(layouts)
    np.put_along_axis(places, layouts.astype(np.intp), np.arange(CARDS, dtype=np.uint8)[None, :], axis=1)
    return places


def action_of(source: Any, target: Any) -> Any:
    """Number the action of a move from place to place (`rules.position`: columns 0..7, freecells 8..15, home 16); integers or arrays."""
    source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
    is_column = source < CELL
    home = np.where(is_column, COLUMN_HOME, CELL_HOME - CELL) + source
    actions = np.where(target < CELL, COLUMNS * source + target, np.where(target == HOME, home, TO_CELL + source))
    return actions if actions.ndim else int(actions)


def action_move(action: int) -> Move:
    """Name the move of an action: its number of cards is left to the position, a freecell as target is NEXT_CELL."""
    if action < TO_CELL:
        return Move(*divmod(action, COLUMNS))
    if action < COLUMN_HOME:
        return Move(action - TO_CELL, NEXT_CELL)
    source = action - COLUMN_HOME
    return Move(source, HOME)


def encode_legal(moves: Iterable[Move]) -> NDArray[np.uint8]:
    """Write moves as a mask, uint8[19]."""
    bits = np.zeros(ACTIONS, np.uint8)
    for move in moves:
        bits[action_of(move.source, move.target)] = 1
    return np.packbits(bits, bitorder="little")


def decode_legal(masks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Read masks: uint8[..., 19] to bool[..., 152], by action; no copy but the unpacked bits themselves."""
    return np.unpackbits(masks, axis=-1, bitorder="little").view(np.bool_)
