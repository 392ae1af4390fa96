"""Find the games and moves in the bytes of a catalogue file, compiled.

In: the bytes of a file of compact catalogue lines (``617:4r462r...``). Out: `Lines`, the places of the moves within these bytes, which
`play.bulk` and `notation.bulk_convert` take as they are. `tables`, `run` and `cli` import it.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.kernel import kernel
from pipeline.deal.microsoft import LAST_GAME
from pipeline.play.texts import skip_blanks

PROBLEMS: Final = ("", "not a catalogue line (game:moves)", f"the game number is above {LAST_GAME}")
_FINE, _NO_LINE, _TOO_LARGE = range(3)


class Lines(NamedTuple):
    """The lines of a catalogue that are neither blank nor a ``#`` comment; each array has one entry a line.

    ``game_number`` int64 (0 where the line has a problem); ``starts`` and ``ends`` int64: where its moves lie in the bytes;
    ``line`` int64: its number in the file, from 1; ``problem`` int64: an index into `PROBLEMS`, 0 for none.
    """

    game_number: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    line: NDArray[np.int64]
    problem: NDArray[np.int64]


@kernel
def _scan(text, last_game, game_number, starts, ends, line, problem):  # type: ignore[no-untyped-def]
    """Fill the arrays of `Lines`, which have room for every line; returns how many lines count."""
    found, number, at = 0, 0, 0
    while at < text.size:
        number += 1
        end = at
        while end < text.size and text[end] != 10:
            end += 1
        at = skip_blanks(text, at, end)
        if at < end and text[at] != 35:
            game, first = 0, at
            while at < end and 48 <= text[at] <= 57:
                game = min(game * 10 + text[at] - 48, last_game + 1)
                at += 1
            is_line = at > first
            at = skip_blanks(text, at, end)
            is_line = is_line and at < end and text[at] == 58
            at = skip_blanks(text, min(at + 1, end), end)
            starts[found], line[found] = at, number
            while at < end and text[at] != 35 and not (text[at] == 32 or 9 <= text[at] <= 13):
                at += 1
            ends[found] = at
            at = skip_blanks(text, at, end)
            is_line = is_line and (at == end or text[at] == 35)
            problem[found] = _NO_LINE if not is_line else _TOO_LARGE if game > last_game else _FINE
            game_number[found] = game if problem[found] == _FINE else 0
            found += 1
        at = end + 1
    return found


def scan_catalogue(text: Any) -> Lines:
    """Find the lines of a compact catalogue given as uint8[bytes]; what is wrong with a line is said in it, nothing is raised."""
    text = np.ascontiguousarray(text, np.uint8)
    room = int(np.count_nonzero(text == ord("\n"))) + 1
    arrays = [np.empty(room, np.int64) for _ in Lines._fields]
    found = _scan(text, LAST_GAME, *arrays)
    return Lines(*(array[:found] for array in arrays))
