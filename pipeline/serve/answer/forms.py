"""The names of the numbered games and of the forms in which a layout is drawn.

In: nothing. Out: enumerations that the command line reads without loading the drawings themselves.
"""

from enum import StrEnum


class Game(StrEnum):
    """The numbered games."""

    FREECELL = "freecell"
    KLONDIKE = "klondike"


class Form(StrEnum):
    """The forms in which a layout is drawn."""

    TEXT = "text"
    UNICODE = "unicode"
    SVG = "svg"
    PNG = "png"
    JSON = "json"
