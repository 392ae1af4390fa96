"""The names of the dialects.

In: nothing. Out: names as types and lists. It loads nothing heavy, since the command line's start counts.
"""

from typing import Final, Literal, get_args

Dialect = Literal["standard", "catalogue", "fcsolve", "json"]
"""A dialect that is read."""

Target = Literal["standard", "catalogue", "fcsolve", "fcsolve-verbose", "json"]
"""A dialect that is written; both of Freecell Solver's read as one."""

DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)
TARGETS: Final[tuple[Target, ...]] = get_args(Target)
