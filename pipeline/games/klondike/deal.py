"""Deal the Klondike games of the 13-box program: game number -> layout.

In: game numbers 0 .. 99,999,999. Out: uint8[n, 52] card codes, 28 of the tableau and 24 of the stock.

Source of the rule: the published account of the 13-box Klondike (PSP, Windows, QNX), whose number has five digits,
eight in its later version. A number belongs to its C library: here Microsoft C's ``srand`` and ``rand``, as in the
Windows program.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, CARDS
from pipeline.cards.numbers import INCREMENT, MULTIPLIER, game_numbers
from pipeline.kernels.compile import kernel

LAST_GAME: Final = 99_999_999
PILES: Final = 7
TABLEAU: Final = PILES * (PILES + 1) // 2
STOCK: Final = CARDS - TABLEAU

PLACES: Final[tuple[str, ...]] = tuple(
    [f"c{pile}r{row}" for pile in range(1, PILES + 1) for row in range(1, pile + 1)]
    + [f"s{place:02}" for place in range(1, STOCK + 1)]
)
"""The place of each of the 52 cards of a layout: c1r1, c2r1, c2r2, .. c7r7 as they are dealt (row 1 at the base),
then s01 (drawn first) .. s24."""

# Box 0 from the bottom to the top: spades, hearts, clubs, diamonds, each from the ace to the king.
_DECK = np.array([4 * rank + suit for suit in (3, 2, 0, 1) for rank in range(13)], np.uint8)


@kernel
def _deal(numbers, deck, multiplier, increment, layouts):  # type: ignore[no-untyped-def]
    """Deal ``numbers`` (int64[n]) into ``layouts`` (uint8[n, 52]).

    The pool (boxes 0 and 1) is a row of cards with a mark: ``above`` cards lie in box 0, the others, in the same order,
    in box 1. A rotation lowers the mark by one, and from 0 it leaps back to the top, so r rotations of a pool of n
    cards are one step modulo n + 1.
    """
    pool = np.empty(52, np.uint8)
    for game in range(numbers.size):
        pool[:] = deck
        left = above = 52
        state = numbers[game]
        place = 0
        while place < 28:
            state = (multiplier * state + increment) & 0xFFFFFFFF
            rotations = (100 * ((state >> 16) & 0x7FFF)) // 32767 + 1
            above = (above - rotations) % (left + 1)
            if above == 0:  # box 0 is empty: nothing to move, and the program draws again
                continue
            above -= 1
            left -= 1
            layouts[game, place] = pool[above]
            for k in range(above, left):
                pool[k] = pool[k + 1]
            place += 1
        for k in range(left):
            layouts[game, 28 + k] = pool[left - 1 - k]


def deal_klondike(numbers: Any) -> NDArray[np.uint8]:
    """Deal Klondike games by number.

    ``numbers`` is an int, a range, or a sequence, NumPy array, Polars series or Arrow array of integers of any width.
    Returns uint8[n, 52]: row i is the layout of the i-th number, a card for each of `PLACES`. Raises GameNumberError
    for a number outside 0 .. 99,999,999 or not an integer.
    """
    checked = game_numbers(numbers, LAST_GAME)
    layouts = np.empty((checked.size, CARDS), np.uint8)
    _deal(checked, _DECK, MULTIPLIER, INCREMENT, layouts)
    return layouts


def piles_of(layout: NDArray[np.uint8]) -> list[list[int]]:
    """Split one layout (uint8[52]) into its seven piles of card codes, base first."""
    return [layout[n * (n - 1) // 2 : n * (n + 1) // 2].tolist() for n in range(1, PILES + 1)]


def stock_of(layout: NDArray[np.uint8]) -> list[int]:
    """List the 24 stock cards of one layout (uint8[52]) in the order in which they are drawn."""
    return layout[TABLEAU:].tolist()


def klondike_rows(game_number: int) -> list[list[str]]:
    """Deal one game as card names: seven piles, base first, then the stock in the order it is drawn.

    Raises GameNumberError for a number outside 0 .. 99,999,999.
    """
    layout = deal_klondike(game_number)[0]
    return [[CARD_NAMES[card] for card in box] for box in [*piles_of(layout), stock_of(layout)]]
