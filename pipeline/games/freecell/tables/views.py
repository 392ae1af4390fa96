"""The view `games` of a FreeCell dataset.

In: the names of the tables that there are. Out: `View` objects.
"""

from pipeline.games.freecell.tables.schema import LAYOUTS, STATISTICS
from pipeline.tables.split import SPLIT_COMMENT
from pipeline.tables.view import KNOWLEDGE, View


def views(present: set[str]) -> list[View]:
    """The views of a dataset that holds these tables."""
    return [_games_view(present)] if {"layouts", "stats"} <= present else []


def _games_view(present: set[str]) -> View:
    """Layouts, statistics and the verdict with four cells, joined."""
    verdict = (
        f"(SELECT game_number, arg_min(status, {KNOWLEDGE}) AS status, min(move_count) AS move_count FROM solutions "
        "WHERE freecells = 4 GROUP BY game_number)"
        if "solutions" in present
        else "(SELECT CAST(NULL AS BIGINT) AS game_number, CAST(NULL AS VARCHAR) AS status, CAST(NULL AS BIGINT) AS move_count LIMIT 0)"
    )
    statistics = [c for c in STATISTICS.columns if c.name != "game_number"]
    layouts = [c for c in LAYOUTS.columns if c.name != "game_number"]
    selected = ", ".join(
        [
            "l.game_number",
            *(f"l.{c.name}" for c in layouts),
            *(f"s.{c.name}" for c in statistics),
            "v.status",
            "v.move_count",
            "l.split",
        ]
    )
    return View(
        "games",
        f"SELECT {selected} FROM layouts l JOIN stats s USING (game_number) LEFT JOIN {verdict} v USING (game_number)",
        "One row a game: its layout, its statistics and what is known of it with four cells.",
        {
            "game_number": "Number of the game.",
            **{c.name: c.description for c in (*layouts, *statistics)},
            "status": "The verdict with four cells that tells most, in this order: solved, impossible, impossible_under_automove, "
            "unresolved; null where it was not tried.",
            "move_count": "Moves of the shortest solution known with four cells; null where there is none.",
            "split": SPLIT_COMMENT,
        },
    )
