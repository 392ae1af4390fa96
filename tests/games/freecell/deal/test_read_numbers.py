"""Game numbers as people write them, and what is refused instead of guessed."""

import pytest

from pipeline.cards.errors import GameNumberError
from pipeline.cards.numbers import read_game_number


@pytest.mark.parametrize(
    "text",
    [
        "4711",
        "#4711",
        "ms4711",
        "MS 4711",
        "ms#4711",
        "4,711",
        "4_711",
        "004711",
        "4711.0",
        "4711.00",
        "Game 4711",
        "game #4711",
        " 4711\n",
        "FreeCell game 4711",
        "MS FreeCell 4711",
        "Deal 4,711",
        "# 4711",
    ],
)
def test_spellings_of_a_number(text):
    assert read_game_number(text) == 4711


def test_large_and_special_numbers():
    assert read_game_number("8,589,934,591") == 2**33 - 1
    assert [read_game_number(text) for text in ("0", "-1", "-2", "Game -1")] == [0, -1, -2, -1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "4711.5",
        "47 11",
        "4.711e3",
        "0x1267",
        "-0",
        "४७११",
        "4711a",
        "47,11",
        "4,7111",
        "4711.",
        "+4711",
        "--1",
        "games4711",
        "4711\n12",
        "_4711",
        "4711_",
        "9" * 30,
        "ms",
        "Game",
        "#",
        "1\xa0000",
        "²",
    ],
)
def test_what_is_no_number_is_refused_in_one_line(text):
    with pytest.raises(GameNumberError, match="no game number") as found:
        read_game_number(text)
    assert "\n" not in str(found.value)
