"""What each statistic of a Klondike layout is called and what exactly it counts.

In: nothing. Out: `KLONDIKE_STATS`. Apart from the kernel, as those of FreeCell are.
"""

from typing import Final

from pipeline.cards.codes import CARD_NAMES

ACES_AND_TWOS: Final = tuple(name.lower() for name in CARD_NAMES[:8])
KINGS: Final = tuple(name.lower() for name in CARD_NAMES[48:])
PAIR_COLUMNS: Final = range(2, 8)

KLONDIKE_STATS: Final[dict[str, str]] = {
    **{
        f"depth_{card}": f"Depth of {card.upper()}: cards lying on it in its column, 0 = exposed; null in the stock."
        for card in ACES_AND_TWOS
    },
    **{
        f"face_down_over_{card}": f"Cards lying face down on {card.upper()} in its column; null in the stock."
        for card in ACES_AND_TWOS
    },
    **{
        f"stock_place_{card}": f"Place of {card.upper()} in the stock, 1 is drawn first, 24 last; null in a column."
        for card in (*ACES_AND_TWOS, *KINGS)
    },
    **{f"column_{card}": f"Column in which {card.upper()} lies, 1 to 7; null in the stock." for card in KINGS},
    **{f"row_{card}": f"Row in which {card.upper()} lies, 1 is the base; null in the stock." for card in KINGS},
    "ace_depth_sum": "Sum of the depths of the aces that lie in columns.",
    "ace_depth_max": "Depth of the deepest ace, 0 where no ace lies in a column.",
    "aces_in_stock": "Aces that lie in the stock.",
    "kings_in_stock": "Kings that lie in the stock.",
    "kings_at_base": "Kings that lie at the base of a column (row 1).",
    "cards_under_kings": "Sum over the kings in columns of the cards that lie beneath each (its row less 1).",
    **{
        f"in_order_pairs_c{column}": f"In-order pairs in column {column}: a card lying directly on a card one rank higher "
        "and of the other colour, face up or down."
        for column in PAIR_COLUMNS
    },
    "in_order_pairs": "In-order pairs in all columns: a card lying directly on a card one rank higher and of the other colour.",
    "legal_tableau_moves": "First moves of one exposed card onto another exposed card, one rank higher and of the other colour.",
    "legal_foundation_moves": "First moves of an exposed card to its foundation: the exposed aces.",
    "playable_stock_cards": "Stock cards that could leave the waste once drawn, before any other move: aces, and cards that fit on an "
    "exposed card.",
}
"""Name and exact definition of each statistic, in the order of the table's columns."""

NULLABLE: Final = tuple(
    name for name in KLONDIKE_STATS if name.startswith(("depth_", "face_down_", "stock_place_", "column_", "row_"))
)
"""The statistics that are null where the card lies in the other place."""


def unit_of(name: str) -> str:
    """The unit of a statistic."""
    if name.startswith(("column_", "row_", "stock_place_")):
        return name.rpartition("_")[0].replace("_", " ")
    if name.startswith("in_order"):
        return "pairs"
    return "moves" if name.endswith("moves") else "cards"
