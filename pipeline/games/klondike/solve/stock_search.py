"""Search one Klondike game under any rule of the stock: several cards a draw, passes without limit or a few.

In: a layout, rules and a limit. Out: steps (kind << 6 | card) that win, or the word that there are none.

Here the order of the stock counts, so a position has two more parts: how many of the stock's cards lie in the waste, and how often the
waste may still be turned back. docs/klondike.md argues which restrictions of `search` remain: cards go home at once from piles alone, and
a stock card may be taken at any time.
"""

from typing import Final

import numpy as np

from pipeline.games.klondike.solve.prune import is_lost, worth_returning
from pipeline.games.klondike.solve.search import COUNT, IMPOSSIBLE, LENGTH, SOLVED, TRIED, UNRESOLVED
from pipeline.games.klondike.solve.state import (
    BASE,
    HIDDEN,
    HOME,
    HOMES,
    KEY,
    RETURN,
    STOCK,
    TAKE,
    TOPS,
    children_of,
    empty_piles,
    next_home,
    play,
    safe_home,
    set_up,
    with_room,
)
from pipeline.kernels.bits import popcount, trailing_zeros
from pipeline.kernels.compile import bare, inlined

# A row of the stack is that of `search`, then: cards in the waste, and how often it may still be turned back.
WASTE, TURNS = 8, 9
STOCK_STACK_FIELDS: Final = 10
STOCK_BRANCHES: Final = 72  # 7 bases, 4 cards home, 24 of the stock to piles and 24 home, 4 returning, and some
MOST_TURNS: Final = 24
"""A pass that takes no card changes nothing, so no game needs the waste turned back more often than there are cards in the stock."""

_BIT: Final = 1


@bare
def _place(stock, card, stock_place):  # type: ignore[no-untyped-def]
    """How many cards of the stock are drawn up to this one, itself included."""
    place, count = stock_place[card], 0
    while stock:
        count += stock_place[trailing_zeros(stock)] <= place
        stock &= stock - 1
    return count


@bare
def _reach(row, draw, stock_place, needs_turn):  # type: ignore[no-untyped-def]
    """The stock cards that draws bring to the top of the waste, before it is turned back or (``needs_turn``) after it."""
    stock, waste = row[STOCK], row[WASTE]
    size = popcount(stock)
    left, found = stock, 0
    while left:
        card = trailing_zeros(left)
        left &= left - 1
        place = _place(stock, card, stock_place)
        if needs_turn:
            is_drawn = place % draw == 0 or place == size
        else:
            is_drawn = place == waste or (place > waste and ((place - waste) % draw == 0 or place == size))
        if is_drawn:
            found |= 1 << card
    return found


@bare
def _draw_to(row, card, draw, is_limited, stock_place):  # type: ignore[no-untyped-def]
    """Take a stock card out of the waste, draws and turning back before it done: sets the waste and the turns left."""
    stock, waste = row[STOCK], row[WASTE]
    size, place = popcount(stock), _place(stock, card, stock_place)
    is_ahead = place == waste or (place > waste and ((place - waste) % draw == 0 or place == size))
    if not is_ahead and is_limited:
        row[TURNS] -= 1
    row[WASTE] = place - 1


@bare
def _tidy(row, draw, is_limited):  # type: ignore[no-untyped-def]
    """Give positions that can do the same one name, where a rule has no limit, or more turns left than cards."""
    size = popcount(row[STOCK])
    if is_limited:
        row[TURNS] = min(row[TURNS], size)
        return
    if row[WASTE] % draw == 0 or row[WASTE] == size:
        row[WASTE] = 0


@bare
def _add(kind, cards, row, branches):  # type: ignore[no-untyped-def]
    while cards:
        card = trailing_zeros(cards)
        cards &= cards - 1
        branches[row[COUNT]] = kind << 6 | card
        row[COUNT] += 1


@bare
def _branch(row, branches, must_place_king, deck, bases, kings, piles, draw, may_return, stock_place):  # type: ignore[no-untyped-def]
    """List the steps that lead on from a position, the promising first; after a pile was emptied, only those that place a king."""
    row[COUNT] = row[TRIED] = 0
    stock, tops, homes = row[STOCK], row[TOPS], row[HOMES]
    face_up = deck & ~(stock | row[HIDDEN] | homes)
    hanging = face_up & ~tops
    empty = empty_piles(tops, hanging, kings, piles)
    room = with_room(face_up, hanging)
    welcome = children_of(room) | (kings if empty > 0 else 0)
    reach = _reach(row, draw, stock_place, False)
    if row[TURNS] > 0:
        reach |= _reach(row, draw, stock_place, True)
    rising = next_home(homes) & deck
    if must_place_king:
        welcome, rising = welcome & kings, 0
    _add(BASE, tops & welcome & ~bases, row, branches)
    _add(HOME, rising & face_up & room & tops & ~bases, row, branches)
    _add(HOME, rising & reach, row, branches)
    _add(HOME, rising & face_up & room & ~(tops & ~bases), row, branches)
    _add(TAKE, reach & welcome, row, branches)
    if empty == 0:
        waiting = (tops & ~bases) | stock
        if may_return:
            waiting |= homes
        if waiting & kings:
            _add(BASE, tops & welcome & bases, row, branches)
    if may_return:
        _add(RETURN, homes & ~(homes >> 4) & welcome & worth_returning(row, face_up, room), row, branches)


@bare
def _settle(row, steps, length, deck, pile_of, under, stock_place):  # type: ignore[no-untyped-def]
    """Send home every card of the piles that is safe there, appending the steps; returns their new number."""
    while True:
        homes = row[HOMES]
        face_up = deck & ~(row[STOCK] | row[HIDDEN] | homes)
        rising = next_home(homes) & safe_home(homes) & face_up
        rising &= with_room(face_up, face_up & ~row[TOPS])
        if rising == 0:
            return length
        card = trailing_zeros(rising)
        play(row, HOME, card, pile_of, under, stock_place)
        steps[length] = HOME << 6 | card
        length += 1


@bare
def _is_better(row, table, extra, used, count):  # type: ignore[no-untyped-def]
    """Enter a position, noting its slot; whether it was not there, or there with fewer turns left.

    ``table`` holds the keys, ``extra`` the waste (low five bits) and the turns left (0 = free) of each.
    """
    mask, key, waste = table.size - 1, row[KEY], row[WASTE]
    mixed = (key & 0x3FFFFFFF) * 0x2545F491 ^ (key >> 30) * 0x27D4EB2F ^ waste * 0x1F123BB5
    slot = (mixed ^ mixed >> 29) & mask
    while extra[slot] != 0:
        if table[slot] == key and (extra[slot] & 31) == waste:
            if extra[slot] >> 5 >= row[TURNS] + 1:
                return False
            extra[slot] = (row[TURNS] + 1) << 5 | waste
            used[count] = slot
            return True
        slot = (slot + 1) & mask
    table[slot] = key
    extra[slot] = (row[TURNS] + 1) << 5 | waste
    used[count] = slot
    return True


@inlined
def search_stock(  # type: ignore[no-untyped-def]
    layout, ranks, piles, may_return, draw, turns, is_limited, tables, table, extra, used, stack, branches, steps
):
    """Search a game; returns (outcome, states, steps written), as `search.search` does.

    ``turns`` is how often the waste may be turned back, 1 where nothing limits it. ``extra`` (int16, all 0, and left so) has the size of
    ``table`` (int64, at least twice that of ``used``).
    """
    pile_of, under, stock_place = tables[0], tables[1], tables[2]
    deck, kings = (_BIT << (4 * ranks)) - 1, 15 << (4 * ranks - 4)
    bases = set_up(layout, ranks, piles, stack[0], pile_of, under, stock_place)
    outcome, states, depth, is_cut = IMPOSSIBLE, 0, 0, False
    stack[0, WASTE], stack[0, TURNS] = 0, turns
    length = _settle(stack[0], steps, 0, deck, pile_of, under, stock_place)
    stack[0, LENGTH] = length
    if stack[0, HIDDEN] == 0 and stack[0, STOCK] == 0:
        return SOLVED, states, length
    _branch(stack[0], branches[0], False, deck, bases, kings, piles, draw, may_return, stock_place)
    while depth >= 0:
        row = stack[depth]
        if row[TRIED] == row[COUNT]:
            depth -= 1
            continue
        step = np.int64(branches[depth, row[TRIED]])
        row[TRIED] += 1
        if depth + 1 == stack.shape[0]:
            is_cut = True
            continue
        kind, card = step >> 6, step & 63
        child = stack[depth + 1]
        child[:] = row
        if child[STOCK] & (_BIT << card):
            _draw_to(child, card, draw, is_limited, stock_place)
        play(child, kind, card, pile_of, under, stock_place)
        length = row[LENGTH]
        steps[length] = step
        length += 1
        must_place_king = kind == BASE and under[card] < 0
        if not must_place_king:
            length = _settle(child, steps, length, deck, pile_of, under, stock_place)
            if child[HIDDEN] == 0 and child[STOCK] == 0:
                outcome = SOLVED
                break
            _tidy(child, draw, is_limited)
            if states == used.size:
                is_cut = True
                break
            if not _is_better(child, table, extra, used, states):
                continue
            states += 1
            if is_lost(child, deck, bases, kings, piles, under, may_return):
                continue
        child[LENGTH] = length
        _branch(child, branches[depth + 1], must_place_king, deck, bases, kings, piles, draw, may_return, stock_place)
        depth += 1
    for k in range(states):
        extra[used[k]] = 0
    if outcome != SOLVED and is_cut:
        outcome = UNRESOLVED
    return outcome, states, length
