"""Every table, declared once: columns, types, units, descriptions.

In: nothing. Out: `TABLES`, from which Parquet schemas, the data dictionary, DuckDB comments and dataset cards are made.
Every room from `tables` on imports it.
"""

from typing import Final

import pyarrow as pa

from pipeline.cards.codes import CARDS, COLUMNS
from pipeline.tables.declared import GAME_NUMBER, Column, Table
from pipeline.tables.definitions import STATS
from pipeline.tables.klondike_definitions import KLONDIKE_STATS, NULLABLE, unit_of
from pipeline.tables.positions_schema import POSITIONS

KLONDIKE_NUMBER: Final = Column(
    "game_number", pa.int64(), "", "Number of the Klondike game, as the 13-box program deals it: 0 to 99,999,999."
)

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

KLONDIKE: Final = Table(
    "klondike",
    "klondike",
    "Klondike game",
    "The cards of a Klondike game as dealt, and what can be said of them without playing. The 52 columns of cards are in deal order.",
    (
        KLONDIKE_NUMBER,
        *(
            Column(
                f"c{column}r{row}",
                pa.uint8(),
                "card code",
                f"Card in column {column}, row {row} (row 1 at the base), face {'up' if row == column else 'down'}: "
                "4 * (rank - 1) + suit, A=1 .. K=13, C=0 D=1 H=2 S=3.",
            )
            for column in range(1, 8)
            for row in range(1, column + 1)
        ),
        *(
            Column(
                f"s{place:02}",
                pa.uint8(),
                "card code",
                f"Card {place} of the stock, in the order in which it is drawn: "
                "4 * (rank - 1) + suit, A=1 .. K=13, C=0 D=1 H=2 S=3.",
            )
            for place in range(1, 25)
        ),
        Column(
            "face_up",
            pa.uint32(),
            "bit flags",
            "Which cards of the tableau are dealt face up, by the rule the last of each column: bit k is the k-th card, bit 0 c1r1.",
        ),
        *(Column(name, pa.uint8(), unit_of(name), text, name in NULLABLE) for name, text in KLONDIKE_STATS.items()),
    ),
)

KLONDIKE_SOLUTIONS: Final = Table(
    "klondike_solutions",
    "klondike",
    "Klondike game and rule",
    "A verified solution, a proof that none exists, or an honest unresolved, for each Klondike game under both rules: all cards known, "
    "stock drawn one at a time and turned without limit.",
    (
        KLONDIKE_NUMBER,
        Column(
            "rule",
            pa.string(),
            "",
            "return: a card may come back from its foundation to a pile; no-return: it may not.",
        ),
        Column(
            "status",
            pa.string(),
            "",
            "solved, impossible (proved by exhaustive search) or unresolved (the budget ran out).",
        ),
        Column(
            "moves",
            pa.string(),
            "",
            "The solution, moves separated by blanks: source and target box (w waste, 1 to 7 piles, c d h s foundations), "
            "draw5 = five draws; null unless solved.",
            True,
        ),
        Column(
            "move_count",
            pa.int32(),
            "moves",
            "Moves between boxes without draws, a run as one, cards going home counted.",
            True,
        ),
        Column(
            "draw_count",
            pa.int32(),
            "draws",
            "Cards drawn from the stock, and the waste turned back, each as one.",
            True,
        ),
        Column("move_count_with_draws", pa.int32(), "moves", "All moves: move_count and draw_count together.", True),
        Column("nodes", pa.int64(), "states", "States searched in all passes together."),
        Column("budget", pa.int64(), "states", "Most states that one pass of the search was allowed."),
        Column("source", pa.string(), "", "Solver and version."),
    ),
)

TABLES: Final[dict[str, Table]] = {
    table.name: table for table in (LAYOUTS, STATISTICS, SOLUTIONS, POSITIONS, KLONDIKE, KLONDIKE_SOLUTIONS)
}
