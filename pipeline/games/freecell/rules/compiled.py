"""A FreeCell position in one small array, and the rules on it as compiled code.

In: places and cards as integers. Out: the changed array and a reason code.

`rules.replay` says the same rules in plain code; a test holds the two equal. Beside the cards, the position keeps as bits which cards are
exposed and which go home: looking for automoves at 16 places after each move took two thirds of the time of a replay.
"""

from typing import Final

import numpy as np

from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.rules.position import CELL, HOME, NEXT_CELL
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import inlined

# A board is int64[BOARD]: eight columns of DEPTH cards (base first) from 0 on, then what follows. DEPTH is never exceeded: a dealt
# column of 7 can only grow by lower ranks, an empty one by 13.
DEPTH: Final = 24
HEIGHTS: Final = 8 * DEPTH  # of the eight columns
CELLS: Final = HEIGHTS + 8  # the card in each of eight cells, -1 = empty
HOMES: Final = CELLS + 8  # cards home of each suit
WHERE: Final = HOMES + 4  # the place of each card that is not home
EXPOSED: Final = WHERE + 64  # bits by card code: cards at the end of a column or in a cell
DUE: Final = EXPOSED + 1  # bits by card code: cards that go home by themselves once they are exposed
BOARD: Final = DUE + 1

# Automove rules and limits by their place in AUTOMOVE_RULES and LIMITS; each automove rule sends all that the one before it sends.
NONE, HORNE, WKR, MAX = range(len(AUTOMOVE_RULES))
DOUBLING, SINGLE = range(len(LIMITS))

NO_PLACE: Final = 255
"""Of a character that names no place; the places are those of `rules.position`."""

(
    LEGAL,
    UNREADABLE,
    COLUMN_EMPTY,
    CELL_EMPTY,
    CELL_BLOCKED,
    CELL_FULL,
    CELLS_FULL,
    NOTHING_FITS,
    DOES_NOT_FIT,
    TOO_MANY,
    NOT_NEXT,
) = range(11)

# What is known of the last move that `play_move` judged, by index into its `detail`; -1 = does not apply.
CARD, ONTO, COUNT, MOST = range(4)


@inlined
def set_up(board, layout, automove):  # type: ignore[no-untyped-def]
    """Lay out ``layout`` (uint8[52]); returns whether it holds each card once."""
    seen = 0
    for k in range(52):
        card = np.int64(layout[k]) & 63
        board[(k & 7) * DEPTH + (k >> 3)] = card
        board[WHERE + card] = k & 7
        seen |= 1 << card
    exposed = 0
    for k in range(44, 52):
        exposed |= 1 << (np.int64(layout[k]) & 63)
    for place in range(8):
        board[HEIGHTS + place] = 7 if place < 4 else 6
        board[CELLS + place] = -1
    for suit in range(4):
        board[HOMES + suit] = 0
    board[EXPOSED] = exposed
    board[DUE] = due(board, automove)
    return seen == (1 << 52) - 1


@inlined
def due(board, automove):  # type: ignore[no-untyped-def]
    """The cards that go home under an automove rule once they are exposed, as bits.

    The rules: Horne's and Raymond's as Campbell's Standard FreeCell Notation (2012) names them; `NONE` sends nothing, `MAX` all it can.
    """
    cards = 0
    for suit in range(4):
        below = board[HOMES + suit]  # the cards of its suit below the next one
        twin = board[HOMES + 3 - suit]
        one, two = (1, 2) if suit == 0 or suit == 3 else (0, 3)
        other = min(board[HOMES + one], board[HOMES + two])
        goes = automove == MAX or (automove != NONE and (below <= 1 or other >= below))
        goes = goes or (automove == WKR and other >= below - 1 and twin >= below - 2)
        if goes and below < 13:
            cards |= 1 << (4 * below + suit)
    return cards


@inlined
def take(board, place):  # type: ignore[no-untyped-def]
    """Take away the exposed card of a column or cell."""
    if place >= CELL:
        card = board[CELLS + place - CELL]
        board[CELLS + place - CELL] = -1
        board[EXPOSED] ^= 1 << card
        return
    height = board[HEIGHTS + place] - 1
    board[HEIGHTS + place] = height
    board[EXPOSED] ^= 1 << board[place * DEPTH + height]
    if height > 0:
        board[EXPOSED] |= 1 << board[place * DEPTH + height - 1]


@inlined
def send_home(board, automove):  # type: ignore[no-untyped-def]
    """Send home all that are due, in whatever order (the end is the same); returns how many cards went."""
    sent = 0
    while True:
        ready = board[EXPOSED] & board[DUE]
        if ready == 0:
            return sent
        card = trailing_zeros(ready)
        take(board, board[WHERE + card])
        board[HOMES + (card & 3)] += 1
        board[DUE] = due(board, automove)
        sent += 1


@inlined
def supermove_limit(board, freecells, into_empty, limit):  # type: ignore[no-untyped-def]
    """How many cards may move at once: cells + 1, doubled for each empty column that is not the target.

    Under the limit SINGLE, a move into an empty column is cells + 1 (what Microsoft's program did).
    """
    most = 1
    for cell in range(freecells):
        if board[CELLS + cell] < 0:
            most += 1
    if into_empty and limit == SINGLE:
        return most
    empty = -1 if into_empty else 0
    for column in range(8):
        if board[HEIGHTS + column] == 0:
            empty += 1
    return most << empty


@inlined
def run_length(board, column):  # type: ignore[no-untyped-def]
    """How many cards at the exposed end of a filled column lie in sequence."""
    at = column * DEPTH + board[HEIGHTS + column] - 1
    length = 1
    while at > column * DEPTH:
        upper, lower = board[at], board[at - 1]
        # Black suits are 0 and 3, red ones 1 and 2: the colours differ where bit 0 of suit ^ (suit >> 1) does.
        if (upper >> 2) + 1 != lower >> 2 or ((upper ^ (upper >> 1) ^ lower ^ (lower >> 1)) & 1) == 0:
            break
        length += 1
        at -= 1
    return length


@inlined
def _judge_column(board, source, target, card, is_single, most, detail):  # type: ignore[no-untyped-def]
    """Judge a move onto a column and put the number of its cards into ``detail[COUNT]``; returns the reason against it, or LEGAL."""
    length = run_length(board, source) if source < CELL else 1
    height = board[HEIGHTS + target]
    if height == 0:
        detail[COUNT] = 1 if is_single else min(length, most)
        return LEGAL
    onto = board[target * DEPTH + height - 1]
    detail[ONTO] = onto
    count = (onto >> 2) - (card >> 2)
    detail[COUNT] = count
    # The moved card that comes to lie on `onto` is count - 1 cards under `card`, of the same colour where count is odd.
    differs = (card ^ (card >> 1) ^ onto ^ (onto >> 1) ^ (count - 1)) & 1
    if is_single or source >= CELL:
        return LEGAL if count == 1 and differs else DOES_NOT_FIT
    if count < 1 or count > length or not differs:
        return NOTHING_FITS
    return TOO_MANY if count > most else LEGAL


@inlined
def _shift(board, source, target, count):  # type: ignore[no-untyped-def]
    """Move the last ``count`` cards of a column onto another one."""
    height, onto = board[HEIGHTS + source] - count, board[HEIGHTS + target]
    if onto > 0:
        board[EXPOSED] ^= 1 << board[target * DEPTH + onto - 1]
    if height > 0:
        board[EXPOSED] |= 1 << board[source * DEPTH + height - 1]
    for k in range(count):
        card = board[source * DEPTH + height + k]
        board[target * DEPTH + onto + k] = card
        board[WHERE + card] = target
    board[HEIGHTS + source], board[HEIGHTS + target] = height, onto + count


@inlined
def play_move(board, source, target, is_single, limit, automove, freecells, detail):  # type: ignore[no-untyped-def]
    """Play one move without its automoves, or leave the position as it is and return the reason against it.

    ``detail`` (int64[4]) tells what was judged. The reasons are those that `rules.moves` words.
    NEXT_CELL as a target says that no cell is free.
    """
    for k in range(4):
        detail[k] = -1
    if source < CELL:
        height = board[HEIGHTS + source]
        if height == 0:
            return COLUMN_EMPTY
        card = board[source * DEPTH + height - 1]
    else:
        if source - CELL >= freecells:
            return CELL_BLOCKED
        card = board[CELLS + source - CELL]
        if card < 0:
            return CELL_EMPTY
    detail[CARD] = card
    if target < CELL:
        most = supermove_limit(board, freecells, board[HEIGHTS + target] == 0, limit)
        detail[MOST] = most
        reason = _judge_column(board, source, target, card, is_single, most, detail)
        if reason != LEGAL:
            return reason
        if source < CELL:
            _shift(board, source, target, detail[COUNT])
            return LEGAL
        onto = board[HEIGHTS + target]
        if onto > 0:
            board[EXPOSED] ^= 1 << board[target * DEPTH + onto - 1]
        take(board, source)
        board[target * DEPTH + onto] = card
        board[HEIGHTS + target] = onto + 1
    elif target == HOME:
        if board[HOMES + (card & 3)] != card >> 2:
            return NOT_NEXT
        take(board, source)
        board[HOMES + (card & 3)] += 1
        board[DUE] = due(board, automove)
        detail[COUNT] = 1
        return LEGAL
    else:
        if target == NEXT_CELL:
            return CELLS_FULL
        if target - CELL >= freecells:
            return CELL_BLOCKED
        if board[CELLS + target - CELL] >= 0:
            return CELL_FULL
        take(board, source)
        board[CELLS + target - CELL] = card
    board[EXPOSED] |= 1 << card
    board[WHERE + card] = target
    detail[COUNT] = 1
    return LEGAL
