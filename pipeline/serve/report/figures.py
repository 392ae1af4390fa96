"""What the report shows, as small rows: everything is counted by the database before anything is drawn.

In: a catalog. Out: `Figures`.
"""

import math
from dataclasses import dataclass
from typing import Any

from pipeline.cards.codes import CARDS
from pipeline.cards.errors import ConfigError
from pipeline.games.freecell.tables.definitions import STATS
from pipeline.games.freecell.tables.schema import PLACES
from pipeline.serve.sql.catalog import Catalog

Row = dict[str, Any]

DRAWN = 3
"""Games drawn as easiest and as hardest each."""

LISTED = 200
"""Impossible games whose numbers are listed; how many more there are is said."""


@dataclass(frozen=True)
class RuleSet:
    """Solutions that were made under one set of rules and one effort."""

    freecells: int
    automove: str
    effort: int
    source: str

    def condition(self) -> str:
        """The rows of `solutions` that are meant, as SQL."""
        source = self.source.replace("'", "''")
        return f"freecells = {self.freecells} AND automove = '{self.automove}' AND effort = {self.effort} AND source = '{source}'"


@dataclass(frozen=True)
class Figures:
    """All numbers of a report."""

    games: int
    first: int
    last: int
    distributions: dict[str, list[Row]]
    places: list[Row]
    chi_square: list[Row]
    repeats: list[Row]
    neighbours: int
    ace_depth_correlation: float
    verdicts: list[Row]
    difficulty_of: RuleSet | None
    states: list[Row]
    move_counts: list[Row]
    by_ace_depth: list[Row]
    correlations: list[Row]
    easiest: list[Row]
    hardest: list[Row]
    impossible: list[Row]


def gather(catalog: Catalog) -> Figures:
    """Count everything; raises ConfigError for a dataset without layouts and statistics of FreeCell games."""
    if not {"layouts", "stats"} <= set(catalog.present):
        raise ConfigError(f"{catalog.store.url}: a report needs the tables layouts and stats of FreeCell games")
    (span,) = rows_of(
        catalog, "SELECT count(*) AS games, min(game_number) AS first, max(game_number) AS last FROM layouts"
    )
    if not span["games"]:
        raise ConfigError(f"{catalog.store.url}: holds no game")
    places = _places(catalog, span["games"])
    repeats, neighbours = _repeats(catalog)
    chosen = _difficulty_of(catalog)
    difficulty = _difficulty(catalog, chosen)
    return Figures(
        games=span["games"],
        first=span["first"],
        last=span["last"],
        distributions={name: _distribution(catalog, name) for name in STATS},
        places=places,
        chi_square=_chi_square(places),
        repeats=repeats,
        neighbours=neighbours,
        ace_depth_correlation=_ace_depth_correlation(catalog),
        verdicts=_verdicts(catalog),
        difficulty_of=chosen,
        **difficulty,
    )


def rows_of(catalog: Catalog, sql: str) -> list[Row]:
    """Ask the database; returns its rows by column name."""
    answer = catalog.query(sql)
    return [dict(zip(answer.names, row, strict=True)) for row in answer.rows]


def _distribution(catalog: Catalog, name: str) -> list[Row]:
    """Games by the value of one statistic."""
    return rows_of(catalog, f"SELECT {name} AS value, count(*) AS games FROM stats GROUP BY 1 ORDER BY 1")


def _places(catalog: Catalog, games: int) -> list[Row]:
    """How often each card lies in each place, and how far that is from chance in standard errors."""
    found = rows_of(catalog, 'SELECT card, "column", "row", count(*) AS games FROM cards GROUP BY ALL')
    counted = {(row["card"], row["column"], row["row"]): row["games"] for row in found}
    expected = games / CARDS
    error = math.sqrt(expected * (1 - 1 / CARDS))
    return [
        {"card": card, "column": k % 8 + 1, "row": k // 8 + 1, "games": n, "deviation": (n - expected) / error}
        for card in range(CARDS)
        for k in range(CARDS)
        for n in [counted.get((card, k % 8 + 1, k // 8 + 1), 0)]
    ]


def _chi_square(places: list[Row]) -> list[Row]:
    """For each place, chi-square of its 52 cards against equal shares: 51 degrees of freedom."""
    total = sum(row["games"] for row in places if row["column"] == row["row"] == 1)
    sums = dict.fromkeys(range(CARDS), 0.0)
    for row in places:
        sums[(row["row"] - 1) * 8 + row["column"] - 1] += (row["games"] - total / CARDS) ** 2 / (total / CARDS)
    return [{"dealt": k + 1, "place": PLACES[k], "chi_square": value} for k, value in sums.items()]


def _repeats(catalog: Catalog) -> tuple[list[Row], int]:
    """For each place, how often game n + 1 has the card of game n there, relative to chance; and how many such pairs there are.

    A window without order runs along the rows as they are stored, which is by game number; pairs that are not neighbours do not count.
    """
    before = ", ".join(f"{place}, lag({place}) OVER () AS before_{place}" for place in PLACES)
    same = ", ".join(f"count(*) FILTER ({place} = before_{place}) AS {place}" for place in PLACES)
    sql = (
        f"SELECT count(*) AS pairs, {same} FROM (SELECT game_number - lag(game_number) OVER () AS step, {before} FROM layouts) "
        "WHERE step = 1"
    )
    (row,) = rows_of(catalog, sql)
    pairs = row["pairs"]
    return [
        {"dealt": k + 1, "place": place, "ratio": row[place] * CARDS / pairs if pairs else 1.0}
        for k, place in enumerate(PLACES)
    ], pairs


def _ace_depth_correlation(catalog: Catalog) -> float:
    """Correlation of the aces' depth in neighbouring games."""
    sql = (
        "SELECT coalesce(corr(now, before), 0) AS r FROM (SELECT ace_depth_sum AS now, lag(ace_depth_sum) OVER () AS before, "
        "game_number - lag(game_number) OVER () AS step FROM stats) WHERE step = 1"
    )
    return float(rows_of(catalog, sql)[0]["r"])


def _verdicts(catalog: Catalog) -> list[Row]:
    """Verdicts by rule set and effort."""
    if "solutions" not in catalog.present:
        return []
    return rows_of(
        catalog,
        "SELECT freecells, automove, effort, source, count(*) AS games, count(*) FILTER (status = 'solved') AS solved, "
        "count(*) FILTER (status = 'impossible') AS impossible, count(*) FILTER (status = 'unresolved') AS unresolved, "
        "avg(move_count) AS mean_moves, max(move_count) AS most_moves, median(nodes) AS median_states, max(nodes) AS most_states "
        "FROM solutions GROUP BY ALL ORDER BY freecells DESC, effort, automove, source",
    )


def _difficulty_of(catalog: Catalog) -> RuleSet | None:
    """The solutions that tell difficulty: found by our own search at the least effort, under the rules that most games have."""
    if "solutions" not in catalog.present:
        return None
    found = rows_of(
        catalog,
        "SELECT freecells, automove, effort, source FROM solutions WHERE tier > 0 GROUP BY 1, 2, 3, 4 "
        "ORDER BY abs(freecells - 4), count(*) DESC, effort, automove, source LIMIT 1",
    )
    return RuleSet(**found[0]) if found else None


def _difficulty(catalog: Catalog, chosen: RuleSet | None) -> dict[str, list[Row]]:
    """States, moves and what goes with them, for one set of solutions."""
    parts = ("states", "move_counts", "by_ace_depth", "correlations", "easiest", "hardest", "impossible")
    if chosen is None:
        return {part: [] for part in parts}
    solved = f"solutions WHERE {chosen.condition()} AND status = 'solved'"
    layout = ", ".join(PLACES)
    told = (
        f"SELECT game_number, move_count, nodes, status, ace_depth_sum, {layout} FROM solutions "
        "JOIN stats USING (game_number) JOIN layouts USING (game_number)"
    )
    queries = {
        # Half powers of two: the states of a search run over six orders of magnitude.
        "states": f"SELECT floor(2 * log2(nodes + 1)) / 2 AS power, count(*) AS games FROM {solved} GROUP BY 1 ORDER BY 1",
        "move_counts": f"SELECT move_count AS value, count(*) AS games FROM {solved} GROUP BY 1 ORDER BY 1",
        "by_ace_depth": "SELECT ace_depth_sum, count(*) AS games, median(nodes) AS median, quantile_cont(nodes, 0.25) AS low, "
        "quantile_cont(nodes, 0.75) AS high, avg(move_count) AS moves "
        f"FROM stats JOIN (SELECT game_number, nodes, move_count FROM {solved}) USING (game_number) GROUP BY 1 ORDER BY 1",
        "correlations": "SELECT "
        + ", ".join(
            f"corr({name}, move_count) AS {name}_moves, corr({name}, ln(nodes + 1)) AS {name}_states" for name in STATS
        )
        + f" FROM stats JOIN (SELECT game_number, nodes, move_count FROM {solved}) USING (game_number)",
        "easiest": f"{told} WHERE {chosen.condition()} AND status = 'solved' ORDER BY move_count, nodes, game_number LIMIT {DRAWN}",
        "hardest": f"{told} WHERE {chosen.condition()} AND status = 'solved' ORDER BY nodes DESC, game_number LIMIT {DRAWN}",
        "impossible": f"{told} WHERE {chosen.condition()} AND status = 'impossible' ORDER BY game_number LIMIT {LISTED}",
    }
    figures = {part: rows_of(catalog, sql) for part, sql in queries.items()}
    (wide,) = figures["correlations"]
    figures["correlations"] = [
        {"statistic": name, "moves": wide[f"{name}_moves"], "states": wide[f"{name}_states"]} for name in STATS
    ]
    return figures
