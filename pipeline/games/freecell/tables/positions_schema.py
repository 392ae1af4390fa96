"""The columns of the table `positions`.

In: nothing. Out: `POSITIONS`, and the names of the columns that belong together.
"""

from typing import Final

import pyarrow as pa

from pipeline.cards.codes import CARD_NAMES, COLUMNS
from pipeline.games.freecell.board.board import CELL_LETTERS
from pipeline.games.freecell.tables.positions_code import AT_HOME, FIRST_CELL
from pipeline.tables.declared import GAME_NUMBER, Column, Table

_PLACE_CODE: Final = f"8 * row + column in the tableau, from 0; {FIRST_CELL} + i in freecell i; {AT_HOME} at home."
PLACE_COLUMNS: Final = tuple(f"place_{card.lower()}" for card in CARD_NAMES)
"""The columns that tell where each card lies, by card code."""

_LEGAL: Final[dict[str, str]] = {
    **{
        f"legal_c{column}": f"Columns that exposed cards of column {column} may go to: bit t for column t + 1."
        for column in range(1, COLUMNS + 1)
    },
    **{
        f"legal_{letter}": f"Columns that the card in freecell {letter} may go to: bit t for column t + 1."
        for letter in CELL_LETTERS
    },
    "legal_to_cell": "Columns whose exposed card may go to a freecell: bit s for column s + 1.",
    "legal_home_columns": "Columns whose exposed card may go home: bit s for column s + 1.",
    "legal_home_cells": "Freecells whose card may go home: bit s for freecell s, from 0.",
}
LEGAL_COLUMNS: Final = tuple(_LEGAL)
"""The columns that are together the mask of legal moves, in the order of its bytes."""

POSITIONS: Final = Table(
    "positions",
    "freecell",
    "ply of a solution",
    "Every position on the way of a solution in which a move of it is played, with that move and all legal ones. A position stands after "
    "the automoves of the move before; the first is the deal, the won one is not among them.",
    (
        GAME_NUMBER,
        Column("ply", pa.int16(), "moves", "Moves of the solution played before this position, 0 at the deal."),
        Column(
            "plies_left", pa.int16(), "moves", "Moves of the solution from this position to the win, this one included."
        ),
        *(
            Column(name, pa.uint8(), "place code", f"Where {card} lies: {_PLACE_CODE}")
            for name, card in zip(PLACE_COLUMNS, CARD_NAMES, strict=True)
        ),
        Column(
            "move_source",
            pa.uint8(),
            "place",
            "Where the move that is played takes from: columns 0 to 7, freecells 8 to 15.",
        ),
        Column(
            "move_target",
            pa.uint8(),
            "place",
            "Where the move that is played goes: columns 0 to 7, freecells 8 to 15, home 16.",
        ),
        Column(
            "move_cards",
            pa.uint8(),
            "cards",
            "Cards that the move carries; those that then go home by themselves not counted.",
        ),
        *(Column(name, pa.uint8(), "bit mask", text) for name, text in _LEGAL.items()),
        Column("cards_home", pa.uint8(), "cards", "Cards on the foundations."),
    ),
    has_value_statistics=False,
)
