"""The report counts what a plain count gives, is one page that needs nothing else, and fits screens wide and narrow."""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from pipeline.cards.errors import Failed
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.run.config import Config
from pipeline.run.jobs.build import build
from pipeline.serve.report.charts import CHI_SQUARE_BAND
from pipeline.serve.report.figures import Figures, gather
from pipeline.serve.report.report import write_report
from pipeline.serve.report.style import THEME
from pipeline.serve.sql.catalog import open_catalog

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--virtual-time-budget=4000",
]


@pytest.fixture(scope="module")
def figures(small_dataset: Path) -> Figures:
    return gather(open_catalog(str(small_dataset)))


@pytest.fixture(scope="module")
def written(small_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    pytest.importorskip("altair", reason="the extra report is not installed")
    folder = tmp_path_factory.mktemp("report")
    write_report(open_catalog(str(small_dataset)), folder / "page.html", folder / "charts")
    return folder / "page.html", folder / "charts"


def test_places_and_chi_square_are_those_of_a_plain_count(figures):
    layouts = deal(np.arange(1, 2001)).astype(np.int64)
    counted = np.array([np.bincount(layouts[:, k], minlength=52) for k in range(52)])  # place by card
    expected = 2000 / 52
    assert [row["games"] for row in figures.places] == counted.T.ravel().tolist()
    deviations = (counted.T.ravel() - expected) / np.sqrt(expected * 51 / 52)
    np.testing.assert_allclose([row["deviation"] for row in figures.places], deviations)
    chi_square = ((counted - expected) ** 2 / expected).sum(axis=1)
    np.testing.assert_allclose([row["chi_square"] for row in figures.chi_square], chi_square)
    np.testing.assert_allclose(CHI_SQUARE_BAND, chi2.ppf([0.005, 0.995], 51), atol=0.01)


def test_neighbours_are_compared_place_by_place(figures):
    layouts = deal(np.arange(1, 2001))
    same = (layouts[1:] == layouts[:-1]).mean(axis=0) * 52
    np.testing.assert_allclose([row["ratio"] for row in figures.repeats], same)
    depth = (51 - np.argsort(layouts, axis=1)[:, :4]) // 8
    aces = depth.sum(axis=1)
    assert figures.ace_depth_correlation == pytest.approx(np.corrcoef(aces[1:], aces[:-1])[0, 1])
    assert figures.neighbours == 1999


def test_a_single_game_without_solutions_has_a_page(tmp_path):
    """One game has no neighbour, and a dataset may have no solutions: the page says so."""
    build(Config(first=5, last=5, out=str(tmp_path / "one"), jobs=1))
    figures = gather(open_catalog(str(tmp_path / "one")))
    assert (figures.games, figures.neighbours, figures.verdicts) == (1, 0, [])
    pytest.importorskip("altair", reason="the extra report is not installed")
    write_report(open_catalog(str(tmp_path / "one")), tmp_path / "page.html")
    assert "dealbook solve" in (tmp_path / "page.html").read_text()


def test_difficulty_is_counted_within_one_rule_set(figures):
    assert figures.difficulty_of is not None and figures.difficulty_of.freecells == 4
    solved = [n for n in range(1, 2001) if n % 10 and n % 15]
    assert sum(row["games"] for row in figures.move_counts) == len(solved)
    assert sum(row["games"] for row in figures.by_ace_depth) == len(solved)
    assert sum(row["games"] for row in figures.states) == len(solved)
    assert [row["game_number"] for row in figures.hardest] == sorted(solved)[
        :-4:-1
    ]  # the made-up states are the numbers
    assert [row["game_number"] for row in figures.impossible] == list(range(10, 2001, 10))
    assert {(row["freecells"], row["automove"], row["source"]): row["games"] for row in figures.verdicts} == {
        (4, "horne", "long"): 2000,
        (4, "horne", "s"): 2000,
        (4, "wkr", "w"): 2000,
        (2, "horne", "two"): 2000,
    }


def test_the_page_holds_everything_and_asks_for_nothing(written, figures):
    text = written[0].read_text()
    assert not re.findall(r"<(?:script|link|img|iframe)\b", text)
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not any(colour in text for colour in THEME.values())  # all stand for the page's own colours
    names = {path.stem for path in written[1].glob("*.svg")}
    assert {html.escape(name.replace("-", " ")) for name in names} == set(
        re.findall(r'<svg role="img" aria-label="([^"]*)"', text)
    )
    for game in (*figures.easiest, *figures.hardest):
        assert f'id="game-{game["game_number"]}"' in text and f'href="#game-{game["game_number"]}"' in text
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r'id="([^"]+)"', text))
    identifiers = re.findall(r'\bid="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers))
    assert "200 games of 2,000 cannot be won with 4 cells" in text


def test_charts_are_files_too(written):
    svg, png = (sorted(path.stem for path in written[1].glob(f"*.{kind}")) for kind in ("svg", "png"))
    assert svg == png and len(svg) > 40
    assert all(path.read_bytes().startswith(b"\x89PNG\r\n") for path in written[1].glob("*.png"))
    assert not any(colour in path.read_text() for path in written[1].glob("*.svg") for colour in THEME.values())


def test_a_missing_extra_is_named(small_dataset, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(Failed, match=r"pip install 'dealbook\[report\]'"):
        write_report(open_catalog(str(small_dataset)), tmp_path / "page.html")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_in_chromium_the_page_fits_and_follows_the_theme(written, tmp_path):
    """Two frames, as wide as a phone and as a desk, tell their content's width and the colours they are drawn in."""
    frames = "".join(
        f'<iframe src="file://{written[0]}" width="{width}" height="800"></iframe>' for width in (390, 1280)
    )
    told = (
        "[...document.querySelectorAll('iframe')].map(f => { const d = f.contentDocument, b = getComputedStyle(d.body); "
        "return [d.documentElement.scrollWidth, b.backgroundColor, b.color, "
        "getComputedStyle(d.querySelector('#aces svg text')).fill, d.querySelectorAll('svg').length].join('; ') }).join(' | ')"
    )
    (tmp_path / "frames.html").write_text(
        f'<body onload="document.title = {told}">{frames}</body>'.replace("'", "&#39;")
    )
    seen = {}
    for theme, switch in (("light", []), ("dark", ["--force-dark-mode"])):
        profile = f"--user-data-dir={tmp_path / theme}"
        command = [CHROMIUM, *SWITCHES, *switch, profile, "--dump-dom", f"file://{tmp_path / 'frames.html'}"]
        text = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
        found = re.search(r"<title>(.*?)</title>", text)
        assert found, text[-2000:]
        seen[theme] = [frame.split("; ") for frame in found[1].split(" | ")]
    for frames_seen in seen.values():
        narrow, wide = frames_seen
        assert int(narrow[0]) <= 390 and int(wide[0]) <= 1280  # nothing sticks out at the side
        assert int(narrow[4]) > 40
    assert seen["light"][0][1] != seen["dark"][0][1]
    assert seen["light"][0][2] != seen["dark"][0][2]
    assert seen["light"][0][3] != seen["dark"][0][3]  # the charts too
