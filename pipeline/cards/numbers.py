"""Game numbers, and the generator that Microsoft C's ``rand`` draws from: what every numbered deal begins with.

In: whatever holds whole numbers. Out: int64[n] within a game's range.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.errors import GameNumberError

MULTIPLIER: Final = 214013
INCREMENT: Final = 2531011

_SPELLED: Final = re.compile(
    r"(?:(?:ms|microsoft|freecell|klondike|game|deal)\b[ \t]*|ms(?=[0-9#]))*#?[ \t]*"
    r"(-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*))(?:\.0+)?",
    re.IGNORECASE,
)
_MOST_DIGITS: Final = 20
_MOST_SHOWN: Final = 40


def read_game_number(text: str) -> int:
    """Read a game number as people write it: ``617``, ``#617``, ``ms617``, ``MS 617``, ``1,000``, ``617.0``, ``Game #617``.

    Raises GameNumberError for anything else; whether a game has the number is for its dealer to say.
    """
    found = _SPELLED.fullmatch(text.strip(" \t\r\n"))
    digits = found[1].replace(",", "").replace("_", "") if found else ""
    if not digits or len(digits) > _MOST_DIGITS or (digits[0] == "-" and not int(digits)):
        shown = ascii(text[:_MOST_SHOWN])
        raise GameNumberError(f"no game number: {shown}; give a whole number such as 617")
    return int(digits)


def game_numbers(numbers: Any, last: int) -> NDArray[np.int64]:
    """Check that game numbers are within 0 .. ``last`` and return them as int64[n]; raises GameNumberError as `deal` does."""
    if isinstance(numbers, int | np.integer):
        numbers = [numbers]
    elif isinstance(numbers, range):
        numbers = np.arange(numbers.start, numbers.stop, numbers.step)
    elif isinstance(numbers, Iterable) and not hasattr(numbers, "__array__"):
        numbers = list(numbers)
    array = np.asarray(numbers)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        # Python integers above 2^64 make an object array, mixtures of large and negative ones a float array.
        whole = array.ndim == 1 and all(isinstance(n, int) and not isinstance(n, bool) for n in numbers)
        outside = [n for n in numbers if not 0 <= n <= last] if whole else []
        if not outside:
            raise GameNumberError(f"game numbers must be a list of whole numbers, not {array.dtype}[{array.ndim}-D]")
        raise _outside(outside[0], last)
    bad = (array < 0) | (array > last)
    if bad.any():
        raise _outside(int(array[bad][0]), last)
    return np.ascontiguousarray(array, np.int64)


def _outside(number: int, last: int) -> GameNumberError:
    limit = f"{last} (2^33 - 1)" if last == 2**33 - 1 else str(last)
    return GameNumberError(f"game number {number} is outside 0 .. {limit}")
