"""Which games train a model and which test it: one definition for Python, NumPy and SQL.

In: game numbers. Out: train, validation or test, about 80, 10 and 10 in a hundred.

The hash is the fifth power of the number, scaled, modulo the prime 2^31 - 1: products below 2^63 and remainders, which any language
computes alike, and a permutation of the remainders since 5 does not divide 2^31 - 2. A multiplication alone would not do: it runs
in step with the dealing generator, itself a product of the game number, and neighbours would take turns in a pattern.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

SPLITS: Final = ("train", "validation", "test")
SPLIT_COMMENT: Final = "train, validation or test, by a hash of the game number: about 80, 10 and 10 in a hundred."
_PRIME: Final = (1 << 31) - 1
_SCALE: Final = 73_244_475
_VALIDATION: Final = -(-8 * _PRIME // 10)  # the first hash of validation games
_TEST: Final = -(-9 * _PRIME // 10)

_SCALED = f"({{n}} * {_SCALE} % {_PRIME})"
_SQUARE = f"({_SCALED} * {_SCALED} % {_PRIME})"
_HASH = f"({_SQUARE} * {_SQUARE} % {_PRIME} * {_SCALED} % {_PRIME})"

SPLIT_SQL: Final = (
    f"CASE WHEN {_HASH} < {_VALIDATION} THEN 'train' WHEN {_HASH} < {_TEST} THEN 'validation' ELSE 'test' END"
)
"""The split as an SQL expression of ``{n}``, a game number as a signed 64-bit integer; it reads the same in every SQL."""

SPLIT_PYTHON: Final = (
    f"{SPLITS}[sum(pow(n * {_SCALE} % {_PRIME}, 5, {_PRIME}) >= first for first in ({_VALIDATION}, {_TEST}))]"
)
"""The split as a Python expression of ``n``, for those who have the data alone."""


def split_of(game_number: int) -> str:
    """Name the split of a game from 0 to 2^33 - 1: train, validation or test."""
    return SPLITS[int(split_codes(np.array([game_number], np.int64))[0])]


def split_codes(game_numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Compute the splits of games as indices into `SPLITS`; int64[n] in, uint8[n] out."""
    scaled = game_numbers * _SCALE % _PRIME
    square = scaled * scaled % _PRIME
    hashed = square * square % _PRIME * scaled % _PRIME
    return (hashed >= _VALIDATION).astype(np.uint8) + (hashed >= _TEST)
