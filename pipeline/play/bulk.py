"""Replay many solutions at once, compiled: arrays in, verdicts out.

In: layouts uint8[n, 52] and the moves as bytes with offsets (Arrow's layout of strings). Out: `Verdicts`. `notation`, `solve`, `tables`, `run`
and `cli` import it. It reads two dialects: standard notation (``57 .5a 2h``, a period = a single card) and the compact catalogue
(``4r462r``, r = the next place in a row of cells that closes up); `play.replay` judges the same in plain code.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import InputError
from pipeline.cards.kernel import inlined, kernel
from pipeline.play import compiled
from pipeline.play.compiled import (
    BOARD,
    CELL_EMPTY,
    CELL_TAKEN,
    FIRST_CELL,
    LEGAL,
    NEXT_CELL,
    NO_PLACE,
    UNREADABLE,
    play_move,
    send_home,
    set_up,
)

RESULTS: Final = ("unfinished", "won", "illegal")
UNFINISHED, WON, ILLEGAL = range(3)
_NOT_A_LAYOUT: Final = 3

# The columns of a verdict.
RESULT, ILLEGAL_MOVE, REASON, MOVES_LEFT, MOVES, WRITTEN, CARDS, AUTOMOVED, AT, SOURCE, TARGET, HOMES = range(12)
DETAIL: Final = HOMES + 4
_FIELDS: Final = DETAIL + 4

CELL_LETTERS: Final = "abcdefgk"
"""The letters of the cells; h is taken by the foundations, so Freecell Solver calls the eighth cell k."""


def _places(letters: str, next_cell: bool) -> NDArray[np.uint8]:
    places = np.full(256, NO_PLACE, np.uint8)
    for column in range(8):
        places[ord("1") + column] = column
    for cell, letter in enumerate(letters):
        places[ord(letter)] = FIRST_CELL + cell
    places[ord("h")] = compiled.HOME
    if next_cell:
        places[ord("r")] = NEXT_CELL
    return places


STANDARD_PLACES = _places(CELL_LETTERS, False)
CATALOGUE_PLACES = _places(CELL_LETTERS, True)


@inlined
def skip_blanks(text, position, end):  # type: ignore[no-untyped-def]
    """The first position that is no blank, tab or line end."""
    while position < end and (text[position] == 32 or 9 <= text[position] <= 13):
        position += 1
    return position


@inlined
def read_move(text, position, end, places, is_packed, move):  # type: ignore[no-untyped-def]
    """Read the move at ``position`` into ``move``: source, target, whether a single card. Returns where it ends, or -1: unreadable."""
    move[2] = 0
    if not is_packed and text[position] == 46:
        move[2] = 1
        position += 1
    if position + 1 >= end:
        return -1
    move[0], move[1] = places[text[position]], places[text[position + 1]]
    position += 2
    if move[0] >= compiled.HOME or move[1] == NO_PLACE or (is_packed and FIRST_CELL <= move[1] < compiled.HOME):
        return -1
    if not is_packed and position < end and not (text[position] == 32 or 9 <= text[position] <= 13):
        return -1
    return position


@inlined
def find_cells(board, row, freecells, move):  # type: ignore[no-untyped-def]
    """Turn the places of a catalogue move in the row of cells into cells; returns CELL_EMPTY, CELL_TAKEN (none is free) or LEGAL.

    ``row`` is int64[9]: how many places are filled, then the cell of each; cells emptied since the last move are taken out first.
    """
    filled = 0
    for k in range(row[0]):
        if board[compiled.CELLS + row[1 + k]] >= 0:
            filled += 1
            row[filled] = row[1 + k]
    row[0] = filled
    if move[0] >= FIRST_CELL:
        if move[0] - FIRST_CELL >= filled:
            return CELL_EMPTY
        move[0] = FIRST_CELL + row[1 + move[0] - FIRST_CELL]
    if move[1] == NEXT_CELL:
        for cell in range(freecells):
            if board[compiled.CELLS + cell] < 0:
                move[1] = FIRST_CELL + cell
                row[0] += 1
                row[row[0]] = cell
                return LEGAL
        return CELL_TAKEN
    return LEGAL


@inlined
def count_moves(text, position, end, is_packed):  # type: ignore[no-untyped-def]
    """Count the moves from ``position`` on: words in standard notation, pairs of characters in the catalogue."""
    moves = 0
    position = skip_blanks(text, position, end)
    while position < end:
        moves += 1
        if is_packed:
            position += 2
        while not is_packed and position < end and not (text[position] == 32 or 9 <= text[position] <= 13):
            position += 1
        position = skip_blanks(text, position, end)
    return moves


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
            if move[1] == compiled.HOME:
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
        verdict[SOURCE], verdict[TARGET] = move[0], move[1]
        for k in range(4):
            verdict[HOMES + k] = board[compiled.HOMES + k]
            verdict[DETAIL + k] = detail[k]


@dataclass(frozen=True)
class Verdicts:
    """What became of each text: ``fields`` is int32[n, ...], read through the properties, each an int32[n] without a copy."""

    fields: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.fields)

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
    layouts: Any, text: Any, starts: Any, ends: Any, places: Any, rules: tuple[bool, int, bool, int, int], jobs: int
) -> Verdicts:
    layouts, text, starts, ends = check_texts(layouts, text, starts, ends, rules[-1])
    fields = np.empty((starts.size, _FIELDS), np.int32)

    def judge(part: slice) -> None:
        _replay(layouts[part], text, starts[part], ends[part], places, *rules, fields[part])

    bounds = np.linspace(0, starts.size, max(1, jobs) + 1).astype(int)
    parts = [slice(first, last) for first, last in zip(bounds, bounds[1:], strict=False)]
    if len(parts) == 1:
        judge(parts[0])
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            list(pool.map(judge, parts))
    broken = np.flatnonzero(fields[:, RESULT] == _NOT_A_LAYOUT)
    if broken.size:
        raise InputError(f"layout {broken[0]} does not hold each of the 52 cards once")
    return Verdicts(fields)


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

    ``layouts`` uint8[n, 52] in deal order, ``text`` uint8[bytes], ``offsets`` int64[n + 1]; moves stand between blanks, a period before one makes it a
    single card. ``initial`` lets automoves run before the first move as well; ``jobs`` threads share the work. Raises InputError for
    arrays or rules that do not fit, never for what a text says. Rules: Campbell's Standard FreeCell Notation, 2012.
    """
    offsets = np.asarray(offsets)
    rules = (
        False,
        rule_code(compiled.AUTOMOVES, automove, "automove rule"),
        bool(initial),
        rule_code(compiled.LIMITS, limit, "limit"),
        freecells,
    )
    return _judge(layouts, text, offsets[:-1], offsets[1:], STANDARD_PLACES, rules, jobs)


def replay_catalogue(layouts: Any, text: Any, starts: Any, ends: Any, *, freecells: int = 4, jobs: int = 1) -> Verdicts:
    """Replay compact catalogue moves, the i-th being ``text[starts[i]:ends[i]]`` (without ``game:``) on ``layouts[i]``.

    The catalogue's rules are fixed: automove max, before the first move too, and the limit doubling. Raises InputError as `replay_many` does.
    """
    rules = (True, compiled.MAX, True, compiled.DOUBLING, freecells)
    return _judge(layouts, text, starts, ends, CATALOGUE_PLACES, rules, jobs)
