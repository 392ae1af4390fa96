"""The options that the commands that solve share.

In: nothing. Out: option types for typer.
"""

import enum
from typing import Annotated

import typer


class SolutionFormat(enum.StrEnum):
    """How one solution is printed."""

    TEXT = "text"
    JSON = "json"


class KlondikeRule(enum.StrEnum):
    """The rules under which Klondike is solved."""

    RETURN = "return"
    NO_RETURN = "no-return"


class Automove(enum.StrEnum):
    """The automove rules under which solutions are searched and written."""

    HORNE = "horne"
    WKR = "wkr"
    MAX = "max"


EffortOption = Annotated[
    int | None, typer.Option(min=0, max=5, help="0, the first solution, to 5, the shortest that about a second finds.")
]
AutomoveOption = Annotated[
    Automove | None, typer.Option(help="Automove rule of the search and of the text; horne, if left out.")
]
ProveOption = Annotated[
    float | None,
    typer.Option(min=0, help="Try for so many seconds (counted in states) to prove that no solution is shorter."),
]
MemoryOption = Annotated[
    float | None, typer.Option(help="Gigabytes for beams and proofs of one worker; 2, if left out.")
]
BudgetOption = Annotated[int | None, typer.Option(min=1, help="Most states a game may cost before it is unresolved.")]
