"""Search one Klondike game with all cards known: ordered depth-first over exact keys, so that its exhaustion is a proof.

In: a layout, a rule and a limit. Out: steps (kind << 6 | card) that turn every card face up, or the word that there are none.
Every restriction of the moves is argued in docs/klondike.md.
"""

from typing import Final

import numpy as np

from pipeline.games.klondike.solve.prune import is_lost, worth_returning
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
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import bare, inlined

SOLVED, IMPOSSIBLE, UNRESOLVED = 0, 1, 2

# A row of the stack is a position, then: steps that lead to it, how many steps lead on, how many of them were tried.
LENGTH, COUNT, TRIED = 5, 6, 7
STACK_FIELDS: Final = 8
BRANCHES: Final = 48  # 7 bases, 4 cards home, 24 of the stock, 4 returning, and some

_ANY: Final = (1 << 52) - 1
_BIT: Final = 1


@bare
def _add(kind, cards, row, branches):  # type: ignore[no-untyped-def]
    """Append a step of this kind for each of ``cards``, lower ranks first."""
    while cards:
        card = trailing_zeros(cards)
        cards &= cards - 1
        branches[row[COUNT]] = kind << 6 | card
        row[COUNT] += 1


@bare
def _branch(row, branches, use, relieved, deck, bases, kings, piles, may_return):  # type: ignore[no-untyped-def]
    """List the steps that lead on from a position, the promising first.

    After a card was taken from the stock, or a pile emptied, only steps that make use of it are listed: those that place one of ``use``, or
    send home the card ``relieved`` of what hangs on it (a set of one or none).
    """
    row[COUNT] = row[TRIED] = 0
    stock, tops, homes = row[STOCK], row[TOPS], row[HOMES]
    face_up = deck & ~(stock | row[HIDDEN] | homes)
    hanging = face_up & ~tops
    empty = empty_piles(tops, hanging, kings, piles)
    room = with_room(face_up, hanging)
    welcome = children_of(room) | (kings if empty > 0 else 0)
    welcome &= use
    rising = next_home(homes) & relieved & (stock | (face_up & room))
    _add(BASE, tops & welcome & ~bases, row, branches)
    _add(HOME, rising & tops & ~bases, row, branches)
    _add(HOME, rising & ~(tops & ~bases), row, branches)
    _add(TAKE, stock & welcome & ~room, row, branches)
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
    """Send home every card that is safe there, appending the steps; returns their new number."""
    while True:
        stock, homes = row[STOCK], row[HOMES]
        face_up = deck & ~(stock | row[HIDDEN] | homes)
        rising = next_home(homes) & safe_home(homes) & deck
        rising &= stock | (face_up & with_room(face_up, face_up & ~row[TOPS]))
        if rising == 0:
            return length
        card = trailing_zeros(rising)
        play(row, HOME, card, pile_of, under, stock_place)
        steps[length] = HOME << 6 | card
        length += 1


@bare
def _is_new(key, table, used, count):  # type: ignore[no-untyped-def]
    """Enter a key into the open-addressed ``table`` (0 = free; its size a power of two), noting the slot; whether it was not there."""
    mask = table.size - 1
    mixed = (key & 0x3FFFFFFF) * 0x2545F491 ^ (key >> 30) * 0x27D4EB2F  # no product reaches 2^63
    slot = (mixed ^ mixed >> 29) & mask
    while table[slot] != 0:
        if table[slot] == key:
            return False
        slot = (slot + 1) & mask
    table[slot] = key
    used[count] = slot
    return True


@inlined
def search(layout, ranks, piles, may_return, tables, table, used, stack, branches, steps):  # type: ignore[no-untyped-def]
    """Search a game; returns (outcome, states, steps written).

    ``table`` (all 0, and left so) has at least twice as many slots as ``used`` (int64[states allowed]); ``stack`` is int64[depth, 8],
    ``branches`` uint8[depth, 48], ``steps`` uint8[2 * depth + 52]; ``tables`` int64[3, 52] is room for the game's tables. A search that was
    cut short by the number of states or by depth is UNRESOLVED, never IMPOSSIBLE.
    """
    pile_of, under, stock_place = tables[0], tables[1], tables[2]
    deck, kings = (_BIT << (4 * ranks)) - 1, 15 << (4 * ranks - 4)
    bases = set_up(layout, ranks, piles, stack[0], pile_of, under, stock_place)
    outcome, states, depth, is_cut = IMPOSSIBLE, 0, 0, False
    length = _settle(stack[0], steps, 0, deck, pile_of, under, stock_place)
    stack[0, LENGTH] = length
    if stack[0, HIDDEN] == 0:
        return SOLVED, states, length
    _branch(stack[0], branches[0], _ANY, _ANY, deck, bases, kings, piles, may_return)
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
        play(child, kind, card, pile_of, under, stock_place)
        length = row[LENGTH]
        steps[length] = step
        length += 1
        use = relieved = _ANY
        if kind == TAKE:
            use, relieved = children_of(_BIT << card), _BIT << (card ^ 3)
        elif kind == BASE and under[card] < 0:
            use, relieved = kings, 0
        else:
            length = _settle(child, steps, length, deck, pile_of, under, stock_place)
            if child[HIDDEN] == 0:
                outcome = SOLVED
                break
            if states == used.size:
                is_cut = True
                break
            if not _is_new(child[KEY], table, used, states):
                continue
            states += 1
            if is_lost(child, deck, bases, kings, piles, under, may_return):
                continue
        child[LENGTH] = length
        _branch(child, branches[depth + 1], use, relieved, deck, bases, kings, piles, may_return)
        depth += 1
    for k in range(states):
        table[used[k]] = 0
    if outcome != SOLVED and is_cut:
        outcome = UNRESOLVED
    return outcome, states, length
