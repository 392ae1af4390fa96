"""The charts of the report on solving: states, moves, and what they go with.

In: `Figures` with solutions. Out: Altair charts by name.
"""

from typing import Any

from pipeline.serve.report.figures import Figures
from pipeline.serve.report.style import THEME, bars, values_chart


def solver_charts(altair: Any, figures: Figures) -> dict[str, Any]:
    """Describe the charts of states and moves, by name."""
    return {
        "states": _states(altair, figures),
        "move-counts": bars(altair, figures.move_counts, 300, 200, "moves of the solution"),
        "states-by-ace-depth": _states_by_ace_depth(altair, figures),
        "moves-by-ace-depth": _moves_by_ace_depth(altair, figures),
        "correlations": _correlations(altair, figures),
    }


def _states(altair: Any, figures: Figures) -> Any:
    """Games by the states searched, on a logarithmic scale."""
    rows = [
        {"from": 2 ** row["power"], "to": 2 ** (row["power"] + 0.48), "games": row["games"]} for row in figures.states
    ]
    return (
        values_chart(altair, rows)
        .mark_rect(color=THEME["accent"])
        .encode(
            x=altair.X(
                "from:Q",
                title="states searched",
                scale=altair.Scale(type="log", nice=False),
                axis=altair.Axis(grid=False, format="~s", tickCount=6),
            ),
            x2="to:Q",
            y=altair.Y(
                "games:Q",
                title="games",
                scale=altair.Scale(zero=True),
                axis=altair.Axis(format="~s", domain=False, tickCount=5),
            ),
            y2=altair.datum(0),
            description=altair.Description("label:N"),
        )
        .transform_calculate(
            label="format(datum.from, ',.0f') + ' to ' + format(datum.to, ',.0f') + ' states: ' + format(datum.games, ',') + ' games'"
        )
        .properties(width=300, height=200)
    )


def _ace_axis(altair: Any) -> Any:
    return altair.X(
        "ace_depth_sum:Q", title="sum of the depths of the four aces", axis=altair.Axis(grid=False, tickMinStep=1)
    )


def _states_by_ace_depth(altair: Any, figures: Figures) -> Any:
    """Median and quartiles of the states searched."""
    base = (
        values_chart(altair, figures.by_ace_depth)
        .encode(x=_ace_axis(altair), description=altair.Description("label:N"))
        .transform_calculate(
            label="'aces ' + datum.ace_depth_sum + ' deep: median ' + format(datum.median, ',.0f') + ' states in '"
            " + format(datum.games, ',') + ' games'"
        )
    )
    axis = altair.Axis(format="~s", domain=False, tickCount=5)
    scale = altair.Scale(type="log", nice=False)
    band = base.mark_area(color=THEME["accent"], opacity=0.18).encode(
        y=altair.Y("low:Q", scale=scale, axis=axis, title="states searched: median, quartiles"), y2="high:Q"
    )
    line = base.mark_line(color=THEME["accent"], strokeWidth=2).encode(y=altair.Y("median:Q", scale=scale))
    points = base.mark_circle(color=THEME["accent"], size=34, opacity=1).encode(y=altair.Y("median:Q", scale=scale))
    return (band + line + points).properties(width=300, height=200)


def _moves_by_ace_depth(altair: Any, figures: Figures) -> Any:
    """Mean moves."""
    base = (
        values_chart(altair, figures.by_ace_depth)
        .encode(
            x=_ace_axis(altair),
            y=altair.Y(
                "moves:Q",
                title="mean moves of the solution",
                scale=altair.Scale(zero=False),
                axis=altair.Axis(domain=False, tickCount=5),
            ),
            description=altair.Description("label:N"),
        )
        .transform_calculate(
            label="'aces ' + datum.ace_depth_sum + ' deep: ' + format(datum.moves, '.1f') + ' moves in '"
            " + format(datum.games, ',') + ' games'"
        )
    )
    line = base.mark_line(color=THEME["second"], strokeWidth=2)
    return (line + base.mark_circle(color=THEME["second"], size=34, opacity=1)).properties(width=300, height=200)


def _correlations(altair: Any, figures: Figures) -> Any:
    """Correlation of every statistic with the length of the solution and with the states searched."""
    rows = [
        {
            "statistic": row["statistic"].replace("_", " "),
            "with": name,
            "r": row[key],
            "order": max(abs(row["moves"] or 0), abs(row["states"] or 0)),
        }
        for row in figures.correlations
        for name, key in (("moves", "moves"), ("states (logarithm)", "states"))
        if row[key] is not None
    ]
    return (
        values_chart(altair, rows)
        .mark_circle(size=60, opacity=1)
        .encode(
            y=altair.Y(
                "statistic:N",
                title=None,
                sort=altair.EncodingSortField("order", order="descending"),
                axis=altair.Axis(
                    grid=True, domain=False, ticks=False, labelColor=THEME["ink"], labelLimit=200, minExtent=150
                ),
            ),
            x=altair.X("r:Q", title="correlation", axis=altair.Axis(grid=True, domain=False, tickCount=5)),
            color=altair.Color(
                "with:N",
                scale=altair.Scale(range=[THEME["second"], THEME["accent"]]),
                legend=altair.Legend(orient="top", title=None, labelColor=THEME["ink"], symbolOpacity=1),
            ),
            description=altair.Description("label:N"),
        )
        .transform_calculate(label="datum.statistic + ', ' + datum.with + ': r = ' + format(datum.r, '.3f')")
        .properties(width=300, height={"step": 15})
    )
