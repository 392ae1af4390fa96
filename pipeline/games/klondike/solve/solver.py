"""Solve Klondike with all cards known: draw one, the stock turned round and round without limit.

In: layouts uint8[n, 52] of `klondike.deal`. Out: for each a replayed solution, a proof that there is none, or `unresolved`. Two
rules: a card may come back from its foundation to a pile, as in the 13-box program, or may not.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import Failed, InputError
from pipeline.games.klondike.rules.bulk import CAPACITY, WITHOUT_LIMIT, replay_klondike_many
from pipeline.games.klondike.solve.moves import MOVES_A_STEP, MOVES_AT_THE_END, write_moves
from pipeline.games.klondike.solve.search import BRANCHES, SOLVED, STACK_FIELDS, UNRESOLVED, search
from pipeline.kernels.cache import is_cached
from pipeline.kernels.compile import kernel

STATUSES: Final = ("solved", "impossible", "unresolved")
RULES: Final = ("return", "no-return")
"""The rules by name: a card may come back from its foundation to a pile, or may not."""

PASSES: Final = (2_000, 1_000_000, 8_000_000)
"""States that each pass allows a game. The first decides 92 of 100 games in a table that fits into the cache (a first pass of 20,000 states
cost a fifth more), the second all but fourteen searches of 0..99,999; the longest, game 12085 under `return`, takes 6.2 million."""

_DEPTH: Final = 4096


@kernel
def _solve(  # type: ignore[no-untyped-def]
    layouts, ranks, piles_dealt, may_return, tables, table, used, stack, branches, steps, moves, statuses, states, ends
):
    """Solve games into ``statuses`` (uint8[n]), ``states`` (int64[n]), ``moves`` and ``ends`` (int64[n], where each game's moves end).

    Returns how many games were done: it stops early when ``moves`` may be too short for another. A layout of fewer ``ranks`` or
    ``piles_dealt``, as the tests have them, gets its verdict without moves.
    """
    stock, waste, sizes = np.empty(24, np.int64), np.empty(24, np.int64), np.empty(4, np.int64)
    piles, heights, face_down = np.empty((7, CAPACITY), np.int64), np.empty(7, np.int64), np.empty(7, np.int64)
    home = np.empty(4, np.int64)
    end = 0
    for game in range(statuses.size):
        status, count, length = search(
            layouts[game], ranks, piles_dealt, may_return, tables, table, used, stack, branches, steps
        )
        if status == SOLVED and ranks == 13:
            if moves.size - end < length * MOVES_A_STEP + MOVES_AT_THE_END:
                return game
            end = write_moves(
                layouts[game],
                1,
                WITHOUT_LIMIT,
                steps,
                length,
                moves,
                end,
                stock,
                waste,
                piles,
                heights,
                face_down,
                home,
                sizes,
            )
            if end < 0:
                return -1 - game
        statuses[game], states[game], ends[game] = status, count, end
    return statuses.size


@dataclass(frozen=True)
class Solutions:
    """What became of each game: status (uint8[n], an index into `STATUSES`), states searched in all passes (int64[n]), and the moves of
    the i-th, ``moves[offsets[i]:offsets[i + 1]]`` (uint8, 16 * source box + target box, a byte each draw), none unless solved."""

    status: NDArray[np.uint8]
    states: NDArray[np.int64]
    moves: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def one_pass(
    layouts: NDArray[np.uint8], may_return: bool, limit: int, ranks: int = 13, piles: int = 7
) -> tuple[NDArray[np.uint8], NDArray[np.int64], list[NDArray[np.uint8]]]:
    """Solve each game with at most ``limit`` states; returns statuses, states, and the moves of each game.

    Decks of fewer ranks or piles (uint8[n, 4 * ranks], no more than 24 cards in the stock) get their verdict without moves.
    """
    games = len(layouts)
    statuses, states, ends = np.empty(games, np.uint8), np.empty(games, np.int64), np.empty(games, np.int64)
    table = np.zeros(1 << (2 * limit - 1).bit_length(), np.int64)
    space = (
        np.empty((3, 52), np.int64),
        table,
        np.empty(limit, np.int64),
        np.empty((_DEPTH, STACK_FIELDS), np.int64),
        np.empty((_DEPTH, BRANCHES), np.uint8),
        np.empty(2 * _DEPTH + 52, np.uint8),
    )
    buffer = np.empty((2 * _DEPTH + 52) * MOVES_A_STEP + MOVES_AT_THE_END + 300 * games, np.uint8)
    moves: list[NDArray[np.uint8]] = []
    first = 0
    while first < games:
        rest = slice(first, games)
        done = _solve(layouts[rest], ranks, piles, may_return, *space, buffer, statuses[rest], states[rest], ends[rest])
        if done < 0:
            raise Failed(
                f"the solver made an illegal move in game {first - done} of the batch: a defect, please report it"
            )
        start = 0
        for end in ends[first : first + done].tolist():
            moves.append(buffer[start:end].copy())
            start = end
        first += done
    return statuses, states, moves


def _search(
    layouts: NDArray[np.uint8], may_return: bool, budget: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], list[NDArray[np.uint8]]]:
    """Solve each game under one rule in ever longer passes; returns statuses, states of all passes, and the moves of each game."""
    games = len(layouts)
    status, states = np.full(games, UNRESOLVED, np.uint8), np.zeros(games, np.int64)
    moves = [np.empty(0, np.uint8)] * games
    for limit in sorted({min(limit, budget) for limit in PASSES}):
        rest = np.flatnonzero(status == UNRESOLVED)
        if rest.size:
            status[rest], searched, found = one_pass(layouts[rest], may_return, limit)
            states[rest] += searched
            for game, its_moves in zip(rest.tolist(), found, strict=True):
                moves[game] = its_moves
    return status, states, moves


def _packed(status: NDArray[np.uint8], states: NDArray[np.int64], moves: list[NDArray[np.uint8]]) -> Solutions:
    offsets = np.concatenate(([0], np.cumsum([len(m) for m in moves], dtype=np.int64)))
    return Solutions(status, states, np.concatenate([*moves, np.empty(0, np.uint8)]), offsets)


def solve_klondike_under_both(layouts: Any, budget: int = PASSES[-1]) -> dict[str, Solutions]:
    """Solve games from their layouts (uint8[n, 52]) under each of `RULES`; ``budget`` is the most states of one pass over a game.

    Every solution is replayed with plain stock and waste before it is returned. A game is impossible only when a complete set of moves is
    exhausted; it is unresolved when the budget ran out. A game that can be won without a card coming back is won so under both rules, and
    the rest alone is searched with returning cards. Raises InputError for layouts that are not whole decks or a budget below 1.
    """
    layouts = np.ascontiguousarray(layouts, np.uint8)
    if layouts.ndim != 2 or layouts.shape[1] != 52 or (np.sort(layouts, axis=1) != np.arange(52)).any():
        raise InputError("layouts must be uint8[n, 52], each with the 52 cards once")
    if budget < 1:
        raise InputError(f"a budget of {budget} states is too small")
    status, states, moves = _search(layouts, False, budget)
    no_return = _packed(status.copy(), states.copy(), moves)
    rest = np.flatnonzero(status != SOLVED)
    status[rest], searched, found = _search(layouts[rest], True, budget)
    states[rest] += searched
    for game, its_moves in zip(rest.tolist(), found, strict=True):
        moves[game] = its_moves
    solutions = {"return": _packed(status, states, moves), "no-return": no_return}
    for rule in RULES:
        _verify(layouts, solutions[rule], rule == "return")
    return solutions


def solve_klondike(layouts: Any, may_return: bool = True, budget: int = PASSES[-1]) -> Solutions:
    """Solve games under one rule: as `solve_klondike_under_both`."""
    return solve_klondike_under_both(layouts, budget)["return" if may_return else "no-return"]


def needs_compiling() -> bool:
    """Whether the first game will wait for kernels to be compiled."""
    return not is_cached(_solve)


def _verify(layouts: NDArray[np.uint8], solutions: Solutions, may_return: bool) -> None:
    """Replay every solution; raises Failed for one that does not win."""
    verdicts = replay_klondike_many(layouts, solutions.moves, solutions.offsets, may_return)
    wrong = np.flatnonzero(verdicts.is_won != (solutions.status == SOLVED))
    if wrong.size:
        raise Failed(f"the solution of game {wrong[0]} of the batch does not replay: a defect, please report it")
