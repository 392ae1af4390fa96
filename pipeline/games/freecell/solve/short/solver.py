"""Short solutions: efforts, their ladder of beams, and the proof that none is shorter.

In: layouts or positions, an effort, an automove rule. Out: `ShortOutcome`s, none of them replayed yet.

Effort e begins with a beam of `WIDTHS`[e]; where it finds nothing, `solver` says whether there is a solution at all, and beams `WIDER`
times as wide take over. The highest effort then looks for a shorter solution, or a proof that there is none, as far as `PROOFS` goes.
Cards that need not go home by themselves make the search wider, so under rules other than ``max`` a beam that sends everything home looks
first, and the shorter solution counts: what is found under ``max`` is a solution under every rule, once moves home are written out.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import COLUMNS
from pipeline.cards.errors import InputError
from pipeline.games.freecell.rules.compiled import AUTOMOVE_RULES, BOARD, set_up
from pipeline.games.freecell.rules.position import BLOCKED, Position
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, SOLVED, UNRESOLVED
from pipeline.games.freecell.solve.path import TOO_LONG, Writing, position_board, write_moves
from pipeline.games.freecell.solve.short.beam import MOST_STEPS, Beam, BeamTables, new_beam, search_beam
from pipeline.games.freecell.solve.short.moves import HIGHER
from pipeline.games.freecell.solve.short.optimality import Prover, move_steps, states_of
from pipeline.games.freecell.solve.short.score import ShortWeights, short_prices, short_table
from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET, LETTERS, LONGEST_TEXT, Plan, Solved, decide, make_plan
from pipeline.games.freecell.solve.state import CARDS, EMPTY, HOME_RULES, PARENTS, position_places
from pipeline.kernels.cache import is_cached
from pipeline.kernels.compile import kernel

SHORT_RULES: Final = ("horne", "wkr", "max")
WIDTHS: Final = (10, 50, 350, 1_200, 12_000, 40_000)
"""The first beam of each effort; effort 0 under ``horne`` is `solver`'s."""
PROOFS: Final = (0, 0, 0, 0, 0, 400_000)
"""States that each effort spends on a proof, asked for or not: a last beam twice as wide finds nothing shorter in a hundred
games, and costs more than this, which proves more than half of them."""
WIDER: Final = 4
MOST_WIDTH: Final = 40_000
"""The ladder ends above this width, but for the second rung of the highest efforts."""
BYTES_A_WIDTH: Final = 8_000
"""Memory of a beam for each state of its width, at most."""

GIGABYTE: Final = 10**9
DEFAULT_MEMORY: Final = 2.0

LEAST_MEMORY: Final = 0.05
KEPT_WIDTH: Final = 5_000
"""Wider beams than this are made when a game needs them, but for the first."""


class ShortOutcome(NamedTuple):
    """What became of a game, and its cost.

    ``status``: a code of `outcome.STATUSES`; with ``has_other`` it is impossible under this automove rule alone, and there is a solution
    under others. ``steps``: `state.slot`s of the solution (None unless solved), found by a search under the rule ``played``. ``nodes``:
    states met or scored in all. ``tier``: the rung that found it, from 1. ``lower_bound`` is None where nothing was proved.
    """

    status: int
    nodes: int
    tier: int
    steps: NDArray[np.int64] | None = None
    played: str = ""
    lower_bound: int | None = None
    has_other: bool = False

    @property
    def length(self) -> int | None:
        """Moves between columns and cells, a supermove as one."""
        return None if self.steps is None else move_steps(self.steps)

    @property
    def is_shortest(self) -> bool:
        """Whether no solution under the rule set is shorter, as proved."""
        return self.steps is not None and self.lower_bound == self.length


class ShortSettings(NamedTuple):
    """What a short solution depends on beside the game; see `check_settings`."""

    effort: int
    automove: str = "horne"
    freecells: int = 4
    budget: int = DEFAULT_BUDGET
    """States that deciding whether there is a solution at all may cost, where the first beam finds none."""
    prove: float = 0.0
    """The proof's budget in seconds of one core (`optimality.states_of`); 0 for none."""
    memory: float = DEFAULT_MEMORY
    """Gigabytes that beams and proofs of one worker may take."""

    @property
    def proof_states(self) -> int:
        """States that a proof may meet: what was asked for, and no less than belongs to the effort; 0 for no proof."""
        return max(states_of(self.prove), PROOFS[self.effort])


def check_settings(settings: ShortSettings) -> None:
    """Raise InputError for settings that make no sense."""
    if settings.automove not in SHORT_RULES:
        raise InputError(f"automove {settings.automove!r} is not one of {', '.join(SHORT_RULES)}")
    if not 0 <= settings.effort < len(WIDTHS):
        raise InputError(f"effort {settings.effort}: it is 0 (the first solution) to {len(WIDTHS) - 1}")
    if settings.prove < 0:
        raise InputError(f"{settings.prove} seconds for a proof: at least 0 are needed")
    least = max(LEAST_MEMORY, WIDTHS[settings.effort] * BYTES_A_WIDTH / GIGABYTE)
    if not settings.memory >= least:
        raise InputError(f"{settings.memory} gigabytes of memory: effort {settings.effort} takes {least:g} or more")


class ShortSolver:
    """Finds short solutions, one after the other: it holds the memory of beams and proofs, and serves one thread at a time.

    Raises InputError for settings that make no sense.
    """

    def __init__(self, settings: ShortSettings):
        check_settings(settings)
        self.settings = settings
        self.plan: Plan = make_plan(settings.freecells, settings.budget)
        weights = ShortWeights()
        self.tables = {
            rule: BeamTables(PARENTS, HOME_RULES[rule], HIGHER, short_table(weights), short_prices(weights))
            for rule in {settings.automove, "max"}
        }
        self.beams: dict[int, Beam] = {}
        self.steps = np.zeros(MOST_STEPS, np.int64)
        self.prover: Prover | None = None

    def solve(self, start: NDArray[np.uint8], columns: int) -> ShortOutcome:
        """Find a short solution from the places ``start`` (uint8[52]), and prove what the settings ask for."""
        found = self._find(start, columns)
        states = self.settings.proof_states
        if found.steps is None or not states:
            return found
        rule, length = self.settings.automove, move_steps(found.steps)
        proof = self._prover().shortest(start, columns, self.settings.freecells, rule, length, states)
        found = found._replace(nodes=found.nodes + proof.states, lower_bound=proof.lower_bound)
        return found if proof.steps is None else found._replace(steps=proof.steps, played=rule)

    def _find(self, start: NDArray[np.uint8], columns: int) -> ShortOutcome:
        """Go up the ladder; after its first rung, `solver` says whether it is worth while."""
        rule, cells, nodes, other = self.settings.automove, self.settings.freecells, 0, None
        least = WIDTHS[self.settings.effort]
        most = min(max(MOST_WIDTH, least * WIDER), int(self.settings.memory * GIGABYTE / BYTES_A_WIDTH))
        rung, width = 0, least
        while width <= most:
            rung += 1
            best: ShortOutcome | None = None
            for played in sorted(self.tables, key="max".__ne__):  # max first: it is the quicker one
                steps, scored = self._search(start, columns, played, width)
                nodes += scored
                if steps is not None and (best is None or move_steps(steps) < (best.length or 0)):
                    best = ShortOutcome(SOLVED, 0, rung, steps, played)
            if best is not None:
                return best._replace(nodes=nodes)
            if other is None:
                status, used, _, count = decide(start, self.plan, columns, cells, self.settings.budget)
                nodes += used
                other = ShortOutcome(status, nodes, rung, self.plan.steps[:count].copy(), "wkr")
                if status == IMPOSSIBLE:
                    return ShortOutcome(IMPOSSIBLE, nodes, rung)
            width *= WIDER
        assert other is not None  # check_settings leaves memory for the first rung
        tier = rung + 1
        if rule != "max":
            solved = other.status == SOLVED
            return other._replace(nodes=nodes, tier=tier, steps=other.steps if solved else None)
        proof = self._prover().exhaust(start, columns, cells, rule, self.settings.budget)
        nodes += proof.states
        if proof.steps is not None:
            return ShortOutcome(SOLVED, nodes, tier, proof.steps, rule)
        status = IMPOSSIBLE if proof.is_complete else UNRESOLVED
        return ShortOutcome(status, nodes, tier, has_other=other.status == SOLVED)

    def _search(
        self, start: NDArray[np.uint8], columns: int, played: str, width: int
    ) -> tuple[NDArray[np.int64] | None, int]:
        """Search with a beam of a width; returns (steps or None, children scored)."""
        beam = self.beams.get(width) or new_beam(width)
        if width <= KEPT_WIDTH or width == WIDTHS[self.settings.effort]:
            self.beams[width] = beam
        beam.places[0, :CARDS] = start
        count, scored = search_beam(beam, self.tables[played], columns, self.settings.freecells, self.steps)
        return (None if count < 0 else self.steps[:count][::-1].copy()), scored

    def _prover(self) -> Prover:
        if self.prover is None:
            self.prover = Prover(self.settings.memory * GIGABYTE)
        return self.prover


class ShortSolved(NamedTuple):
    """Outcomes of many games as columns: those of `Solved`, then lower bounds (int32, -1 where nothing was proved), whether the length is
    proved to be the least, and whether there is a solution under other automove rules alone."""

    solved: Solved
    lower_bound: NDArray[np.int32]
    is_shortest: NDArray[np.bool_]
    has_other: NDArray[np.bool_]


@kernel
def _write_layout(board, layout, steps, writing, cells, letters, text, at):  # type: ignore[no-untyped-def]
    """Write the moves that play ``steps`` on a layout, as `write_moves` does."""
    set_up(board, layout, writing.written)
    return write_moves(board, steps, steps.size, writing, cells, letters, text, at)


def solve_short(layouts: NDArray[np.uint8], solver: ShortSolver) -> ShortSolved:
    """Solve layouts (uint8[n, 52] in deal order, each a whole deck), one after the other; none is replayed yet.

    The texts are for the solver's automove rule with none before the first move, and the supermove limit doubling; each ends in a blank.
    """
    count, at = len(layouts), 0
    outcomes = [solver.solve(layout_places(layout), COLUMNS) for layout in layouts]
    text, offsets = np.zeros(LONGEST_TEXT * max(1, count), np.uint8), np.zeros(count + 1, np.int64)
    status = np.array([outcome.status for outcome in outcomes], np.uint8)
    board = np.zeros(BOARD, np.int64)
    for game, outcome in enumerate(outcomes):
        if outcome.steps is not None:
            room = text[: at + LONGEST_TEXT]
            writing = _writing(solver, outcome)
            end = _write_layout(
                board, layouts[game], outcome.steps, writing, solver.settings.freecells, LETTERS, room, at
            )
            if end == TOO_LONG:
                status[game] = UNRESOLVED
            else:
                at = end
        offsets[game + 1] = at
    solved = Solved(
        status,
        np.array([outcome.nodes for outcome in outcomes], np.int64),
        np.array([outcome.tier for outcome in outcomes], np.uint8),
        text[:at].copy(),
        offsets,
    )
    bounds = [-1 if o.lower_bound is None else o.lower_bound for o in outcomes]
    is_shortest, has_other = [o.is_shortest for o in outcomes], [o.has_other for o in outcomes]
    return ShortSolved(solved, np.array(bounds, np.int32), np.array(is_shortest, bool), np.array(has_other, bool))


def layout_places(layout: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Tell where each card lies in a fresh deal: uint8[52]."""
    places = np.full(CARDS, EMPTY, np.uint8)
    places[layout[COLUMNS:]] = layout[:-COLUMNS]
    return places


def shorten_position(position: Position, solver: ShortSolver) -> tuple[ShortOutcome, str | None]:
    """Solve a position, a fresh deal or one in mid-game; returns the outcome and the solution's text, None where there is none.

    The solver is one for as many freecells as the position has. Raises InputError for a position of more than eight columns or one with
    a column that could grow beyond what a board holds.
    """
    if len(position.columns) > COLUMNS:
        raise InputError(f"{len(position.columns)} columns: a position to solve has at most {COLUMNS}")
    assert solver.settings.freecells == sum(card != BLOCKED for card in position.freecells)
    start = position_places(position.columns, [card for card in position.freecells if card >= 0])
    outcome = solver.solve(start, len(position.columns))
    if outcome.steps is None:
        return outcome, None
    writing = _writing(solver, outcome)
    board, letters = position_board(position, writing.written)
    text = np.zeros(LONGEST_TEXT, np.uint8)
    end = write_moves(board, outcome.steps, outcome.steps.size, writing, solver.settings.freecells, letters, text, 0)
    if end == TOO_LONG:
        return outcome._replace(status=UNRESOLVED, steps=None, lower_bound=None), None
    return outcome, bytes(text[:end]).decode().strip()


def _writing(solver: ShortSolver, outcome: ShortOutcome) -> Writing:
    codes = AUTOMOVE_RULES
    return Writing(codes.index(solver.settings.automove), codes.index(outcome.played), False)


def needs_compiling() -> bool:
    """Whether the first game will wait for kernels to be compiled."""
    return not is_cached(search_beam)
