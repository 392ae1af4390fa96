"""A FreeCell position in four small arrays, and the rules on it as compiled code.

In: places and cards as integers. Out: the changed arrays and a reason code. `play.bulk` and `notation.bulk_convert` import it.

A position is ``columns`` int64[8, 24] (base first), ``heights`` int64[8], ``cells`` int64[8] (-1 = empty) and ``home`` int64[4] (cards
home by suit). 24 is never exceeded: a dealt column of 7 can only grow by lower ranks, an empty one by 13. `play.replay` says the same rules
in plain code; a test holds the two equal.
"""

from typing import Final

from pipeline.cards.kernel import inlined

DEPTH: Final = 24

# Places: 0..7 the columns, then the cells, then the foundations; NEXT_CELL is the catalogue's "r".
FIRST_CELL: Final = 8
HOME: Final = 16
NEXT_CELL: Final = 17
NO_PLACE: Final = 255

AUTOMOVES: Final = ("none", "horne", "wkr", "max")
"""The automove rules by code; each sends every card that the one before it sends, and more."""
NONE, HORNE, WKR, MAX = range(4)

LIMITS: Final = ("doubling", "single")
"""How many cards a supermove may take into an empty column, by code; see `supermove_limit`."""
DOUBLING, SINGLE = range(2)

(
    LEGAL,
    UNREADABLE,
    COLUMN_EMPTY,
    CELL_EMPTY,
    NO_SUCH_CELL,
    CELL_TAKEN,
    NOT_A_SEQUENCE,
    DOES_NOT_FIT,
    TOO_MANY,
    NOT_NEXT,
) = range(10)

# What is known of the last move that `play_move` judged, by index into its `detail`; -1 = does not apply.
CARD, ONTO, COUNT, MOST = range(4)


@inlined
def set_up(layout, columns, heights, cells, home):  # type: ignore[no-untyped-def]
    """Lay out ``layout`` (uint8[52]); returns whether it holds each card once."""
    seen = 0
    for k in range(52):
        card = layout[k] & 63
        columns[k & 7, k >> 3] = card
        seen |= 1 << card
    for place in range(8):
        heights[place] = 7 if place < 4 else 6
        cells[place] = -1
    for suit in range(4):
        home[suit] = 0
    return seen == (1 << 52) - 1


@inlined
def goes_home(card, home, automove):  # type: ignore[no-untyped-def]
    """Whether an exposed card goes home under an automove rule (Horne's and Raymond's rules as Campbell's notation of 2012 names them)."""
    below, suit = card >> 2, card & 3  # the cards of its suit below it
    if home[suit] != below:
        return False
    if automove == MAX:
        return True
    if suit == 0 or suit == 3:
        other = min(home[1], home[2])
    else:
        other = min(home[0], home[3])
    if below <= 1 or other >= below:
        return automove != NONE
    return automove == WKR and other >= below - 1 and home[3 - suit] >= below - 2


@inlined
def find_home_move(columns, heights, cells, home, automove):  # type: ignore[no-untyped-def]
    """The first place, columns before cells, whose card goes home under a rule, or NO_PLACE."""
    for column in range(8):
        if heights[column] > 0 and goes_home(columns[column, heights[column] - 1], home, automove):
            return column
    for cell in range(8):
        if cells[cell] >= 0 and goes_home(cells[cell], home, automove):
            return FIRST_CELL + cell
    return NO_PLACE


@inlined
def send_home(columns, heights, cells, home, automove):  # type: ignore[no-untyped-def]
    """Send home all that a rule sends, in whatever order (the end is the same); returns how many cards went."""
    sent = 0
    again = automove != NONE
    while again:
        again = False
        for column in range(8):
            while heights[column] > 0:
                card = columns[column, heights[column] - 1]
                if not goes_home(card, home, automove):
                    break
                heights[column] -= 1
                home[card & 3] += 1
                sent += 1
                again = True
        for cell in range(8):
            card = cells[cell]
            if card >= 0 and goes_home(card, home, automove):
                cells[cell] = -1
                home[card & 3] += 1
                sent += 1
                again = True
    return sent


@inlined
def supermove_limit(heights, cells, freecells, into_empty, limit):  # type: ignore[no-untyped-def]
    """How many cards may move at once: cells + 1, doubled for each empty column that is not the target.

    Under the limit SINGLE, a move into an empty column is cells + 1 (what Microsoft's program did).
    """
    most = 1
    for cell in range(freecells):
        if cells[cell] < 0:
            most += 1
    if into_empty and limit == SINGLE:
        return most
    empty = -1 if into_empty else 0
    for column in range(8):
        if heights[column] == 0:
            empty += 1
    return most << empty


@inlined
def run_length(columns, heights, column):  # type: ignore[no-untyped-def]
    """How many cards at the exposed end of a filled column lie in sequence."""
    height = heights[column]
    length = 1
    while length < height:
        upper, lower = columns[column, height - length], columns[column, height - length - 1]
        # Black suits are 0 and 3, red ones 1 and 2: the colours differ where bit 0 of suit ^ (suit >> 1) does.
        if (upper >> 2) + 1 != lower >> 2 or ((upper ^ (upper >> 1) ^ lower ^ (lower >> 1)) & 1) == 0:
            break
        length += 1
    return length


@inlined
def _judge_column(columns, heights, source, target, card, is_single, most, detail):  # type: ignore[no-untyped-def]
    """Judge a move onto a column and put the number of its cards into ``detail[COUNT]``; returns the reason against it, or LEGAL."""
    length = run_length(columns, heights, source) if source < FIRST_CELL else 1
    if heights[target] == 0:
        detail[COUNT] = 1 if is_single else min(length, most)
        return LEGAL
    onto = columns[target, heights[target] - 1]
    detail[ONTO] = onto
    count = (onto >> 2) - (card >> 2)
    detail[COUNT] = count
    # The moved card that comes to lie on `onto` is count - 1 cards under `card`, of the same colour where count is odd.
    differs = (card ^ (card >> 1) ^ onto ^ (onto >> 1) ^ (count - 1)) & 1
    if count < 1 or not differs or (is_single and count > 1):
        return DOES_NOT_FIT
    if count > length:
        return NOT_A_SEQUENCE
    return TOO_MANY if count > most else LEGAL


@inlined
def play_move(columns, heights, cells, home, source, target, is_single, limit, freecells, detail):  # type: ignore[no-untyped-def]
    """Play one move, or leave the position as it is and return the reason against it; ``detail`` tells what was judged.

    A column or cell that is the source of nothing, a cell that is taken or not there, cards that do not fit: one code each.
    """
    for k in range(4):
        detail[k] = -1
    if source < FIRST_CELL:
        if heights[source] == 0:
            return COLUMN_EMPTY
        card = columns[source, heights[source] - 1]
    else:
        if source - FIRST_CELL >= freecells:
            return NO_SUCH_CELL
        card = cells[source - FIRST_CELL]
        if card < 0:
            return CELL_EMPTY
    detail[CARD] = card
    count = 1
    if target == HOME:
        if home[card & 3] != card >> 2:
            return NOT_NEXT
        home[card & 3] += 1
    elif target >= FIRST_CELL:
        if target - FIRST_CELL >= freecells:
            return NO_SUCH_CELL
        if cells[target - FIRST_CELL] >= 0:
            return CELL_TAKEN
        cells[target - FIRST_CELL] = card
    else:
        most = supermove_limit(heights, cells, freecells, heights[target] == 0, limit)
        detail[MOST] = most
        reason = _judge_column(columns, heights, source, target, card, is_single, most, detail)
        if reason != LEGAL:
            return reason
        count = detail[COUNT]
        if source >= FIRST_CELL:
            columns[target, heights[target]] = card
        else:
            for k in range(count):
                columns[target, heights[target] + k] = columns[source, heights[source] - count + k]
        heights[target] += count
    if source < FIRST_CELL:
        heights[source] -= count
    else:
        cells[source - FIRST_CELL] = -1
    detail[COUNT] = count
    return LEGAL
