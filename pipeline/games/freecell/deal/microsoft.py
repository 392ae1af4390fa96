"""Deal Microsoft FreeCell games: game number -> layout.

In: game numbers 0 .. 2^33 - 1. Out: uint8[n, 52] card codes in deal order.

Source of the rule: Jim Horne's published dealing algorithm (Microsoft C's generator) for numbers below 2^31, and for the two
branches above it the convention of the FreeCell programs that number beyond it (FreeCell Pro, PySol, Freecell Solver).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, CARDS, COLUMNS
from pipeline.cards.numbers import INCREMENT, MULTIPLIER, game_numbers
from pipeline.kernels.compile import kernel

LAST_GAME: Final = 2**33 - 1


def _jumps() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Multiplier and increment that lead from the first state straight to the state of draw k = 1 .. 52."""
    multipliers, increments = np.empty(CARDS, np.uint32), np.empty(CARDS, np.uint32)
    a, c = 1, 0
    for k in range(CARDS):
        a, c = a * MULTIPLIER % 2**32, (c * MULTIPLIER + INCREMENT) % 2**32
        multipliers[k], increments[k] = a, c
    return multipliers, increments


_MULTIPLIERS, _INCREMENTS = _jumps()
_RECIPROCAL_BITS: Final = 24
# ceil(2^24 / n) for the n = 52 .. 1 cards left at each draw: for a draw of at most 2^16, draw * reciprocal >> 24 is draw // n exactly,
# since the reciprocal is too large by less than n / 2^24 and 2^16 * 52 < 2^24.
_RECIPROCALS = np.array([-(-(2**_RECIPROCAL_BITS) // n) for n in range(CARDS, 0, -1)], np.uint32)


@kernel
def _deal(numbers, multipliers, increments, reciprocals, layouts):  # type: ignore[no-untyped-def]
    """Deal ``numbers`` (int64[n], each within range) into ``layouts`` (uint8[n, 52]).

    The 52 draws are independent of each other (each state follows from the first by one multiplication), so they are computed as vectors;
    only the shuffle itself is a chain.
    """
    picks = np.empty(52, np.uint32)
    deck = np.empty(52, np.uint8)
    for game in range(numbers.size):
        number = numbers[game]
        state = np.uint64(number & 0xFFFFFFFF)  # the third branch starts at number - 2^32
        mask = np.uint32(0xFFFF) if number >= 2**32 else np.uint32(0x7FFF)
        high_bit = np.uint32(0x8000) if 2**31 <= number < 2**32 else np.uint32(0)
        one = np.uint32(1) if number >= 2**32 else np.uint32(0)
        for k in range(52):
            # Products are of 32 bits by 32 bits, written so that the compiler sees it and uses vectors of them.
            next_state = np.uint32(
                (np.uint64(multipliers[k]) * state + np.uint64(increments[k])) & np.uint64(0xFFFFFFFF)
            )
            drawn = np.uint32((((next_state >> np.uint32(16)) & mask) | high_bit) + one)
            quotient = np.uint32((np.uint64(drawn) * np.uint64(reciprocals[k])) >> np.uint64(24))
            picks[k] = drawn - quotient * np.uint32(52 - k)
        for card in range(52):
            deck[card] = card
        for k in range(52):
            pick = np.int64(picks[k])
            layouts[game, k] = deck[pick]
            deck[pick] = deck[51 - k]


def deal(numbers: Any) -> NDArray[np.uint8]:
    """Deal games by number.

    ``numbers`` is an int, a range, or a sequence, NumPy array, Polars series or Arrow array of integers of any width. Returns uint8[n, 52]:
    row i is the layout of the i-th number in deal order, card k lying in column k % 8, row k // 8 (both from 0).
    Raises GameNumberError for a number outside 0 .. 2^33 - 1 or not an integer.
    """
    checked = game_numbers(numbers, LAST_GAME)
    layouts = np.empty((checked.size, CARDS), np.uint8)
    _deal(checked, _MULTIPLIERS, _INCREMENTS, _RECIPROCALS, layouts)
    return layouts


def deal_places(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Deal checked game numbers (`game_numbers`) place by place: uint8[52, at least n], row k holding the k-th card of each game.

    This is the order of a table's columns and of the statistics. Rows are padded to an odd number of cache lines: were they a multiple
    of a page apart, the 52 cards of a game would all fall into one set of the processor's cache.
    """
    lines = -(-numbers.size // 64) | 1
    places = np.empty((CARDS, lines * 64), np.uint8)
    _deal(numbers, _MULTIPLIERS, _INCREMENTS, _RECIPROCALS, places.T)
    return places


def board_rows(game_number: int) -> list[list[str]]:
    """Deal one game as seven rows of card names, of 8, 8, 8, 8, 8, 8 and 4 cards, in the order they are dealt.

    Raises GameNumberError for a number outside 0 .. 2^33 - 1.
    """
    names = [CARD_NAMES[card] for card in deal(game_number)[0]]
    return [names[start : start + COLUMNS] for start in range(0, CARDS, COLUMNS)]
