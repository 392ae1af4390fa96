"""Statistics against independent answers and a naive twin."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.codes import CARD_CODES, is_in_order, is_red, rank_of, suit_of
from pipeline.games.freecell.deal.microsoft import LAST_GAME, deal, deal_places
from pipeline.games.freecell.tables.stats import STATS, compute_stats
from pipeline.games.registry import TABLES

GOLDEN = tomllib.loads((Path(__file__).parents[3] / "cases/golden.toml").read_text())


def stats_of(numbers) -> dict[str, np.ndarray]:
    numbers = np.asarray(numbers, np.int64)
    return dict(zip(STATS, compute_stats(deal_places(numbers), numbers.size).astype(int), strict=True))


@pytest.fixture(scope="module")
def first_32000():
    return stats_of(range(1, 32_001))


HISTOGRAMS = [
    "ace_depth_sum",
    "ace_depth_max",
    "kings_at_base",
    "in_order_pairs",
    "longest_run",
    "legal_tableau_moves",
]
TOTALS = ["two_depth_sum", "cards_under_kings", "alternating_pairs", "inversions", "same_suit_blocks"]


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_histograms_of_the_first_32000(first_32000, name):
    expected = GOLDEN["games_1_to_32000"][f"{name}_histogram"]
    assert np.bincount(first_32000[name], minlength=len(expected)).tolist() == expected


@pytest.mark.parametrize("name", TOTALS)
def test_totals_of_the_first_32000(first_32000, name):
    assert first_32000[name].sum() == GOLDEN["games_1_to_32000"][f"{name}_total"]


def test_other_answers_for_the_first_32000(first_32000):
    golden = GOLDEN["games_1_to_32000"]
    assert first_32000["low_depth_sum"].sum() == golden["low_depth_sum_total"]
    assert [first_32000["inversions"].min(), first_32000["inversions"].max()] == golden["inversions_min_max"]
    automoves = np.bincount(first_32000["horne_automoves"][:2000]).tolist()
    assert automoves == golden["horne_automoves_before_first_move_histogram_games_1_to_2000"]


@pytest.mark.parametrize("key", [key for key in GOLDEN if key.startswith("game_")])
def test_single_games(key):
    found = {name: int(values[0]) for name, values in stats_of([int(key.removeprefix("game_"))]).items()}
    for name, expected in GOLDEN[key].items():
        if name.endswith("s_cdhs"):  # ace_depths_cdhs, two_depths_cdhs
            rank = "a" if name.startswith("ace") else "2"
            assert [found[f"depth_{rank}{suit}"] for suit in "cdhs"] == expected
        else:
            assert found[name] == expected, name


def naive_stats(layout: list[int]) -> dict[str, int]:
    """Every statistic as its description tells it, on lists."""
    columns = [layout[c::8] for c in range(8)]
    depth = {card: len(column) - 1 - row for column in columns for row, card in enumerate(column)}
    column_of = {card: c + 1 for c, column in enumerate(columns) for card in column}
    neighbours = [(column[row], column[row - 1]) for column in columns for row in range(1, len(column))]
    stacked = [(column[i], column[j]) for column in columns for i in range(len(column)) for j in range(i)]
    aces, twos, kings = range(4), range(4, 8), range(48, 52)

    def run(column):
        longest = length = 1
        for row in range(1, len(column)):
            length = length + 1 if is_in_order(column[row], column[row - 1]) else 1
            longest = max(longest, length)
        return longest

    known = {f"depth_{name.lower()}": depth[code] for name, code in CARD_CODES.items() if code < 8}
    known |= {f"column_{name.lower()}": column_of[code] for name, code in CARD_CODES.items() if code < 4}
    known |= {
        f"in_order_pairs_c{c + 1}": sum(is_in_order(column[r], column[r - 1]) for r in range(1, len(column)))
        for c, column in enumerate(columns)
    }
    return known | {
        "ace_depth_sum": sum(depth[card] for card in aces),
        "ace_depth_max": max(depth[card] for card in aces),
        "two_depth_sum": sum(depth[card] for card in twos),
        "two_depth_max": max(depth[card] for card in twos),
        "low_depth_sum": sum(depth[card] for card in range(12)),
        "kings_at_base": sum(column[0] in kings for column in columns),
        "cards_under_kings": sum(column.index(king) for column in columns for king in kings if king in column),
        "in_order_pairs": sum(is_in_order(upper, lower) for upper, lower in neighbours),
        "longest_run": max(map(run, columns)),
        "alternating_pairs": sum(is_red(upper) != is_red(lower) for upper, lower in neighbours),
        "inversions": sum(rank_of(upper) > rank_of(lower) for upper, lower in stacked),
        "same_suit_blocks": sum(rank_of(u) > rank_of(low) and suit_of(u) == suit_of(low) for u, low in stacked),
        "legal_tableau_moves": sum(is_in_order(a[-1], b[-1]) for a in columns for b in columns),
        "horne_automoves": naive_horne(columns),
    }


def naive_horne(columns: list[list[int]]) -> int:
    columns, home = [list(column) for column in columns], [0, 0, 0, 0]
    while True:
        for column in filter(None, columns):
            rank, suit = rank_of(column[-1]), suit_of(column[-1])
            others = min(home[s] for s in range(4) if is_red(s) != is_red(suit))
            if home[suit] == rank - 1 and (rank <= 2 or others >= rank - 1):
                home[suit] = rank
                column.pop()
                break
        else:
            return sum(home)


@settings(deadline=None)
@given(st.integers(0, LAST_GAME) | st.permutations(range(52)))
def test_naive_twin(game):
    layout = deal(game)[0].tolist() if isinstance(game, int) else list(game)
    places = np.array(layout, np.uint8)[:, None].copy()
    found = dict(zip(STATS, compute_stats(places, 1)[:, 0].tolist(), strict=True))
    assert found == naive_stats(layout)


@pytest.mark.parametrize("n", [0, 1, 31, 2047, 2048, 2049, 5000])
def test_blocks_do_not_show(n):
    numbers = np.arange(1, n + 1)
    whole = compute_stats(deal_places(numbers), n)
    assert whole.shape == (len(STATS), n)
    if n:
        last = compute_stats(deal_places(numbers[-1:]), 1)
        assert np.array_equal(whole[:, -1:], last)


def test_every_table_is_described():
    for table in TABLES.values():
        assert table.description and table.columns[0].name == "game_number" and not table.columns[0].nullable
        assert len({column.name for column in table.columns}) == len(table.columns)
        for column in table.columns:
            assert len(column.description) > 15 and column.description.endswith("."), (table.name, column.name)


def test_statistics_fit_their_type(first_32000):
    highest = {name: int(values.max()) for name, values in first_32000.items()}
    assert max(highest.values()) < 256 and highest["ace_depth_max"] == 6 and highest["column_ac"] == 8
