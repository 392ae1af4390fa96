"""The deal against the published digests, Freecell Solver, pysol_cards and a plain twin."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

from pipeline.cards.codes import CARD_NAMES
from pipeline.cards.errors import GameNumberError
from pipeline.games.freecell.deal.microsoft import LAST_GAME, board_rows, deal, deal_places
from pipeline.games.freecell.tables.stats import compute_stats

GOLDEN = tomllib.loads((Path(__file__).parents[3] / "cases/golden.toml").read_text())
BRANCH_ENDS = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 - 1]


def plain_deal(number: int) -> list[int]:
    """One game as the rule is told, with Python's own integers."""
    state = number % 2**32
    deck = list(range(52))
    layout = []
    for left in range(52, 0, -1):
        state = (214013 * state + 2531011) % 2**32
        if number < 2**31:
            drawn = (state >> 16) & 0x7FFF
        elif number < 2**32:
            drawn = ((state >> 16) & 0x7FFF) | 0x8000
        else:
            drawn = ((state >> 16) & 0xFFFF) + 1
        layout.append(deck[drawn % left])
        deck[drawn % left] = deck[left - 1]
    return layout


@pytest.mark.parametrize(
    ("last", "digest"),
    [
        (32_000, "b178ffbe255e204aa3162c761e6724c31a003028f8aa5a06d83ec12caa86fe3f"),
        (1_000_000, "2579eb07116717e5836f8ca7baebc977ac09471eb065a5dee1df7ed4aa529d8d"),
    ],
)
def test_published_digests(last, digest):
    assert hashlib.sha256(deal(range(1, last + 1)).tobytes()).hexdigest() == digest


@pytest.mark.parametrize("number", GOLDEN["layouts"])
def test_layouts_of_freecell_solver(number):
    layout = deal(int(number))[0]
    columns = [" ".join(CARD_NAMES[card] for card in layout[column::8]) for column in range(8)]
    assert columns == GOLDEN["layouts"][number]


def columns_text(layout: np.ndarray) -> str:
    return "".join(" ".join(CARD_NAMES[card] for card in layout[column::8]) + "\n" for column in range(8))


def pysol_text(number: int) -> str:
    return Game("freecell", number, RandomBase.DEALS_MS).calc_layout_string(CardRenderer(True))


@pytest.mark.parametrize(
    "numbers",
    [range(1, 300), *(range(max(1, end - 20), min(end + 20, LAST_GAME + 1)) for end in BRANCH_ENDS)],
    ids=lambda numbers: f"{numbers.start}..{numbers.stop - 1}",
)
def test_pysol_cards_deals_the_same(numbers):
    for number, layout in zip(numbers, deal(numbers), strict=True):
        assert columns_text(layout) == pysol_text(number)


@pytest.mark.slow
def test_pysol_cards_deals_the_same_million():
    for number, layout in enumerate(deal(range(1, 1_000_001)), 1):
        assert columns_text(layout) == pysol_text(number)


@pytest.mark.skipif(shutil.which("make-microsoft-freecell-board") is None, reason="needs Debian's freecell-solver-bin")
@pytest.mark.parametrize("number", [1, 617, 11982, *BRANCH_ENDS[2:]])
def test_freecell_solver_deals_the_same(number):
    made = subprocess.run(
        ["make-microsoft-freecell-board", "-t", str(number)], capture_output=True, text=True, check=True
    )
    assert columns_text(deal(number)[0]) == made.stdout


@given(st.integers(0, LAST_GAME) | st.sampled_from(BRANCH_ENDS))
def test_plain_twin(number):
    layout = deal(number)[0]
    assert layout.tolist() == plain_deal(number)
    assert sorted(layout.tolist()) == list(range(52))


def test_every_draw_has_its_exact_remainder():
    """The kernel divides by a multiplication with a rounded reciprocal: all draws, all counts of cards left."""
    draws = np.arange(2**16 + 1, dtype=np.uint64)
    for left in range(1, 53):
        reciprocal = np.uint64(-(-(2**24) // left))
        assert np.array_equal((draws * reciprocal) >> np.uint64(24), draws // np.uint64(left))


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda numbers: np.array(numbers, np.uint64),
        lambda numbers: np.array(numbers, np.int64)[::-1][::-1],
        lambda numbers: pa.array(numbers),
        lambda numbers: pa.chunked_array([numbers[:1], numbers[1:]]),
        lambda numbers: pl.Series(numbers),
        lambda numbers: pl.Series(numbers, dtype=pl.UInt64),
        iter,
    ],
)
def test_any_form_of_numbers(make):
    expected = np.array([plain_deal(number) for number in BRANCH_ENDS], np.uint8)
    assert np.array_equal(deal(make(BRANCH_ENDS)), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_any_width_of_numbers(dtype):
    assert np.array_equal(deal(np.arange(1, 101, dtype=dtype)), deal(range(1, 101)))


@given(st.lists(st.integers(0, LAST_GAME), max_size=20), st.integers(0, 20))
def test_chunks_and_order_change_nothing(numbers, cut):
    whole = deal(numbers)
    assert np.array_equal(whole, np.concatenate([deal(numbers[:cut]), deal(numbers[cut:])]))
    assert np.array_equal(whole[::-1], deal(numbers[::-1]))
    assert np.array_equal(whole, deal_places(np.array(numbers, np.int64))[:, : len(numbers)].T)


@pytest.mark.parametrize(
    "numbers",
    [-1, 2**33, [1, 2**33], [1, -5], np.array([2**63], np.uint64), 2**70, [2**70, 1], np.uint64(2**33), range(-1, 3)],
)
def test_numbers_outside_are_refused(numbers):
    with pytest.raises(GameNumberError, match=r"outside 0 \.\. 8589934591"):
        deal(numbers)


@pytest.mark.parametrize("numbers", [1.0, [1.5], ["1"], [[1]], [True], np.array([1.0]), None])
def test_what_is_no_number_is_refused(numbers):
    with pytest.raises(GameNumberError, match="whole numbers"):
        deal(numbers)


def test_board_rows_of_the_programming_task():
    assert board_rows(1) == [
        ["JD", "2D", "9H", "JC", "5D", "7H", "7C", "5H"],
        ["KD", "KC", "9S", "5S", "AD", "QC", "KH", "3H"],
        ["2S", "KS", "9D", "QD", "JS", "AS", "AH", "3C"],
        ["4C", "5C", "TS", "QH", "4H", "AC", "4D", "7S"],
        ["3S", "TD", "4S", "TH", "8H", "2C", "JH", "7D"],
        ["6D", "8S", "8D", "QS", "6C", "3D", "8C", "TC"],
        ["6S", "9C", "2H", "6H"],
    ]
    assert [len(row) for row in board_rows(617)] == [8, 8, 8, 8, 8, 8, 4]
    assert board_rows(617)[6] == ["JD", "KS", "KC", "4H"]


def test_kernels_say_the_same_uncompiled():
    """NUMBA_DISABLE_JIT runs them as plain Python, where NumPy's own rules of types and overflow hold."""
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "import numpy as np\n"
        "from pipeline.games.freecell.deal.microsoft import deal_places\n"
        "from pipeline.games.freecell.tables.stats import compute_stats\n"
        f"places = deal_places(np.array({BRANCH_ENDS}))\n"
        f"print(places[:, :{len(BRANCH_ENDS)}].T.tolist(), compute_stats(places, {len(BRANCH_ENDS)}).tolist(), sep='|')"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    layouts, stats = plain.stdout.strip().split("|")
    assert layouts == str(deal(BRANCH_ENDS).tolist())
    assert stats == str(compute_stats(deal_places(np.array(BRANCH_ENDS)), len(BRANCH_ENDS)).tolist())
