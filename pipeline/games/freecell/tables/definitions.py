"""What each statistic of a layout is called and what exactly it counts.

In: nothing. Out: `STATS`. Apart from the kernels, so that a query, which needs the words alone, does not wait for the compiler.
"""

from typing import Final

from pipeline.cards.codes import CARD_NAMES, COLUMNS

ACES_AND_TWOS: Final = tuple(name.lower() for name in CARD_NAMES[:8])

STATS: Final[dict[str, str]] = {
    **{
        f"depth_{card}": f"Depth of {card.upper()}: cards lying on it in its column, 0 = exposed."
        for card in ACES_AND_TWOS
    },
    **{f"column_{card}": f"Column in which {card.upper()} lies, 1 to 8." for card in ACES_AND_TWOS[:4]},
    "ace_depth_sum": "Sum of the depths of the four aces.",
    "ace_depth_max": "Depth of the deepest ace.",
    "two_depth_sum": "Sum of the depths of the four twos.",
    "two_depth_max": "Depth of the deepest two.",
    "low_depth_sum": "Sum of the depths of the aces, twos and threes, twelve cards.",
    "kings_at_base": "Kings that lie at the base of a column (row 1).",
    "cards_under_kings": "Sum over the four kings of the cards that lie beneath each in its column (its row less 1).",
    **{
        f"in_order_pairs_c{column}": f"In-order pairs in column {column}: a card lying directly on a card one rank higher and "
        "of the other colour."
        for column in range(1, COLUMNS + 1)
    },
    "in_order_pairs": "In-order pairs in all columns: a card lying directly on a card one rank higher and of the other colour.",
    "longest_run": "Cards in the longest in-order run, neighbours in a column that form in-order pairs; 1 where there is no pair.",
    "alternating_pairs": "Pairs of neighbours in a column, one directly on the other, of different colour (44 pairs in all).",
    "inversions": "Pairs of cards in one column, neighbours or not, in which the card nearer the top has the higher rank.",
    "same_suit_blocks": "Inversions within one suit: a card lies above a lower card of its own suit, which must go home first.",
    "legal_tableau_moves": "Moves of one exposed card onto another exposed card, one rank higher and of the other colour.",
    "horne_automoves": "Cards that go home before the first move by Horne's automove rule: a card goes when its suit allows and all cards "
    "of the next lower rank of the other colour are home; aces and twos always.",
}
"""Name and exact definition of each statistic, in the order of the table's columns."""
