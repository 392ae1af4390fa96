"""Rewrite many solutions for another automove rule, compiled: catalogue lines become texts in standard notation.

In: layouts uint8[n, 52] and moves as bytes with starts and ends. Out: bytes and offsets (Arrow's layout of strings). A rule
that sends fewer cards home than the text was made for gets the rest as written home moves, which is the remedy Campbell's
Standard FreeCell Notation (2012) gives for other automoves.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.bulk import check_texts, rule_code
from pipeline.games.freecell.rules.compiled import BOARD, EXPOSED, LEGAL, WHERE, due, play_move, send_home, set_up
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.rules.position import HOME, PLACE_LETTERS
from pipeline.games.freecell.rules.texts import PLACES, find_cells, read_move, skip_blanks
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import kernel

_LETTERS = np.frombuffer(PLACE_LETTERS.encode(), np.uint8)
_LONGEST_MOVE = 4  # ".57 "


class Texts(NamedTuple):
    """Strings as Arrow holds them: the i-th is ``text[offsets[i]:offsets[i + 1]]``; uint8[bytes] and int64[n + 1]."""

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]


@kernel
def _rewrite(  # type: ignore[no-untyped-def]
    layouts,
    text,
    starts,
    ends,
    places,
    is_packed,
    automove,
    initial,
    limit,
    freecells,
    target,
    letters,
    written,
    offsets,
):
    """Write each text anew for the automove rule ``target``, which sends no card that ``automove`` does not send.

    An illegal text becomes an empty one. ``written`` has four bytes for each move of the texts and for each of a game's 52 home moves.
    """
    board, row = np.empty(BOARD, np.int64), np.empty(9, np.int64)
    move, detail = np.empty(3, np.int64), np.empty(4, np.int64)
    at = 0
    offsets[0] = 0
    for game in range(starts.size):
        start_at = at
        done = 0
        set_up(board, layouts[game], target)
        row[0] = 0
        end = ends[game]
        position = skip_blanks(text, starts[game], end)
        is_home_due = initial
        while True:
            if is_home_due:
                # All that `automove` sends and `target` did not send: one written move, then whatever `target` sends after it.
                ready = board[EXPOSED] & due(board, automove)
                is_home_due = ready != 0
                if not is_home_due:
                    continue
                move[0], move[1], move[2] = board[WHERE + trailing_zeros(ready)], HOME, 0
            else:
                if position >= end or done == 52:
                    break
                position = read_move(text, position, end, places, is_packed, move)
                if position < 0 or (is_packed and find_cells(board, row, freecells, move) != LEGAL):
                    at = start_at
                    break
                position = skip_blanks(text, position, end)
            if play_move(board, move[0], move[1], move[2] == 1, limit, target, freecells, detail) != LEGAL:
                at = start_at
                break
            if at > start_at:
                written[at] = 32
                at += 1
            if move[2] == 1:
                written[at] = 46
                at += 1
            written[at], written[at + 1] = letters[move[0]], letters[move[1]]
            at += 2
            done += send_home(board, target) + (move[1] == HOME)
            is_home_due = target != automove
        offsets[game + 1] = at


def rewrite_many(
    layouts: Any,
    text: Any,
    starts: Any,
    ends: Any,
    *,
    is_catalogue: bool = False,
    automove: str = "max",
    initial: bool = True,
    limit: str = "doubling",
    freecells: int = 4,
    to_automove: str = "max",
) -> Texts:
    """Write solutions as standard notation for the rule ``to_automove`` with no automove before the first move.

    ``text[starts[i]:ends[i]]`` is played on ``layouts[i]`` (uint8[n, 52]) under the other rules, as catalogue moves or as standard
    notation; what is written after the winning move is left out, and an illegal text becomes an empty one (replay it for the reason).
    Raises InputError where ``to_automove`` would send cards that ``automove`` leaves.
    """
    layouts, text, starts, ends = check_texts(layouts, text, starts, ends, freecells)
    rule = rule_code(AUTOMOVE_RULES, automove, "automove rule")
    target = rule_code(AUTOMOVE_RULES, to_automove, "automove rule")
    if target > rule:
        raise InputError(
            f"moves made for automove {automove} cannot be written for {to_automove}, which sends more cards home"
        )
    # A move takes two characters at least; a text that is read to no end is cut by its own end.
    capacity = _LONGEST_MOVE * int(np.maximum(ends - starts, 0).sum() // 2 + 53 * starts.size)
    written, offsets = np.empty(capacity, np.uint8), np.empty(starts.size + 1, np.int64)
    rules = (is_catalogue, rule, bool(initial), rule_code(LIMITS, limit, "limit"), freecells, target)
    _rewrite(layouts, text, starts, ends, PLACES, *rules, _LETTERS, written, offsets)
    return Texts(written[: offsets[-1]], offsets)
