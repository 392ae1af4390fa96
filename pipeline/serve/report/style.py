"""How the charts of the report look: colours that follow the page's theme, axes, and bars.

In: an Altair chart. Out: `Chart`, its SVG.
"""

import html
import re
from dataclasses import dataclass
from typing import Any, Final

from pipeline.serve.report.figures import Row

THEME: Final = {
    "ink": "#100001",
    "muted": "#200002",
    "grid": "#300003",
    "accent": "#400004",
    "second": "#500005",
    "paper": "#600006",
}
"""Colours that stand for the page's own: in the SVG they are exchanged for the variables of its style sheet, light or dark."""

LIGHT: Final = {
    "ink": "#1d2320",
    "muted": "#66706b",
    "grid": "#dfe4e0",
    "accent": "#1c6a43",
    "second": "#b8432f",
    "paper": "#ffffff",
}
WIDE: Final = 640
SMALL: Final = 190
"""Widths of charts, in pixels: one that fills the text, and one of many side by side."""


@dataclass(frozen=True)
class Chart:
    """One chart: its name (of its files too) and its SVG in the colours of `THEME`."""

    name: str
    svg: str

    def themed(self) -> str:
        """The SVG for the page, in the colours of its style sheet and with tooltips."""
        text = self.svg
        for name, colour in THEME.items():
            text = text.replace(colour, f"var(--{name})")
        text = re.sub(r' (?:role|aria-roledescription)="[^"]*"', "", text)
        text = re.sub(r'<path aria-label="([^"]*)"([^>]*?)/?></path>', r"<path\2><title>\1</title></path>", text)
        width, height = re.search(r'width="([\d.]+)" height="([\d.]+)"', text).groups()  # type: ignore[union-attr]
        # Vega writes the size that the drawing has on paper; on the page it may shrink to what the screen is wide.
        text = text.replace(f'width="{width}" height="{height}"', f'style="max-width:{width}px"', 1)
        return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(self.name.replace("-", " "))}"', 1)

    def light(self) -> str:
        """The SVG by itself, for a light page."""
        text = self.svg
        for name, colour in THEME.items():
            text = text.replace(colour, LIGHT[name])
        return text


def chart_config() -> dict[str, Any]:
    """Vega-Lite's configuration of every chart."""
    axis = {
        "labelColor": THEME["muted"],
        "titleColor": THEME["muted"],
        "gridColor": THEME["grid"],
        "domainColor": THEME["grid"],
        "tickColor": THEME["grid"],
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    }
    return {
        "background": THEME["paper"],
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": axis,
        "header": {"labelColor": THEME["ink"], "titleColor": THEME["muted"], "labelFontSize": 12},
    }


def values_chart(altair: Any, rows: list[Row]) -> Any:
    """Begin a chart of rows."""
    return altair.Chart(altair.Data(values=rows))


def bars(altair: Any, rows: list[Row], width: int, height: int, title: str | None = None) -> Any:
    """Games by a small whole number."""
    low, high = rows[0]["value"], rows[-1]["value"]
    small = width <= SMALL
    return (
        values_chart(altair, [{**row, "from": row["value"] - 0.45, "to": row["value"] + 0.45} for row in rows])
        .mark_rect(color=THEME["accent"])
        .encode(
            x=altair.X(
                "from:Q",
                title=title,
                scale=altair.Scale(domain=[low - 0.6, high + 0.6], nice=False),
                axis=altair.Axis(grid=False, tickMinStep=1, tickCount=min(high - low, 5 if small else 14), format="d"),
            ),
            x2="to:Q",
            y=altair.Y(
                "games:Q",
                title=None if small else "games",
                scale=altair.Scale(zero=True),
                axis=altair.Axis(tickCount=3 if small else 5, format="~s", domain=False),
            ),
            y2=altair.datum(0),
            description=altair.Description("label:N"),
        )
        .transform_calculate(label="datum.value + ': ' + format(datum.games, ',') + ' games'")
        .properties(width=width, height=height)
    )
