"""The table `positions`: every position on the way of a solution, with the move played and the legal ones.

In: layouts and solutions in standard notation as bytes. Out: Arrow batches of whole games.

A card's place changes a few times in a game, so each card's column is filled run by run: a move writes the two or three runs that it
ends instead of 52 codes. The kernels of `rules.compiled` judge and play the moves; every text is replayed to its end here.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.codes import CARDS
from pipeline.cards.errors import Failed
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.bulk import check_texts, replay_many, rule_code
from pipeline.games.freecell.rules.compiled import (
    BOARD,
    CELLS,
    COUNT,
    DEPTH,
    DOUBLING,
    HEIGHTS,
    HOMES,
    LEGAL,
    play_move,
    run_length,
    send_home,
    set_up,
    supermove_limit,
)
from pipeline.games.freecell.rules.position import CELL, HOME
from pipeline.games.freecell.rules.texts import PLACES, count_moves, read_move, skip_blanks
from pipeline.games.freecell.tables.positions_code import AT_HOME, FIRST_CELL, LEGAL_BYTES
from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.kernels.compile import inlined, kernel
from pipeline.tables.arrow import arrow_array

GAMES_TOGETHER: Final = 1024
"""Games in one batch, some 50,000 rows: a row group holds whole games."""

MOST_MOVES: Final = 32_767

# Rows of the array of bytes, in the order of the table's columns after the counts.
_PLACE, _SOURCE, _TARGET, _CARDS = 0, CARDS, CARDS + 1, CARDS + 2
_LEGAL: Final = _CARDS + 1
_HOME: Final = _LEGAL + LEGAL_BYTES
_ROWS: Final = _HOME + 1
# The bytes of a mask, after the sixteen of the sources.
_TO_CELL, _COLUMNS_HOME, _CELLS_HOME = _LEGAL + 16, _LEGAL + 17, _LEGAL + 18


@kernel
def _count(text, starts, ends, counts):  # type: ignore[no-untyped-def]
    """Count the moves of each text into ``counts`` (int64[n])."""
    for game in range(starts.size):
        counts[game] = count_moves(text, starts[game], ends[game], False)


@inlined
def _fits(card, onto, length, most):  # type: ignore[no-untyped-def]
    """Whether some of ``length`` cards in sequence that end with ``card`` may go onto ``onto``: the ranks leave one number of cards."""
    count = (onto >> 2) - (card >> 2)
    return 1 <= count <= min(length, most) and ((card ^ (card >> 1) ^ onto ^ (onto >> 1) ^ (count - 1)) & 1) == 1


@inlined
def _write_legal(board, freecells, exposed, table, row):  # type: ignore[no-untyped-def]
    """Write the mask of legal moves of a position; ``exposed`` (int64[8]) is room for the exposed card of each column, -1 for none."""
    most = supermove_limit(board, freecells, False, DOUBLING)
    empty_columns, is_cell_free = 0, 0
    for column in range(8):
        height = board[HEIGHTS + column]
        exposed[column] = board[column * DEPTH + height - 1] if height > 0 else -1
        empty_columns |= (1 << column) if height == 0 else 0
    for cell in range(freecells):
        is_cell_free |= board[CELLS + cell] < 0
    to_cell, columns_home, cells_home = 0, 0, 0
    for source in range(CELL + freecells):
        card = exposed[source] if source < CELL else board[CELLS + source - CELL]
        mask = 0
        if card >= 0:
            length = run_length(board, source) if source < CELL else 1
            mask = empty_columns
            for target in range(8):
                onto = exposed[target]
                if onto >= 0 and target != source and _fits(card, onto, length, most):
                    mask |= 1 << target
            is_next = board[HOMES + (card & 3)] == card >> 2
            if source < CELL:
                to_cell |= is_cell_free << source
                columns_home |= is_next << source
            else:
                cells_home |= is_next << (source - CELL)
        table[_LEGAL + source, row] = mask
    for source in range(CELL + freecells, 16):
        table[_LEGAL + source, row] = 0
    table[_TO_CELL, row], table[_COLUMNS_HOME, row], table[_CELLS_HOME, row] = to_cell, columns_home, cells_home


@inlined
def _change(card, place, row, places, since, table):  # type: ignore[no-untyped-def]
    """Note that a card lies elsewhere from ``row`` on, and fill its column up to there."""
    table[_PLACE + card, since[card] : row] = places[card]
    places[card], since[card] = place, row


@kernel
def _replay(layouts, text, starts, ends, letters, automove, freecells, counts, table, plies):  # type: ignore[no-untyped-def]
    """Fill ``table`` (uint8[rows, moves of all]) and ``plies`` (int16[2, moves of all]); returns the first game that is not won with its
    last move, or -1."""
    board, exposed = np.empty(BOARD, np.int64), np.empty(8, np.int64)
    move, detail = np.empty(3, np.int64), np.empty(4, np.int64)
    places, since = np.empty(52, np.int64), np.empty(52, np.int64)
    row = 0
    for game in range(starts.size):
        if not set_up(board, layouts[game], automove):
            return game
        for k in range(52):
            places[layouts[game, k]] = k
            since[k] = row
        home = 0
        end = ends[game]
        position = skip_blanks(text, starts[game], end)
        for ply in range(counts[game]):
            _write_legal(board, freecells, exposed, table, row)
            table[_HOME, row] = home
            plies[0, row], plies[1, row] = ply, counts[game] - ply
            position = read_move(text, position, end, letters, False, move)
            if position < 0:
                return game
            if play_move(board, move[0], move[1], move[2] == 1, DOUBLING, automove, freecells, detail) != LEGAL:
                return game
            position = skip_blanks(text, position, end)
            table[_SOURCE, row], table[_TARGET, row], table[_CARDS, row] = move[0], move[1], detail[COUNT]
            row += 1
            if move[1] < CELL:
                height = board[HEIGHTS + move[1]]
                for at in range(height - detail[COUNT], height):
                    _change(board[move[1] * DEPTH + at], 8 * at + move[1], row, places, since, table)
            elif move[1] == HOME:
                _change(detail[0], AT_HOME, row, places, since, table)
                home += 1
            else:
                _change(detail[0], FIRST_CELL + move[1] - CELL, row, places, since, table)
            clubs, diamonds, hearts, spades = board[HOMES], board[HOMES + 1], board[HOMES + 2], board[HOMES + 3]
            if send_home(board, automove) > 0:
                for suit in range(4):
                    before = clubs if suit == 0 else diamonds if suit == 1 else hearts if suit == 2 else spades
                    for rank in range(before, board[HOMES + suit]):
                        _change(4 * rank + suit, AT_HOME, row, places, since, table)
                        home += 1
        if home < 52:
            return game
        for card in range(52):
            table[_PLACE + card, since[card] : row] = AT_HOME
    return -1


def count_positions(text: Any, starts: Any, ends: Any) -> NDArray[np.int64]:
    """Count the moves, which are the rows, of each text ``text[starts[i]:ends[i]]``: int64[n]."""
    counts = np.empty(len(starts), np.int64)
    _count(
        np.ascontiguousarray(text, np.uint8),
        np.ascontiguousarray(starts, np.int64),
        np.ascontiguousarray(ends, np.int64),
        counts,
    )
    return counts


def position_batches(
    game_numbers: NDArray[np.int64], layouts: Any, text: Any, offsets: Any, *, automove: str, freecells: int
) -> Iterator[pa.RecordBatch]:
    """Replay solutions into batches of the table, each of `GAMES_TOGETHER` whole games.

    ``game_numbers`` int64[n], sorted, ``layouts`` uint8[n, 52]; ``text[offsets[i]:offsets[i + 1]]`` is the i-th solution in standard
    notation under the rule ``automove`` without automoves before the first move. Raises Failed, naming game and reason, for a text that is
    illegal, does not win, or goes on after it has won.
    """
    rule = rule_code(AUTOMOVE_RULES, automove, "automove rule")
    layouts, text, starts, ends = check_texts(layouts, text, offsets[:-1], offsets[1:], freecells)
    counts = count_positions(text, starts, ends)
    for first in range(0, starts.size, GAMES_TOGETHER):
        some = slice(first, first + GAMES_TOGETHER)
        if counts[some].max() > MOST_MOVES:
            raise Failed(
                f"game {game_numbers[some][counts[some].argmax()]}: its solution has more than {MOST_MOVES} moves"
            )
        rows = int(counts[some].sum())
        table, plies = np.empty((_ROWS, rows), np.uint8), np.empty((2, rows), np.int16)
        wrong = _replay(
            layouts[some], text, starts[some], ends[some], PLACES, rule, freecells, counts[some], table, plies
        )
        if wrong >= 0:
            one = first + wrong
            raise Failed(f"game {game_numbers[one]}: {_reason(layouts, text, starts, ends, one, automove, freecells)}")
        columns = [np.repeat(game_numbers[some], counts[some]), *plies, *table]
        yield pa.RecordBatch.from_arrays([arrow_array(column) for column in columns], schema=POSITIONS.arrow_schema())


def _reason(layouts: Any, text: Any, starts: Any, ends: Any, one: int, automove: str, freecells: int) -> str:
    """Why a solution is none."""
    piece = text[starts[one] : ends[one]]
    verdicts = replay_many(
        layouts[one : one + 1], piece, np.array([0, piece.size]), automove=automove, freecells=freecells
    )
    if (reason := verdicts.reason(0)) is not None:
        return f"its solution has an illegal move {verdicts.illegal_move[0]}: {reason}"
    if verdicts.moves_left[0]:
        return f"its solution goes on for {verdicts.moves_left[0]} moves after it has won"
    return "its solution does not win"
