"""Boards as people write them: known texts, every defect at once, and what is written reads back."""

import random
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import BoardError, InputError
from pipeline.games.freecell.board.board import BLOCKED, EMPTY, Board, board_of_layout
from pipeline.games.freecell.board.fixed_width import is_cell_line
from pipeline.games.freecell.board.read import read_board
from pipeline.games.freecell.board.words import decode, quote
from pipeline.games.freecell.board.write import cell_home_line, write_columns, write_fcsolve, write_fixed, write_rows
from pipeline.games.freecell.deal.microsoft import deal

CASES = tomllib.loads((Path(__file__).parents[3] / "cases" / "boards.toml").read_text())
GAME_1 = deal(1)[0].tolist()


@pytest.mark.parametrize("case", CASES["board"], ids=lambda case: case["text"].split("\n")[-1])
def test_known_boards(case):
    if "error" in case:
        with pytest.raises(BoardError) as found:
            read_board(case["text"])
        assert found.value.defects == case["error"]
        return
    board = read_board(case["text"]).board
    if "position" in case:
        assert not board.is_layout and board.foundations == (0, 0, 0, 1) and board.freecells == (6, EMPTY, 29, EMPTY)
    elif case["game_number"] != "none":
        assert board == board_of_layout(deal(case["game_number"])[0])
    else:
        assert board.is_layout


def test_special_layouts_read():
    for columns in CASES["special"].values():
        assert read_board("\n".join(columns)).board.is_layout


def test_what_was_read_is_said():
    columns, rows = write_columns(board_of_layout(GAME_1)), write_rows(board_of_layout(GAME_1))
    assert (read_board(columns).form, read_board(columns).notes) == ("columns", ())
    assert (read_board(rows).form, read_board(rows).notes) == ("rows", ("read as rows, not columns",))
    assert read_board(rows).board == read_board(columns).board
    glyphs = columns.replace("D", "♦").replace("H", "♥\ufe0f").lower()
    assert read_board(glyphs).board == read_board(columns).board
    assert read_board(glyphs).notes == ("36 cards in lower case", "26 cards with suit glyphs")
    with pytest.raises(BoardError, match="line 1: not a card line: j♦"):
        read_board(glyphs, lenient=False)


@pytest.mark.parametrize(
    ("old", "new", "defects"),
    [
        ("JD KD", "KD KD", ["KD is in column 1 row 1 and in column 1 row 2", "JD is missing"]),
        ("JD KD", "1D KD", ["line 1: not a card line: 1D"]),
        ("KD 2S", "XX 2S", ["line 1: not a card: XX", "KD is missing"]),
        ("JD KD", "KD", ["JD is missing"]),
        ("JD", "JD JD JD", ["JD is in column 1 row 1, in column 1 row 2 and in column 1 row 3"]),
        ("TC\n", "TC\nAC\n", ["9 columns, a board has 8", "AC is in column 6 row 4 and in column 9 row 1"]),
        ("TC\n", "\nFC: TC - - - -\n", ["line 9: 5 freecells, the game has 4"]),
        ("TC\n", "\nFC: TC AC\n", ["AC is in column 6 row 4 and in cell b"]),
        ("TC\n", "\nFC: TC ZZ\n", ["line 9: not a card or - in a freecell: ZZ"]),
        ("TC\n", "TC\nFounds: H-4 X-2\n", ["line 9: not a foundation such as H-5: X-2"]),
        ("TC\n", "TC\nFC: -\nFreecells: -\n", ["line 10: a second line of freecells"]),
        ("TC\n", "TC\nFounds: H-0\nFoundations: H-0\n", ["line 10: a second line of foundations"]),
    ],
)
def test_each_defect_is_named(old, new, defects):
    text = write_columns(board_of_layout(GAME_1)).replace(old, new, 1)
    with pytest.raises(BoardError) as found:
        read_board(text)
    assert set(defects) <= set(found.value.defects)
    assert len(found.value.defects) == len(defects) or "Founds: H-4" in new


def test_all_defects_of_a_board_come_at_once():
    text = (
        write_columns(board_of_layout(GAME_1))
        .replace("6S", "6Z")
        .replace("7H QC", "QC QC")
        .replace("TC\n", "\nhello\n")
    )
    with pytest.raises(BoardError) as found:
        read_board(text + "FC: AS - - - -\n")
    assert len(found.value.defects) == 5  # no card, no card line, too many cells, AS and QC doubled


def test_a_row_that_is_short_is_said_as_such():
    rows = write_rows(board_of_layout(GAME_1)).splitlines()
    rows[2] = rows[2][3:]
    with pytest.raises(BoardError, match="line 3: a row of 7 cards, not 8; 2S is missing"):
        read_board("\n".join(rows))


@pytest.mark.parametrize(
    ("line", "defect"),
    [
        ("3S-QH-JH- +   3D 4H", "the + stands at position 11, not 12; were blanks lost?"),
        ("3S-QH=JH-  +   3D 4H", "positions 3, 6 and 9 must be all - or all =, not - = -"),
        ("3S-QH-JH-  +   3D 3D 4H", "two home cards of one suit: 3D"),
        ("3S-QH-JH-  +xx 3D 4H", "not a card at home: xx"),
        ("3S-QH-JH-  +   3D 4H and more", "text between or after the home cards: "),
        ("3S-QH-3D-  +   3D 4H", "3D is home and in cell c"),
    ],
)
def test_defects_of_the_freecell_and_home_line(line, defect):
    lines = (Path(__file__).parents[3] / "cases" / "6240-partial.txt").read_text().splitlines()[2:13]
    with pytest.raises(BoardError) as found:
        read_board("\n".join([line, *lines]))
    assert any(defect in said for said in found.value.defects)


def test_blocked_cells_and_indented_layouts():
    lines = (Path(__file__).parents[3] / "cases" / "6240-partial.txt").read_text().splitlines()[1:13]
    board = read_board("\n".join(lines)).board
    assert read_board("\n".join("   " + line for line in lines)).board == board
    blocked = read_board("\n".join([lines[0].replace("JH-  +", "JH-BB+"), *lines[1:]])).board
    assert blocked.freecells == board.freecells[:3]
    middle = Board(board.columns, (*board.freecells[:2], BLOCKED, board.freecells[2]), board.foundations)
    assert cell_home_line(middle) == "3S-QH-BB-JH+   3D 4H"
    assert read_board(write_fixed(middle)).board == middle
    with pytest.raises(BoardError, match="standard form only"):
        write_fcsolve(middle)
    with pytest.raises(BoardError, match="only a fresh deal"):
        write_rows(board)
    with pytest.raises(BoardError, match="places for abcd only"):
        write_fixed(Board(board.columns, (*board.freecells, EMPTY), board.foundations))


def test_a_game_line_may_stand_before_the_cards():
    for text in (
        write_rows(board_of_layout(GAME_1)),
        write_columns(board_of_layout(GAME_1)),
        write_fixed(board_of_layout(GAME_1)),
    ):
        assert read_board("GAME #1\n\n# a comment\n" + text).board == board_of_layout(GAME_1)
    with pytest.raises(BoardError, match="line 9: not a card line: GAME"):
        read_board(write_columns(board_of_layout(GAME_1)) + "GAME #1\n")


def test_a_gap_in_a_fixed_column_is_named():
    lines = (Path(__file__).parents[3] / "cases" / "6240-partial.txt").read_text().splitlines()[1:13]
    lines[2] = "   " + lines[2][3:]
    with pytest.raises(BoardError, match="column 1 has a gap before 6S"):
        read_board("\n".join(lines))


def test_printed_freecells_keep_their_places():
    board = board_of_layout(GAME_1)
    columns = (board.columns[0][:-1], *board.columns[1:])
    for at in range(4):
        cells = tuple(board.columns[0][-1] if index == at else EMPTY for index in range(4))
        moved = Board(columns, cells)
        assert read_board(write_fcsolve(moved, printed=True)).board == moved
        assert read_board(write_fcsolve(moved)).board == moved
        shouted = write_fcsolve(moved).replace("Freecells", "FREECELLS").replace("Foundations", "founds")
        assert read_board(shouted).board == moved
        lines = write_fcsolve(moved).splitlines()
        assert read_board("\n".join([lines[1], lines[0], *lines[2:]])).board == moved


@st.composite
def boards(draw):
    """Any cards anywhere: some home, some in cells, the rest in up to eight columns."""
    foundations = tuple(draw(st.lists(st.integers(0, 13), min_size=4, max_size=4)))
    left = [card for card in range(52) if card >> 2 >= foundations[card & 3]]
    random.Random(draw(st.integers(0, 2**32))).shuffle(left)
    count = draw(st.integers(max(0, 0), min(4, len(left))))
    cells = left[:count] + [EMPTY] * (4 - count)
    random.Random(draw(st.integers(0, 99))).shuffle(cells)
    columns = [[] for _ in range(8)]
    width = draw(st.integers(4, 8))
    for index, card in enumerate(left[count:]):
        columns[index % width].append(card)
    return Board(tuple(tuple(column) for column in columns), tuple(cells), foundations)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(boards())
def test_every_form_reads_back(board):
    assert read_board(write_columns(board), lenient=False).board == board
    assert read_board(write_fcsolve(board), lenient=False).board == board
    assert read_board(write_fcsolve(board, printed=True), lenient=False).board == board
    if max(map(len, board.columns)) <= 18:
        assert read_board(write_fixed(board, "="), lenient=False).board == board
        assert is_cell_line(write_fixed(board).splitlines()[0])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(0, 2**33 - 1), st.integers(0, 8))
def test_layouts_read_back(game, freecells):
    board = board_of_layout(deal(game)[0], freecells)
    for write in (write_columns, write_rows, write_fcsolve):
        assert read_board(write(board), freecells=freecells).board == board
    if freecells <= 4:
        assert read_board(write_fixed(board)).board == board


TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="A23KQ10TCDHS♥♣:;-+= \n\t#?hsfcFC", max_size=300),
    st.builds(
        lambda board, at, junk: (lambda text: text[:at] + junk + text[at + 1 :])(write_fixed(board)),
        boards(),
        st.integers(0, 300),
        st.text(max_size=3),
    ),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS, st.booleans(), st.booleans())
def test_any_text_is_read_or_refused_in_one_line(text, lenient, partial):
    try:
        read_board(text, lenient=lenient, partial=partial)
    except BoardError as error:
        assert str(error) and "\n" not in str(error) and str(error).isprintable() and len(str(error)) < 10_000


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused_in_one_line(data):
    try:
        decode(data, "file")
    except InputError as error:
        assert "\n" not in str(error)


def test_encodings():
    text = "4♣ 2♣"
    assert decode(text.encode()) == decode(b"\xef\xbb\xbf" + text.encode()) == decode(text.encode("utf-16")) == text
    for data in (text.encode("utf-16-le"), b"\xff\xfe\x00", "Größe".encode("latin-1"), b"MZ\x90\x00", b"4C\x00"):
        with pytest.raises(InputError, match="text"):
            decode(data, "file")
    assert quote("a\x1b[31m\u2028" + "b" * 99) == r"a\x1b[31m\u2028" + "b" * 33 + "..."


@pytest.mark.parametrize(
    "unit", ["4C ", "xx ", "4C\n", "xx\n", ":", "-", "\t", "+", "H-4 ", "\x00\x01", "é", "3S-QH-JH-  +\n"]
)
def test_a_megabyte_takes_linear_time(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    for prefix in ("", "FC: ", "Founds: ", "3S-QH-JH-  +   3D 4H\n"):
        with pytest.raises(BoardError) as found:
            read_board(prefix + text)
        assert len(str(found.value)) < 10_000
    assert time.process_time() - start < 20


def test_rows_with_colons_are_rows_and_one_suit_has_one_foundation():
    rows = "".join(": " + line + "\n" for line in write_rows(board_of_layout(GAME_1)).splitlines())
    assert read_board(rows).board == board_of_layout(GAME_1)
    columns = write_columns(board_of_layout(GAME_1))
    with pytest.raises(BoardError, match="line 1: two foundations of one suit: H-3"):
        read_board("Foundations: H-2 H-3\n" + columns)
