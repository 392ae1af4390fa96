"""Find the games and moves in the bytes of a catalogue file, compiled.

In: the bytes of a file of compact catalogue lines (``617:4r462r...``). Out: `Lines`, the places of the moves within these bytes, which
`rules.bulk` and `notation.bulk_convert` take as they are.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.rules.position import CELL, HOME
from pipeline.games.freecell.rules.texts import NO_PLACE, PLACES, skip_blanks
from pipeline.kernels.compile import inlined, kernel


class Lines(NamedTuple):
    """The lines of a catalogue that are neither blank nor a ``#`` comment; int64 arrays with one entry a line.

    ``line``: its number in the file, from 1. ``is_readable``: 1 where `catalogue` can read it, else 0. ``game_number``: 0 where it is not
    readable. ``starts`` and ``ends``: where its moves lie in the bytes, or the whole of a line that is not readable.
    """

    line: NDArray[np.int64]
    is_readable: NDArray[np.int64]
    game_number: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@inlined
def _skip_word(text, position, end):  # type: ignore[no-untyped-def]
    while position < end and not (text[position] == 32 or 9 <= text[position] <= 13):
        position += 1
    return position


@inlined
def _are_moves(text, start, end, places):  # type: ignore[no-untyped-def]
    """Whether characters are pairs of a source (column or place in the row) and a target (column, r or h)."""
    for at in range(start, end - 1, 2):
        source, target = places[text[at]], places[text[at + 1]]
        if source >= HOME or target == NO_PLACE or CELL <= target < HOME:
            return False
    return (end - start) % 2 == 0


@kernel
def _scan(text, last_game, places, line, is_readable, game_number, starts, ends):  # type: ignore[no-untyped-def]
    """Fill the arrays of `Lines`, which have room for every line; returns how many lines count."""
    found, number, after = 0, 0, 0
    while after < text.size:
        number += 1
        end = after
        while end < text.size and text[end] != 10 and text[end] != 13:
            end += 1
        at = first = skip_blanks(text, after, end)
        after = end + 2 if end + 1 < text.size and text[end] == 13 and text[end + 1] == 10 else end + 1
        if at == end or text[at] == 35:
            continue
        game = 0
        while at < end and 48 <= text[at] <= 57 and at - first < 11:
            game = game * 10 + np.int64(text[at]) - 48
            at += 1
        is_fine = first < at <= first + 10 and game <= last_game
        at = skip_blanks(text, at, end)
        is_fine = is_fine and at < end and text[at] == 58
        start = skip_blanks(text, min(at + 1, end), end)
        stop = _skip_word(text, start, end)
        at = skip_blanks(text, stop, end)
        if at < end and text[at] != 35:
            # A comment may begin within the word.
            stop -= 1
            while stop >= start and text[stop] != 35:
                stop -= 1
        is_fine = is_fine and stop >= start and _are_moves(text, start, stop, places)
        line[found], is_readable[found], game_number[found] = number, is_fine, game if is_fine else 0
        starts[found], ends[found] = (start, stop) if is_fine else (first, end)
        found += 1
    return found


def scan_catalogue(text: Any) -> Lines:
    """Find the lines of a compact catalogue given as uint8[bytes]; nothing is raised."""
    text = np.ascontiguousarray(text, np.uint8)
    room = int(np.count_nonzero((text == ord("\n")) | (text == ord("\r")))) + 1
    arrays = [np.empty(room, np.int64) for _ in Lines._fields]
    found = _scan(text, LAST_GAME, PLACES, *arrays)
    return Lines(*(array[:found] for array in arrays))
