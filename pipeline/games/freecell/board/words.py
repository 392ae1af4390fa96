"""Read the words of board texts: bytes, lines and card names.

In: bytes or text from anywhere. Out: text, numbered lines, card codes, and quotations fit for an error line.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final

from pipeline.cards.codes import CARD_CODES, SUIT_GLYPHS, SUITS, UNKNOWN
from pipeline.cards.errors import InputError

UNKNOWN_NAME: Final = "??"

STRICT_CARDS: Final[dict[str, int]] = CARD_CODES | {"10" + suit: CARD_CODES["T" + suit] for suit in SUITS}
"""Card codes by the names that every reader takes: the ten is T or 10."""

# Filled and outlined glyphs; U+FE0F and U+FE0E after one only choose its looks.
_GLYPHS: Final = str.maketrans(SUIT_GLYPHS + "♧♢♡♤", SUITS * 2, "\ufe0f\ufe0e")
_QUOTED: Final = 40
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def strip_marks(data: bytes) -> bytes:
    """Take away what marks the beginning of a text file in UTF-8, and its end as DOS did (Ctrl-Z)."""
    return data.removeprefix(codecs.BOM_UTF8).rstrip(b"\x1a")


def decode(data: bytes, name: str = "input") -> str:
    """Decode a text file: UTF-8, or UTF-16 with its byte order mark.

    Raises InputError for anything else, and for binary files and control characters.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not a text file in UTF-8 (byte {error.start + 1}); convert it first") from None
    text = text.rstrip("\x1a")  # the end of a file, as DOS marked it
    control = _CONTROL.search(text)
    if control is not None:
        line = text.count("\n", 0, control.start()) + 1
        raise InputError(f"{name}: not a text file: line {line} has the control character {ord(control[0]):#04x}")
    return text


def quote(text: str) -> str:
    """Quote a text in an error line: what cannot be printed escaped, cut after 40 characters."""
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "..."
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in shown)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines of a text from 1, without their ends (LF, CRLF or CR)."""
    yield from enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)


def lenient_name(word: str) -> str:
    """Spell a word the strict way: upper case, letters for suit glyphs."""
    return word.translate(_GLYPHS).upper()


def find_card(word: str, is_lenient: bool, is_partial: bool = False) -> int | None:
    """The code of the card a word names, UNKNOWN for ``??`` in a partial layout, or None."""
    code = STRICT_CARDS.get(word)
    if code is None and is_lenient and len(word) <= 5:
        code = STRICT_CARDS.get(lenient_name(word))
    if code is None and is_partial and word == UNKNOWN_NAME:
        return UNKNOWN
    return code


def spelling_notes(words: list[str]) -> list[str]:
    """Say what a lenient reader took that a strict one refuses, given words that are cards only to a lenient one."""
    lower = sum(any(letter.islower() for letter in word) for word in words)
    glyphs = sum(word.translate(_GLYPHS) != word for word in words)
    notes = [f"{lower} cards in lower case"] if lower else []
    return notes + ([f"{glyphs} cards with suit glyphs"] if glyphs else [])
