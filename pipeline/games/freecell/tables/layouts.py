"""The tables `layouts` and `stats` of a range of games, dealt and computed in one pass.

In: a range of game numbers. Out: Arrow tables as `schema` declares them.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.codes import CARDS
from pipeline.games.freecell.deal.microsoft import deal_places
from pipeline.games.freecell.tables.schema import LAYOUTS, STATISTICS
from pipeline.games.freecell.tables.stats import compute_stats
from pipeline.tables.arrow import arrow_array, cards_digest


def dealt_tables(start: int, stop: int, tables: tuple[str, ...]) -> Iterator[tuple[str, pa.Table, str | None]]:
    """Deal games ``start`` to ``stop - 1`` and yield name, Arrow table and the digest of the cards (layouts only) of each of ``tables``."""
    numbers = np.arange(start, stop, dtype=np.int64)
    places = deal_places(numbers)
    game_number = arrow_array(numbers)
    if "layouts" in tables:
        columns = [game_number, *(arrow_array(places[k, : numbers.size]) for k in range(CARDS))]
        yield (
            "layouts",
            pa.Table.from_arrays(columns, schema=LAYOUTS.arrow_schema()),
            cards_digest(places[:, : numbers.size]),
        )
    if "stats" in tables:
        columns = [game_number, *(arrow_array(row) for row in compute_stats(places, numbers.size))]
        yield "stats", pa.Table.from_arrays(columns, schema=STATISTICS.arrow_schema()), None


def layout_matrix(table: pa.Table) -> NDArray[np.uint8]:
    """The layouts of a `layouts` table as uint8[n, 52] in deal order, Fortran order so that each column is one copy."""
    matrix = np.empty((CARDS, table.num_rows), np.uint8)
    for k, name in enumerate(LAYOUTS.arrow_schema().names[1:]):
        matrix[k] = table.column(name).to_numpy()
    return matrix.T
