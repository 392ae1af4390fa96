"""Replay many Klondike games at once, compiled: stock and waste card by card, by the rules of `rules.replay`.

In: layouts uint8[n, 52] and moves as bytes (16 * source box + target box, a byte each draw) with offsets. Out: verdicts, arrays of n.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.kernels.compile import inlined, kernel

CAPACITY = 20  # a pile of 7 can hold 6 cards face down under a run of 13
WITHOUT_LIMIT = 1 << 40
"""Times that the waste may be turned back where no rule limits them: more than any game has moves."""


@inlined
def _fits(card, below):  # type: ignore[no-untyped-def]
    """Whether a card lies in order on another: one rank lower, of the other colour."""
    is_red, other_is_red = (card & 3) % 3 != 0, (below & 3) % 3 != 0
    return (card >> 2) + 1 == below >> 2 and is_red != other_is_red


@inlined
def lay_out(layout, draw, turns, stock, piles, heights, face_down, home, sizes):  # type: ignore[no-untyped-def]
    """Deal a layout into the boxes, the last card of a row its top.

    ``sizes`` holds how many cards lie in stock and waste, how many a draw turns, and how often the waste may still be turned back.
    """
    place = 0
    for pile in range(7):
        heights[pile], face_down[pile] = pile + 1, pile
        for row in range(pile + 1):
            piles[pile, row] = layout[place]
            place += 1
    for k in range(24):
        stock[23 - k] = layout[28 + k]
    sizes[0], sizes[1], sizes[2], sizes[3] = 24, 0, draw, turns
    home[:] = 0


@inlined
def play_move(move, may_return, stock, waste, piles, heights, face_down, home, sizes):  # type: ignore[no-untyped-def]
    """Play one move and return 0, or return why it is illegal (`rules.replay.Reason`); ``sizes`` is that of `lay_out`."""
    source, target = move >> 4, move & 15
    if move == 1:
        if sizes[0] == 0 and sizes[1] == 0:
            return 1
        if sizes[0] > 0:
            for _ in range(min(sizes[0], sizes[2])):
                waste[sizes[1]] = stock[sizes[0] - 1]
                sizes[0], sizes[1] = sizes[0] - 1, sizes[1] + 1
        else:
            if sizes[3] == 0:
                return 10
            sizes[3] -= 1
            for k in range(sizes[1]):
                stock[k] = waste[sizes[1] - 1 - k]
            sizes[0], sizes[1] = sizes[1], 0
        return 0
    if source < 1 or source > 12 or target < 2 or target > 12 or source == target or (source > 8 and target > 8):
        return 2
    pile = source - 2
    if source == 1:
        left = sizes[1]
    elif source <= 8:
        left = heights[pile]
    else:
        left = home[source - 9]
    if left == 0:
        return 3
    if source == 1:
        card = waste[left - 1]
    elif source <= 8:
        card = piles[pile, left - 1]
    else:
        card = 4 * (left - 1) + source - 9
    count = 1
    if target > 8:
        if card & 3 != target - 9:
            return 7
        if card >> 2 != home[target - 9]:
            return 8
        home[target - 9] += 1
    else:
        if source > 8 and not may_return:
            return 4
        onto, height = target - 2, heights[target - 2]
        most = left - face_down[pile] if 2 <= source <= 8 else 1
        while count <= most:
            if 2 <= source <= 8:
                card = piles[pile, left - count]
            if (card >> 2 == 12) if height == 0 else _fits(card, piles[onto, height - 1]):
                break
            count += 1
        if count > most:
            return 5 if height == 0 else 6
        for k in range(count):
            piles[onto, height + k] = piles[pile, left - count + k] if 2 <= source <= 8 else card
        heights[onto] += count
    if source == 1:
        sizes[1] -= 1
    elif source <= 8:
        heights[pile] -= count
        if heights[pile] > 0 and face_down[pile] == heights[pile]:
            face_down[pile] -= 1
    else:
        home[source - 9] -= 1
    return 0


@kernel
def _replay(layouts, moves, offsets, may_return, draw, turns, played, reasons, homes):  # type: ignore[no-untyped-def]
    """Play ``moves[offsets[i]:offsets[i + 1]]`` of each game: fills played int64[n], reasons uint8[n], homes uint8[n, 4]."""
    stock, waste, sizes = np.empty(24, np.int64), np.empty(24, np.int64), np.empty(4, np.int64)
    piles, heights, face_down = np.empty((7, CAPACITY), np.int64), np.empty(7, np.int64), np.empty(7, np.int64)
    home = np.empty(4, np.int64)
    for game in range(played.size):
        lay_out(layouts[game], draw, turns, stock, piles, heights, face_down, home, sizes)
        played[game] = offsets[game + 1] - offsets[game]
        reasons[game] = 0
        for k in range(offsets[game], offsets[game + 1]):
            reason = 9
            if home[0] + home[1] + home[2] + home[3] < 52:
                move = np.int64(moves[k])
                reason = play_move(move, may_return, stock, waste, piles, heights, face_down, home, sizes)
            if reason != 0:
                played[game] = k - offsets[game]
                reasons[game] = reason
                break
        for suit in range(4):
            homes[game, suit] = home[suit]


@dataclass(frozen=True)
class Verdicts:
    """What became of each game: moves played (int64[n]), why the next is illegal (uint8[n], 0: all legal), cards home (uint8[n, 4])."""

    played: NDArray[np.int64]
    reason: NDArray[np.uint8]
    home: NDArray[np.uint8]

    @property
    def is_won(self) -> NDArray[np.bool_]:
        """Whether every move was legal and the last one brought the last card home."""
        return (self.reason == 0) & (self.home.sum(axis=1) == 52)


def turns_of(passes: int | None) -> int:
    """How often the waste may be turned back in so many passes through the stock."""
    return WITHOUT_LIMIT if passes is None else passes - 1


def replay_klondike_many(
    layouts: Any, moves: Any, offsets: Any, may_return: bool = True, draw: int = 1, passes: int | None = None
) -> Verdicts:
    """Replay the moves ``moves[offsets[i]:offsets[i + 1]]`` (uint8, 16 * source + target) from ``layouts[i]`` (uint8[n, 52]).

    ``may_return``, ``draw`` and ``passes`` are the rules, as `rules.replay.replay_klondike` has them.
    Raises InputError for arrays that do not fit each other, never for what the moves do.
    """
    layouts, moves = np.ascontiguousarray(layouts, np.uint8), np.ascontiguousarray(moves, np.uint8)
    offsets = np.ascontiguousarray(offsets, np.int64)
    games = offsets.size - 1
    if layouts.shape != (games, 52) or offsets[0] < 0 or offsets[-1] > moves.size or (np.diff(offsets) < 0).any():
        raise InputError(f"layouts of shape {layouts.shape} do not fit the moves of {games} games")
    if games and (np.sort(layouts, axis=1) != np.arange(52)).any():
        raise InputError("a layout does not hold each of the 52 cards once")
    verdicts = Verdicts(np.empty(games, np.int64), np.empty(games, np.uint8), np.empty((games, 4), np.uint8))
    _replay(
        layouts, moves, offsets, may_return, draw, turns_of(passes), verdicts.played, verdicts.reason, verdicts.home
    )
    return verdicts
