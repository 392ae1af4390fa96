"""Draw a layout as text: names, glyphs with colours, or JSON.

In: a `Picture`. Out: text.

A picture is what lies on the table; the drawings differ in how they show it. Text names every card, also those that lie face down, as a
program wants it; glyphs show what a player sees.
"""

import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, card_glyph, is_red
from pipeline.games.game import Picture

FACE_DOWN: Final = "▒▒"
_RED: Final = "\x1b[31m"
_DIM: Final = "\x1b[2m"
_PLAIN: Final = "\x1b[0m"


def picture_text(picture: Picture) -> str:
    """Write one column a line, base card first, as every FreeCell program reads it; face-down cards in brackets, the stock after a word."""
    lines = []
    for column, hidden in zip(picture.columns, picture.face_down, strict=True):
        names = [CARD_NAMES[card] for card in column]
        lines.append(" ".join([f"[{name}]" for name in names[:hidden]] + names[hidden:]))
    if picture.stock is not None:
        lines.append("Stock: " + " ".join(CARD_NAMES[card] for card in picture.stock))
    return "\n".join(lines) + "\n"


def picture_unicode(picture: Picture, colour: bool = False) -> str:
    """Write the rows as they lie on the table, with suit glyphs; with ``colour``, red suits in red by terminal codes."""

    def painted(text: str, code: str) -> str:
        return f"{code}{text}{_PLAIN}" if colour else text

    def shown(card: int) -> str:
        return painted(card_glyph(card), _RED) if is_red(card) else card_glyph(card)

    lines = [f"# {picture.title}"] if picture.title else []
    for row in range(max(map(len, picture.columns))):
        places = []
        for column, hidden in zip(picture.columns, picture.face_down, strict=True):
            if row >= len(column):
                places.append("  ")
            else:
                places.append(painted(FACE_DOWN, _DIM) if row < hidden else shown(column[row]))
        lines.append("  ".join(places).rstrip())
    if picture.stock is not None:
        lines += ["", f"{painted(FACE_DOWN, _DIM)}  stock of {len(picture.stock)} cards"]
    return "\n".join(lines) + "\n"


def picture_json(picture: Picture, game_number: int, layout: NDArray[np.uint8]) -> str:
    """Write one JSON object: the game number, the names of the cards in each column (and the stock), all card codes in deal order."""
    fields: dict[str, object] = {
        "game_number": game_number,
        "columns": [[CARD_NAMES[card] for card in column] for column in picture.columns],
    }
    if picture.stock is not None:
        fields |= {"face_down": picture.face_down, "stock": [CARD_NAMES[card] for card in picture.stock]}
    return json.dumps(fields | {"cards": layout.tolist()}) + "\n"
