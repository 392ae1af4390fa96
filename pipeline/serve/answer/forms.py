"""The names of the forms in which a layout is drawn.

In: nothing. Out: enumerations that the command line reads without loading the drawings themselves.
"""

from enum import StrEnum


class Form(StrEnum):
    """The forms in which a layout is drawn."""

    TEXT = "text"
    UNICODE = "unicode"
    SVG = "svg"
    PNG = "png"
    JSON = "json"
