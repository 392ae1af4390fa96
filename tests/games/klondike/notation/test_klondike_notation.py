"""Klondike moves as text: there and back, and what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import NotationError
from pipeline.games.klondike.notation.bulk import read_klondike_texts, write_klondike_texts
from pipeline.games.klondike.notation.text import read_klondike_moves, write_klondike_moves
from pipeline.games.klondike.rules.replay import DRAW, Move

MOVES = st.one_of(
    st.just(DRAW),
    st.tuples(st.integers(1, 12), st.integers(2, 12))
    .filter(lambda move: move[0] != move[1] and min(move) < 9)
    .map(lambda move: Move(*move)),
)
LINES = st.lists(st.one_of(MOVES.map(lambda m: [m]), st.integers(1, 1100).map(lambda n: [DRAW] * n)), max_size=30).map(
    lambda groups: [move for group in groups for move in group]
)


def test_words():
    moves = [DRAW, DRAW, DRAW, Move(1, 4), Move(4, 6), Move(6, 11), Move(11, 2), DRAW]
    assert write_klondike_moves(moves) == "draw3 w3 35 5h h1 draw"
    assert read_klondike_moves("draw draw2\n w3\t35 5h h1 draw ") == moves


@settings(deadline=None)
@given(LINES)
def test_round_trip(moves):
    text = write_klondike_moves(moves)
    assert read_klondike_moves(text) == moves
    assert write_klondike_moves(read_klondike_moves(text)) == text


@settings(deadline=None)
@given(st.lists(LINES, max_size=4))
def test_bulk_equals_one_by_one(lines):
    codes = [np.array([16 * s + t for s, t in line], np.uint8) for line in lines]
    offsets = np.cumsum([0, *map(len, codes)])
    text, ends = write_klondike_texts(np.concatenate([*codes, np.empty(0, np.uint8)]), offsets)
    texts = [bytes(text[a:b]).decode() for a, b in itertools.pairwise(ends)]
    assert texts == [write_klondike_moves(line) for line in lines]
    moves, back = read_klondike_texts(text, ends)
    assert back.tolist() == offsets.tolist()
    assert moves.tolist() == [code for line in codes for code in line.tolist()]


@pytest.mark.parametrize(
    "text",
    ["x", "w", "w8", "1w", "11", "cd", "wW", "draws", "draw0", "draw1", "draw02", "draw1000", "DRAW", "0w", "123"],
)
def test_refused_words_are_named(text):
    with pytest.raises(NotationError, match=f"move 2: '{text}'"):
        read_klondike_moves(f"draw {text} w1")


@pytest.mark.parametrize("move", [Move(0, 2), Move(1, 1), Move(9, 10), Move(2, 1), Move(13, 2), Move(-1, 2)])
def test_moves_that_cannot_be_written(move):
    with pytest.raises(NotationError, match="no Klondike move leads"):
        write_klondike_moves([move])


@pytest.mark.parametrize("text", ["w", "w1  w2", "xy", "w1x", "draw;"])
def test_bulk_refuses_a_wrong_text(text):
    data = np.frombuffer(b"w1" + text.encode(), np.uint8)
    with pytest.raises(NotationError, match="text 1 "):
        read_klondike_texts(data, [0, 2, data.size])
