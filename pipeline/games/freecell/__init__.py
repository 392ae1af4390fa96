"""FreeCell, by the numbers of Microsoft's program: the room, and `FREECELL`, the record of what the game brings.

The functions below import what they need when they are called, because the record is loaded by every command.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pipeline.games.freecell.words import CARD
from pipeline.games.game import Game, GameTable, Picture

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from pipeline.tables.view import View


def _tables() -> tuple[GameTable, ...]:
    from pipeline.games.freecell.tables.definitions import STATS
    from pipeline.games.freecell.tables.positions_schema import LEGAL_COLUMNS, PLACE_COLUMNS, POSITIONS
    from pipeline.games.freecell.tables.schema import LAYOUTS, PLACES, SOLUTIONS, STATISTICS

    return (
        GameTable(LAYOUTS, "dealbook build", {"cards": PLACES}),
        GameTable(STATISTICS, "dealbook build", {"statistics": tuple(STATS)}),
        GameTable(SOLUTIONS, "dealbook solve"),
        GameTable(POSITIONS, "dealbook positions", {"places": PLACE_COLUMNS, "legal": LEGAL_COLUMNS}),
    )


def _deal_tables(start: int, stop: int, tables: tuple[str, ...]) -> "Iterator[tuple[str, pa.Table, str | None]]":
    from pipeline.games.freecell.tables.layouts import dealt_tables

    return dealt_tables(start, stop, tables)


def _views(present: set[str]) -> "list[View]":
    from pipeline.games.freecell.tables.views import views

    return views(present)


def _layout(number: int) -> "NDArray[np.uint8]":
    from pipeline.games.freecell.deal.microsoft import deal
    from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS

    return SPECIAL_LAYOUTS[number] if number in SPECIAL_LAYOUTS else deal(number)[0]


def _picture(layout: "NDArray[np.uint8]", title: str | None = None) -> Picture:
    """Lay out a game: uint8[52] card codes in deal order."""
    columns = [layout[column::8].tolist() for column in range(8)]
    return Picture(title, columns, [0] * 8, None)


FREECELL: Final = Game(
    name="freecell",
    title="FreeCell",
    numbering="Microsoft FreeCell",
    first=0,
    last=2**33 - 1,
    special=(-1, -2),
    dealt=("layouts", "stats"),
    deal_tables=_deal_tables,
    load_tables=_tables,
    views=_views,
    layout=_layout,
    picture=_picture,
    card=CARD,
)
