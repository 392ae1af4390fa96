"""The Klondike solver against an exhaustive one on small decks, and its solutions on whole ones."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pipeline.cards.errors import InputError
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.rules.replay import Move, replay_klondike
from pipeline.games.klondike.solve.solver import RULES, STATUSES, one_pass, solve_klondike, solve_klondike_under_both
from tests.games.klondike import naive_klondike

SOLVED, IMPOSSIBLE, UNRESOLVED = (STATUSES.index(word) for word in ("solved", "impossible", "unresolved"))


def hard_decks(ranks, piles, count, seed, noise=1.5):
    """Small decks with the low cards deep in the piles, so that many cannot be won: uint8[count, 4 * ranks]."""
    random = np.random.default_rng(seed)
    cards = np.arange(4 * ranks)
    depth = [pile - row for pile in range(piles) for row in range(pile + 1)]
    depth = np.array(depth + [-1] * (cards.size - len(depth)))
    decks = np.empty((count, cards.size), np.uint8)
    for deck in decks:
        places = np.argsort(-depth - random.random(cards.size) / 2)
        deck[places] = cards[np.argsort(cards // 4 + noise * random.normal(size=cards.size))]
    return decks


def verdicts(decks, ranks, piles, may_return):
    return one_pass(decks, may_return, 100_000, ranks, piles)[0]


@pytest.mark.parametrize(("ranks", "piles", "count"), [(3, 3, 300), (4, 4, 80), (4, 5, 120), (5, 3, 60)])
@pytest.mark.parametrize("may_return", [False, True])
def test_small_decks_against_exhaustion(ranks, piles, count, may_return):
    decks = hard_decks(ranks, piles, count, seed=10 * ranks + piles)
    found = verdicts(decks, ranks, piles, may_return)
    expected = [naive_klondike.is_solvable(deck, ranks, piles, may_return) for deck in decks.tolist()]
    assert (found == SOLVED).tolist() == expected
    assert (found == IMPOSSIBLE).any()


def test_decks_that_turn_on_the_rule():
    """Of many small decks, those the solver decides differently under the two rules, and some it cannot solve under either."""
    decks = hard_decks(5, 5, 23_000, seed=1, noise=2)
    lost = decks[verdicts(decks, 5, 5, False) == IMPOSSIBLE]
    turns = verdicts(lost, 5, 5, True) == SOLVED
    assert turns.sum() >= 5
    for deck in lost[turns].tolist():
        assert not naive_klondike.is_solvable(deck, 5, 5, may_return=False)
        assert naive_klondike.is_solvable(deck, 5, 5, may_return=True)
    hopeless = [naive_klondike.is_solvable(deck, 5, 5, True, most=10_000) for deck in lost[~turns][:30].tolist()]
    assert hopeless.count(True) == 0
    assert hopeless.count(False) > 10


@pytest.fixture(scope="module")
def first_hundred():
    layouts = deal_klondike(range(100))
    return layouts, solve_klondike_under_both(layouts)


def test_solutions_replay_with_plain_stock_and_waste(first_hundred):
    layouts, found = first_hundred
    for rule in RULES:
        solutions = found[rule]
        assert UNRESOLVED not in solutions.status
        assert {SOLVED, IMPOSSIBLE} == set(solutions.status.tolist())
        for game, layout in enumerate(layouts):
            moves = solutions.moves[solutions.offsets[game] : solutions.offsets[game + 1]].tolist()
            replay = replay_klondike(layout, [Move(code >> 4, code & 15) for code in moves], rule == "return")
            assert replay.is_won == (solutions.status[game] == SOLVED)
            assert bool(moves) == replay.is_won


def test_a_game_that_turns_on_the_rule():
    found = solve_klondike_under_both(deal_klondike([121]))
    assert found["no-return"].status.tolist() == [IMPOSSIBLE]
    assert found["return"].status.tolist() == [SOLVED]
    assert (found["return"].moves >> 4 > 8).any(), "a card comes back from a foundation"


def test_games_do_not_depend_on_their_neighbours(first_hundred):
    layouts, found = first_hundred
    alone = solve_klondike(layouts[41:43], may_return=True)
    together = found["return"]
    assert alone.status.tolist() == together.status[41:43].tolist()
    assert alone.states.tolist() == together.states[41:43].tolist()
    assert alone.moves.tolist() == together.moves[together.offsets[41] : together.offsets[43]].tolist()


def test_a_small_budget_leaves_games_unresolved_and_never_calls_them_impossible(first_hundred):
    layouts, found = first_hundred
    short = solve_klondike(layouts, may_return=False, budget=5)
    assert (short.status == UNRESOLVED).any()
    decided = short.status != UNRESOLVED
    assert (short.status[decided] == found["no-return"].status[decided]).all()
    assert short.states.max() <= 5


def test_no_games_make_no_solutions():
    assert solve_klondike(np.empty((0, 52), np.uint8)).offsets.tolist() == [0]


@pytest.mark.parametrize(("layouts", "budget"), [(np.zeros((1, 52)), 1), (np.arange(52), 1), (deal_klondike(1), 0)])
def test_what_is_no_game_is_refused(layouts, budget):
    with pytest.raises(InputError):
        solve_klondike(layouts, budget=budget)


def test_kernels_say_the_same_without_the_compiler():
    """Bounds are checked there, and overflow is an error."""
    program = (
        "from pipeline.games.klondike.deal import deal_klondike; from pipeline.games.klondike.solve.solver import solve_klondike;"
        "s = solve_klondike(deal_klondike(range(3, 6)), budget=500); print(s.status.tolist(), s.states.tolist(), s.moves.tolist())"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    found = solve_klondike(deal_klondike(range(3, 6)), budget=500)
    assert said.strip() == f"{found.status.tolist()} {found.states.tolist()} {found.moves.tolist()}"


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "piles", "count"), [(5, 4, 1500), (5, 5, 1500), (4, 4, 3000), (6, 5, 150)])
@pytest.mark.parametrize("may_return", [False, True])
def test_many_small_decks_against_exhaustion(ranks, piles, count, may_return):
    decks = hard_decks(ranks, piles, count, seed=99)
    found = verdicts(decks, ranks, piles, may_return)
    for deck, word in zip(decks.tolist(), found, strict=True):
        expected = naive_klondike.is_solvable(deck, ranks, piles, may_return, most=100_000)
        assert expected is None or expected == (word == SOLVED), deck


@pytest.mark.slow
def test_every_five_digit_game_of_the_first_ten_thousand_is_decided():
    found = solve_klondike_under_both(deal_klondike(range(10_000)))
    assert UNRESOLVED not in found["return"].status
    assert UNRESOLVED not in found["no-return"].status


@pytest.mark.slow
def test_the_hardest_five_digit_game_is_decided():
    found = solve_klondike_under_both(deal_klondike([12085]))
    assert [found[rule].status.tolist() for rule in RULES] == [[IMPOSSIBLE], [IMPOSSIBLE]]
