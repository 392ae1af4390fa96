"""Klondike moves as text: read and written, one by one.

In: texts such as ``draw5 w3 35 3h``. Out: moves of `rules.replay`, and texts. `bulk` does the same for whole columns.

A word is a move: the box a card leaves, then the box it goes to: ``1`` .. ``7`` are the piles, ``w`` the waste, and ``c``, ``d``, ``h``,
``s`` the foundations. How many cards move from pile to pile is not written, since one number alone fits. ``draw`` turns one card from the
stock to the waste, or, when the stock is empty, the whole waste back; ``draw5`` is five of these.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from pipeline.cards.errors import NotationError
from pipeline.games.klondike.rules.replay import DRAW, FIRST_FOUNDATION, FIRST_PILE, Move

BOX_LETTERS: Final = "-w1234567cdhs"
"""The letter of each box; the stock has none, for a card leaves it by a draw alone."""

_SOURCES: Final = {letter: box for box, letter in enumerate(BOX_LETTERS) if box > 0}
_TARGETS: Final = {letter: box for letter, box in _SOURCES.items() if box >= FIRST_PILE}
MOST_DRAWS: Final = 999
"""The largest number that one word may repeat a draw; more are written as two words."""


def read_klondike_moves(text: str) -> list[Move]:
    """Read the moves of a text, words between blanks or line ends; raises NotationError that names the first wrong word."""
    moves: list[Move] = []
    for number, word in enumerate(text.split(), 1):
        if word.startswith("draw"):
            moves += [DRAW] * _draws(word, number)
        elif len(word) == 2 and word[0] in _SOURCES and word[1] in _TARGETS and _is_between_boxes(word):
            moves.append(Move(_SOURCES[word[0]], _TARGETS[word[1]]))
        else:
            raise NotationError(
                f"move {number}: {word!r} is no Klondike move; write the box a card leaves and the box it goes to "
                "(w, 1..7, c d h s), as in w3, 35 or 3h, or draw"
            )
    return moves


def _is_between_boxes(word: str) -> bool:
    return word[0] != word[1] and min(_SOURCES[word[0]], _TARGETS[word[1]]) < FIRST_FOUNDATION


def _draws(word: str, number: int) -> int:
    digits = word.removeprefix("draw")
    if digits and not (digits.isascii() and digits.isdigit() and digits[0] != "0" and 2 <= int(digits) <= MOST_DRAWS):
        raise NotationError(f"move {number}: {word!r} must be draw, or draw with a number from 2 to {MOST_DRAWS}")
    return int(digits or 1)


def write_klondike_moves(moves: Iterable[Move]) -> str:
    """Write moves as one line, draws that follow each other as one word; raises NotationError for a move between other boxes."""
    words: list[str] = []
    for move, group in groupby(moves):
        count = len(list(group))
        if move == DRAW:
            words += [f"draw{MOST_DRAWS}"] * (count // MOST_DRAWS)
            count %= MOST_DRAWS
            words += ["draw" if count == 1 else f"draw{count}"] if count else []
            continue
        source, target = move
        word = f"{BOX_LETTERS[source]}{BOX_LETTERS[target]}" if 0 < source < 13 and FIRST_PILE <= target < 13 else ""
        if not word or not _is_between_boxes(word):
            raise NotationError(f"no Klondike move leads from box {source} to box {target}")
        words += [word] * count
    return " ".join(words)
