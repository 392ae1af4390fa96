"""Draw a layout as cards: SVG, and PNG made from it.

In: a `Picture`. Out: SVG text or PNG bytes, which look the same everywhere: letters and suits are paths, no font is
used.
"""

import zlib
from html import escape
from typing import Final

from pipeline.cards.codes import is_red
from pipeline.cards.errors import Failed
from pipeline.games.game import Picture
from pipeline.serve.draw.letters import LETTER_HEIGHT, RANK_LETTERS, SUIT_PATHS, lettering

# All lengths are in units of the drawing: pixels, where it is shown at its own size.
CARD_WIDTH: Final = 100
CARD_HEIGHT: Final = 140
_PITCH: Final = 112  # from one column to the next
_MARGIN: Final = 24
_GAP: Final = 24
_TITLE: Final = 22
_OPEN_STEP: Final = 38  # what a card that is covered shows: its corner
_HIDDEN_STEP: Final = 18
_CORNER: Final = 22  # height of the rank and of the suit beside it
_RANK_MIDDLE: Final = 22
_SUIT_MIDDLE: Final = 53

_RED: Final = "#c8102e"
_BLACK: Final = "#15171c"
_FELT: Final = "#1c6a43"
_LINE: Final = "#8fb8a0"
_INK: Final = "#f3f7f2"


class _Canvas:
    """The elements of one drawing; ``key`` keeps its names apart from those of other drawings on the same page."""

    def __init__(self, key: str):
        self.key = key
        self.elements: list[str] = []

    def use(self, name: str, x: float, y: float, scale: float = 1) -> str:
        scaled = "" if scale == 1 else f" scale({scale:g})"
        return f'<use href="#{self.key}{name}" transform="translate({x:g} {y:g}){scaled}"/>'

    def put(self, name: str, x: float, y: float) -> None:
        self.elements.append(self.use(name, x, y))

    def put_card(self, card: int, x: float, y: float, covered: bool) -> None:
        """Draw a card face up; one that is covered shows its upper corner only."""
        rank, suit = card >> 2, card & 3
        colour = _RED if is_red(card) else _BLACK
        _, width = lettering(RANK_LETTERS[rank])
        left = _RANK_MIDDLE - width * _CORNER / LETTER_HEIGHT / 2
        corner = self.use(f"r{rank}", left, 9) + self.use(f"s{suit}", _SUIT_MIDDLE, 9 + _CORNER / 2, _CORNER / 100)
        drawn = corner
        if not covered:
            turned = f'<g transform="rotate(180 {CARD_WIDTH / 2:g} {CARD_HEIGHT / 2:g})">{corner}</g>'
            drawn += self.use(f"s{suit}", CARD_WIDTH / 2, CARD_HEIGHT / 2 + 1, 0.54) + turned
        self.elements.append(
            f'<g transform="translate({x:g} {y:g})"><use href="#{self.key}c"/><g fill="{colour}" stroke="{colour}">{drawn}</g></g>'
        )

    def definitions(self) -> str:
        """The shapes that all cards share."""
        size = f'width="{CARD_WIDTH - 1}" height="{CARD_HEIGHT - 1}" x=".5" y=".5" rx="9"'
        inner = f'width="{CARD_WIDTH - 14}" height="{CARD_HEIGHT - 14}" x="7" y="7" rx="5"'
        lattice = "".join(f"M{x} 7L{x + 126} 133M{x + 126} 7L{x} 133" for x in range(-119, 94, 14))
        shapes = [
            f'<rect id="{self.key}c" {size} fill="#fffefa" stroke="#56605a"/>',
            f'<rect id="{self.key}e" {size} fill="#000" fill-opacity=".12" stroke="{_LINE}" stroke-width="1.5"/>',
            f'<clipPath id="{self.key}i"><rect {inner}/></clipPath>',
            f'<g id="{self.key}b"><rect {size} fill="#fffefa" stroke="#56605a"/><rect {inner} fill="#2b5797"/>'
            f'<path d="{lattice}" clip-path="url(#{self.key}i)" stroke="#a9c3e8" stroke-width="1.5"/></g>',
        ]
        for suit, path in enumerate(SUIT_PATHS):
            shapes.append(f'<path id="{self.key}s{suit}" stroke="none" d="{path}"/>')
        for rank, letters in enumerate(RANK_LETTERS):
            strokes, _ = lettering(letters)
            shapes.append(
                f'<g id="{self.key}r{rank}" fill="none" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round">'
                f'<g transform="scale({_CORNER / LETTER_HEIGHT:.3f})">{strokes}</g></g>'
            )
        return f"<defs>{''.join(shapes)}</defs>"

    def put_line(self, text: str, x: float, y: float, height: float, colour: str) -> None:
        strokes, _ = lettering(text)
        self.elements.append(
            f'<g transform="translate({x:g} {y:g}) scale({height / LETTER_HEIGHT:g})" fill="none" stroke="{colour}" '
            f'stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round">{strokes}</g>'
        )

    def put_ghost(self, suit: int, x: float, y: float) -> None:
        """Draw an empty foundation with its suit."""
        self.put("e", x, y)
        shape = self.use(f"s{suit}", x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2, 0.44)
        self.elements.append(f'<g fill="{_LINE}" fill-opacity=".55">{shape}</g>')


def picture_svg(picture: Picture) -> str:
    """Draw the cards on the table as one SVG document, about 20 kB; its size is in its ``width`` and ``height``, in pixels."""
    canvas = _Canvas(f"d{zlib.crc32(repr(picture).encode()):08x}")
    y: float = _MARGIN
    if picture.title:
        canvas.put_line(picture.title, _MARGIN + 2, y, _TITLE, _INK)
        y += _TITLE + _GAP
    places = [_MARGIN + _PITCH * column for column in range(len(picture.columns))]
    if picture.stock is None:
        for x in places[:4]:
            canvas.put("e", x, y)
    else:
        canvas.put("b", places[0], y)
        canvas.put("e", places[1], y)
    for suit, x in enumerate(places[-4:]):
        canvas.put_ghost(suit, x, y)
    y += CARD_HEIGHT + _GAP
    bottom = y
    for x, column, hidden in zip(places, picture.columns, picture.face_down, strict=True):
        place = y
        for row, card in enumerate(column):
            if row < hidden:
                canvas.put("b", x, place)
            else:
                canvas.put_card(card, x, place, covered=row < len(column) - 1)
            bottom = max(bottom, place + CARD_HEIGHT)
            place += _HIDDEN_STEP if row < hidden else _OPEN_STEP
    width, height = places[-1] + CARD_WIDTH + _MARGIN, bottom + _MARGIN
    title = f"<title>{escape(picture.title)}</title>" if picture.title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">'
        f'{title}{canvas.definitions()}<rect width="100%" height="100%" rx="12" fill="{_FELT}"/>{"".join(canvas.elements)}</svg>\n'
    )


def svg_png(svg: str, scale: float = 1) -> bytes:
    """Turn an SVG document into a PNG, ``scale`` pixels a unit; raises Failed where the extra `report` is not installed."""
    try:
        import vl_convert
    except ImportError as error:
        raise Failed("PNG needs an extra that is not installed: pip install 'dealbook[report]'") from error
    return vl_convert.svg_to_png(svg, scale=scale)
