"""What a solver says of a game: an outcome and what it cost.

In: nothing. Out: statuses, `Outcome`.
"""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

STATUSES: Final = ("solved", "impossible", "unresolved")
SOLVED, IMPOSSIBLE, UNRESOLVED = range(3)

SHORT_STATUSES: Final = (*STATUSES, "impossible_under_automove")
IMPOSSIBLE_UNDER_RULE: Final = 3
"""There is no solution under the automove rule that was asked for, and there is one under others."""

SOLVER: Final = f"dealbook {version('dealbook')}"
"""Name and version of the solver, as tables tell it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one game and its cost.

    ``status``: one of STATUSES; impossible is a proof, unresolved says that the budget or a table was too small.
    ``moves``: a solution in Standard FreeCell Notation for Horne's automoves, None unless solved. ``nodes``: states met
    in all tiers together. ``budget``: most that were allowed. ``tier``: the one that decided or gave up, from 1.
    """

    status: str
    moves: str | None
    nodes: int
    budget: int
    tier: int
