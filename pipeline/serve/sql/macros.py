"""The scalar macros of a dataset: card names and codes in SQL, as `cards.codes` has them in Python, and the split.

In: nothing. Out: `MACROS`, and the statement that makes one.
"""

from dataclasses import dataclass
from typing import Final

from pipeline.cards.codes import RANKS, SUITS
from pipeline.tables.split import SPLIT_COMMENT, SPLIT_SQL


@dataclass(frozen=True)
class Macro:
    """One scalar macro: ``name(parameter)`` and its expression."""

    name: str
    parameter: str
    expression: str
    comment: str


MACROS: Final = (
    Macro(
        "card_name",
        "code",
        f"CASE WHEN code BETWEEN 0 AND 51 THEN substr('{RANKS}', CAST(code // 4 + 1 AS BIGINT), 1) || "
        f"substr('{SUITS}', CAST(code % 4 + 1 AS BIGINT), 1) END",
        "Name of a card by its code: card_name(51) is KS.",
    ),
    Macro(
        "card_code",
        "name",
        f"CASE WHEN length(name) = 2 THEN 4 * (NULLIF(strpos('{RANKS}', upper(name[1])), 0) - 1) + "
        f"NULLIF(strpos('{SUITS}', upper(name[2])), 0) - 1 END",
        "Code of a card by its name: card_code('AS') is 3; null for a text that names no card.",
    ),
    Macro("rank_of", "code", "code // 4 + 1", "Rank of a card by its code: 1 ace to 13 king."),
    Macro("suit_of", "code", "code % 4", "Suit of a card by its code: 0 clubs, 1 diamonds, 2 hearts, 3 spades."),
    Macro("is_red", "code", "code % 4 IN (1, 2)", "Whether a card, given by its code, is a diamond or a heart."),
    Macro("split_of", "game_number", SPLIT_SQL.format(n="CAST(game_number AS BIGINT)"), SPLIT_COMMENT),
)


def macro_sql(macro: Macro) -> str:
    """The statement that makes a macro."""
    return f"CREATE OR REPLACE MACRO {macro.name}({macro.parameter}) AS {macro.expression};"
