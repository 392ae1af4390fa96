"""Proofs of the shortest solution against a naive breadth-first search, and what may never be called proved."""

import numpy as np
import pytest

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.position import from_layout
from pipeline.games.freecell.rules.replay import replay
from pipeline.games.freecell.solve.short import solver as short
from pipeline.games.freecell.solve.short.layered_search import begin, new_layers
from pipeline.games.freecell.solve.short.optimality import Prover, move_steps
from pipeline.games.freecell.solve.short.solver import (
    LEAST_MEMORY,
    ShortSettings,
    ShortSolver,
    layout_places,
    shorten_position,
)
from pipeline.games.freecell.solve.state import HOME_RULES, PARENTS, position_places
from pipeline.serve.answer.solution import parse_moves
from tests.games.freecell.solve.short.naive_shortest import naive_shortest, tiny_position
from tests.games.freecell.solve.tiny import tiny_columns

RULES = ("horne", "wkr", "max")


@pytest.fixture(scope="module")
def prover():
    return Prover(LEAST_MEMORY * 1e9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("ranks", "columns", "cells", "seeds"), [(4, 4, 1, 25), (4, 3, 1, 25), (5, 4, 1, 6), (4, 4, 0, 15)]
)
def test_tiny_decks_agree_with_a_naive_breadth_first_search(prover, rule, ranks, columns, cells, seeds):
    lengths = set()
    for seed in range(seeds):
        dealt = tiny_columns(seed, ranks, columns)
        expected = naive_shortest(tiny_position(dealt, cells), rule)
        start = position_places(dealt)
        found = prover.exhaust(start, columns, cells, rule, 10**9)
        assert found.is_complete
        assert (None if found.steps is None else move_steps(found.steps)) == expected, seed
        lengths.add(expected)
        if expected:
            proof = prover.shortest(start, columns, cells, rule, expected, 10**9)
            assert proof.steps is None and proof.lower_bound == expected, "no shorter one is met"
            longer = prover.shortest(start, columns, cells, rule, expected + 1, 10**9)
            assert longer.steps is not None and longer.lower_bound == expected, "a shorter one is found"
    assert len(lengths) > 2, "the decks tell something"


def test_budgets_and_full_tables_prove_nothing():
    columns, cells = tiny_columns(5, 9, 5), 2
    start = position_places(columns)
    length = move_steps(Prover(LEAST_MEMORY * 1e9).exhaust(start, 5, cells, "max", 10**9).steps)
    small = Prover(1_000)
    outcomes = set()
    for rows, states in ((280, 300), (400, 100_000), (100_000, 400), (100_000, 100_000)):
        small.layers = new_layers(rows, states)
        for words in (1 << 10, 1 << 12, 1 << 20):
            small.most_words = words
            for budget in (1, 10, 1_000, 10**9):
                proof = small.within(start, 5, cells, "max", length - 1, budget)
                outcomes.add(proof.is_complete)
                assert proof.steps is None and proof.lower_bound <= length
                assert proof.is_complete == (proof.lower_bound == length), "an overflow is never a proof"
                assert small.shortest(start, 5, cells, "max", length + 1, budget).lower_bound <= length
                exhausted = small.exhaust(start, 5, cells, "max", budget)
                assert exhausted.steps is not None or not exhausted.is_complete, "nor does it make a game impossible"
    assert outcomes == {True, False}


def test_bound_never_exceeds_what_a_solution_takes():
    layers, keys = new_layers(1_000, 1_000), np.zeros(1 << 10, np.int64)
    tight = 0
    for rule in ("max", "horne"):
        solver = ShortSolver(ShortSettings(1, rule))
        for layout in deal(range(100, 120)):
            position = from_layout(layout.tolist())
            _, text = shorten_position(position, solver)
            found = replay(position, parse_moves(text), rule)
            left = found.move_count
            for step in found.steps:
                left -= step.move.target != 16
                columns, cells = step.position.columns, [card for card in step.position.freecells if card >= 0]
                _, bound = begin(layers, position_places(columns, cells), keys, PARENTS, HOME_RULES[rule], 99)
                assert bound <= left
                tight += bound == left
    assert tight > 200, "and it is often all that is needed"


def test_a_proof_within_the_budget_is_the_same_in_a_larger_one():
    solver = ShortSolver(ShortSettings(2, "max", prove=0.3))
    more = ShortSolver(ShortSettings(2, "max", prove=1))
    for number in (3, 7, 17):
        places = layout_places(deal(number)[0])
        one, other = solver.solve(places, 8), more.solve(places, 8)
        assert one.is_shortest and other.is_shortest and one.length == other.length


def test_the_highest_effort_proves_without_being_asked(monkeypatch):
    start = layout_places(deal(7)[0])
    asked = ShortSolver(ShortSettings(2, "max", prove=0.4)).solve(start, 8)
    monkeypatch.setattr(short, "WIDTHS", (350, 350))
    for states in (0, 1_000, 400_000):
        monkeypatch.setattr(short, "PROOFS", (0, states))
        found = ShortSolver(ShortSettings(1, "max")).solve(start, 8)
        assert found.is_shortest == (states == 400_000) and (found.lower_bound is None) == (states == 0)
        assert (found.lower_bound or 0) <= asked.length <= found.length
    assert found == asked._replace(steps=found.steps)
    monkeypatch.undo()
    assert ShortSettings(5).proof_states > 0 == ShortSettings(4).proof_states
    assert ShortSettings(5, prove=60).proof_states == 60_000_000, "what is asked for counts where it is more"
