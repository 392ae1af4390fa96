"""Solve Klondike under any rule of the stock: several cards a draw, passes through the stock without limit or a few.

In: layouts uint8[n, 52] and the rules. Out: for each a replayed solution, a proof that there is none, or `unresolved`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import Failed, InputError
from pipeline.games.klondike.rules.bulk import CAPACITY, WITHOUT_LIMIT, replay_klondike_many, turns_of
from pipeline.games.klondike.solve.moves import MOVES_A_STEP, MOVES_AT_THE_END, write_moves
from pipeline.games.klondike.solve.search import IMPOSSIBLE, SOLVED, UNRESOLVED
from pipeline.games.klondike.solve.solver import PASSES, Solutions, solve_klondike
from pipeline.games.klondike.solve.stock_search import (
    MOST_TURNS,
    STOCK_BRANCHES,
    STOCK_STACK_FIELDS,
    search_stock,
)
from pipeline.kernels.compile import kernel

_DEPTH = 4096
_EASIER = 20_000
"""States for which a game is first searched with one card a draw and no limit of passes: what is impossible there is so here."""


@kernel
def _solve_stock(  # type: ignore[no-untyped-def]
    layout,
    ranks,
    piles_dealt,
    may_return,
    draw,
    turns,
    is_limited,
    tables,
    table,
    extra,
    used,
    stack,
    branches,
    steps,
    moves,
):
    """Solve a game; returns (status, states, end of its ``moves``), no moves for a deck of fewer ranks or piles."""
    stock, waste, sizes = np.empty(24, np.int64), np.empty(24, np.int64), np.empty(4, np.int64)
    piles, heights, face_down = np.empty((7, CAPACITY), np.int64), np.empty(7, np.int64), np.empty(7, np.int64)
    home = np.empty(4, np.int64)
    searched = turns if is_limited else 1
    status, states, length = search_stock(
        layout,
        ranks,
        piles_dealt,
        may_return,
        draw,
        searched,
        is_limited,
        tables,
        table,
        extra,
        used,
        stack,
        branches,
        steps,
    )
    end = 0
    if status == SOLVED and ranks == 13:
        end = write_moves(
            layout, draw, turns, steps, length, moves, 0, stock, waste, piles, heights, face_down, home, sizes
        )
    return status, states, end


def one_stock_pass(
    layouts: NDArray[np.uint8],
    may_return: bool,
    draw: int,
    passes: int | None,
    limit: int,
    ranks: int = 13,
    piles: int = 7,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], list[NDArray[np.uint8]]]:
    """Solve each game with at most ``limit`` states; returns statuses, states, and the moves of each game.

    Decks of fewer ranks or piles (uint8[n, 4 * ranks], no more than 24 cards in the stock) get their verdict without moves.
    """
    turns = turns_of(passes)
    is_limited = turns < MOST_TURNS
    slots = 1 << (2 * limit - 1).bit_length()
    space = (
        np.empty((3, 52), np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int16),
        np.empty(limit, np.int64),
        np.empty((_DEPTH, STOCK_STACK_FIELDS), np.int64),
        np.empty((_DEPTH, STOCK_BRANCHES), np.uint8),
        np.empty(2 * _DEPTH + 52, np.uint8),
        np.empty((2 * _DEPTH + 52) * MOVES_A_STEP + MOVES_AT_THE_END, np.uint8),
    )
    statuses, states = np.empty(len(layouts), np.uint8), np.empty(len(layouts), np.int64)
    moves = []
    allowed = turns if is_limited else WITHOUT_LIMIT
    for game, layout in enumerate(layouts):
        statuses[game], states[game], end = _solve_stock(
            layout, ranks, piles, may_return, draw, allowed, is_limited, *space
        )
        if end < 0:
            raise Failed(f"the solver made an illegal move in game {game} of the batch: a defect, please report it")
        moves.append(space[-1][:end].copy())
    return statuses, states, moves


def solve_klondike_stock(
    layouts: Any, may_return: bool = True, draw: int = 1, passes: int | None = None, budget: int = PASSES[-1]
) -> Solutions:
    """Solve games from their layouts (uint8[n, 52]): ``draw`` cards a draw, the stock gone through ``passes`` times, None without limit.

    ``budget`` is the most states of one pass of the search over a game. A game is impossible only when a complete set of moves is
    exhausted, under these rules or under the easier ones of one card a draw without limit; every solution is replayed. Raises InputError
    as `solver.solve_klondike` does, and for a ``draw`` outside 1 .. 24 or ``passes`` below 1.
    """
    if not 1 <= draw <= 24:
        raise InputError(f"{draw} cards a draw: the stock has 24")
    if passes is not None and passes < 1:
        raise InputError(f"{passes} passes through the stock: there is at least one")
    if draw == 1 and turns_of(passes) >= MOST_TURNS:
        return solve_klondike(layouts, may_return, budget)
    layouts = np.ascontiguousarray(layouts, np.uint8)
    easier = solve_klondike(layouts, may_return, min(budget, _EASIER))
    status = np.where(easier.status == IMPOSSIBLE, IMPOSSIBLE, UNRESOLVED).astype(np.uint8)
    states = easier.states.copy()
    moves = [np.empty(0, np.uint8)] * len(layouts)
    for limit in sorted({min(limit, budget) for limit in PASSES}):
        rest = np.flatnonzero(status == UNRESOLVED)
        if rest.size:
            status[rest], searched, found = one_stock_pass(layouts[rest], may_return, draw, passes, limit)
            states[rest] += searched
            for game, its_moves in zip(rest.tolist(), found, strict=True):
                moves[game] = its_moves
    offsets = np.concatenate(([0], np.cumsum([len(m) for m in moves], dtype=np.int64)))
    solutions = Solutions(status, states, np.concatenate([*moves, np.empty(0, np.uint8)]), offsets)
    verdicts = replay_klondike_many(layouts, solutions.moves, offsets, may_return, draw, passes)
    wrong = np.flatnonzero(verdicts.is_won != (status == SOLVED))
    if wrong.size:
        raise Failed(f"the solution of game {wrong[0]} of the batch does not replay: a defect, please report it")
    return solutions
