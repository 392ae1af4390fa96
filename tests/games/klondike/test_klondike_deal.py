"""The Klondike deal against the published cases and a literal twin of the program."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from pipeline.cards.codes import CARD_CODES
from pipeline.cards.errors import GameNumberError
from pipeline.games.klondike.deal import LAST_GAME, PLACES, deal_klondike, klondike_rows, piles_of, stock_of
from tests.games.klondike import naive_deal

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "klondike.toml").read_text())["deal"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["number"]))
def test_known_games(case):
    rows = klondike_rows(case["number"])
    assert rows[:7] == [pile.split() for pile in case["piles"]]
    assert rows[7] == case["stock"].split()
    assert naive_deal.deal(case["number"])[2] == case["draws"]


def test_against_the_literal_program():
    random = np.random.default_rng(1)
    numbers = [*range(300), *random.integers(0, LAST_GAME + 1, 300).tolist(), LAST_GAME]
    assert any(naive_deal.deal(number)[2] > 28 for number in numbers), "no game here draws again"
    for number, layout in zip(numbers, deal_klondike(numbers), strict=True):
        piles, stock, _ = naive_deal.deal(number)
        assert [CARD_CODES[card] for pile in piles for card in pile] + [CARD_CODES[card] for card in stock] == list(
            layout
        )


def test_every_five_digit_game_is_a_whole_deck():
    layouts = deal_klondike(range(100_000))
    assert layouts.shape == (100_000, 52)
    assert (np.sort(layouts, axis=1) == np.arange(52)).all()


def test_the_stock_keeps_the_order_of_the_deck():
    layouts = deal_klondike(range(1_000))
    order_in_deck = np.argsort([4 * rank + suit for suit in (3, 2, 0, 1) for rank in range(13)])
    assert (np.diff(order_in_deck[layouts[:, 28:]].astype(int), axis=1) < 0).all()


def test_places_name_the_cards_of_a_layout():
    layout = deal_klondike(617)[0]
    assert len(PLACES) == 52
    assert PLACES[:4] == ("c1r1", "c2r1", "c2r2", "c3r1")
    assert layout[PLACES.index("c7r7")] == piles_of(layout)[6][6] == CARD_CODES["KS"]
    assert layout[PLACES.index("s01")] == stock_of(layout)[0] == CARD_CODES["KD"]


@pytest.mark.parametrize("numbers", [-1, LAST_GAME + 1, [3, 2**63], [1.5], "12"])
def test_numbers_outside_are_refused(numbers):
    with pytest.raises(GameNumberError):
        deal_klondike(numbers)


def test_a_refused_number_is_named_with_the_limit():
    with pytest.raises(GameNumberError, match=r"100000000 is outside 0 \.\. 99999999$"):
        deal_klondike(100_000_000)
