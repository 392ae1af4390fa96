"""What a declared SQL view is.

In: nothing. Out: `View`, and the order of verdicts that views share.
"""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class View:
    """One view: its query, and what it and its columns mean."""

    name: str
    query: str
    comment: str
    columns: dict[str, str] = field(default_factory=dict)


KNOWLEDGE: Final = (
    "CASE status WHEN 'solved' THEN 0 WHEN 'impossible' THEN 1 WHEN 'impossible_under_automove' THEN 2 ELSE 3 END"
)
"""Orders verdicts by what they tell; what is impossible at all is so under each automove rule."""
