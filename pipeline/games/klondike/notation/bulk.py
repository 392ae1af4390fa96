"""Klondike moves as text, whole columns at once, compiled: the notation of `notation.text`.

In: moves as bytes (16 * source box + target box, a byte each draw) or their texts, both in Arrow's layout of data and offsets. Out: the
other.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import NotationError
from pipeline.games.klondike.notation.text import BOX_LETTERS, MOST_DRAWS
from pipeline.kernels.compile import kernel

_LETTERS: Final = np.frombuffer(BOX_LETTERS.encode(), np.uint8)
_BOXES: Final = np.full(256, 255, np.uint8)
_BOXES[_LETTERS[1:]] = np.arange(1, _LETTERS.size)
_MOST_DRAWS: Final = MOST_DRAWS  # digits of a number of draws: three


@kernel
def _write(moves, offsets, letters, text, ends):  # type: ignore[no-untyped-def]
    """Write the moves of each game into ``text`` (eight bytes a move are enough), its end into ``ends`` (int64[n])."""
    at = 0
    for game in range(ends.size):
        k, last = offsets[game], offsets[game + 1]
        first = at
        while k < last:
            if at > first:
                text[at] = 32
                at += 1
            if moves[k] == 1:
                draws = 0
                while k < last and moves[k] == 1 and draws < _MOST_DRAWS:
                    draws += 1
                    k += 1
                text[at], text[at + 1], text[at + 2], text[at + 3] = 100, 114, 97, 119
                at += 4
                divisor = 100
                while divisor > 0:
                    if draws > 1 and draws >= divisor:
                        text[at] = 48 + draws // divisor % 10
                        at += 1
                    divisor //= 10
            else:
                text[at], text[at + 1] = letters[moves[k] >> 4], letters[moves[k] & 15]
                at += 2
                k += 1
        ends[game] = at


@kernel
def _read(text, offsets, boxes, moves, ends):  # type: ignore[no-untyped-def]
    """Read the words of each text into ``moves``; returns the game of the first text that `_write` would not write, -1 if there is none.

    Also returns early, with -2, when ``moves`` is too short.
    """
    at = 0
    for game in range(ends.size):
        k, last = offsets[game], offsets[game + 1]
        while k < last:
            if last - k >= 4 and text[k] == 100 and text[k + 1] == 114 and text[k + 2] == 97 and text[k + 3] == 119:
                k += 4
                draws = 0
                while k < last and 48 <= text[k] <= 57 and draws < 100:
                    draws = 10 * draws + np.int64(text[k]) - 48
                    k += 1
                draws = max(draws, 1)
                if at + draws > moves.size:
                    return -2
                for _ in range(draws):
                    moves[at] = 1
                    at += 1
            else:
                if last - k < 2 or boxes[text[k]] == 255 or boxes[text[k + 1]] == 255:
                    return game
                if at == moves.size:
                    return -2
                moves[at] = boxes[text[k]] << 4 | boxes[text[k + 1]]
                at += 1
                k += 2
            if k < last:
                if text[k] != 32:
                    return game
                k += 1
        ends[game] = at
    return -1


def write_klondike_texts(moves: Any, offsets: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Write the moves of many games (uint8[m], int64[n + 1]) as texts; returns their bytes and offsets, int64[n + 1]."""
    moves, offsets = np.ascontiguousarray(moves, np.uint8), np.ascontiguousarray(offsets, np.int64)
    text, ends = np.empty(8 * moves.size, np.uint8), np.empty(offsets.size - 1, np.int64)
    _write(moves, offsets, _LETTERS, text, ends)
    written = np.concatenate(([0], ends))
    return text[: written[-1]], written


def read_klondike_texts(text: Any, offsets: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Read texts (uint8[bytes], int64[n + 1]) as written by `write_klondike_texts`; returns the moves and their offsets, int64[n + 1].

    Raises NotationError with the index of the first text that is not in the notation.
    """
    text, offsets = np.ascontiguousarray(text, np.uint8), np.ascontiguousarray(offsets, np.int64)
    ends = np.empty(offsets.size - 1, np.int64)
    size = 4 * text.size + 1024
    wrong = -2
    while wrong == -2:
        moves = np.empty(size, np.uint8)
        wrong = _read(text, offsets, _BOXES, moves, ends)
        size *= 8
    if wrong >= 0:
        raise NotationError(f"text {wrong} is not in the notation of Klondike moves")
    read = np.concatenate(([0], ends))
    return moves[: read[-1]], read
