"""The tables of FreeCell, each declared once: columns, types, units, descriptions.

In: nothing. Out: declarations, from which Parquet schemas, the data dictionary, DuckDB comments and dataset cards are made.
"""

from typing import Final

import pyarrow as pa

from pipeline.cards.codes import CARDS, COLUMNS
from pipeline.games.freecell.tables.definitions import STATS
from pipeline.tables.declared import GAME_NUMBER, Column, Table

PLACES: Final = tuple(f"c{k % COLUMNS + 1}r{k // COLUMNS + 1}" for k in range(CARDS))
"""The name of each place of a layout in deal order: c1r1, c2r1 .. c8r1, c1r2 .. c4r7."""

LAYOUTS: Final = Table(
    "layouts",
    "freecell",
    "game",
    "The 52 cards as dealt. Column order is deal order: the columns after game_number, as a matrix, are the deals.",
    (
        GAME_NUMBER,
        *(
            Column(
                place,
                pa.uint8(),
                "card code",
                f"Card in column {place[1]}, row {place[3]} (row 1 at the base): "
                "4 * (rank - 1) + suit, A=1 .. K=13, C=0 D=1 H=2 S=3.",
            )
            for place in PLACES
        ),
    ),
    has_value_statistics=False,
)


def _stat_unit(name: str) -> str:
    if name.startswith("column_"):
        return "column"
    if "depth" in name or name in ("cards_under_kings", "longest_run", "horne_automoves", "kings_at_base"):
        return "cards"
    return "moves" if name.endswith("moves") else "pairs"


STATISTICS: Final = Table(
    "stats",
    "freecell",
    "game",
    "What can be said of a layout without playing it.",
    (GAME_NUMBER, *(Column(name, pa.uint8(), _stat_unit(name), text) for name, text in STATS.items())),
)

SOLUTIONS: Final = Table(
    "solutions",
    "freecell",
    "game and rule set",
    "A verified solution, a proof that none exists, or an honest unresolved, for each game and rule set.",
    (
        GAME_NUMBER,
        Column("freecells", pa.uint8(), "cells", "Freecells the game is played with, 0 to 8."),
        Column(
            "automove", pa.string(), "", "Automove rule under which the moves are written: horne, wkr, max or none."
        ),
        Column(
            "status",
            pa.string(),
            "",
            "solved, impossible (proved by exhaustive search), impossible_under_automove (proved too: no solution under this row's "
            "automove rule, though there is one under others) or unresolved (the budget ran out).",
        ),
        Column(
            "moves",
            pa.string(),
            "",
            "The solution in Standard FreeCell Notation, moves separated by blanks; null unless solved.",
            True,
        ),
        Column(
            "move_count",
            pa.int32(),
            "moves",
            "Moves between columns and freecells, a supermove as one, cards going home not counted.",
            True,
        ),
        Column("written_move_count", pa.int32(), "moves", "Moves written in the text of the solution.", True),
        Column(
            "card_move_count",
            pa.int32(),
            "cards",
            "Single cards moved between columns and freecells, supermoves in full, or sent home by a written move.",
            True,
        ),
        Column("nodes", pa.int64(), "states", "States searched in all tiers together."),
        Column("budget", pa.int64(), "states", "Most states that the search was allowed."),
        Column(
            "tier",
            pa.uint8(),
            "",
            "Tier of the search that decided: 1 is the first and quickest; 0 for imported solutions.",
        ),
        Column(
            "effort", pa.uint8(), "", "Effort spent on a short solution: 0 is the first found, 1 to 5 ever wider beams."
        ),
        Column(
            "lower_bound",
            pa.int32(),
            "moves",
            "No solution under this rule set has a smaller move_count; null where nothing is known.",
            True,
        ),
        Column(
            "is_shortest", pa.bool_(), "", "Whether move_count is proved to be the least possible under this rule set."
        ),
        Column(
            "proved_under",
            pa.string(),
            "",
            "The rule set that lower_bound and is_shortest hold for: automove rule, supermove limit, and how many cards one move "
            "may carry into an empty column; null where nothing was proved.",
            True,
        ),
        Column("source", pa.string(), "", "Solver and version, or the name of the import."),
    ),
)
