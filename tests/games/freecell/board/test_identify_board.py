"""Board texts to game numbers: every form that is read, partial layouts, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.codes import CARD_NAMES, UNKNOWN
from pipeline.cards.errors import BoardError
from pipeline.games.freecell.board.board import Board, board_of_layout
from pipeline.games.freecell.board.identify import identify_text, layout_of_board
from pipeline.games.freecell.board.write import write_columns, write_fixed, write_rows
from pipeline.games.freecell.deal.microsoft import deal


@pytest.mark.parametrize("write", [write_columns, write_rows, write_fixed])
@pytest.mark.parametrize("hidden", [[], [16], range(16, 52)], ids=["whole", "one hidden", "two rows"])
def test_every_form_whole_and_partial(write, hidden) -> None:
    layout = deal(4_000_000_000)[0]
    layout[list(hidden)] = UNKNOWN
    matches, _ = identify_text(write(board_of_layout(layout)))
    assert [match.game_number for match in matches] == [4_000_000_000]


@pytest.mark.parametrize("freecells", [0, 2, 8])
def test_a_layout_beside_any_number_of_empty_freecells(freecells) -> None:
    matches, _ = identify_text(write_columns(board_of_layout(deal(617)[0], freecells)))
    assert [match.game_number for match in matches] == [617]
    with pytest.raises(BoardError, match="9 freecells, the game has 8"):
        identify_text("Freecells: - - - - - - - - -\n" + write_columns(board_of_layout(deal(617)[0])))


def test_notes_of_the_reader_are_passed_on() -> None:
    _, notes = identify_text(write_rows(board_of_layout(deal(1)[0])).lower())
    assert notes == ("read as rows, not columns", "52 cards in lower case")


def test_layout_of_board_undoes_board_of_layout() -> None:
    layout = deal(617)[0]
    assert layout_of_board(board_of_layout(layout)).tolist() == layout.tolist()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda columns: (columns, (-1,) * 4, (1, 0, 0, 0)), "cards home: 1, in freecells: 0"),
        (lambda columns: (columns, (3, -1, -1, -1), (0, 0, 0, 0)), "cards home: 0, in freecells: 1"),
        (
            lambda columns: ((columns[0][:-1], columns[1] + columns[0][-1:], *columns[2:]), (-1,) * 4, (0,) * 4),
            "6 8 7 7 6 6 6 6",
        ),
    ],
)
def test_a_position_in_the_middle_of_a_game_is_refused_with_the_reason(change, told: str) -> None:
    with pytest.raises(BoardError, match=f"middle of a game.*{told}"):
        layout_of_board(Board(*change(board_of_layout(deal(617)[0]).columns)))


WORDS = st.sampled_from(
    [*CARD_NAMES, "10H", "??", "-", ":", "#", "+", "Foundations:", "FC:", "H-5", "a♦", "x", "\t", "\r", "\n", "\n"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=80).map(" ".join))
def test_any_text_is_identified_or_refused_in_one_line(text: str) -> None:
    try:
        identify_text(text)
    except BoardError as error:
        assert "\n" not in str(error) and str(error)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 159), st.text(max_size=3))
def test_a_board_with_a_slip_is_identified_or_refused_in_one_line(place: int, slip: str) -> None:
    text = write_columns(board_of_layout(deal(24)[0]))
    try:
        matches, _ = identify_text(text[:place] + slip + text[place + 1 :])
        assert [match.game_number for match in matches] in ([24], [])
    except BoardError as error:
        assert "\n" not in str(error) and str(error)
