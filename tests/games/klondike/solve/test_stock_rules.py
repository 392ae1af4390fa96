"""The solver under other rules of the stock: against exhaustion on small decks, and its solutions on whole ones."""

import numpy as np
import pytest

from pipeline.cards.errors import InputError
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.rules.replay import Move, replay_klondike
from pipeline.games.klondike.solve.solver import STATUSES
from pipeline.games.klondike.solve.stock_solver import one_stock_pass, solve_klondike_stock
from tests.games.klondike import naive_klondike
from tests.games.klondike.solve.test_klondike_solver import hard_decks

SOLVED, IMPOSSIBLE, UNRESOLVED = (STATUSES.index(word) for word in ("solved", "impossible", "unresolved"))
RULES = [(1, None), (1, 1), (1, 2), (2, None), (2, 1), (2, 3), (3, None), (3, 1), (3, 2), (3, 3), (5, 2)]


def disagreements(ranks, piles, count, seed, may_return, draw, passes):
    """Decks on which the solver and plain exhaustion differ, and how many it solved and called impossible."""
    decks = hard_decks(ranks, piles, count, seed)
    found = one_stock_pass(decks, may_return, draw, passes, 200_000, ranks, piles)[0]
    expected = [naive_klondike.is_solvable(d, ranks, piles, may_return, 50_000, draw, passes) for d in decks.tolist()]
    wrong = [
        deck
        for deck, word, won in zip(decks.tolist(), found, expected, strict=True)
        if won is not None and (word == SOLVED) != won
    ]
    return wrong, (found == SOLVED).sum(), (found == IMPOSSIBLE).sum()


@pytest.mark.parametrize(("draw", "passes"), RULES)
@pytest.mark.parametrize("may_return", [False, True])
def test_small_decks_against_exhaustion(may_return, draw, passes):
    solved = impossible = 0
    for ranks, piles, count in [(3, 3, 40), (4, 3, 20), (4, 4, 20)]:
        wrong, won, lost = disagreements(ranks, piles, count, 7 * ranks + piles, may_return, draw, passes)
        assert not wrong
        solved, impossible = solved + won, impossible + lost
    assert solved > 5
    assert impossible > 0


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "passes"), RULES)
@pytest.mark.parametrize("may_return", [False, True])
def test_many_small_decks_against_exhaustion(may_return, draw, passes):
    for ranks, piles, count in [(3, 3, 400), (4, 3, 150), (4, 4, 200), (5, 4, 60), (5, 5, 60)]:
        assert not disagreements(ranks, piles, count, 31 + ranks + piles, may_return, draw, passes)[0]


@pytest.mark.parametrize("rules", [(3, None), (3, 2), (1, 1)])
def test_solutions_replay_by_the_plain_rules(rules):
    layouts = deal_klondike(range(8))
    found = solve_klondike_stock(layouts, True, *rules, budget=20_000)
    for game, layout in enumerate(layouts):
        codes = found.moves[found.offsets[game] : found.offsets[game + 1]].tolist()
        replay = replay_klondike(layout, [Move(code >> 4, code & 15) for code in codes], True, *rules)
        assert replay.is_won == (found.status[game] == SOLVED)
    assert SOLVED in found.status


def test_a_small_budget_is_never_a_proof():
    layouts = deal_klondike(range(20))
    short = solve_klondike_stock(layouts, True, 3, None, budget=5)
    long = solve_klondike_stock(layouts, True, 3, None, budget=100_000)
    decided = short.status != UNRESOLVED
    assert not decided.all()
    assert (long.status[decided] == short.status[decided]).all()


@pytest.mark.parametrize(("draw", "passes"), [(0, None), (25, None), (3, 0)])
def test_rules_that_no_game_has_are_refused(draw, passes):
    with pytest.raises(InputError):
        solve_klondike_stock(np.empty((0, 52), np.uint8), True, draw, passes)
