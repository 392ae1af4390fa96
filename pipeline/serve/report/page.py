"""The report as one page of HTML: everything is inside it, and it needs no script and no network.

In: figures, charts, layouts drawn as cards. Out: HTML.
"""

from collections.abc import Callable
from html import escape
from typing import Final

from pipeline.games.freecell.tables.definitions import STATS
from pipeline.serve.report.charts import CHI_SQUARE_BAND
from pipeline.serve.report.figures import Figures
from pipeline.serve.report.solving import difficulty, extremes, impossible, verdicts
from pipeline.serve.report.style import Chart
from pipeline.serve.report.words import cells_text, games_text, listed_text, main_verdict, mean_of, place_text

_CHANCE_OF_ACES: Final = 4 * sum((51 - place) // 8 for place in range(52)) / 52

_STYLE: Final = """
:root { color-scheme: light dark; --paper: #fdfdfb; --card: #f4f6f2; --ink: #1d2320; --muted: #5f6964; --grid: #dde3de;
  --accent: #1c6a43; --second: #b8432f; }
@media (prefers-color-scheme: dark) { :root { --paper: #141816; --card: #1d2320; --ink: #e8ece9; --muted: #9aa69f; --grid: #323b36;
  --accent: #5cc491; --second: #f0806a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 72rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: clamp(1.7rem, 5vw, 2.6rem); line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.02em; }
h2 { font-size: 1.45rem; margin: 3.2rem 0 .6rem; letter-spacing: -.01em; }
h3 { font-size: .95rem; margin: 0 0 .2rem; }
p { max-width: 46rem; margin: .5rem 0 1rem; }
.more { color: var(--second); } .less { color: var(--accent); }
.lead, figcaption, .note, th { color: var(--muted); }
a { color: var(--accent); }
nav { margin: 1rem 0 1.6rem; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
svg { display: block; width: 100%; height: auto; }
figure { margin: 0; }
figcaption { font-size: .84rem; line-height: 1.4; margin-top: .35rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.tile { background: var(--card); border-radius: .7rem; padding: .8rem 1rem; }
.tile b { display: block; font-size: 1.55rem; line-height: 1.2; font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.tile span { color: var(--muted); font-size: .84rem; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1.6rem 1.6rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.6rem 2.4rem; align-items: start; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1.4rem; }
.boards svg { max-width: 30rem; border-radius: .6rem; }
.scroll { overflow-x: auto; } .scroll svg { min-width: 52rem; }
.scroll.narrow svg { min-width: 34rem; } .scroll.free { max-width: 100%; }
.below { margin-top: 1.8rem; } .narrower { max-width: 36rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .35rem .9rem .35rem 0; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { font-weight: 500; } th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
code { font-size: .9em; } footer { margin-top: 4rem; color: var(--muted); font-size: .88rem; }
"""


def page(figures: Figures, charts: dict[str, Chart], name: str, version: str) -> str:
    """Write the page: ``name`` is the dataset's, ``version`` ours."""
    shown = {key: chart.themed() for key, chart in charts.items()}
    parts: list[tuple[str, str, Callable[[Figures, dict[str, str]], str]]] = [
        ("aces", "How deep the aces lie", _aces),
        ("verdicts", "Solved, impossible, unresolved", verdicts),
    ]
    if figures.states:
        parts.append(("difficulty", "What makes a game hard", difficulty))
        parts.append(("extremes", "The easiest and the hardest", extremes))
    if figures.impossible:
        parts.append(("impossible", "The impossible", impossible))
    parts += [
        ("places", "Where the cards lie", _places),
        ("generator", "The dealer, put to the test", _generator),
        ("statistics", "Every statistic", _statistics),
    ]
    sections = [(key, title, write(figures, shown)) for key, title, write in parts]
    title = f"FreeCell games {figures.first:,} to {figures.last:,}"
    lead = "How the numbered deals lie, how fair the dealer is, and how hard the games are."
    return whole_page(title, lead, _tiles(figures), sections, f"Dataset {name}, drawn by dealbook {version}.")


def whole_page(title: str, lead: str, tiles: str, sections: list[tuple[str, str, str]], foot: str) -> str:
    """Put a page together from its sections (anchor, title, HTML)."""
    links = "".join(f'<a href="#{key}">{heading}</a>' for key, heading, _ in sections)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
            f'<p class="lead">{lead}</p>',
            f"{tiles}<nav>{links}</nav>",
            *(f'<section id="{key}"><h2>{heading}</h2>{inside}</section>' for key, heading, inside in sections),
            f"<footer>{escape(foot)} Every number on this page is counted from its tables.</footer></body></html>\n",
        ]
    )


def tiles_html(tiles: list[tuple[str, str]]) -> str:
    """The numbers that come first: each with what it counts."""
    inside = "".join(f'<div class="tile"><b>{value}</b><span>{what}</span></div>' for value, what in tiles)
    return f'<div class="tiles">{inside}</div>'


def _tiles(figures: Figures) -> str:
    """The numbers that come first."""
    mean = mean_of(figures.distributions["ace_depth_sum"])
    tiles = [(f"{figures.games:,}", "games"), (f"{mean:.2f}", "cards on the four aces, in the mean")]
    main = main_verdict(figures)
    if main:
        tiles += [
            (f"{main['solved']:,}", f"solved with {cells_text(main['freecells'])}"),
            (f"{main['impossible']:,}", "proved impossible"),
            (f"{main['unresolved']:,}", "unresolved"),
        ]
        if main["mean_moves"] is not None:
            tiles.append((f"{main['mean_moves']:.1f}", "moves a solution, in the mean"))
    return tiles_html(tiles)


def _aces(figures: Figures, shown: dict[str, str]) -> str:
    rows = figures.distributions["ace_depth_sum"]
    most, games = rows[-1]["value"], games_text(rows[-1]["games"])
    return (
        "<p>Nothing goes home before its ace does, so the cards that lie on the four aces are the first work of every "
        f"game: {mean_of(rows):.2f} cards in the mean, and chance says {_CHANCE_OF_ACES:.2f}. Deepest are the aces that lie "
        f"under {most} cards ({games}).</p>"
        f'<div class="scroll narrow">{shown["ace-depth"]}</div>'
    )


def _statistics(figures: Figures, shown: dict[str, str]) -> str:
    """All statistics, those of single cards and columns last."""
    names = sorted(STATS, key=lambda name: name.startswith(("depth_", "column_", "in_order_pairs_c")))
    items = "".join(
        f"<figure><h3><code>{name}</code></h3>{shown['stat-' + name.replace('_', '-')]}<figcaption>{escape(STATS[name])} "
        f"Mean {mean_of(figures.distributions[name]):.2f}.</figcaption></figure>"
        for name in names
    )
    return f'<p>Each picture counts games by one column of the table <code>stats</code>.</p><div class="small">{items}</div>'


def _places(figures: Figures, shown: dict[str, str]) -> str:
    furthest = max(abs(row["deviation"]) for row in figures.places)
    share = sum(abs(row["deviation"]) > 2 for row in figures.places) / len(figures.places)
    return (
        "<p>One small tableau for each card, eight columns wide and seven rows deep, the base on top. By chance a card lies in "
        f"each of the 52 places in {figures.games / 52:,.0f} games. <b class='more'>Red</b> places have it more often, "
        "<b class='less'>green</b> ones less often; full colour is four standard errors. "
        f"Of all 2,704 pairs of card and place {share:.1%} are more than two standard errors off, where chance says 4.6%; the "
        f"furthest is off by {furthest:.1f}.</p>"
        f'<div class="scroll">{shown["places"]}</div>'
    )


def _generator(figures: Figures, shown: dict[str, str]) -> str:
    low, high = CHI_SQUARE_BAND
    below = sum(row["chi_square"] < low for row in figures.chi_square)
    above = [place_text(row["place"]) for row in figures.chi_square if row["chi_square"] > high]
    evenness = (
        "<p>Microsoft’s dealer is a linear congruential generator that starts at the game number: after <i>k</i> draws its "
        "state is 214013<sup><i>k</i></sup> times the number, plus a constant, modulo 2<sup>32</sup>. So from one game to the "
        "next the <i>k</i>-th draw moves on by a step that never changes, and a long run of games walks round the draws "
        "instead of scattering over them.</p>"
        "<p>Chi-square compares how often each of the 52 cards lies in a place with equal shares. Scattered cards give about "
        f"51, and {low:.0f} to {high:.0f} in 99 of 100 places, the green band. Here {below} of the 52 places lie below the "
        f"band, which is more even than chance, and {len(above)} above it"
        + (f" ({listed_text(above[:6])}{' and others' if len(above) > 6 else ''})" if above else "")
        + ". A place that is filled early depends on few draws, one that is filled late on all draws before it.</p>"
        f'<div class="scroll narrow">{shown["chi-square"]}</div>'
    )
    if not figures.neighbours:
        return evenness
    rare = sum(row["ratio"] < 0.05 for row in figures.repeats)
    most = max(figures.repeats, key=lambda row: row["ratio"])
    return evenness + (
        "<p>The same steps tie neighbouring numbers together. By chance a place holds the same card in the next game once in "
        f"52 times. Among {figures.neighbours:,} pairs of neighbours {rare} places do so less than a twentieth as often, and "
        f"one, {place_text(most['place'])}, does so {most['ratio']:.1f} times as often: where the step of a draw is all but a "
        "multiple of the number of cards left to choose from, the next game chooses alike. What matters in play is tied more "
        "loosely: how deep the aces lie in one game and in the next correlates with "
        f"r = {figures.ace_depth_correlation:.3f}.</p>"
        f'<div class="scroll narrow">{shown["repeats"]}</div>'
        '<p class="note">So neighbouring games are no independent sample: to train and test a model take the column '
        "<code>split</code>, a hash of the number, and not a range.</p>"
    )
