"""Klondike, by the numbers of the 13-box program: the room, and `KLONDIKE`, the record of what the game brings.

The functions below import what they need when they are called, because the record is loaded by every command.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pipeline.games.game import Game, GameTable, Picture
from pipeline.games.klondike.words import CARD

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from pipeline.tables.view import View


def _tables() -> tuple[GameTable, ...]:
    from pipeline.games.klondike.tables.schema import CARD_COLUMNS, KLONDIKE_SOLUTIONS
    from pipeline.games.klondike.tables.schema import KLONDIKE as LAYOUTS

    return (
        GameTable(LAYOUTS, "dealbook build", {"cards": CARD_COLUMNS}),
        GameTable(KLONDIKE_SOLUTIONS, "dealbook solve"),
    )


def _deal_tables(start: int, stop: int, tables: tuple[str, ...]) -> "Iterator[tuple[str, pa.Table, str | None]]":
    from pipeline.games.klondike.tables.layouts import dealt_klondike_tables

    return dealt_klondike_tables(start, stop, tables)


def _views(present: set[str]) -> "list[View]":
    from pipeline.games.klondike.tables.views import views

    return views(present)


def _layout(number: int) -> "NDArray[np.uint8]":
    from pipeline.games.klondike.deal import deal_klondike

    return deal_klondike(number)[0]


def _picture(layout: "NDArray[np.uint8]", title: str | None = None) -> Picture:
    """Lay out a game: uint8[52] card codes of the tableau and the stock, as `deal_klondike` gives them."""
    from pipeline.games.klondike.deal import piles_of, stock_of

    columns = piles_of(layout)
    return Picture(title, columns, [len(column) - 1 for column in columns], stock_of(layout))


KLONDIKE: Final = Game(
    name="klondike",
    title="Klondike",
    numbering="Klondike",
    first=0,
    last=99_999_999,
    special=(),
    dealt=("klondike",),
    deal_tables=_deal_tables,
    load_tables=_tables,
    views=_views,
    layout=_layout,
    picture=_picture,
    card=CARD,
)
