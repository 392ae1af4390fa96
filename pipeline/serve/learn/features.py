"""Layouts and positions as features for learning.

In: uint8[n, 52], layouts in deal order or place codes by card. Out: one-hot vectors and planes.
"""

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pipeline.cards.codes import CARDS, COLUMNS, RANKS, SUITS
from pipeline.cards.errors import InputError
from pipeline.games.freecell.tables.positions_code import AT_HOME, PLACE_CODES, places_of

Kind = Literal["layouts", "positions"]

CLASSES: Final[dict[str, int]] = {"layouts": CARDS, "positions": PLACE_CODES}
"""How many values a code can have, by kind."""

PLANES: Final = len(RANKS) + len(SUITS)
LAYOUT_ROWS: Final = 7
POSITION_ROWS: Final = PLACE_CODES // COLUMNS + 1
"""19 rows of the tableau, one of freecells, one of foundations (in the order C D H S, each with its top card)."""


def _checked(values: Any, kind: str) -> NDArray[np.uint8]:
    if kind not in CLASSES:
        raise InputError(f"{kind!r}: features are made of layouts or positions")
    codes = np.asarray(values)
    if codes.ndim != 2 or codes.shape[1] != CARDS:
        raise InputError(f"{kind} are [n, {CARDS}], not {list(codes.shape)}")
    if codes.size and not 0 <= codes.min() <= codes.max() < CLASSES[kind]:
        raise InputError(f"codes of {kind} are 0 to {CLASSES[kind] - 1}, not {codes.min()} to {codes.max()}")
    return codes.astype(np.uint8, copy=False)


def one_hot(values: Any, kind: Kind = "layouts", dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Turn codes into one-hot vectors.

    Layouts [n, 52] become [n, 52, 52], by place and card; positions [n, 52] become [n, 52, 161], by card and place code.
    Raises InputError for other shapes and codes.
    """
    codes = _checked(values, kind)
    hot = np.zeros((*codes.shape, CLASSES[kind]), dtype)
    np.put_along_axis(hot, codes[:, :, None].astype(np.intp), 1, axis=2)
    return hot


def planes(values: Any, kind: Kind = "layouts", dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Turn layouts or positions into pictures of 17 planes: 13 ranks, then 4 suits, over rows and columns.

    Layouts give [n, 17, 7, 8]: where plane r is 1, a card of rank r + 1 lies in that row and column; planes 13 to 16 tell suits C D H S.
    Positions give [n, 17, 21, 8]: rows 0 to 18 are the tableau, row 19 the freecells, row 20 the top cards of the foundations C D H S.
    Raises InputError for other shapes and codes.
    """
    codes = _checked(values, kind)
    places = places_of(codes) if kind == "layouts" else codes.copy()
    if kind == "positions":
        home = places == AT_HOME
        covered = np.zeros_like(home)
        covered[:, :-4] = home[:, :-4] & home[:, 4:]
        places += np.where(home, np.arange(CARDS) % len(SUITS), 0).astype(np.uint8)
    else:
        covered = np.zeros(places.shape, np.bool_)
    rows = LAYOUT_ROWS if kind == "layouts" else POSITION_ROWS
    picture = np.zeros((len(places), PLANES, rows * COLUMNS), dtype)
    game, card = np.nonzero(~covered)
    picture[game, card >> 2, places[game, card]] = 1
    picture[game, len(RANKS) + (card & 3), places[game, card]] = 1
    return picture.reshape(len(places), PLANES, rows, COLUMNS)
