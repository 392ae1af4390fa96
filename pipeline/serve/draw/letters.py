"""Letters and suits as SVG path data, so that no drawing of ours needs a font.

In: text. Out: path data and widths.

Letters are strokes on a grid whose capitals are 14 units high, drawn for this project; suits are outlines in a square of 100 units about
the origin, in the order of the suits' codes.
"""

from typing import Final

LETTER_HEIGHT: Final = 14
_SPACE: Final = 5.5
_GAP: Final = 3.6

# Each character's width and strokes. There are capitals only: small letters are drawn as capitals.
_LETTERS: Final[dict[str, tuple[float, str]]] = {
    "A": (10, "M0 14L5 0L10 14M1.9 9.4H8.1"),
    "B": (9.8, "M0 0V14H6A3.8 3.8 0 0 0 6 6.4H0M0 0H5.4A3.2 3.2 0 0 1 5.4 6.4"),
    "C": (9.5, "M9.5 2.8C8 .8 6.5 0 5 0C2 0 0 3 0 7S2 14 5 14C6.5 14 8 13.2 9.5 11.2"),
    "D": (9.8, "M0 0V14H4C7.5 14 9.8 11.5 9.8 7S7.5 0 4 0Z"),
    "E": (8.5, "M8.5 0H0V14H8.5M0 6.8H7"),
    "F": (8.5, "M8.5 0H0V14M0 6.8H7"),
    "G": (10, "M9.5 2.8C8 .8 6.5 0 5 0C2 0 0 3 0 7S2 14 5 14C7.5 14 9.3 12.6 10 10.5V7.6H5.8"),
    "H": (9.5, "M0 0V14M9.5 0V14M0 6.8H9.5"),
    "I": (0, "M0 0V14"),
    "J": (7, "M7 0V9.5C7 12.5 5.8 14 3.6 14C1.6 14 .4 12.8 0 10.8"),
    "K": (9.8, "M0 0V14M9.5 0L0 8.6M3.4 5.6L9.8 14"),
    "L": (8, "M0 0V14H8"),
    "M": (11.6, "M0 14V0L5.8 9L11.6 0V14"),
    "N": (9.5, "M0 14V0L9.5 14V0"),
    "O": (10.4, "M5.2 0C2 0 0 3 0 7S2 14 5.2 14 10.4 11 10.4 7 8.4 0 5.2 0Z"),
    "P": (9.5, "M0 14V0H5.6A3.9 3.9 0 0 1 5.6 7.8H0"),
    "Q": (10.4, "M5.2 0C2 0 0 3 0 7S2 14 5.2 14 10.4 11 10.4 7 8.4 0 5.2 0ZM6 9.8L10.2 14.6"),
    "R": (9.5, "M0 14V0H5.6A3.9 3.9 0 0 1 5.6 7.8H0M4.8 7.8L9.5 14"),
    "S": (
        9,
        "M8.8 2.6C8 1 6.4 0 4.6 0C2.2 0 .4 1.4 .4 3.6C.4 8.6 9 5.4 9 10.4C9 12.6 7.2 14 4.6 14C2.4 14 .7 12.9 0 11.1",
    ),
    "T": (10, "M0 0H10M5 0V14"),
    "U": (9.6, "M0 0V9C0 12.4 1.8 14 4.8 14S9.6 12.4 9.6 9V0"),
    "V": (10, "M0 0L5 14L10 0"),
    "W": (14, "M0 0L3.4 14L7 3L10.6 14L14 0"),
    "X": (9.6, "M0 0L9.6 14M9.6 0L0 14"),
    "Y": (10, "M0 0L5 7.2L10 0M5 7.2V14"),
    "Z": (9.2, "M0 0H9.2L0 14H9.2"),
    "0": (9, "M4.5 0C1.6 0 0 2.8 0 7S1.6 14 4.5 14 9 11.2 9 7 7.4 0 4.5 0Z"),
    "1": (3.6, "M0 2.8L3.6 0V14"),
    "2": (9, "M.3 3.6C.4 1.4 2.2 0 4.5 0C7 0 8.7 1.5 8.7 3.8C8.7 7 4 9.6 0 14H9"),
    "3": (9, "M.6 0H8.6L4.4 5.4C7.2 5.4 9 7 9 9.6C9 12.3 7 14 4.4 14C2.2 14 .6 13 0 11"),
    "4": (9.4, "M6.8 14V0L0 9.8H9.4"),
    "5": (9, "M8.2 0H1.4L.7 6.2C1.8 5.3 3 4.9 4.4 4.9C7.2 4.9 9 6.7 9 9.4C9 12.2 7 14 4.3 14C2.2 14 .6 13 0 11.2"),
    "6": (9, "M7.4 0C3.4 1.4 0 5 0 9.4C0 12.2 1.9 14 4.5 14S9 12.2 9 9.5 7.2 5.2 4.6 5.2C2.2 5.2 .3 6.8 0 9"),
    "7": (9, "M0 0H9L3.4 14"),
    "8": (
        9,
        "M4.5 6.4C2.2 6.4 .7 5.2 .7 3.2S2.2 0 4.5 0 8.3 1.2 8.3 3.2 6.8 6.4 4.5 6.4Z"
        "M4.5 6.4C2 6.4 0 7.8 0 10.1S1.8 14 4.5 14 9 12.4 9 10.1 7 6.4 4.5 6.4Z",
    ),
    "9": (9, "M1.6 14C5.6 12.6 9 9 9 4.6C9 1.8 7.1 0 4.5 0S0 1.8 0 4.5 1.8 8.8 4.4 8.8C6.8 8.8 8.7 7.2 9 5"),
    "-": (6, "M0 8H6"),
    "+": (8, "M0 8H8M4 4V12"),
    "=": (8, "M0 5.5H8M0 9.5H8"),
    ".": (0, "M0 13.9V14"),
    ",": (1, "M1 13.5L0 16.5"),
    ":": (0, "M0 5V5.1M0 13.9V14"),
    "'": (0, "M0 0V3.4"),
    "/": (6, "M0 15L6 -1"),
    "(": (3, "M3 -1.5C1 1.5 0 4.5 0 7S1 12.5 3 15.5"),
    ")": (3, "M0 -1.5C2 1.5 3 4.5 3 7S2 12.5 0 15.5"),
}

RANK_LETTERS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

SUIT_PATHS: Final = (
    "M-6 14C-10 30 -17 44 -26 50H26C17 44 10 30 6 14C12 30 48 34 49 8C50 -14 28 -20 17 -11C34 -28 20 -50 0 -50"
    "S-34 -28 -17 -11C-28 -20 -50 -14 -49 8C-48 34 -12 30 -6 14Z",
    "M0 -50Q16 -22 40 0Q16 22 0 50Q-16 22 -40 0Q-16 -22 0 -50Z",
    "M0 -22C-6 -54 -50 -54 -48 -16C-46 10 -14 22 0 50C14 22 46 10 48 -16C50 -54 6 -54 0 -22Z",
    "M0 -50C14 -26 48 -10 48 16C48 42 16 42 6 20C9 36 16 46 24 50H-24C-16 46 -9 36 -6 20C-16 42 -48 42 -48 16C-48 -10 -14 -26 0 -50Z",
)


def lettering(text: str) -> tuple[str, float]:
    """Draw a line of text: SVG elements of strokes from the origin, capitals `LETTER_HEIGHT` units high, and the width.

    A character that is not drawn here leaves a space.
    """
    elements = []
    x = 0.0
    for character in text.upper():
        width, strokes = _LETTERS.get(character, (_SPACE, ""))
        if strokes:
            elements.append(f'<path transform="translate({x:g} 0)" d="{strokes}"/>')
        x = round(x + width + _GAP, 2)
    return "".join(elements), round(max(x - _GAP, 0), 2)
