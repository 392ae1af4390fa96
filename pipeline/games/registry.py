"""Every table of every game.

In: the games' declarations. Out: `TABLES`. Apart from the package itself, so that dealing one game does not load the schemas of all.
"""

from typing import Final

from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.games.freecell.tables.schema import LAYOUTS, SOLUTIONS, STATISTICS
from pipeline.games.klondike.tables.schema import KLONDIKE, KLONDIKE_SOLUTIONS
from pipeline.tables.declared import Table

TABLES: Final[dict[str, Table]] = {
    table.name: table for table in (LAYOUTS, STATISTICS, SOLUTIONS, POSITIONS, KLONDIKE, KLONDIKE_SOLUTIONS)
}
