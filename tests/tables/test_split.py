"""The split is one function in Python, NumPy and SQL, balanced, and blind to how numbers follow each other."""

import duckdb
import numpy as np
import pytest

from pipeline.tables.split import SPLIT_SQL, SPLITS, split_codes, split_of

NUMBERS = np.concatenate([np.arange(0, 20_001), np.arange(2**31 - 500, 2**31 + 500), np.arange(2**33 - 1000, 2**33)])


def plain_split(n: int) -> str:
    """The definition with Python's unbounded integers."""
    tenth = pow(n * 73244475, 5, 2**31 - 1) * 10 // (2**31 - 1)
    return {8: "validation", 9: "test"}.get(tenth, "train")


def test_python_numpy_and_sql_agree_up_to_the_last_game():
    expected = [plain_split(int(n)) for n in NUMBERS]
    assert [SPLITS[code] for code in split_codes(NUMBERS)] == expected
    sql = f"SELECT {SPLIT_SQL.format(n='n')} FROM (SELECT unnest(?::BIGINT[]) AS n)"
    assert [row[0] for row in duckdb.execute(sql, [NUMBERS.tolist()]).fetchall()] == expected
    assert [split_of(int(n)) for n in NUMBERS[:50]] == expected[:50]


def test_known_games_never_change_their_split():
    games = {
        0: "train",
        1: "train",
        2: "validation",
        617: "train",
        11982: "train",
        1_000_000: "validation",
        2**33 - 1: "train",
    }
    assert {n: split_of(n) for n in games} == games


@pytest.mark.parametrize("first", [0, 1, 2**31, 2**33 - 1_000_000])
def test_a_million_games_split_eighty_ten_ten(first):
    counts = np.bincount(split_codes(np.arange(first, first + 1_000_000)), minlength=3)
    assert np.abs(counts - [800_000, 100_000, 100_000]).max() < 1500


def test_neighbours_are_split_independently():
    """A pair of test games at a small distance is as frequent as chance has it: 1 in 100, within five standard errors."""
    held_out = split_codes(np.arange(1, 1_000_001)) == 2
    for distance in (1, 2, 3, 5, 8, 64, 1024):
        assert abs((held_out[distance:] & held_out[:-distance]).mean() - 0.01) < 5 * (0.01 * 0.99 / 1e6) ** 0.5
