"""The columnless state of a FreeCell position, and the operations on it that every search shares.

In: where each card lies. Out: rows of states with masks and additive sums, changed in place.

A state says of each card what it lies on: another card, EMPTY (it is the base of a column), FREE (it is in a cell) or
HOME. The order of columns and of cells never appears, so positions that differ only in that order are one state, and
a supermove of any length changes one byte: the place of its deepest card. States are rows of one pool, seen through
two arrays over the same memory: ``places`` (uint8) and ``words`` (int64).

| words | holds |
| --- | --- |
| 0 .. 6 | bytes 0 .. 51: the place of each card |
| EXPOSED | mask of the cards at the open end of a column: as many as there are columns with cards |
| CELLS | mask of the cards in cells |
| NEXT | mask of the next card of each foundation; a full foundation's is one that never comes (bits 52 .. 55) |
| SUMS .. | additive quantities of a search (scores, keys): each the sum over cards of ``table[slot(card, place)]`` |
| after them | what a search keeps beside its states |

A deck with fewer ranks is one whose higher cards are home from the start. Codes of cards: `pipeline.cards.codes`.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import is_in_order, is_red, rank_of, suit_of
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import bare, inlined

CARDS: Final = 52
EMPTY: Final = 52
FREE: Final = 53
HOME: Final = 54

SLOTS: Final = CARDS * 64
"""Length of a table over (card, place): a power of two a card, so that a slot is found by a shift."""

EXPOSED: Final = 7
CELLS: Final = 8
NEXT: Final = 9
SUMS: Final = 10


def _mask(cards: Any) -> int:
    return sum(1 << card for card in cards)


PARENTS: Final = np.array([_mask(below for below in range(CARDS) if is_in_order(card, below)) for card in range(CARDS)])
"""int64[52]: the cards that each card may be put on, as a mask."""


def _home_rule(rule: str) -> list[list[int]]:
    """For each card the masks of two ways to go home: it does when no foundation's next card is in one of them."""

    def awaited(card: int, other_colour: int, same_colour: int) -> int:
        """Cards that must be home: so many ranks below, of the other colour and of the other suit of this colour."""
        return _mask(
            other
            for other in range(CARDS)
            if suit_of(other) != suit_of(card)
            and rank_of(other) <= rank_of(card) - (same_colour if is_red(other) == is_red(card) else other_colour)
        )

    never = _mask(range(CARDS + 4))
    horne = [awaited(card, 1, 99) if rank_of(card) > 2 else 0 for card in range(CARDS)]
    both = {
        "none": [[never] * CARDS] * 2,
        "horne": [horne, horne],
        "wkr": [horne, [awaited(card, 2, 3) for card in range(CARDS)]],
        "max": [[0] * CARDS] * 2,
    }
    return both[rule]


HOME_RULES: Final[dict[str, NDArray[np.int64]]] = {
    rule: np.array(_home_rule(rule), np.int64) for rule in ("none", "horne", "wkr", "max")
}
"""int64[2, 52] by automove rule, for `goes_home`: never, Horne's and WKR (Campbell's text of 2012), as soon as it can.

The first three lose no solution: a card goes only when no card still in play can need it to lie on.
"""


def new_pool(states: int, words: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Make room for states of this many words each: (words int64[states, words], places uint8[states, 8 * words])."""
    pool = np.zeros((states, words), np.int64)
    return pool, pool.view(np.uint8)


def position_places(
    columns: Sequence[Sequence[int]], cells: Sequence[int] = (), foundations: Sequence[int] | None = None
) -> NDArray[np.uint8]:
    """Tell where each card lies in a position: uint8[52].

    ``columns`` are cards from the base to the open end, ``foundations`` the number of cards home in each suit (C, D,
    H, S). Cards that are nowhere are home: the lower ones in any case, the higher ones because the deck does not have
    them. Each card is given once.
    """
    places = np.full(CARDS, HOME, np.uint8)
    for column in columns:
        for depth, card in enumerate(column):
            places[card] = column[depth - 1] if depth else EMPTY
    places[list(cells)] = FREE
    for suit, height in enumerate(foundations or ()):
        assert (places[suit : 4 * height : 4] == HOME).all(), "a card is home and in play"
    return places


@bare
def slot(card, place):  # type: ignore[no-untyped-def]
    """Index of (card, place) in a table of SLOTS entries."""
    return (np.int64(card) << 6) | np.int64(place)


@bare
def bit(card):  # type: ignore[no-untyped-def]
    """The mask of one card."""
    return np.int64(1) << np.int64(card)


@bare
def lay_out(places, row, layout, columns):  # type: ignore[no-untyped-def]
    """Write the places of a layout (uint8[n], in deal order over this many columns; n a multiple of 4, up to 52)."""
    for card in range(layout.size, CARDS):
        places[row, card] = HOME
    for k in range(layout.size):
        places[row, layout[k]] = layout[k - columns] if k >= columns else EMPTY


@bare
def settle(words, places, row, table):  # type: ignore[no-untyped-def]
    """Compute the masks and the sums of a row from its places; ``table`` is int64[SLOTS, number of sums]."""
    exposed = np.int64(0)
    covered = np.int64(0)
    cells = np.int64(0)
    in_play = np.int64(0)
    for card in range(CARDS):
        place = np.int64(places[row, card])
        if place == FREE:
            cells |= bit(card)
        elif place != HOME:
            exposed |= bit(card)
            if place < CARDS:
                covered |= bit(place)
        if place != HOME:
            in_play |= bit(card)
    words[row, EXPOSED] = exposed & ~covered
    words[row, CELLS] = cells
    words[row, NEXT] = 0
    for suit in range(4):
        of_suit = (in_play | bit(52 + suit)) & (np.int64(0x11111111111111) << suit)
        words[row, NEXT] |= bit(trailing_zeros(of_suit))
    for k in range(table.shape[1]):
        total = np.int64(0)
        for card in range(CARDS):
            total += table[slot(card, places[row, card]), k]
        words[row, SUMS + k] = total


@bare
def put(words, places, row, card, place, table):  # type: ignore[no-untyped-def]
    """Move a card, with whatever lies on it, to another place, and keep masks and sums.

    The caller answers for the rules: to a cell or home only an exposed card goes, home only the next one; no card
    comes back from there.
    """
    old = np.int64(places[row, card])
    exposed = words[row, EXPOSED]
    if old < CARDS:
        exposed |= bit(old)
    elif old == FREE:
        words[row, CELLS] ^= bit(card)
        exposed |= bit(card)
    if place < CARDS:
        exposed ^= bit(place)
    elif place == FREE:
        exposed ^= bit(card)
        words[row, CELLS] |= bit(card)
    elif place == HOME:
        exposed ^= bit(card)
        words[row, NEXT] += bit(card + 4) - bit(card)
    words[row, EXPOSED] = exposed
    places[row, card] = place
    for k in range(table.shape[1]):
        words[row, SUMS + k] += table[slot(card, place), k] - table[slot(card, old), k]


@bare
def goes_home(card, next_cards, home_rule):  # type: ignore[no-untyped-def]
    """Whether an exposed next card of its foundation goes home by itself under a rule of `HOME_RULES`."""
    return (next_cards & home_rule[0, card]) == 0 or (next_cards & home_rule[1, card]) == 0


@bare
def automove(words, places, row, home_rule, table):  # type: ignore[no-untyped-def]
    """Send home every card that goes by itself, one after the other; returns their number."""
    sent = 0
    home = np.int64(HOME)  # a literal argument would be compiled apart
    ready = (words[row, EXPOSED] | words[row, CELLS]) & words[row, NEXT]
    while ready != 0:
        card = trailing_zeros(ready)
        ready &= ready - 1
        if goes_home(card, words[row, NEXT], home_rule):
            put(words, places, row, card, home, table)
            sent += 1
            ready = (words[row, EXPOSED] | words[row, CELLS]) & words[row, NEXT]
    return sent


@inlined
def exact_keys(places, row, parents, table, first):  # type: ignore[no-untyped-def]
    """Fill two columns of a table so that their sums are an exact key of every state that can follow from a row.

    A card can only ever lie where it lies now, on one of its two parents, on an empty column, in a cell, or be home:
    six places at most. The key is the number with one such digit a card. An ace's places are two, as every rule sends
    it home at once (all but ``none``). That makes less than 2^126, in two words of less than 2^64 that wrap around;
    the digits go to the word that is smaller so far. The columns ``first`` and ``first + 1`` of the table are valid
    for this row's game alone.
    """
    units = np.ones(2, np.int64)
    size = np.zeros(2)  # log2 of the units, to see which word has room
    for high in range(CARDS):  # kings first: few places; twos and aces last
        card = CARDS - 1 - high
        place = np.int64(places[row, card])
        word = 0 if size[0] <= size[1] else 1
        unit = units[word]
        table[slot(card, place), first] = 0
        table[slot(card, place), first + 1] = 0
        if place == HOME:
            continue
        digit = 0
        beneath = parents[card] | bit(EMPTY) | bit(FREE) if card >= 4 else np.int64(0)
        beneath = (beneath | bit(HOME)) & ~bit(place)
        while beneath != 0:
            other = trailing_zeros(beneath)
            beneath &= beneath - 1
            digit += 1
            table[slot(card, other), first + word] = digit * unit
            table[slot(card, other), first + 1 - word] = 0
        units[word] = unit * (digit + 1)
        size[word] += np.log2(digit + 1)
