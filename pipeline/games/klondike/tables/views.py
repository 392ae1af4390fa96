"""The view `games` of a Klondike dataset.

In: the names of the tables that there are. Out: `View` objects.
"""

from pipeline.games.klondike.tables.schema import KLONDIKE
from pipeline.tables.split import SPLIT_COMMENT
from pipeline.tables.view import View


def views(present: set[str]) -> list[View]:
    """The views of a dataset that holds these tables."""
    return [_games_view(present)] if "klondike" in present else []


def _games_view(present: set[str]) -> View:
    """Klondike layouts with their statistics and the verdict under each rule, joined."""
    rules = {"status": "return", "status_no_return": "no-return"}
    chosen = ", ".join(f"min(status) FILTER (rule = '{rule}') AS {name}" for name, rule in rules.items())
    nulls = ", ".join(f"CAST(NULL AS VARCHAR) AS {name}" for name in rules)
    verdicts = (
        f"(SELECT game_number, {chosen} FROM klondike_solutions GROUP BY game_number)"
        if "klondike_solutions" in present
        else f"(SELECT CAST(NULL AS BIGINT) AS game_number, {nulls} LIMIT 0)"
    )
    columns = KLONDIKE.columns
    selected = ", ".join([*(f"k.{c.name}" for c in columns), *(f"v.{name}" for name in rules), "k.split"])
    told = "solved, impossible or unresolved; null where it was not tried. The rule: a card may {}come back from a foundation."
    return View(
        "games",
        f"SELECT {selected} FROM klondike k LEFT JOIN {verdicts} v USING (game_number)",
        "One row a game: its layout, its statistics and what is known of it.",
        {
            **{c.name: c.description for c in columns},
            "status": told.format(""),
            "status_no_return": told.format("not "),
            "split": SPLIT_COMMENT,
        },
    )
