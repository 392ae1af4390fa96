"""The solver: tiers of search, and exhaustion, until a game is decided or its budget is spent.

In: layouts or positions. Out: statuses, moves as text, and costs.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import COLUMNS
from pipeline.cards.errors import InputError
from pipeline.games.freecell.rules.compiled import BOARD, HORNE, set_up
from pipeline.games.freecell.rules.position import BLOCKED, PLACE_LETTERS, Position
from pipeline.games.freecell.solve.exact import exhaustion as proof
from pipeline.games.freecell.solve.exact.exhaustion import INVERSIONS, MOST_DEPTH, MOST_ENTRIES, prove
from pipeline.games.freecell.solve.first.pool import (
    MOVE_UNIT,
    PARENT,
    STEP,
    Pool,
    Tables,
    price_list,
    search_pool,
    sums_table,
    table_size,
)
from pipeline.games.freecell.solve.first.search import search
from pipeline.games.freecell.solve.first.weights import tiers_for
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, SOLVED, STATUSES, UNRESOLVED, Outcome
from pipeline.games.freecell.solve.path import FIRST_FOUND, TOO_LONG, position_board, write_moves
from pipeline.games.freecell.solve.state import CARDS, HOME_RULES, PARENTS, lay_out, position_places
from pipeline.kernels.cache import is_cached
from pipeline.kernels.compile import inlined, kernel

DEFAULT_BUDGET: Final = 10_000_000
"""States a game may cost: enough for every game of 1..1,000,000 with four cells."""

LONGEST_TEXT: Final = 16384
"""Bytes of a solution's text; a longer one is dropped, and its game is unresolved."""
_MOST_STEPS: Final = 4096
_MOST_DETOUR: Final = 200
"""Steps of a solution that an exhaustion may bring while there are tiers left."""

LETTERS: Final = np.frombuffer(PLACE_LETTERS.encode(), np.uint8)


class Plan(NamedTuple):
    """The tiers of a game as arrays for the kernel, and the memory that they share.

    ``states`` int64[tiers] of each tier; ``is_proof`` bool[tiers]; ``sums`` int64[tiers, SLOTS, 2] and ``prices``
    int64[tiers, 10] of its weights. A plan serves one thread at a time.
    """

    states: NDArray[np.int64]
    is_proof: NDArray[np.bool_]
    sums: NDArray[np.int64]
    prices: NDArray[np.int64]
    parents: NDArray[np.int64]
    home_rule: NDArray[np.int64]
    exact: NDArray[np.int64]
    pool: Pool
    steps: NDArray[np.int64]


def make_plan(cells: int, budget: int = DEFAULT_BUDGET) -> Plan:
    """Set up the tiers for a number of cells; raises InputError for one that is not 0 to 8, or a budget below 1."""
    if not 0 <= cells <= 8:
        raise InputError(f"{cells} freecells: a game has 0 to 8")
    if budget < 1:
        raise InputError(f"a budget of {budget} states: at least 1 is needed")
    tiers = tiers_for(cells)
    some = next(tier.weights for tier in tiers if tier.weights)
    searches = [tier.weights or some for tier in tiers]  # an exhaustion has none and looks at none
    return Plan(
        np.array([tier.states for tier in tiers], np.int64),
        np.array([tier.weights is None for tier in tiers]),
        np.stack([sums_table(weights) for weights in searches]),
        np.stack([price_list(weights) for weights in searches]),
        PARENTS,
        HOME_RULES["wkr"],
        INVERSIONS.copy(),
        search_pool(min(budget, max(tier.states for tier in tiers if tier.weights))),
        np.zeros(_MOST_STEPS, np.int64),
    )


@inlined
def _trace(words, row, steps):  # type: ignore[no-untyped-def]
    """Follow the parents of a row back to the root; returns the number of steps, or TOO_LONG."""
    count = words[row, STEP] // MOVE_UNIT
    if count > steps.size:
        return TOO_LONG
    for k in range(count - 1, -1, -1):
        steps[k] = words[row, STEP] % MOVE_UNIT
        row = words[row, PARENT]
    return count


@kernel
def decide(start, plan, columns, cells, budget):  # type: ignore[no-untyped-def]
    """Try tier after tier on the places ``start`` (uint8[52]); the steps of a solution are left in ``plan.steps``.

    Returns (status, states met, tier from 1, number of steps). Only an exhaustion that has run out of states says
    IMPOSSIBLE; a solution whose steps do not fit is none.
    """
    pool = plan.pool
    nodes, tier = 0, 0
    for k in range(plan.states.size):
        allowed = min(plan.states[k], budget - nodes)
        if allowed <= 0:
            break
        tier = k + 1
        if plan.is_proof[k]:
            # What an exhaustion happens upon is long; a later search may find a better one.
            path = plan.steps if k + 1 == plan.states.size else plan.steps[:_MOST_DETOUR]
            found, used, count = prove(
                start,
                plan.parents,
                plan.home_rule,
                plan.exact,
                columns,
                cells,
                allowed,
                MOST_ENTRIES,
                MOST_DEPTH,
                path,
            )
            nodes += used
            if found == proof.EXHAUSTED:
                return IMPOSSIBLE, nodes, tier, 0
            if found == proof.FOUND:
                return SOLVED, nodes, tier, count
            continue
        tables = Tables(plan.parents, plan.home_rule, plan.sums[k], plan.prices[k])
        pool.places[0, :CARDS] = start
        met = pool.met[: table_size(allowed)]
        row, used = search(
            Pool(pool.words, pool.places, pool.waiting, pool.stacks, met), tables, columns, cells, allowed
        )
        nodes += used
        count = _trace(pool.words, row, plan.steps) if row >= 0 else TOO_LONG
        if count != TOO_LONG:
            return SOLVED, nodes, tier, count
    return UNRESOLVED, nodes, tier, 0


@kernel
def _solve_layouts(layouts, plan, columns, cells, budget, letters, text, done, statuses, nodes, tiers, offsets):  # type: ignore[no-untyped-def]
    """Solve layouts from ``done`` on while the text has room for another; returns how many are done then."""
    start = np.zeros((1, CARDS), np.uint8)
    board = np.zeros(BOARD, np.int64)
    for game in range(done, layouts.shape[0]):
        at = offsets[game]
        if at + LONGEST_TEXT > text.size:
            return game
        lay_out(start, 0, layouts[game], columns)
        status, used, tier, count = decide(start[0], plan, columns, cells, budget)
        end = at
        if status == SOLVED:
            set_up(board, layouts[game], HORNE)
            end = write_moves(board, plan.steps, count, FIRST_FOUND, cells, letters, text[: at + LONGEST_TEXT], at)
            if end == TOO_LONG:
                status, end = UNRESOLVED, at
        statuses[game], nodes[game], tiers[game], offsets[game + 1] = status, used, tier, end
    return layouts.shape[0]


class Solved(NamedTuple):
    """Outcomes of many games as columns: status codes, costs, and the text of the i-th solution from offset i to i + 1."""

    status: NDArray[np.uint8]
    nodes: NDArray[np.int64]
    tier: NDArray[np.uint8]
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def solve_many(
    layouts: NDArray[np.uint8], cells: int = 4, budget: int = DEFAULT_BUDGET, plan: Plan | None = None
) -> Solved:
    """Solve layouts (uint8[n, 52] in deal order, each a whole deck), one after the other, without the GIL.

    ``budget`` is the most states a game may cost; ``plan`` one that `make_plan` made for these cells and this budget.
    No solution is replayed yet. Raises InputError for a number of cells or a budget that makes no game.
    """
    plan = plan or make_plan(cells, budget)
    count = len(layouts)
    statuses, nodes, tiers = np.zeros(count, np.uint8), np.zeros(count, np.int64), np.zeros(count, np.uint8)
    offsets = np.zeros(count + 1, np.int64)
    text = np.zeros(LONGEST_TEXT + 256 * count, np.uint8)
    done = 0
    while done < count:
        done = _solve_layouts(
            layouts, plan, COLUMNS, cells, budget, LETTERS, text, done, statuses, nodes, tiers, offsets
        )
        if done < count:
            text = np.concatenate([text, np.zeros_like(text)])
    return Solved(statuses, nodes, tiers, text[: offsets[-1]], offsets)


def solve_position(position: Position, budget: int = DEFAULT_BUDGET) -> Outcome:
    """Solve a position, a fresh deal or one in mid-game.

    Its blocked cells are not used. Raises InputError for a position with more than eight columns.
    """
    if len(position.columns) > COLUMNS:
        raise InputError(f"{len(position.columns)} columns: a position to solve has at most {COLUMNS}")
    cells = sum(card != BLOCKED for card in position.freecells)
    board, letters = position_board(position)
    start = position_places(position.columns, [card for card in position.freecells if card >= 0])
    plan = make_plan(cells, budget)
    status, nodes, tier, count = decide(start, plan, len(position.columns), cells, budget)
    text = np.zeros(LONGEST_TEXT, np.uint8)
    end = write_moves(board, plan.steps, count, FIRST_FOUND, cells, letters, text, 0) if status == SOLVED else 0
    if end == TOO_LONG:
        status = UNRESOLVED
    moves = bytes(text[:end]).decode() if status == SOLVED else None
    return Outcome(STATUSES[status], moves, nodes, budget, tier)


def needs_compiling(many: bool = False) -> bool:
    """Whether the first game of `solve_position`, or of `solve_many`, will wait for kernels to be compiled."""
    return not is_cached(_solve_layouts if many else decide)
