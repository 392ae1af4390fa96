"""Replay many solutions at once, compiled: arrays in, verdicts out.

In: layouts uint8[n, 52] and moves as bytes with offsets (Arrow's layout of strings). Out: `Verdicts`.
`rules.replay` judges the same in plain code; a test holds the two equal on altered, cut and mixed-up texts.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES
from pipeline.cards.errors import InputError
from pipeline.games.freecell.rules import compiled
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.compiled import BOARD, LEGAL, NO_PLACE, UNREADABLE, play_move, send_home, set_up
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.rules.position import HOME, PLACE_LETTERS
from pipeline.games.freecell.rules.texts import PLACES, count_moves, find_cells, read_move, skip_blanks
from pipeline.kernels.compile import kernel

RESULTS: Final = ("unfinished", "won", "illegal")
UNFINISHED, WON, ILLEGAL = range(3)
_NOT_A_LAYOUT: Final = 3
# The columns of a verdict.
RESULT, ILLEGAL_MOVE, REASON, MOVES_LEFT, MOVES, WRITTEN, CARDS, AUTOMOVED, AT, SOURCE, TARGET, HOMES = range(12)
DETAIL: Final = HOMES + 4
_FIELDS: Final = DETAIL + 4

# By reason code; {0} is the moved card, {1} the card moved onto, {2} how many cards, {3} how many are allowed.
_REASONS: Final = (
    "",
    "not a move",
    "column empty",
    "cell empty",
    "cell blocked",
    "cell full",
    "cells full",
    "no sequence fits {1}",
    "{0} on {1}",
    "{2} cards, {3} allowed",
    "{0} not next",
)


@kernel
def _replay(layouts, text, starts, ends, places, is_packed, automove, initial, limit, freecells, verdicts):  # type: ignore[no-untyped-def]
    """Judge the moves ``text[starts[i]:ends[i]]`` of ``layouts[i]`` into ``verdicts`` (int32[n, fields])."""
    board, row = np.empty(BOARD, np.int64), np.empty(9, np.int64)
    move, detail = np.empty(3, np.int64), np.empty(4, np.int64)
    for game in range(starts.size):
        verdict = verdicts[game]
        verdict[:] = 0
        if not set_up(board, layouts[game], automove):
            verdict[RESULT] = _NOT_A_LAYOUT
            continue
        detail[:] = -1
        move[:] = NO_PLACE
        row[0] = 0
        done = send_home(board, automove) if initial else 0
        automoved = done
        reason = LEGAL
        end = ends[game]
        position = skip_blanks(text, starts[game], end)
        while position < end and done < 52:
            at = position
            position = read_move(text, position, end, places, is_packed, move)
            reason = UNREADABLE if position < 0 else LEGAL
            verdict[SOURCE], verdict[TARGET] = move[0], move[1]
            if reason == LEGAL and is_packed:
                reason = find_cells(board, row, freecells, move)
            if reason == LEGAL:
                reason = play_move(board, move[0], move[1], move[2] == 1, limit, automove, freecells, detail)
            if reason != LEGAL:
                verdict[REASON] = reason
                verdict[ILLEGAL_MOVE] = verdict[WRITTEN] + 1
                verdict[AT] = at - starts[game]
                break
            verdict[WRITTEN] += 1
            verdict[CARDS] += detail[compiled.COUNT]
            if move[1] == HOME:
                done += 1
            else:
                verdict[MOVES] += 1
            sent = send_home(board, automove)
            automoved += sent
            done += sent
            position = skip_blanks(text, position, end)
        if done == 52:
            verdict[RESULT] = WON
            verdict[MOVES_LEFT] = count_moves(text, position, end, is_packed)
        else:
            verdict[RESULT] = UNFINISHED if reason == LEGAL else ILLEGAL
        verdict[AUTOMOVED] = automoved
        for k in range(4):
            verdict[HOMES + k] = board[compiled.HOMES + k]
            verdict[DETAIL + k] = detail[k]


@dataclass(frozen=True)
class Verdicts:
    """What became of each text: ``fields`` is int32[n, ...], read through the properties, each an int32[n] without a copy."""

    fields: NDArray[np.int32]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_packed: bool

    @property
    def result(self) -> NDArray[np.int32]:
        """UNFINISHED, WON or ILLEGAL, an index into `RESULTS`."""
        return self.fields[:, RESULT]

    @property
    def is_won(self) -> NDArray[np.bool_]:
        """Whether all 52 cards came home."""
        return self.fields[:, RESULT] == WON

    @property
    def illegal_move(self) -> NDArray[np.int32]:
        """The 1-based number of the first illegal move, 0 where there is none."""
        return self.fields[:, ILLEGAL_MOVE]

    @property
    def moves_left(self) -> NDArray[np.int32]:
        """How many moves are written after the one that won."""
        return self.fields[:, MOVES_LEFT]

    @property
    def move_count(self) -> NDArray[np.int32]:
        """Moves played between columns and cells, a supermove as one; cards going home are not counted."""
        return self.fields[:, MOVES]

    @property
    def written_move_count(self) -> NDArray[np.int32]:
        """Written moves that were played."""
        return self.fields[:, WRITTEN]

    @property
    def card_move_count(self) -> NDArray[np.int32]:
        """Single cards moved by the written moves."""
        return self.fields[:, CARDS]

    @property
    def automove_count(self) -> NDArray[np.int32]:
        """Cards that went home by themselves."""
        return self.fields[:, AUTOMOVED]

    @property
    def home(self) -> NDArray[np.int32]:
        """int32[n, 4]: cards home of clubs, diamonds, hearts and spades at the end or before the illegal move."""
        return self.fields[:, HOMES : HOMES + 4]

    def reason(self, index: int) -> str | None:
        """Why the first illegal move of one text is refused, in the words of `rules.moves`; None unless it is illegal."""
        verdict = self.fields[index]
        if verdict[REASON] == LEGAL:
            return None
        if verdict[REASON] == UNREADABLE:
            start = int(self.starts[index]) + int(verdict[AT])
            text = bytes(self.text[start : min(start + (2 if self.is_packed else 8), int(self.ends[index]))])
            return f"{text.split()[0].decode('ascii', 'replace')}: not a move"
        names = [CARD_NAMES[card] if card >= 0 else "" for card in verdict[DETAIL : DETAIL + 2]]
        counts = verdict[DETAIL + compiled.COUNT], verdict[DETAIL + compiled.MOST]
        return f"{PLACE_LETTERS[verdict[SOURCE]]}{PLACE_LETTERS[verdict[TARGET]]}: " + _REASONS[verdict[REASON]].format(
            *names, *counts
        )


def rule_code(names: tuple[str, ...], name: str, what: str) -> int:
    """The code of a rule by its name; raises InputError that lists the names."""
    if name not in names:
        raise InputError(f"{what} {name!r} is not one of {', '.join(names)}")
    return names.index(name)


def check_texts(layouts: Any, text: Any, starts: Any, ends: Any, freecells: int) -> tuple[Any, Any, Any, Any]:
    """Bring the arrays of a bulk call into the one form that is compiled; raises InputError where they do not fit each other."""
    layouts, text = np.ascontiguousarray(layouts, np.uint8), np.ascontiguousarray(text, np.uint8)
    starts, ends = np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(ends, np.int64)
    if layouts.shape != (starts.size, 52) or starts.shape != ends.shape:
        raise InputError(f"layouts of shape {layouts.shape} for {starts.size} texts")
    if starts.size and (starts.min() < 0 or ends.max() > text.size):
        raise InputError(f"texts lie outside the {text.size} bytes given")
    if not 0 <= freecells <= 8:
        raise InputError(f"freecells must be 0 .. 8, not {freecells}")
    return layouts, text, starts, ends


def _judge(
    layouts: Any, text: Any, starts: Any, ends: Any, rules: tuple[bool, int, bool, int, int], jobs: int
) -> Verdicts:
    layouts, text, starts, ends = check_texts(layouts, text, starts, ends, rules[-1])
    fields = np.empty((starts.size, _FIELDS), np.int32)

    def judge(part: slice) -> None:
        _replay(layouts[part], text, starts[part], ends[part], PLACES, *rules, fields[part])

    bounds = np.linspace(0, starts.size, max(1, jobs) + 1).astype(int)
    parts = [slice(first, last) for first, last in itertools.pairwise(bounds)]
    if len(parts) == 1:
        judge(parts[0])
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            list(pool.map(judge, parts))
    broken = np.flatnonzero(fields[:, RESULT] == _NOT_A_LAYOUT)
    if broken.size:
        raise InputError(f"layout {broken[0]} does not hold each of the 52 cards once")
    return Verdicts(fields, text, starts, ends, rules[0])


def replay_many(
    layouts: Any,
    text: Any,
    offsets: Any,
    *,
    automove: str = "horne",
    initial: bool = False,
    limit: str = "doubling",
    freecells: int = 4,
    jobs: int = 1,
) -> Verdicts:
    """Replay texts in standard notation, the i-th being ``text[offsets[i]:offsets[i + 1]]`` on ``layouts[i]``.

    ``layouts`` uint8[n, 52] in deal order, ``text`` uint8[bytes], ``offsets`` int64[n + 1]; moves stand between blanks, a period before
    one makes it a single card. ``initial`` lets automoves run before the first move as well; ``jobs`` threads share the work.
    Raises InputError for arrays or rules that do not fit, never for what a text says. Rules: Campbell's Standard FreeCell Notation, 2012.
    """
    offsets = np.asarray(offsets)
    rules = (
        False,
        rule_code(AUTOMOVE_RULES, automove, "automove rule"),
        bool(initial),
        rule_code(LIMITS, limit, "limit"),
        freecells,
    )
    return _judge(layouts, text, offsets[:-1], offsets[1:], rules, jobs)


def replay_catalogue(layouts: Any, text: Any, starts: Any, ends: Any, *, freecells: int = 4, jobs: int = 1) -> Verdicts:
    """Replay compact catalogue moves, the i-th being ``text[starts[i]:ends[i]]`` (without ``game:``) on ``layouts[i]``.

    The catalogue's rules are fixed: automove max, before the first move too, and the limit doubling.
    Raises InputError as `replay_many` does.
    """
    rules = (True, compiled.MAX, True, compiled.DOUBLING, freecells)
    return _judge(layouts, text, starts, ends, rules, jobs)
