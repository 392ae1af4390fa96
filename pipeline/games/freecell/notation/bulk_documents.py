"""Find plain documents of standard notation in the bytes of a file, compiled.

In: the bytes of a file. Out: `Documents`: of each plain one (``GAME #617``, the dealt rows or nothing, lines of moves) the number and the
moves, and where the others stand, for `standard` to read. A test holds both to find the same.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import RANKS, SUITS
from pipeline.games.freecell.deal.microsoft import LAST_GAME, deal
from pipeline.games.freecell.rules.position import HOME
from pipeline.games.freecell.rules.texts import NO_PLACE, PLACES
from pipeline.kernels.compile import inlined, kernel

_FOUR_CELLS = PLACES.copy()
_FOUR_CELLS[np.frombuffer(b"efgkr", np.uint8)] = NO_PLACE

# The rank and the suit that a character names, each 64 for none: their sum is then no card.
_RANKS, _SUITS = np.full(256, 64, np.int64), np.full(256, 64, np.int64)
_RANKS[np.frombuffer(RANKS.encode(), np.uint8)] = np.arange(0, 52, 4)
_SUITS[np.frombuffer(SUITS.encode(), np.uint8)] = np.arange(4)


class Documents(NamedTuple):
    """Pieces of a file, each one plain document or a stretch of other text; one entry a piece.

    ``line``: the number of its first line, from 1. ``starts`` and ``ends``: where it lies in the bytes. ``is_plain``: 1 or 0.
    Of a plain one: ``game_number``, and its moves, separated by blanks, as ``text[offsets[i]:offsets[i + 1]]``.
    """

    line: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_plain: NDArray[np.int64]
    game_number: NDArray[np.int64]
    offsets: NDArray[np.int64]
    text: NDArray[np.uint8]


@inlined
def _game_line(text, at, end, last_game):  # type: ignore[no-untyped-def]
    """The number of a line ``GAME #617`` in any capitals, or -1."""
    if end - at < 7 or end - at > 16 or text[at + 4] != 32 or text[at + 5] != 35:
        return -1
    for k in range(4):
        if text[at + k] | 32 != (103, 97, 109, 101)[k]:
            return -1
    number = 0
    for k in range(at + 6, end):
        if not 48 <= text[k] <= 57:
            return -1
        number = number * 10 + np.int64(text[k]) - 48
    return number if number <= last_game else -1


@inlined
def _row_line(text, at, end, row, ranks, suits, layout):  # type: ignore[no-untyped-def]
    """Read one of the seven rows of a layout, cards between single blanks, into ``layout``; returns whether it is one."""
    cards = 8 if row < 6 else 4
    if end - at != 3 * cards - 1:
        return False
    for k in range(cards):
        card = ranks[text[at + 3 * k]] + suits[text[at + 3 * k + 1]]
        if card >= 52 or (k + 1 < cards and text[at + 3 * k + 2] != 32):
            return False
        layout[8 * row + k] = card
    return True


@inlined
def _moves_line(text, at, end, places, written, size):  # type: ignore[no-untyped-def]
    """Write the moves of a line that holds nothing else after ``written[:size]``; returns the new size, or -1 for any other line."""
    first = at
    while at < end and text[at] == 32:
        at += 1
    if at == end or (at == first and text[at] != 46):
        return -1
    at -= 1 if text[at] != 46 else 0
    while at < end:
        # At the character before a move: a blank, or a period for a single card.
        if end - at < 3 or (text[at] != 32 and text[at] != 46):
            return -1
        source, target = places[text[at + 1]], places[text[at + 2]]
        if source >= HOME or target == NO_PLACE:
            return -1
        if size > 0:
            written[size] = 32
            size += 1
        if text[at] == 46:
            written[size] = 46
            size += 1
        written[size], written[size + 1] = text[at + 1], text[at + 2]
        size += 2
        at += 3
    return size


@kernel
def _scan(  # type: ignore[no-untyped-def]
    text, last_game, places, ranks, suits, layouts, rows, line, starts, ends, is_plain, game_number, offsets, written
):
    """Fill the arrays of `Documents` and ``layouts`` with the rows shown (``rows`` of them); returns how many pieces there are."""
    found, number, after, size, has_moves, is_after_moves = 0, 0, 0, 0, False, False
    while after < text.size:
        number += 1
        at = end = after
        while end < text.size and text[end] != 10 and text[end] != 13:
            end += 1
        after = end + 2 if end + 1 < text.size and text[end] == 13 and text[end + 1] == 10 else end + 1
        stop = end
        while stop > at and (text[stop - 1] == 32 or text[stop - 1] == 9):
            stop -= 1
        if stop > at:
            game = _game_line(text, at, stop, last_game)
            if found == 0 or (game >= 0 and is_after_moves):
                line[found], starts[found], is_plain[found], game_number[found] = number, at, game >= 0, game
                rows[found], has_moves, is_after_moves, size = 0, False, False, 0
                offsets[found + 1] = offsets[found]
                found += 1
            else:
                one = found - 1
                more = _moves_line(text, at, stop, places, written[offsets[one] :], size)
                if more >= 0 and rows[one] % 7 == 0:
                    has_moves, size = True, more
                elif (
                    not has_moves and rows[one] < 7 and _row_line(text, at, stop, rows[one], ranks, suits, layouts[one])
                ):
                    rows[one] += 1
                else:
                    is_plain[one] = 0
                is_after_moves = more >= 0
                offsets[found] = offsets[one] + (size if is_plain[one] else 0)
        if found > 0:
            ends[found - 1] = min(after, text.size)
            if not has_moves and after >= text.size:
                is_plain[found - 1] = 0
                offsets[found] = offsets[found - 1]
    return found


def scan_documents(text: Any) -> Documents:
    """Find the documents in a file of standard notation given as uint8[bytes], with at most four freecells; nothing is raised."""
    text = np.ascontiguousarray(text, np.uint8)
    room = int(np.count_nonzero(text == ord("#"))) + 1
    layouts, rows = np.zeros((room, 52), np.uint8), np.empty(room, np.int64)
    line, starts, ends, is_plain, game_number = (np.empty(room, np.int64) for _ in range(5))
    offsets = np.zeros(room + 1, np.int64)
    written = np.empty(4 * text.size // 3 + 8, np.uint8)  # three characters a move become four at most
    arrays = line, starts, ends, is_plain, game_number, offsets, written
    found = _scan(text, LAST_GAME, _FOUR_CELLS, _RANKS, _SUITS, layouts, rows, *arrays)
    shows = np.flatnonzero((rows[:found] > 0) & (is_plain[:found] == 1))
    is_other = (layouts[shows] != deal(game_number[shows])).any(axis=1) | (rows[shows] != 7)
    is_plain[shows[is_other]] = 0
    return Documents(
        line[:found],
        starts[:found],
        ends[:found],
        is_plain[:found],
        game_number[:found],
        offsets[: found + 1],
        written[: offsets[found]],
    )
