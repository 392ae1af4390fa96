"""The charts of the report: Altair descriptions of figures, rendered once to SVG by vl-convert, without a browser.

In: `Figures`. Out: a `Chart` each.
"""

from collections.abc import Callable
from typing import Any, Final

from pipeline.cards.codes import RANKS, SUIT_GLYPHS
from pipeline.cards.errors import Failed
from pipeline.games.freecell.tables.definitions import STATS
from pipeline.serve.report.figures import Figures, Row
from pipeline.serve.report.solver_charts import solver_charts
from pipeline.serve.report.style import SMALL, THEME, WIDE, Chart, bars, chart_config, values_chart

CHI_SQUARE_BAND: Final = (28.73, 80.75)
"""Within these lies chi-square of 51 degrees of freedom in 99 of 100 samples: its 0.5 and 99.5 per cent points."""


def draw_charts(figures: Figures) -> dict[str, Chart]:
    """Draw every chart that the figures allow, by name; raises Failed where the extra `report` is not installed."""
    return rendered(lambda altair: _described(altair, figures))


def rendered(describe: Callable[[Any], dict[str, Any]]) -> dict[str, Chart]:
    """Render the Altair charts that ``describe`` makes, by name; raises Failed where the extra `report` is not installed."""
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise Failed("a report needs an extra that is not installed: pip install 'dealbook[report]'") from error
    charts = {name: chart.configure(**chart_config()) for name, chart in describe(altair).items()}
    return {name: Chart(name, vl_convert.vegalite_to_svg(chart.to_dict())) for name, chart in charts.items()}


def _described(altair: Any, figures: Figures) -> dict[str, Any]:
    described = {"places": _places(altair, figures), "chi-square": _chi_square(altair, figures)}
    if figures.neighbours:
        described["repeats"] = _repeats(altair, figures)
    for name in STATS:
        described[f"stat-{name.replace('_', '-')}"] = bars(altair, figures.distributions[name], SMALL, 90)
    described["ace-depth"] = bars(
        altair, figures.distributions["ace_depth_sum"], WIDE, 220, "sum of the depths of the four aces"
    )
    return described | (solver_charts(altair, figures) if figures.states else {})


def _places(altair: Any, figures: Figures) -> Any:
    """One small tableau a card: where it lies more and less often than chance says."""
    rows = [
        {
            "card": RANKS[row["card"] >> 2] + SUIT_GLYPHS[row["card"] & 3],
            "rank": RANKS[row["card"] >> 2],
            "suit": SUIT_GLYPHS[row["card"] & 3],
            "column": row["column"],
            "row": row["row"],
            "games": row["games"],
            "size": min(abs(row["deviation"]) / 4, 1),
            "side": "more" if row["deviation"] > 0 else "less",
            "deviation": round(row["deviation"], 1),
        }
        for row in figures.places
    ]
    return (
        values_chart(altair, rows)
        .mark_rect()
        .encode(
            x=altair.X("column:O", axis=None),
            y=altair.Y("row:O", axis=None),
            color=altair.Color(
                "side:N",
                scale=altair.Scale(domain=["more", "less"], range=[THEME["second"], THEME["accent"]]),
                legend=None,
            ),
            opacity=altair.Opacity("size:Q", scale=altair.Scale(domain=[0, 1], range=[0.04, 1]), legend=None),
            column=altair.Column("rank:N", sort=list(RANKS), title=None),
            row=altair.Row(
                "suit:N", sort=list(SUIT_GLYPHS), title=None, header=altair.Header(labelAngle=0, labelFontSize=15)
            ),
            description=altair.Description("label:N"),
        )
        .transform_calculate(
            label="datum.card + ' in column ' + datum.column + ', row ' + datum.row + ': ' + format(datum.games, ',') + "
            "' games, ' + datum.deviation + ' standard errors'"
        )
        .properties(width=56, height=56, spacing=6)
    )


def _by_place(altair: Any, rows: list[Row], value: str, label: str) -> Any:
    return (
        values_chart(altair, rows)
        .encode(
            x=altair.X(
                "dealt:Q",
                title="place, in the order in which cards are dealt",
                scale=altair.Scale(domain=[0, 53], nice=False),
                axis=altair.Axis(grid=False, values=[1, 9, 17, 25, 33, 41, 49]),
            ),
            description=altair.Description("label:N"),
        )
        .transform_calculate(label=f"datum.place + ': {label} ' + format(datum.{value}, '.3~r')")
        .properties(width=WIDE, height=220)
    )


def _chi_square(altair: Any, figures: Figures) -> Any:
    """Chi-square of each place, with the band that chance keeps to."""
    low, high = CHI_SQUARE_BAND
    band = (
        values_chart(altair, [{"low": low, "high": high}])
        .mark_rect(color=THEME["accent"], opacity=0.14)
        .encode(y="low:Q", y2="high:Q")
    )
    points = _by_place(
        altair,
        [{**row, "shown": max(row["chi_square"], 0.1)} for row in figures.chi_square],
        "chi_square",
        "chi-square",
    )
    scale = altair.Scale(
        type="log", domain=[0.1, max(200, *(row["chi_square"] for row in figures.chi_square))], nice=False
    )
    points = points.mark_circle(size=46, color=THEME["second"], opacity=1).encode(
        y=altair.Y(
            "shown:Q",
            title="chi-square, 51 degrees of freedom",
            scale=scale,
            axis=altair.Axis(values=[0.1, 1, 10, 100, 1000]),
        )
    )
    return band + points


def _repeats(altair: Any, figures: Figures) -> Any:
    """How often the next game has the same card in a place, against chance."""
    rows = [{**row, "shown": max(row["ratio"], 0.01)} for row in figures.repeats]
    chance = values_chart(altair, [{"one": 1}]).mark_rule(color=THEME["muted"], strokeDash=[4, 3]).encode(y="one:Q")
    points = _by_place(altair, rows, "ratio", "times chance").mark_circle(size=46, color=THEME["second"], opacity=1)
    scale = altair.Scale(type="log", domain=[0.01, max(20, *(row["ratio"] for row in rows))], nice=False)
    return chance + points.encode(
        y=altair.Y(
            "shown:Q",
            title="repeats, times chance",
            scale=scale,
            axis=altair.Axis(values=[0.01, 0.1, 1, 10], format="~r"),
        )
    )
