"""The tables of Klondike, each declared once: columns, types, units, descriptions.

In: nothing. Out: declarations, from which Parquet schemas, the data dictionary, DuckDB comments and dataset cards are made.
"""

from typing import Final

import pyarrow as pa

from pipeline.games.klondike.tables.definitions import KLONDIKE_STATS, NULLABLE, unit_of
from pipeline.tables.declared import Column, Table

KLONDIKE_NUMBER: Final = Column(
    "game_number", pa.int64(), "", "Number of the Klondike game, as the 13-box program deals it: 0 to 99,999,999."
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

CARD_COLUMNS: Final = tuple(c.name for c in KLONDIKE.columns if c.unit == "card code")
"""The columns of cards, in deal order."""

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
