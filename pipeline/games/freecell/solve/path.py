"""From the steps of a search to moves of Standard FreeCell Notation.

In: a board of `rules.compiled` and steps (card, place). Out: the text of the moves, written into a buffer.

A `Writing` tells the automove rule that the text is meant for (none before the first move) and the one that the search
played by: what the latter sends home and the former does not is written as moves. Where the text is meant for both
supermove limits, what a plain move into an empty column carries must be the same under either, else it is written as
single cards; else a plain move there carries the most that doubling allows, and a single card has a period.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.games.freecell.rules.compiled import (
    BOARD,
    CELLS,
    DEPTH,
    DOUBLING,
    DUE,
    EXPOSED,
    HEIGHTS,
    HOMES,
    HORNE,
    LEGAL,
    SINGLE,
    WHERE,
    WKR,
    due,
    play_move,
    run_length,
    send_home,
    supermove_limit,
)
from pipeline.games.freecell.rules.position import BLOCKED, CELL, HOME, PLACE_LETTERS, Position
from pipeline.games.freecell.solve import state
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import inlined, kernel

TOO_LONG: Final = -1
ROOM: Final = 256
"""Bytes kept free for what one step can become."""

_BLANK, _PERIOD = ord(" "), ord(".")


class Writing(NamedTuple):
    """What a text is meant for: codes of `compiled.AUTOMOVES`, and whether for both supermove limits or for doubling alone.

    The rule that the search played by sends at least what the written one sends.
    """

    written: int
    played: int
    is_for_both_limits: bool


FIRST_FOUND: Final = Writing(HORNE, WKR, True)
"""What a first solution is written for; `solver` searches with WKR's rule."""


def position_board(position: Position, automove: int = HORNE) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Put a position on a board under an automove rule: (int64[BOARD], the letter of each place as uint8[17], blocked cells passed over).

    Raises InputError for a column that could grow beyond what a board holds; none of a dealt game can.
    """
    board = np.zeros(BOARD, np.int64)
    board[CELLS : CELLS + 8] = -1
    board[HEIGHTS : HEIGHTS + CELL] = 1  # columns the position does not have are never empty
    for place, column in enumerate(position.columns):
        if any(depth + (card >> 2) >= DEPTH for depth, card in enumerate(column)):
            raise InputError(f"column {place + 1} of {len(column)} cards could grow beyond {DEPTH}")
        board[HEIGHTS + place] = len(column)
        board[place * DEPTH : place * DEPTH + len(column)] = column
        board[[WHERE + card for card in column]] = place
        board[EXPOSED] |= 1 << column[-1] if column else 0
    usable = [place for place, card in enumerate(position.freecells) if card != BLOCKED]
    for cell, place in enumerate(usable):
        card = position.freecells[place]
        board[CELLS + cell] = max(card, -1)
        if card >= 0:
            board[WHERE + card] = CELL + cell
            board[EXPOSED] |= 1 << card
    board[HOMES : HOMES + 4] = position.foundations
    board[DUE] = due(board, automove)
    letters = [*PLACE_LETTERS[:CELL], *(PLACE_LETTERS[CELL + place] for place in usable)]
    letters += ["?"] * (HOME - len(letters)) + [PLACE_LETTERS[HOME]]
    return board, np.frombuffer("".join(letters).encode(), np.uint8)


@inlined
def _write(board, source, target, is_single, writing, freecells, letters, detail, text, at):  # type: ignore[no-untyped-def]
    """Write and play one move and its automoves; returns where the text goes on."""
    if is_single:
        text[at] = _PERIOD
        at += 1
    text[at], text[at + 1], text[at + 2] = letters[source], letters[target], _BLANK
    reason = play_move(board, source, target, is_single, DOUBLING, writing.written, freecells, detail)
    assert reason == LEGAL
    send_home(board, writing.written)
    return at + 3


@inlined
def _empty_column(board, but):  # type: ignore[no-untyped-def]
    """The first empty column that is not ``but``."""
    column = 0
    while board[HEIGHTS + column] != 0 or column == but:
        column += 1
    return column


@inlined
def _empty_cell(board):  # type: ignore[no-untyped-def]
    """The first empty cell."""
    cell = 0
    while board[CELLS + cell] >= 0:
        cell += 1
    return CELL + cell


@inlined
def _write_spread(board, source, target, count, writing, freecells, letters, used, detail, text, at):  # type: ignore[no-untyped-def]
    """Move cards into an empty column one by one, by way of the cells; there are enough of them."""
    for k in range(count - 1):
        used[k] = _empty_cell(board)
        at = _write(board, source, used[k], False, writing, freecells, letters, detail, text, at)
    at = _write(board, source, target, True, writing, freecells, letters, detail, text, at)
    for k in range(count - 2, -1, -1):
        # Where the last move uncovered a card that went home, some of these may have followed it.
        if board[CELLS + used[k] - CELL] >= 0:
            at = _write(board, used[k], target, False, writing, freecells, letters, detail, text, at)
    return at


@inlined
def _write_run(board, source, target, count, writing, freecells, letters, tasks, detail, text, at):  # type: ignore[no-untyped-def]
    """Move the last cards of a column into an empty one, so that both limits agree on what moves.

    More cards than the cells can hold go by way of other empty columns: the upper part to one of them, the rest to
    the target, the upper part onto it. ``tasks`` (int64[32, 3]) is the stack of (source, target, count) still to do.
    """
    used = tasks[24:, 0]
    tasks[0, 0], tasks[0, 1], tasks[0, 2] = source, target, count
    left = 1
    while left > 0:
        left -= 1
        source, target, count = tasks[left, 0], tasks[left, 1], tasks[left, 2]
        if board[HEIGHTS + source] == 0:
            continue
        length = run_length(board, source)
        doubling = supermove_limit(board, freecells, True, DOUBLING)
        single = supermove_limit(board, freecells, True, SINGLE)
        agree = min(length, doubling) == count and min(length, single) == count
        if board[HEIGHTS + target] > 0 or agree:
            at = _write(board, source, target, False, writing, freecells, letters, detail, text, at)
        elif count <= single:
            at = _write_spread(board, source, target, count, writing, freecells, letters, used, detail, text, at)
        else:
            aside = _empty_column(board, target)
            lower = max(single, count - (doubling >> 1))
            tasks[left, 0], tasks[left, 1], tasks[left, 2] = aside, target, count - lower
            tasks[left + 1, 0], tasks[left + 1, 1], tasks[left + 1, 2] = source, target, lower
            tasks[left + 2, 0], tasks[left + 2, 1], tasks[left + 2, 2] = source, aside, count - lower
            left += 3
    return at


@kernel
def write_moves(board, steps, count, writing, freecells, letters, text, at):  # type: ignore[no-untyped-def]
    """Write the moves that play ``steps`` (int64[count] of `state.slot`) into ``text`` (uint8) from ``at`` on.

    The board is played to the end. Returns where the text ends, a blank between two moves, or TOO_LONG.
    """
    detail = np.zeros(4, np.int64)
    tasks = np.zeros((32, 3), np.int64)
    start = at
    for k in range(-1, count):
        if at + ROOM > text.size:
            return TOO_LONG
        if k >= 0:
            at = _write_step(board, steps[k] >> 6, steps[k] & 63, writing, freecells, letters, tasks, detail, text, at)
        while True:  # what the search sent home beyond the written rule, before the first move as well
            ready = board[EXPOSED] & due(board, writing.played)
            if ready == 0:
                break
            at = _write(
                board, board[WHERE + trailing_zeros(ready)], HOME, False, writing, freecells, letters, detail, text, at
            )
    return max(start, at - 1)


@inlined
def _write_step(board, card, place, writing, freecells, letters, tasks, detail, text, at):  # type: ignore[no-untyped-def]
    """Write one step of a search: a card, with what lies on it, goes to a place."""
    source = board[WHERE + card]
    if place == state.HOME:
        target = HOME
    elif place == state.FREE:
        target = _empty_cell(board)
    elif place == state.EMPTY:
        target = _empty_column(board, CELL)
    else:
        target = board[WHERE + place]
    if place == state.EMPTY and source < CELL:
        top = board[HEIGHTS + source] - 1
        count = 1
        while board[source * DEPTH + top + 1 - count] != card:
            count += 1
        if not writing.is_for_both_limits:
            is_single = (
                count == 1 and min(run_length(board, source), supermove_limit(board, freecells, True, DOUBLING)) > 1
            )
            return _write(board, source, target, is_single, writing, freecells, letters, detail, text, at)
        return _write_run(board, source, target, count, writing, freecells, letters, tasks, detail, text, at)
    return _write(board, source, target, False, writing, freecells, letters, detail, text, at)
