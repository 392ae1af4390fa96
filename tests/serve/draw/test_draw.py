"""Drawings of layouts: every form must show each card where it was dealt."""

import itertools
import json
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib

import numpy as np
import pytest

from pipeline.cards.codes import CARD_NAMES, RANKS, SUIT_GLYPHS, SUITS, is_red
from pipeline.cards.errors import Failed, GameNumberError
from pipeline.games import GAMES as GAMES_KNOWN
from pipeline.games.freecell import FREECELL
from pipeline.games.freecell.deal.microsoft import board_rows, deal
from pipeline.games.klondike import KLONDIKE
from pipeline.games.klondike.deal import deal_klondike, klondike_rows
from pipeline.serve.answer.forms import Form
from pipeline.serve.answer.show import show_game
from pipeline.serve.draw.letters import lettering
from pipeline.serve.draw.svg import CARD_HEIGHT, CARD_WIDTH, picture_svg, svg_png
from pipeline.serve.draw.text import picture_unicode

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [1, 11982, 2**31, 2**33 - 1]


def columns_of(game_number: int) -> list[list[str]]:
    return [[card for card in column if card] for column in itertools.zip_longest(*board_rows(game_number))]


@pytest.mark.parametrize("game_number", GAMES)
def test_text_is_one_column_a_line(game_number: int) -> None:
    drawn = show_game(game_number, FREECELL, Form.TEXT)
    assert [line.split() for line in drawn.splitlines()] == columns_of(game_number)


def test_text_is_what_other_programs_print() -> None:
    dealer = shutil.which("make-microsoft-freecell-board")
    if dealer is None:
        pytest.skip("Freecell Solver's make-microsoft-freecell-board is not installed")
    theirs = subprocess.run([dealer, "-t", "617"], capture_output=True, text=True, check=True).stdout
    assert show_game(617, FREECELL, Form.TEXT).split("\n") == [line.rstrip() for line in theirs.split("\n")]


def test_special_layouts_have_signed_numbers() -> None:
    assert show_game(-1, FREECELL, Form.TEXT).startswith("AC 3C 5C 7C 9C JC KC\n")
    assert show_game(-2, FREECELL, Form.TEXT).endswith("7C 6C 5C 4C 3C 2C\n")
    for game in GAMES_KNOWN.values():
        with pytest.raises(GameNumberError, match="-3"):
            show_game(-3, game, Form.TEXT)
    with pytest.raises(GameNumberError):
        show_game(-1, KLONDIKE, Form.TEXT)


def test_klondike_text_brackets_what_lies_face_down() -> None:
    *piles, stock = klondike_rows(123)
    lines = show_game(123, KLONDIKE, Form.TEXT).splitlines()
    assert lines[-1] == "Stock: " + " ".join(stock)
    for pile, line in zip(piles, lines[:-1], strict=True):
        assert line == " ".join([*(f"[{card}]" for card in pile[:-1]), pile[-1]])


@pytest.mark.parametrize("game_number", GAMES)
def test_unicode_rows(game_number: int) -> None:
    title, *rows = show_game(game_number, FREECELL, Form.UNICODE).splitlines()
    assert title == f"# FreeCell game {game_number}"
    names = str.maketrans(SUIT_GLYPHS, SUITS)
    assert [row.translate(names).split() for row in rows] == board_rows(game_number)


def test_colours_paint_red_suits_and_nothing_else() -> None:
    picture = FREECELL.picture(deal(617)[0])
    painted = picture_unicode(picture, colour=True)
    assert set(re.findall("\x1b\\[31m(..)\x1b\\[0m", painted)) == {rank + suit for rank in RANKS for suit in "♦♥"}
    assert re.sub("\x1b\\[\\d+m", "", painted) == picture_unicode(picture)


def test_klondike_unicode_hides_what_lies_face_down() -> None:
    drawn = show_game(123, KLONDIKE, Form.UNICODE)
    piles = klondike_rows(123)[:7]
    names = str.maketrans(SUIT_GLYPHS, SUITS)
    assert re.findall("[A-Z0-9][CDHS]", drawn.split("\n", 1)[1].translate(names)) == [pile[-1] for pile in piles]
    assert drawn.count("▒▒") == 21 + 1


def test_json() -> None:
    drawn = json.loads(show_game(24, FREECELL, Form.JSON))
    assert drawn == {"game_number": 24, "columns": columns_of(24), "cards": deal(24)[0].tolist()}
    klondike = json.loads(show_game(24, KLONDIKE, Form.JSON))
    *piles, stock = klondike_rows(24)
    assert (klondike["columns"], klondike["stock"]) == (piles, stock)
    assert klondike["face_down"] == [0, 1, 2, 3, 4, 5, 6]
    assert klondike["cards"] == deal_klondike(24)[0].tolist()


def cards_in(svg: str) -> list[tuple[str, float, float, str, int]]:
    """The cards drawn face up: name, place, colour, and how many shapes it is made of."""
    found = []
    for group in ET.fromstring(svg).findall(f"{SVG}g"):
        face = group.find(f"{SVG}g")
        if face is None or face.find(f"{SVG}use") is None:
            continue
        x, y = map(float, re.findall(r"[\d.]+", group.get("transform"))[:2])
        shapes = [use.get("href")[10:] for use in face.iter(f"{SVG}use")]
        (rank,) = {int(shape[1:]) for shape in shapes if shape[0] == "r"}
        (suit,) = {int(shape[1:]) for shape in shapes if shape[0] == "s"}
        found.append((CARD_NAMES[4 * rank + suit], x, y, face.get("fill"), len(shapes)))
    return found


def test_svg_shows_each_card_in_its_place() -> None:
    cards = cards_in(picture_svg(FREECELL.picture(deal(11982)[0], "FreeCell game 11982")))
    columns = columns_of(11982)
    assert [card[0] for card in cards] == [name for column in columns for name in column]
    by_column = [list(group) for _, group in itertools.groupby(cards, key=lambda card: card[1])]
    assert [[card[0] for card in column] for column in by_column] == columns
    for column in by_column:
        steps = np.diff([card[2] for card in column])
        assert (steps > 0).all() and (steps < CARD_HEIGHT / 2).all()
        # A covered card shows one corner, rank and suit; the last one both corners and the large suit.
        assert [card[4] for card in column] == [2] * (len(column) - 1) + [5]
    colours = {is_red(CARD_NAMES.index(card[0])): card[3] for card in cards}
    assert len(set(colours.values())) == 2
    assert all(card[3] == colours[is_red(CARD_NAMES.index(card[0]))] for card in cards)


def test_svg_needs_no_font_and_names_are_its_own() -> None:
    names = []
    for game_number in (1, 2):
        root = ET.fromstring(picture_svg(FREECELL.picture(deal(game_number)[0], "Game")))
        assert not list(root.iter(f"{SVG}text"))
        own = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(own) == len(set(own))
        assert {use.get("href")[1:] for use in root.iter(f"{SVG}use")} <= set(own)
        names.append(set(own))
    assert not names[0] & names[1]


def test_svg_title_is_read_and_escaped() -> None:
    root = ET.fromstring(picture_svg(FREECELL.picture(deal(1)[0], 'Game <1> & "more"')))
    assert root.find(f"{SVG}title").text == 'Game <1> & "more"'
    untitled = ET.fromstring(picture_svg(FREECELL.picture(deal(1)[0])))
    assert untitled.find(f"{SVG}title") is None
    assert float(untitled.get("height")) < float(root.get("height"))


def test_klondike_svg_shows_the_last_card_of_each_pile() -> None:
    svg = picture_svg(KLONDIKE.picture(deal_klondike(123)[0], "Klondike game 123"))
    assert [card[0] for card in cards_in(svg)] == [pile[-1] for pile in klondike_rows(123)[:7]]
    backs = [use for use in ET.fromstring(svg).iter(f"{SVG}use") if use.get("href")[10:] == "b"]
    assert len(backs) == 21 + 1


def test_letters() -> None:
    strokes, width = lettering("10")
    assert strokes.count("<path") == 2 and 14 < width < 18
    assert lettering("game") == lettering("GAME")
    assert lettering("a~b")[0].count("<path") == 2
    assert lettering("") == ("", 0)


def pixels_of(png: bytes) -> np.ndarray:
    """Decode a PNG of 8-bit RGBA into uint8[height, width, 4]."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    data, place = b"", 8
    while place < len(png):
        (size,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, *_, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlace) == (8, 6, 0)
        elif kind == b"IDAT":
            data += body
        place += 12 + size
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 4 * width)
    image = np.zeros((height + 1, width + 1, 4), np.int64)  # a row and a column of zeros before the first
    for y, line in enumerate(lines, 1):
        rest = line[1:].reshape(width, 4).astype(np.int64)
        if line[0] in (0, 2):
            image[y, 1:] = rest + (image[y - 1, 1:] if line[0] else 0)
        else:
            for x in range(1, width + 1):
                left, above, corner = image[y, x - 1], image[y - 1, x], image[y - 1, x - 1]
                distances = np.abs([above - corner, left - corner, left + above - 2 * corner])
                nearest = np.choose(np.argmin(distances, axis=0), [left, above, corner])
                image[y, x] = (rest[x - 1] + {1: left, 3: (left + above) // 2, 4: nearest}[int(line[0])]) & 255
        image[y] &= 255
    return image[1:, 1:].astype(np.uint8)


def test_png_has_red_and_black_cards_on_a_green_table() -> None:
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    svg, scale = picture_svg(FREECELL.picture(deal(11982)[0])), 0.4
    pixels = pixels_of(svg_png(svg, scale)).astype(int)
    width, height = (float(ET.fromstring(svg).get(side)) * scale for side in ("width", "height"))
    assert abs(pixels.shape[0] - height) < 1 and abs(pixels.shape[1] - width) < 1
    red, green, blue, _ = pixels[int(height) - 5, int(width / 2)]
    assert green > red and green > blue
    for name, x, y, _, _ in cards_in(svg):
        top, left = int((y + 6) * scale), int((x + 6) * scale)
        corner = pixels[top : top + int(28 * scale), left : left + int((CARD_WIDTH - 12) * scale), :3].reshape(-1, 3)
        ink = corner[corner.sum(axis=1).argmin()]
        assert corner.max(axis=0).min() > 240
        assert (ink[0] > 150) == is_red(CARD_NAMES.index(name)), name
        assert ink[1] < 80 and ink[2] < 100, name


def test_png_without_its_extra_says_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(Failed, match=r"pip install 'dealbook\[report\]'"):
        show_game(1, FREECELL, Form.PNG)
