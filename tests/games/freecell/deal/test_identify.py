"""Layouts to game numbers: the way back from the deal, its limits, and the proof that it has at most one answer."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.codes import CARD_NAMES, UNKNOWN, parse_card
from pipeline.cards.errors import BoardError
from pipeline.games.freecell.deal.identify import BRANCHES, Branch, Match, _numbers, _picks, identify
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS

ENDS = [number for branch in BRANCHES for number in (branch.first, branch.last)]
CASES = tomllib.loads((Path(__file__).parents[3] / "cases" / "identify.toml").read_text())


def layout_of(columns: list[str]) -> np.ndarray:
    layout = np.full(52, UNKNOWN)
    for column, names in enumerate(columns):
        cards = [UNKNOWN if name == "??" else parse_card(name) for name in names.split()]
        layout[column : column + 8 * len(cards) : 8] = cards
    return layout


def numbers_of(layout: np.ndarray) -> list[int]:
    return [match.game_number for match in identify(layout)]


@pytest.mark.parametrize("case", CASES["layout"], ids=lambda case: str(case["game_number"]))
def test_known_layouts(case: dict) -> None:
    found = identify(layout_of(case["columns"].strip().splitlines()))
    assert [match.game_number for match in found] == ([] if case["game_number"] == "none" else [case["game_number"]])


@pytest.mark.parametrize("number", ENDS)
def test_first_and_last_number_of_each_branch(number: int) -> None:
    (branch,) = (branch for branch in BRANCHES if branch.first <= number <= branch.last)
    assert identify(deal(number)[0]) == [Match(number, branch.name, "CDHS")]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BRANCHES).flatmap(lambda branch: st.integers(branch.first, branch.last)))
def test_identify_undoes_deal(number: int) -> None:
    assert numbers_of(deal(number)[0]) == [number]


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(52)))
def test_a_shuffled_deck_has_no_number(cards: list[int]) -> None:
    assert identify(cards) == []


@pytest.mark.parametrize("k", [0, 1, 30, 49, 50])
def test_two_cards_exchanged_leave_no_number(k: int) -> None:
    layout = deal(11982)[0]
    layout[[k, k + 1]] = layout[[k + 1, k]]
    assert identify(layout) == []


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**33 - 1), st.permutations(range(4)).filter(lambda suits: list(suits) != [0, 1, 2, 3]))
def test_exchanged_suits_are_named(number: int, suits: list[int]) -> None:
    dealt = deal(number)[0]
    found = identify(dealt & ~np.uint8(3) | np.array(suits, np.uint8)[dealt & 3])
    assert [match.game_number for match in found] == [number]
    assert found[0].suits == "".join("CDHS"[suits.index(suit)] for suit in range(4))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**33 - 1), st.sets(st.integers(16, 51)))
def test_partial_layouts(number: int, hidden: set[int]) -> None:
    layout = deal(number)[0]
    layout[list(hidden)] = UNKNOWN
    assert numbers_of(layout) == [number]


def test_cards_after_an_unknown_one_count() -> None:
    layout = deal(617)[0]
    layout[16] = UNKNOWN
    layout[[50, 51]] = layout[[51, 50]]
    assert identify(layout) == []


@pytest.mark.parametrize("hidden", [[0], [15], list(range(8, 52)), list(range(52))])
def test_too_few_known_cards_are_refused(hidden: list[int]) -> None:
    layout = deal(617)[0]
    layout[hidden] = UNKNOWN
    with pytest.raises(BoardError, match="first two rows"):
        identify(layout)


def test_defects_are_all_told() -> None:
    layout = deal(24)[0]
    layout[50], layout[51] = layout[0], 52
    with pytest.raises(BoardError) as raised:
        identify(layout)
    name = CARD_NAMES[layout[0]]
    assert raised.value.defects == [
        f"{name} is in column 1 row 1 and in column 3 row 7",
        "52 in column 4 row 7 is no card code",
    ]


@pytest.mark.parametrize("wrong", [[], range(51), np.zeros(52), "AC"])
def test_what_is_no_layout_is_refused(wrong: object) -> None:
    with pytest.raises(BoardError, match="52 card codes"):
        identify(wrong)


@pytest.mark.parametrize(("number", "columns"), CASES["special"].items())
def test_special_layouts(number: str, columns: list[str]) -> None:
    layout = layout_of(columns)
    assert (layout == SPECIAL_LAYOUTS[int(number)]).all()
    assert identify(layout) == [Match(int(number), "special", "CDHS")]
    exchanged = np.where(layout & 3 == 0, layout + 3, np.where(layout & 3 == 3, layout - 3, layout))
    assert [(match.game_number, match.suits) for match in identify(exchanged)] == [(int(number), "SDHC")]


@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: branch.name)
def test_a_search_by_a_few_cards_finds_all_of_the_many_that_fit(branch: Branch) -> None:
    # No two numbers deal the same layout, so only a search by fewer cards than `identify` asks for can have several answers.
    number = branch.last
    window = np.arange(number - 300_000, number + 1)
    dealt = deal(window)[:, :4]
    found = _numbers(_picks(deal(number)[0, :4].astype(np.int64)), branch)
    assert found.size == np.unique(found).size
    assert (deal(found)[:, :4] == deal(number)[0, :4]).all()
    nearby = np.sort(found[(found >= window[0]) & (found <= window[-1])])
    assert nearby.tolist() == window[(dealt == deal(number)[0, :4]).all(axis=1)].tolist()
    # 52 * 51 * 50 * 49 beginnings share the branch's numbers evenly, but for the spread of chance.
    expected = (branch.last - branch.first + 1) / (52 * 51 * 50 * 49)
    assert abs(found.size - expected) < 6 * expected**0.5


def _low_bits_told(added: int) -> np.ndarray:
    """For the low 21 bits of each game number: the low bits of all draws that the numbers of cards left tell, 49 bits in all."""
    state = np.arange(2**21, dtype=np.uint64)
    told = np.zeros(2**21, np.uint64)
    for left in range(52, 0, -1):
        state = (state * np.uint64(214013) + np.uint64(2531011)) & np.uint64(2**21 - 1)
        bits = (left & -left).bit_length() - 1
        low = ((state >> np.uint64(16)) + np.uint64(added)) & np.uint64(2**bits - 1)
        told = (told << np.uint64(bits)) | low
    return told


@pytest.mark.parametrize(
    ("size", "added", "the_same"),
    [
        pytest.param(2**16, [0], [0], id="third branch"),
        pytest.param(2**15, [0], [0], id="first or second branch"),
        pytest.param(2**15, [2**15], [], id="first and second branch"),
        pytest.param(
            2**16, [1, 1 + 2**15], [], id="first and third branch"
        ),  # 2^15: the bit that the first branch drops
        pytest.param(2**16, [1 - 2**15, 1], [], id="second and third branch"),
    ],
)
def test_no_two_numbers_with_the_same_low_16_bits_deal_the_same_layout(
    size: int, added: list[int], the_same: list[int]
) -> None:
    # Their draws differ by what their states do above those bits, less a wrap, and by what their branches add; equal layouts need a
    # difference that is divisible by the number of cards left, each time.
    first = np.arange(size)
    possible = np.full(size, True)
    difference = first
    for left in range(52, 0, -1):
        difference = difference * 214013 % size
        draws = [difference - wrap * (difference > 0) + extra for wrap in (0, size) for extra in added]
        possible &= np.any([draw % left == 0 for draw in draws], axis=0)
    assert first[possible].tolist() == the_same


@pytest.mark.slow
def test_no_two_numbers_with_other_low_16_bits_deal_the_same_layout() -> None:
    # Equal layouts tell the same low bits of their draws (adding 0x8000 does not change those): few numbers' low bits share that.
    told = np.concatenate([_low_bits_told(0), _low_bits_told(1)])
    low = np.tile(np.arange(2**21), 2)
    order = np.argsort(told, kind="stable")
    group = np.cumsum(np.diff(told[order], prepend=told[order[0]]) != 0)
    smallest, largest = np.full(group[-1] + 1, 2**16), np.full(group[-1] + 1, -1)
    np.minimum.at(smallest, group, low[order] & 0xFFFF)
    np.maximum.at(largest, group, low[order] & 0xFFFF)
    mixed = order[(smallest < largest)[group]]
    below, above = low[mixed[mixed < 2**21]], low[mixed[mixed >= 2**21]]
    assert 0 < mixed.size < 10_000
    keys = []
    for first, lows, highs in ((0, below, 2**10), (2**31, below, 2**10), (2**32, above, 2**11)):
        for high in range(highs):
            cards = np.ascontiguousarray(deal(first + (high << 21) + lows)[:, :16]).view(np.uint64)
            keys.append(cards[:, 0] * np.uint64(0x9E3779B97F4A7C15) + cards[:, 1])
    everything = np.sort(np.concatenate(keys))
    assert (everything[1:] != everything[:-1]).all()
