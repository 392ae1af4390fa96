"""The columnless state against plain lists of columns, move by random move."""

import random

import numpy as np
import pytest

from pipeline.cards.codes import is_in_order, is_red, rank_of, suit_of
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.solve.state import (
    CARDS,
    CELLS,
    EMPTY,
    EXPOSED,
    FREE,
    HOME,
    HOME_RULES,
    NEXT,
    PARENTS,
    SLOTS,
    SUMS,
    automove,
    exact_keys,
    lay_out,
    new_pool,
    position_places,
    put,
    settle,
)
from pipeline.kernels.compile import kernel


@kernel
def _start(words, places, layout, columns, parents, table):
    lay_out(places, 0, layout, columns)
    exact_keys(places, 0, parents, table, 0)
    settle(words, places, 0, table)


@kernel
def _settle(words, places, row, table):
    settle(words, places, row, table)


@kernel
def _put(words, places, row, card, place, table):
    put(words, places, row, card, place, table)


@kernel
def _automove(words, places, row, home_rule, table):
    return automove(words, places, row, home_rule, table)


class Naive:
    """A position as lists, with moves by card."""

    def __init__(self, layout: list[int], columns: int, cells: int):
        self.columns = [list(layout[column::columns]) for column in range(columns)]
        self.cells: list[int] = []
        self.room = cells
        self.home = [0, 0, 0, 0]

    def key(self):
        return frozenset(map(tuple, self.columns)), frozenset(self.cells), tuple(self.home)

    def goes_home(self, card: int, rule: str) -> bool:
        """The rules as they are told in words."""
        if self.home[suit_of(card)] != rank_of(card) - 1:
            return False
        others = [self.home[suit] for suit in range(4) if is_red(suit) != is_red(card)]
        (same,) = [self.home[suit] for suit in range(4) if is_red(suit) == is_red(card) and suit != suit_of(card)]
        horne = rank_of(card) <= 2 or min(others) >= rank_of(card) - 1
        return {
            "none": False,
            "horne": horne,
            "wkr": horne or (min(others) >= rank_of(card) - 2 and same >= rank_of(card) - 3),
            "max": True,
        }[rule]

    def open_cards(self) -> list[int]:
        return [column[-1] for column in self.columns if column] + self.cells

    def moves(self) -> list[tuple[int, int]]:
        """Every single-card move as (card, place), home moves included."""
        tops = [column[-1] for column in self.columns if column]
        found = []
        for card in self.open_cards():
            found += [(card, top) for top in tops if is_in_order(card, top)]
            if not all(self.columns) and [card] not in self.columns:
                found.append((card, EMPTY))
            if len(self.cells) < self.room and card not in self.cells:
                found.append((card, FREE))
            if self.goes_home(card, "max"):
                found.append((card, HOME))
        return found

    def move(self, card: int, place: int) -> None:
        if card in self.cells:
            self.cells.remove(card)
        else:
            next(column for column in self.columns if column and column[-1] == card).pop()
        if place == FREE:
            self.cells.append(card)
        elif place == HOME:
            self.home[suit_of(card)] += 1
        elif place == EMPTY:
            next(column for column in self.columns if not column).append(card)
        else:
            next(column for column in self.columns if column and column[-1] == place).append(card)

    def automove(self, rule: str) -> int:
        count = 0
        while ready := [card for card in self.open_cards() if self.goes_home(card, rule)]:
            self.move(ready[0], HOME)
            count += 1
        return count


def tiny_layout(ranks: int, seed: int) -> list[int]:
    layout = list(range(4 * ranks))
    random.Random(seed).shuffle(layout)
    return layout


def mask(cards) -> int:
    return sum(1 << card for card in cards)


def assert_same(words, row_places, naive: Naive, deck: list[int]) -> None:
    assert words[EXPOSED] == mask(column[-1] for column in naive.columns if column)
    assert words[CELLS] == mask(naive.cells)
    nexts = {4 * height + suit for suit, height in enumerate(naive.home)}
    assert words[NEXT] & mask(deck) == mask(nexts & set(deck))
    expected = position_places(naive.columns, naive.cells, naive.home)
    assert row_places[:CARDS].tolist() == expected.tolist()


@pytest.mark.parametrize("rule", ["horne", "wkr", "max"])
@pytest.mark.parametrize(("ranks", "columns", "cells"), [(13, 8, 4), (13, 8, 8), (4, 4, 1), (5, 4, 2)])
def test_random_walks_keep_masks_places_and_exact_keys(ranks, columns, cells, rule):
    seen: dict[tuple[int, int], object] = {}
    layout = deal(617)[0].tolist() if ranks == 13 else tiny_layout(ranks, 3)
    words, places = new_pool(2, 16)
    table = np.zeros((SLOTS, 2), np.int64)
    for walk in range(30):
        chooser = random.Random(walk)
        naive = Naive(layout, columns, cells)
        _start(words, places, np.array(layout, np.uint8), columns, PARENTS, table)
        for _ in range(60):
            assert _automove(words, places, 0, HOME_RULES[rule], table) == naive.automove(rule)
            assert_same(words[0], places[0], naive, layout)
            places[1] = places[0]
            _settle(words, places, 1, table)
            words[:, NEXT] &= mask(layout)  # a full foundation's next card is none of the deck, whichever it is
            assert (words[1, : SUMS + 2] == words[0, : SUMS + 2]).all(), "incremental and computed anew"
            key = (int(words[0, SUMS]), int(words[0, SUMS + 1]))
            assert seen.setdefault(key, naive.key()) == naive.key(), "two positions share an exact key"
            moves = naive.moves()
            if not moves:
                break
            card, place = chooser.choice(moves)
            naive.move(card, place)
            _put(words, places, 0, card, place, table)
    assert len(seen) == len(set(seen.values())), "one position has two exact keys"
    assert len(seen) > 50


def test_runs_move_as_one_change():
    # 9H 8S 7D on the base; the run 8S 7D moves onto 9D.
    nine_h, eight_s, seven_d, nine_d = 34, 31, 25, 33
    words, places = new_pool(1, 10)
    table = np.zeros((SLOTS, 0), np.int64)
    places[0, :CARDS] = position_places([[nine_h, eight_s, seven_d], [nine_d]])
    _settle(words, places, 0, table)
    _put(words, places, 0, eight_s, nine_d, table)
    expected, expected_places = new_pool(1, 10)
    expected_places[0, :CARDS] = position_places([[nine_h], [nine_d, eight_s, seven_d]])
    _settle(expected, expected_places, 0, table)
    assert (words == expected).all()
