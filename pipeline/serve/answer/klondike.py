"""One Klondike game solved, for a person.

In: a game number and a rule. Out: the row of `klondike_solutions`, and its moves as lines.
"""

import textwrap
from typing import Any

from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.solve.solver import PASSES, RULES
from pipeline.games.klondike.tables.solutions import solved_klondike

DEFAULT_RULE = RULES[0]
"""As in the 13-box program: a card may come back from its foundation."""


def klondike_solution(game_number: int, rule: str = DEFAULT_RULE, budget: int = PASSES[-1]) -> dict[str, Any]:
    """Solve one game; returns its row of `klondike_solutions`. Raises GameNumberError for a number that deals no game."""
    deal_klondike(game_number)
    rows = solved_klondike(game_number, game_number + 1, budget).to_pylist()
    return next(row for row in rows if row["rule"] == rule)


def moves_in_lines(moves: str, width: int = 80) -> str:
    """Lay out a solution's moves in lines for reading, as the notation allows."""
    return textwrap.fill(moves, width) + "\n"
