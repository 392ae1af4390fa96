"""The rules of Klondike: what is legal, why the rest is not, and the compiled replay against the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.codes import CARD_CODES
from pipeline.cards.errors import IllegalMoveError, InputError
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.notation.text import read_klondike_moves
from pipeline.games.klondike.rules.bulk import replay_klondike_many
from pipeline.games.klondike.rules.replay import DRAW, SUIT_WORDS, Move, Position, Reason, replay_klondike


def cards(text):
    return [CARD_CODES[name] for name in text.split()]


def position(piles=(), waste="", stock="", home=(0, 0, 0, 0), face_down=None, may_return=True, draw=1, turns=None):
    piles = [cards(pile) for pile in piles] + [[]] * (7 - len(piles))
    boxes = cards(stock)[::-1], cards(waste), [list(p) for p in piles], face_down or [0] * 7, list(home)
    return Position(*boxes, may_return, draw, turns)


def reason(place, text):
    return place.explain(read_klondike_moves(text)[0])


def test_a_game_starts_with_the_last_card_of_each_pile_face_up():
    start = Position.start(deal_klondike(617)[0])
    assert start.piles[2] == cards("JS TS 3C")
    assert start.face_down == [0, 1, 2, 3, 4, 5, 6]
    start.apply(DRAW)
    assert start.waste == cards("KD")


def test_draw_turns_the_waste_back_in_its_order():
    game = position(stock="AC 2D 3H")
    seen = []
    for _ in range(8):
        game.apply(DRAW)
        seen.append(list(game.waste))
    a, b, c = cards("AC 2D 3H")
    assert seen == [[a], [a, b], [a, b, c], [], [a], [a, b], [a, b, c], []]


def test_draw_three_turns_three_cards_at_once_and_the_rest_at_the_end():
    game = position(stock="AC 2D 3H 4S 5C", draw=3, turns=1)
    seen = []
    for _ in range(5):
        game.apply(DRAW)
        seen.append(list(game.waste))
    deck = cards("AC 2D 3H 4S 5C")
    assert seen == [deck[:3], deck, [], deck[:3], deck]
    assert DRAW not in game.legal_moves(), "two passes are over"


@pytest.mark.parametrize(
    ("game", "move", "why"),
    [
        (position(waste="AC", turns=0), "draw", "the stock is empty, and the waste may not be turned back again"),
        (position(), "draw", "stock and waste are both empty"),
        (position(), "w1", "waste is empty"),
        (position(), "12", "pile 1 is empty"),
        (position(), "c1", "clubs foundation is empty"),
        (position(home=(1, 0, 0, 0), may_return=False), "c1", "under this rule no card leaves a foundation"),
        (position(["QH"]), "12", "pile 2 is empty and takes only a king, and pile 1 offers none"),
        (
            position(["9H 8S", "KC"], face_down=[1, 0, 0, 0, 0, 0, 0]),
            "12",
            "8S of pile 1 does not fit on the KC of pile 2",
        ),
        (
            position(["9H 8S", "TC"], face_down=[1, 0, 0, 0, 0, 0, 0]),
            "12",
            "8S of pile 1 does not fit on the TC of pile 2",
        ),
        (position(["9C 8D", "TC"]), "12", "9C 8D of pile 1 does not fit on the TC of pile 2"),
        (position(["9C"], waste="8S"), "w1", "8S of waste does not fit on the 9C of pile 1"),
        (position(["AC"]), "1d", "the AC does not belong on the diamonds foundation"),
        (position(["3C"], home=(1, 0, 0, 0)), "1c", "the clubs foundation takes the 2C next, not the 3C"),
    ],
)
def test_each_reason_is_said_exactly(game, move, why):
    move = read_klondike_moves(move)[0]
    assert game.explain(move) == why
    assert move not in game.legal_moves()
    with pytest.raises(IllegalMoveError) as error:
        game.apply(move)
    assert str(error.value) == why


@pytest.mark.parametrize("move", [Move(0, 2), Move(2, 1), Move(2, 2), Move(9, 10), Move(13, 2), Move(2, -1)])
def test_moves_between_other_boxes_are_no_moves(move):
    assert position(["KH"]).explain(move).startswith("no card moves from ")


def test_a_run_moves_as_far_as_it_fits_and_the_card_below_turns_up():
    game = position(["2D 4H 9C 8D 7S", "TH", "8H"], face_down=[2, 0, 0, 0, 0, 0, 0])
    assert game.judge(Move(2, 3)) == (Reason.LEGAL, 3)
    assert game.judge(Move(2, 4)) == (Reason.LEGAL, 1)
    game.apply(Move(2, 3))
    assert game.piles[1] == cards("TH 9C 8D 7S")
    assert (game.piles[0], game.face_down[0]) == (cards("2D 4H"), 1)


def test_only_a_king_starts_an_empty_pile():
    game = position(["KC QH", "JC TH"])
    assert Move(2, 4) in game.legal_moves()
    assert Move(3, 4) not in game.legal_moves()


def test_cards_go_home_by_suit_and_return_where_the_rule_allows_it():
    game = position(["AC", "2D"])
    game.apply(Move(2, 9))
    assert game.home == [1, 0, 0, 0]
    assert Move(9, 3) in game.legal_moves()
    game.may_return = False
    assert Move(9, 3) not in game.legal_moves()


def wander(number, choices, *rules):
    """A line of legal moves, chosen by the numbers in ``choices``; large ones draw."""
    game, moves = Position.start(deal_klondike(number)[0], *rules), []
    for choice in choices:
        legal = game.legal_moves()
        if not legal:
            break
        choice = -1 if choice > 30 else choice
        moves.append(legal[choice % len(legal)])
        game.apply(moves[-1])
        assert sorted(card for box in range(13) for card in game.cards_in(box)) == [*range(52)]
    return moves


@settings(deadline=None)
@given(
    st.integers(0, 99_999),
    st.lists(st.integers(0, 40), max_size=60),
    st.tuples(st.integers(0, 60), st.integers(0, 255)),
    st.tuples(st.booleans(), st.sampled_from([1, 2, 3, 24]), st.sampled_from([None, 1, 2, 3])),
)
def test_compiled_replay_equals_the_plain_one(number, choices, broken, rules):
    moves = wander(number, choices, *rules)
    place, wrong = broken
    moves.insert(place, Move(wrong >> 4, wrong & 15))
    layout = deal_klondike(number)
    plain = replay_klondike(layout[0], moves, *rules)
    codes = [16 * source + target for source, target in moves]
    bulk = replay_klondike_many(layout, codes, [0, len(codes)], *rules)
    assert (plain.is_won, plain.played, plain.reason_code, list(plain.home)) == (
        bulk.is_won[0],
        bulk.played[0],
        bulk.reason[0],
        bulk.home[0].tolist(),
    )
    assert bool(plain.reason) == (plain.illegal_move > 0)


def test_bulk_replay_refuses_arrays_that_do_not_fit():
    with pytest.raises(InputError, match="do not fit"):
        replay_klondike_many(deal_klondike(range(2)), [], [0, 0])
    with pytest.raises(InputError, match="52 cards once"):
        replay_klondike_many(np.zeros((1, 52), np.uint8), [], [0, 0])


def test_foundation_names_follow_the_suits():
    assert SUIT_WORDS == ("clubs", "diamonds", "hearts", "spades")
