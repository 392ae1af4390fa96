"""The report of a Klondike dataset: how its games lie, which can be won under which rule, and how fair its dealer is.

In: a catalog. Out: charts, and a page of HTML.
"""

import math
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from pipeline.cards.codes import CARD_NAMES, CARDS
from pipeline.games.klondike.tables.definitions import KLONDIKE_STATS
from pipeline.serve.report.charts import rendered
from pipeline.serve.report.figures import LISTED, Row, rows_of
from pipeline.serve.report.page import tiles_html, whole_page
from pipeline.serve.report.style import SMALL, WIDE, Chart, bars
from pipeline.serve.report.words import games_text, mean_of
from pipeline.serve.sql.catalog import Catalog

_STOCK_PLACES: Final = (1, 6, 12, 18, 24)
_RULES: Final = {"return": "a card may come back from its foundation", "no-return": "no card comes back"}
_LENGTHS: Final = {"move_count": "moves without draws", "move_count_with_draws": "moves and draws"}


@dataclass(frozen=True)
class KlondikeFigures:
    """All numbers of a report on Klondike."""

    games: int
    first: int
    last: int
    distributions: dict[str, list[Row]]
    stock: list[Row]
    verdicts: list[Row]
    turning: list[int]
    lengths: dict[str, list[Row]]


def gather_klondike(catalog: Catalog) -> KlondikeFigures:
    """Count everything that the tables of a Klondike dataset allow."""
    (span,) = rows_of(
        catalog, "SELECT count(*) AS games, min(game_number) AS first, max(game_number) AS last FROM klondike"
    )
    verdicts: list[Row] = []
    turning: list[int] = []
    lengths: dict[str, list[Row]] = {}
    if "klondike_solutions" in catalog.present:
        verdicts = rows_of(
            catalog,
            "SELECT rule, count(*) AS games, count(*) FILTER (status = 'solved') AS solved, "
            "count(*) FILTER (status = 'impossible') AS impossible, count(*) FILTER (status = 'unresolved') AS unresolved, "
            "median(move_count) AS moves, median(move_count_with_draws) AS with_draws FROM klondike_solutions "
            "GROUP BY rule ORDER BY rule DESC",
        )
        turns = "count(DISTINCT status) FILTER (status <> 'unresolved') = 2"
        turning = [
            row["game_number"]
            for row in rows_of(
                catalog,
                f"SELECT game_number FROM klondike_solutions GROUP BY game_number HAVING {turns} ORDER BY game_number",
            )
        ]
        lengths = {name: _lengths(catalog, name) for name in _LENGTHS}
    return KlondikeFigures(
        span["games"],
        span["first"],
        span["last"],
        {name: _distribution(catalog, name) for name in KLONDIKE_STATS},
        [_stock_place(catalog, place) for place in _STOCK_PLACES],
        verdicts,
        turning,
        {name: rows for name, rows in lengths.items() if rows},
    )


def _distribution(catalog: Catalog, name: str) -> list[Row]:
    """Games by the value of one statistic, where it is not null."""
    return rows_of(
        catalog,
        f"SELECT {name} AS value, count(*) AS games FROM klondike WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY 1",
    )


def _lengths(catalog: Catalog, name: str) -> list[Row]:
    """Solved games by the length of their solution under the rule that lets no card come back."""
    where = f"rule = 'no-return' AND {name} IS NOT NULL"
    return rows_of(
        catalog,
        f"SELECT {name} AS value, count(*) AS games FROM klondike_solutions WHERE {where} GROUP BY 1 ORDER BY 1",
    )


def _stock_place(catalog: Catalog, place: int) -> Row:
    """Which card lies most often in a place of the stock, and in what share of the games; and the share of each suit."""
    name = f"s{place:02}"
    shares = ", ".join(f"avg(CAST({name} % 4 = {suit} AS INT)) AS suit_{suit}" for suit in range(4))
    (row,) = rows_of(
        catalog,
        f"SELECT mode({name}) AS card, {shares}, avg(CAST({name} = top AS INT)) AS share FROM klondike, "
        f"(SELECT mode({name}) AS top FROM klondike)",
    )
    return {"place": place, **row}


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The Wilson 95 % interval of a share."""
    z = 1.959964
    middle = (successes + z * z / 2) / (trials + z * z)
    half = z * math.sqrt(successes * (trials - successes) / trials + z * z / 4) / (trials + z * z)
    return middle - half, middle + half


def klondike_charts(figures: KlondikeFigures) -> dict[str, Chart]:
    """Draw the charts, by name; raises Failed where the extra `report` is not installed."""

    def describe(altair: Any) -> dict[str, Any]:
        charts = {
            f"stat-{name.replace('_', '-')}": bars(altair, rows, SMALL, 90)
            for name, rows in figures.distributions.items()
            if rows
        }
        for name, rows in figures.lengths.items():
            charts[name.replace("_", "-")] = bars(altair, rows, WIDE, 160, _LENGTHS[name])
        return charts

    return rendered(describe)


def klondike_page(figures: KlondikeFigures, charts: dict[str, Chart], name: str, version: str) -> str:
    """Write the page: ``name`` is the dataset's, ``version`` ours."""
    shown = {key: chart.themed() for key, chart in charts.items()}
    tiles = [
        (f"{figures.games:,}", "games"),
        (f"{mean_of(figures.distributions['aces_in_stock']):.2f}", "aces in the stock, in the mean"),
        (f"{mean_of(figures.distributions['playable_stock_cards']):.2f}", "stock cards that could be played at once"),
    ]
    tiles += [(f"{row['solved'] / row['games']:.2%}", f"won where {_RULES[row['rule']]}") for row in figures.verdicts]
    sections = [
        *([("verdicts", "Which games can be won", _verdicts(figures, shown))] if figures.verdicts else []),
        ("dealer", "The dealer does not shuffle", _dealer(figures)),
        ("statistics", "Every statistic", _statistics(figures, shown)),
    ]
    title = f"Klondike games {figures.first:,} to {figures.last:,}"
    lead = "The numbered deals of the 13-box program: what can be won, and how the cards lie."
    return whole_page(title, lead, tiles_html(tiles), sections, f"Dataset {name}, drawn by dealbook {version}.")


def _verdicts(figures: KlondikeFigures, shown: dict[str, str]) -> str:
    lines = []
    for row in figures.verdicts:
        low, high = wilson(row["solved"], row["games"])
        lengths = "" if row["moves"] is None else f"{row['moves']:.0f}, {row['with_draws']:.0f} with draws"
        lines.append(
            f"<tr><td>{row['rule']}</td><td>{_RULES[row['rule']]}</td><td></td><td>{row['solved']:,}</td>"
            f"<td>{row['impossible']:,}</td><td>{row['unresolved']:,}</td><td>{low:.2%} to {high:.2%}</td><td>{lengths}</td></tr>"
        )
    listed = ", ".join(map(str, figures.turning[:LISTED]))
    more = f" and {len(figures.turning) - LISTED:,} more" if len(figures.turning) > LISTED else ""
    turning = f"<p>{games_text(len(figures.turning))} can be won only where a card may come back: {listed}{more}.</p>"
    drawn = "".join(
        f'<div class="scroll narrow below">{shown[name.replace("_", "-")]}</div>' for name in figures.lengths
    )
    return (
        "<p>All cards known, one card drawn at a time, the stock turned without limit. Each solution was replayed; impossible is "
        "said only after exhaustive search. The interval is Wilson’s of 95 % for the share that can be won, as if the games were "
        "a sample; lengths are medians.</p>"
        '<div class="scroll free"><table><tr><th>rule</th><th></th><th></th><th>solved</th><th>impossible</th><th>unresolved</th>'
        f"<th>can be won</th><th>moves</th></tr>{''.join(lines)}</table></div>"
        f"{turning if figures.turning else ''}{drawn}"
    )


def _dealer(figures: KlondikeFigures) -> str:
    lines = "".join(
        f"<tr><td>{row['place']}</td><td>{CARD_NAMES[row['card']]}</td><td></td><td>{row['share']:.1%}</td>"
        + "".join(f"<td>{row[f'suit_{suit}']:.1%}</td>" for suit in range(4))
        + "</tr>"
        for row in figures.stock
    )
    return (
        f"<p>By chance a card lies in a place once in {CARDS} games, {1 / CARDS:.1%}, and a suit once in four. The program deals the "
        "tableau out of a turning deck and leaves the stock in the deck’s order, so its stock runs from the diamonds to the "
        "spades, each from the king down: these games are no sample of Klondike at large.</p>"
        '<div class="scroll free"><table><tr><th>place in the stock</th><th>commonest card</th><th></th><th>share</th>'
        f"<th>clubs</th><th>diamonds</th><th>hearts</th><th>spades</th></tr>{lines}</table></div>"
    )


def _statistics(figures: KlondikeFigures, shown: dict[str, str]) -> str:
    """All statistics, those of single cards and columns last."""
    single = ("depth_", "face_down_", "stock_place_", "column_", "row_", "in_order_pairs_c")
    items = "".join(
        f"<figure><h3><code>{name}</code></h3>{shown['stat-' + name.replace('_', '-')]}"
        f"<figcaption>{escape(KLONDIKE_STATS[name])} Mean {mean_of(figures.distributions[name]):.2f}.</figcaption></figure>"
        for name in sorted(KLONDIKE_STATS, key=lambda name: name.startswith(single))
        if figures.distributions[name]
    )
    return f'<p>Each picture counts games by one column of the table <code>klondike</code>.</p><div class="small">{items}</div>'
