"""The sections of the report on solving: verdicts, difficulty, the easiest, the hardest and the impossible games.

In: figures and charts. Out: HTML.
"""

from html import escape
from typing import Final

import numpy as np

from pipeline.games.freecell import FREECELL
from pipeline.games.freecell.tables.schema import PLACES
from pipeline.serve.draw.svg import picture_svg
from pipeline.serve.report.figures import Figures, Row, RuleSet
from pipeline.serve.report.words import cells_text, games_text, listed_text, main_verdict

MOST_DRAWN: Final = 12


def verdicts(figures: Figures, shown: dict[str, str]) -> str:
    """The table of verdicts, and the charts of states and moves."""
    if not figures.verdicts:
        return (
            "<p>This dataset has no solutions yet; <code>dealbook solve</code> adds them, and this page then shows how hard "
            "the games are.</p>"
        )
    head = [
        *("cells", "automoves", "source", "effort", "games", "solved", "impossible", "unresolved"),
        *("moves, mean", "most", "states, median", "most"),
    ]
    lines = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in _verdict_cells(row))}</tr>" for row in figures.verdicts
    )
    table = f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>{lines}</table>"
    text = (
        "<p>Solved means that the solution was replayed by a checker that shares nothing with the solver; impossible, that "
        "every line of play was searched to its end; unresolved, that the budget ran out first.</p>"
        f'<div class="scroll free">{table}</div>'
    )
    if figures.difficulty_of is None or not figures.states:
        return text
    return text + (
        f"{_said(figures.difficulty_of)}"
        f'<div class="pair"><figure>{shown["states"]}<figcaption>States searched until the game was solved; each bar is half '
        f"a power of two wide.</figcaption></figure><figure>{shown['move-counts']}<figcaption>Moves between columns and cells, "
        "a supermove as one; cards going home do not count.</figcaption></figure></div>"
    )


def _verdict_cells(row: Row) -> tuple[str, ...]:
    """The cells of one line of the table of verdicts."""
    return (
        str(row["freecells"]),
        escape(row["automove"]),
        escape(row["source"]),
        str(row["effort"]),
        *(f"{row[name]:,}" for name in ("games", "solved", "impossible", "unresolved")),
        "" if row["mean_moves"] is None else f"{row['mean_moves']:.2f}",
        "" if row["most_moves"] is None else str(row["most_moves"]),
        f"{row['median_states']:,.0f}",
        f"{row['most_states']:,}",
    )


def difficulty(figures: Figures, shown: dict[str, str]) -> str:
    """What goes with long solutions and long searches."""
    text = []
    for key, what in (("moves", "the length of the solution"), ("states", "the states searched")):
        known = [row for row in figures.correlations if row[key] is not None]
        if known:
            first = max(known, key=lambda row: abs(row[key]))
            text.append(f"<code>{first['statistic']}</code> goes most closely with {what} (r = {first[key]:.2f})")
    return (
        f"<p>How far a layout alone tells how hard its game is: {listed_text(text)}.</p>"
        f'<div class="pair"><figure>{shown["states-by-ace-depth"]}<figcaption>States searched: the median, and the band of the '
        f"middle half of games.</figcaption></figure><figure>{shown['moves-by-ace-depth']}<figcaption>Mean length of the "
        "solution.</figcaption></figure></div>"
        f'<figure class="below narrower">{shown["correlations"]}<figcaption>Correlation of each statistic with the length of '
        "the solution and with the logarithm of the states searched.</figcaption></figure>"
    )


def extremes(figures: Figures, shown: dict[str, str]) -> str:
    """The easiest and the hardest games, drawn as cards."""
    return (
        f"<p>Easiest by the fewest moves: {_links(figures.easiest)}. Hardest by the most states searched: "
        f"{_links(figures.hardest)}.</p>"
        f'<h3>Easiest</h3><div class="boards">{"".join(map(_board, figures.easiest))}</div>'
        f'<h3 class="below">Hardest</h3><div class="boards">{"".join(map(_board, figures.hardest))}</div>'
    )


def impossible(figures: Figures, shown: dict[str, str]) -> str:
    """The games that cannot be won, the first of them drawn as cards."""
    main = main_verdict(figures)
    total, cells = (main["impossible"], main["freecells"]) if main else (len(figures.impossible), 4)
    drawn, listed = figures.impossible[:MOST_DRAWN], figures.impossible
    links = _links(listed, {row["game_number"] for row in drawn})
    more = f" and {total - len(listed):,} more" if total > len(listed) else ""
    rest = f" The first {len(drawn)} are drawn." if len(listed) > len(drawn) else ""
    return (
        f"<p>{games_text(total)} of {figures.games:,} cannot be won with {cells_text(cells)}: {links}{more}.{rest}</p>"
        f'<div class="boards">{"".join(map(_board, drawn))}</div>'
    )


def _board(row: Row) -> str:
    """A layout drawn as cards, with what is known of it."""
    layout = np.array([row[place] for place in PLACES], np.uint8)
    number = row["game_number"]
    drawn = picture_svg(FREECELL.picture(layout, f"Game {number}"))
    moves = f"{row['move_count']} moves, " if row["move_count"] is not None else ""
    return (
        f'<figure id="game-{number}">{drawn}<figcaption><a href="#game-{number}">Game {number}</a>: '
        f"{moves}{row['nodes']:,} states, aces {row['ace_depth_sum']} deep</figcaption></figure>"
    )


def _links(rows: list[Row], drawn: set[int] | None = None) -> str:
    numbers = [row["game_number"] for row in rows]
    return listed_text([f'<a href="#game-{n}">{n}</a>' if drawn is None or n in drawn else str(n) for n in numbers])


def _said(chosen: RuleSet) -> str:
    """Say which solutions the rest of the page speaks of."""
    return (
        f"<p>From here on: {cells_text(chosen.freecells)}, automoves {escape(chosen.automove)}, effort {chosen.effort}, "
        f"by {escape(chosen.source)}.</p>"
    )
