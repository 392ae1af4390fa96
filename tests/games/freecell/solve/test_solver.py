"""Verdicts of the solver: tiny decks against the naive twin, the games known to be impossible, and bounds that prove nothing."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.cards.errors import InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS
from pipeline.games.freecell.notation.document import game_position
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.moves import LIMITS, Move
from pipeline.games.freecell.rules.position import EMPTY, PLACES, Position
from pipeline.games.freecell.rules.replay import replay
from pipeline.games.freecell.solve.exact import exhaustion as proof
from pipeline.games.freecell.solve.exact.exhaustion import (
    EXHAUSTED,
    FOUND,
    INVERSIONS,
    MOST_DEPTH,
    MOST_ENTRIES,
    OUT_OF_ROOM,
    prove,
)
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, SOLVED, STATUSES, UNRESOLVED
from pipeline.games.freecell.solve.solver import decide, make_plan, solve_many, solve_position
from pipeline.games.freecell.solve.state import HOME_RULES, PARENTS, position_places
from tests.games.freecell.solve.tiny import is_solvable, tiny_columns

IMPOSSIBLE_GAMES = (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948)
"""The games of 1..1,000,000 that no solver has ever solved, as the Internet FreeCell projects published them."""


def exhaust(columns, cells, in_cells=(), *, states=10**9, entries=MOST_ENTRIES, depth=MOST_DEPTH, steps=4096):
    path = np.zeros(steps, np.int64)
    outcome, met, length = prove(
        position_places(columns, in_cells),
        PARENTS,
        HOME_RULES["wkr"],
        INVERSIONS.copy(),
        len(columns),
        cells,
        states,
        entries,
        depth,
        path,
    )
    return outcome, met, path[:length].tolist()


def moves_of(text: str) -> list[Move]:
    return [Move(PLACES[word[-2]], PLACES[word[-1]], 1 if word[0] == "." else None) for word in text.split()]


@pytest.mark.parametrize(
    ("width", "cells", "seeds"), [(4, 0, 40), (4, 1, 5), (3, 1, 25), (3, 2, 5)], ids=lambda value: str(value)
)
def test_tiny_decks_agree_with_a_naive_breadth_first_search(width, cells, seeds):
    plan = make_plan(cells, 10**5)
    verdicts = []
    for seed in range(seeds):
        columns = tiny_columns(seed, ranks=4, columns=width)
        outcome, _, _ = exhaust(columns, cells)
        status, *_ = decide(position_places(columns), plan, width, cells, 10**5)
        expected = is_solvable(columns, cells)
        assert outcome == (FOUND if expected else EXHAUSTED), seed
        assert status == (SOLVED if expected else IMPOSSIBLE), seed
        verdicts.append(expected)
    assert any(verdicts)
    assert not all(verdicts) or (width, cells) in [(4, 1), (3, 2)]


def test_exhausting_meets_the_states_that_the_rules_can_reach():
    # Without automoves the naive twin reaches more; with none possible the counts are equal: no ace can ever come out.
    columns = [[0, 5, 10, 7], [1, 4, 11, 6], [2, 9, 8, 15], [3, 12, 13, 14]]
    outcome, met, _ = exhaust(columns, 0)
    assert (outcome, met) == (EXHAUSTED, naive_count(columns, 0))


def naive_count(columns, cells):
    from tests.games.freecell.solve.tiny import successors

    start = (frozenset(map(tuple, columns)), frozenset(), (0, 0, 0, 0))
    seen, queue = {start}, [start]
    for state in queue:
        fresh = [following for following in successors(state, len(columns), cells) if following not in seen]
        seen.update(fresh)
        queue.extend(dict.fromkeys(fresh))
    assert all(home == (0, 0, 0, 0) for _, _, home in seen)
    return len(seen)


@pytest.mark.parametrize("number", IMPOSSIBLE_GAMES)
def test_the_impossible_games_are_proved(number):
    outcome = solve_position(game_position(number))
    assert (outcome.status, outcome.moves) == ("impossible", None)
    assert outcome.nodes < outcome.budget


def test_the_special_games_need_a_fifth_cell():
    for number in SPECIAL_LAYOUTS:
        assert solve_position(game_position(number)).status == "impossible"
        with_five = solve_position(game_position(number, 5))
        assert replay(game_position(number, 5), moves_of(with_five.moves)).result == "won"


def test_game_210_is_solved_with_one_cell():
    # Freecell Solver's preset lg says that it cannot be; those with every kind of move find a solution.
    outcome = solve_position(game_position(210, 1))
    for limit in LIMITS:
        assert replay(game_position(210, 1), moves_of(outcome.moves), limit=limit).result == "won"


@pytest.mark.parametrize("cells", range(9))
def test_solutions_replay_by_the_plain_rules_under_both_limits(cells):
    numbers = range(1001, 1021)
    layouts = deal(numbers)
    solved = solve_many(layouts, cells, 200_000)
    assert (solved.status != UNRESOLVED).sum() > 15
    for index, number in enumerate(numbers):
        text = bytes(solved.text[solved.offsets[index] : solved.offsets[index + 1]]).decode()
        assert bool(text) == (solved.status[index] == SOLVED)
        for limit in LIMITS if text else ():
            found = replay(game_position(number, cells), moves_of(text), limit=limit)
            assert (found.result, found.moves_left_over) == ("won", 0), (number, cells, limit, found.reason)


def assert_all_win(first: int, last: int, cells: int = 4) -> None:
    layouts = deal(range(first, last + 1))
    solved = solve_many(layouts, cells)
    is_solved = solved.status == SOLVED
    for limit in LIMITS:
        verdicts = replay_many(layouts, solved.text, solved.offsets, limit=limit, freecells=cells)
        assert (verdicts.is_won == is_solved).all()
        assert not verdicts.moves_left[is_solved].any()
    impossible = set((np.flatnonzero(solved.status == IMPOSSIBLE) + first).tolist())
    assert impossible == {number for number in IMPOSSIBLE_GAMES if first <= number <= last}
    assert (solved.status != UNRESOLVED).all()


def test_a_sample_of_games_is_solved_and_replayed():
    assert_all_win(11_001, 13_000)


@pytest.mark.slow
def test_all_games_of_the_original_program_are_solved_and_replayed():
    assert_all_win(1, 32_000)


@pytest.mark.slow
def test_the_impossible_games_of_the_million_are_these_eight():
    for first in range(1, 1_000_000, 100_000):
        assert_all_win(first, first + 99_999)


def test_no_bound_turns_into_impossible():
    impossible = tuple(deal(11982)[0].tolist())
    columns = [list(impossible[column::8]) for column in range(8)]
    outcome, met, _ = exhaust(columns, 4)
    assert outcome == EXHAUSTED
    bounds = [
        {"states": 1},
        {"states": met - 1},
        {"entries": 1 << 14},
        {"entries": 1 << 15},
        {"depth": 1 << 10},
    ]
    for bound in bounds:
        assert exhaust(columns, 4, **bound)[0] == OUT_OF_ROOM, bound
    assert exhaust(columns, 4, states=met + 1)[0] == EXHAUSTED
    for budget in (1, 100, 10_000, 300_000):
        found = solve_many(deal(11982), 4, budget)
        assert (STATUSES[found.status[0]], found.nodes[0]) == ("unresolved", budget)


def test_a_path_that_is_too_long_is_no_solution_and_no_proof():
    columns = tiny_columns(1)
    outcome, _, path = exhaust(columns, 2)
    assert outcome == FOUND
    assert exhaust(columns, 2, steps=len(path))[0] == FOUND
    assert exhaust(columns, 2, steps=len(path) - 1)[0] == OUT_OF_ROOM


def test_the_outcome_of_a_game_does_not_depend_on_its_neighbours():
    layouts = deal(range(600, 640))
    together = solve_many(layouts)
    for index in (0, 17, 39):
        alone = solve_many(layouts[index : index + 1])
        assert alone.nodes[0] == together.nodes[index]
        assert bytes(alone.text) == bytes(together.text[together.offsets[index] : together.offsets[index + 1]])


def test_positions_in_mid_game_are_solved_from_where_they_are():
    start = game_position(617)
    played = replay(start, moves_of(solve_position(start).moves))
    for step in played.steps[::7]:
        outcome = solve_position(step.position)
        assert replay(step.position, moves_of(outcome.moves)).result == "won"
    won = solve_position(played.position)
    assert (won.status, won.moves) == ("solved", "")


def test_blocked_cells_are_passed_over():
    columns = game_position(2).columns
    outcome = solve_position(Position(columns, (-2, EMPTY, -2, EMPTY)))
    assert {word[1] for word in outcome.moves.replace(".", "").split() if word[1].isalpha()} <= {"b", "d", "h"}
    assert replay(Position(columns, (-2, EMPTY, -2, EMPTY)), moves_of(outcome.moves)).result == "won"


@pytest.mark.parametrize(
    ("cells", "budget", "problem"), [(9, 10, "9 freecells"), (-1, 10, "-1 freecells"), (4, 0, "budget of 0")]
)
def test_what_makes_no_game_is_refused(cells, budget, problem):
    with pytest.raises(InputError, match=problem):
        solve_many(deal(1), cells, budget)


def test_the_proof_alone_says_impossible():
    """The searches' own ends never count: with every exhaustion cut off, an impossible tiny deck stays unresolved."""
    columns = next(c for c in map(tiny_columns, range(100)) if not is_solvable(c, 0) and exhaust(c, 0)[1] > 1)
    plan = make_plan(0)
    cut = plan._replace(states=np.where(plan.is_proof, 1, plan.states))
    assert decide(position_places(columns), cut, 4, 0, 10**6)[0] == UNRESOLVED
    assert decide(position_places(columns), plan, 4, 0, 10**6)[0] == IMPOSSIBLE


def test_the_kernels_say_the_same_uncompiled():
    script = (
        "from test_solver import *\n"
        "for seed in range(6):\n"
        "    columns = tiny_columns(seed, columns=3)\n"
        "    status, nodes, tier, count = decide(position_places(columns), make_plan(1, 2000), 3, 1, 2000)\n"
        "    print(status, nodes, tier, count)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    runs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**environment, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert runs[0] == runs[1] != ""
    assert proof.EXHAUSTED != proof.OUT_OF_ROOM
