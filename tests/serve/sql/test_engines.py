"""The same files and the same questions give the same answers in every engine that reads Parquet."""

import importlib
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.run.config import Config
from pipeline.run.jobs.build import build

GAMES = 32_000
GOLDEN = tomllib.loads((Path(__file__).parents[2] / "cases" / "golden.toml").read_text())["games_1_to_32000"]

# Plain SQL, which every engine reads: names in braces stand for the files.
_README = (
    (Path(__file__).parents[3] / "README.md")
    .read_text()
    .partition("## Three questions in SQL")[2]
    .partition("\n## ")[0]
)
_ASKED = [sql.replace("FROM stats", "FROM {stats}") for sql in re.findall(r'dealbook query data/ms1m "(.*?)"', _README)]
QUESTIONS = {
    **dict(zip(("aces exposed and deep", "longest runs", "kings and first moves"), _ASKED, strict=True)),
    "sums of small numbers": "SELECT SUM(inversions) AS a, MIN(inversions) AS b, MAX(inversions) AS c, SUM(two_depth_sum) AS d "
    "FROM {stats}",
    "games that begin with an ace": "SELECT COUNT(*) AS games, MIN(game_number) AS first FROM {layouts} WHERE c1r1 < 4",
    "deepest aces, no king at a base": (
        "SELECT l.game_number, l.c1r1, s.ace_depth_sum FROM {layouts} l JOIN {stats} s ON l.game_number = s.game_number "
        "WHERE s.ace_depth_sum >= 22 AND s.kings_at_base = 0 ORDER BY l.game_number"
    ),
}
Rows = list[tuple[Any, ...]]
Engine = Callable[[Path, str], Rows]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engines") / "ms32000"
    build(Config(first=1, last=GAMES, part_size=GAMES // 2, out=str(folder), jobs=1))
    return folder


@pytest.fixture(scope="module")
def answers() -> dict[str, Rows]:
    """The right answers, from the independent histograms and from the deals themselves."""
    layouts = deal(np.arange(1, GAMES + 1))
    begin_with_an_ace = np.flatnonzero(layouts[:, 0] < 4) + 1
    depth = (51 - np.argsort(layouts, axis=1)) // 8  # of each card by its code
    kings_at_base = (layouts[:, :8] >= 48).sum(axis=1)
    deep = np.flatnonzero((depth[:, :4].sum(axis=1) >= 22) & (kings_at_base == 0))
    rank, red = layouts.astype(int) // 4, np.isin(layouts % 4, (1, 2))
    fits = (rank[:, 8:] + 1 == rank[:, :-8]) & (red[:, 8:] != red[:, :-8])  # card k + 8 lies on card k
    pairs, run, longest = fits.sum(axis=1), np.ones((GAMES, 8), int), np.ones(GAMES, int)
    for row in range(0, 44, 8):
        run = np.pad(fits[:, row : row + 8], ((0, 0), (0, 8 - fits[:, row : row + 8].shape[1]))) * run + 1
        longest = np.maximum(longest, run.max(axis=1))
    first_runs = sorted(range(GAMES), key=lambda i: (-longest[i], -pairs[i], i))[:3]
    top, bottom = (slice(None), slice(44, None), None), (slice(None), None, slice(44, None))
    moves = ((rank[top] + 1 == rank[bottom]) & (red[top] != red[bottom])).sum(axis=(1, 2))
    kings = [
        (int(n), int((kings_at_base == n).sum()), round(float(moves[kings_at_base == n].mean()), 3)) for n in range(5)
    ]
    histogram = GOLDEN["ace_depth_sum_histogram"]
    return {
        "aces exposed and deep": [(depth, histogram[depth]) for depth in (0, 1, 12, 23)],
        "longest runs": [(i + 1, int(longest[i]), int(pairs[i])) for i in first_runs],
        "kings and first moves": kings,
        "sums of small numbers": [
            (GOLDEN["inversions_total"], *GOLDEN["inversions_min_max"], GOLDEN["two_depth_sum_total"])
        ],
        "games that begin with an ace": [(begin_with_an_ace.size, int(begin_with_an_ace[0]))],
        "deepest aces, no king at a base": [(int(i) + 1, int(layouts[i, 0]), int(depth[i, :4].sum())) for i in deep],
    }


def in_duckdb(folder: Path, question: str) -> Rows:
    import duckdb

    return duckdb.sql(
        QUESTIONS[question].format(layouts=f"'{folder}/layouts/*.parquet'", stats=f"'{folder}/stats/*.parquet'")
    ).fetchall()


def in_the_catalog(folder: Path, question: str) -> Rows:
    from pipeline.serve.sql.catalog import open_catalog

    return list(open_catalog(str(folder)).query(QUESTIONS[question].format(layouts="layouts", stats="stats")).rows)


def in_polars_sql(folder: Path, question: str) -> Rows:
    import polars as pl

    tables = {name: pl.scan_parquet(folder / name / "*.parquet") for name in ("layouts", "stats")}
    with pl.SQLContext(tables) as context:
        return context.execute(QUESTIONS[question].format(layouts="layouts", stats="stats"), eager=True).rows()


def in_polars_lazy(folder: Path, question: str) -> Rows:
    import polars as pl

    layouts, stats = (pl.scan_parquet(folder / name / "*.parquet") for name in ("layouts", "stats"))
    frame = {
        "aces exposed and deep": lambda: (
            stats.filter(pl.col("ace_depth_sum").is_in([0, 1, 12, 23]))
            .group_by("ace_depth_sum")
            .len()
            .sort("ace_depth_sum")
        ),
        "longest runs": lambda: (
            stats.select("game_number", "longest_run", "in_order_pairs")
            .sort("longest_run", "in_order_pairs", "game_number", descending=[True, True, False])
            .head(3)
        ),
        "kings and first moves": lambda: (
            stats.group_by("kings_at_base").agg(pl.len(), pl.mean("legal_tableau_moves").round(3)).sort("kings_at_base")
        ),
        "sums of small numbers": lambda: stats.select(
            pl.sum("inversions").alias("a"),
            pl.min("inversions").alias("b"),
            pl.max("inversions").alias("c"),
            pl.sum("two_depth_sum"),
        ),
        "games that begin with an ace": lambda: layouts.filter(pl.col("c1r1") < 4).select(
            pl.len(), pl.min("game_number")
        ),
        "deepest aces, no king at a base": lambda: (
            layouts.join(stats, on="game_number")
            .filter((pl.col("ace_depth_sum") >= 22) & (pl.col("kings_at_base") == 0))
            .select("game_number", "c1r1", "ace_depth_sum")
            .sort("game_number")
        ),
    }[question]()
    return frame.collect().rows()


def in_chdb(folder: Path, question: str) -> Rows:
    import json

    import chdb

    sources = {name: f"file('{folder}/{name}/*.parquet', Parquet)" for name in ("layouts", "stats")}
    text = str(chdb.query(QUESTIONS[question].format(**sources), "JSONCompactEachRow"))
    return [tuple(map(float, json.loads(line))) for line in text.splitlines()]


def in_datafusion(folder: Path, question: str) -> Rows:
    from datafusion import SessionContext

    context = SessionContext()
    for name in ("layouts", "stats"):
        context.register_parquet(name, str(folder / name))
    batches = context.sql(QUESTIONS[question].format(layouts="layouts", stats="stats")).collect()
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def in_pyarrow(folder: Path, question: str) -> Rows:
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    layouts, stats = (ds.dataset(folder / name) for name in ("layouts", "stats"))
    if question == "aces exposed and deep":
        table = stats.to_table(columns=["ace_depth_sum"], filter=pc.field("ace_depth_sum").isin([0, 1, 12, 23]))
        return sorted(
            tuple(row.values()) for row in table.group_by("ace_depth_sum").aggregate([([], "count_all")]).to_pylist()
        )
    if question == "longest runs":
        table = stats.to_table(columns=["game_number", "longest_run", "in_order_pairs"])
        order = [("longest_run", "descending"), ("in_order_pairs", "descending"), ("game_number", "ascending")]
        return [tuple(row.values()) for row in table.sort_by(order).slice(0, 3).to_pylist()]
    if question == "kings and first moves":
        grouped = stats.to_table(columns=["kings_at_base", "legal_tableau_moves"]).group_by("kings_at_base")
        table = grouped.aggregate([([], "count_all"), ("legal_tableau_moves", "mean")]).sort_by("kings_at_base")
        return [
            (kings, games, round(mean, 3)) for kings, games, mean in (tuple(row.values()) for row in table.to_pylist())
        ]
    if question == "sums of small numbers":
        table = stats.to_table(columns=["inversions", "two_depth_sum"])
        least_and_most = pc.min_max(table["inversions"]).as_py()
        return [(pc.sum(table["inversions"]).as_py(), *least_and_most.values(), pc.sum(table["two_depth_sum"]).as_py())]
    if question == "games that begin with an ace":
        found = layouts.to_table(columns=["game_number"], filter=pc.field("c1r1") < 4)["game_number"]
        return [(len(found), pc.min(found).as_py())]
    chosen = stats.filter((pc.field("ace_depth_sum") >= 22) & (pc.field("kings_at_base") == 0))
    table = chosen.join(layouts, "game_number", join_type="inner").to_table(["game_number", "c1r1", "ace_depth_sum"])
    return [tuple(row.values()) for row in table.sort_by("game_number").to_pylist()]


def in_pandas(folder: Path, question: str) -> Rows:
    import pandas as pd

    stats = pd.read_parquet(folder / "stats")
    layouts = pd.read_parquet(folder / "layouts", columns=["game_number", "c1r1"])
    if question == "aces exposed and deep":
        return list(stats[stats.ace_depth_sum.isin([0, 1, 12, 23])].groupby("ace_depth_sum").size().items())
    if question == "longest runs":
        ordered = stats.sort_values(["longest_run", "in_order_pairs", "game_number"], ascending=[False, False, True])
        return list(
            ordered[["game_number", "longest_run", "in_order_pairs"]].head(3).itertuples(index=False, name=None)
        )
    if question == "kings and first moves":
        grouped = stats.groupby("kings_at_base").legal_tableau_moves
        return list(zip(grouped.size().index, grouped.size(), grouped.mean().round(3), strict=True))
    if question == "sums of small numbers":
        return [(stats.inversions.sum(), stats.inversions.min(), stats.inversions.max(), stats.two_depth_sum.sum())]
    if question == "games that begin with an ace":
        found = layouts.game_number[layouts.c1r1 < 4]
        return [(len(found), found.min())]
    both = layouts.merge(stats, on="game_number")
    both = both[(both.ace_depth_sum >= 22) & (both.kings_at_base == 0)].sort_values("game_number")
    return list(both[["game_number", "c1r1", "ace_depth_sum"]].itertuples(index=False, name=None))


ENGINES: dict[str, Engine] = {
    "duckdb": in_duckdb,
    "the catalog": in_the_catalog,
    "polars sql": in_polars_sql,
    "polars lazy": in_polars_lazy,
    "chdb": in_chdb,
    "datafusion": in_datafusion,
    "pyarrow": in_pyarrow,
    "pandas": in_pandas,
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_golden_answers(files, answers, engine, question):
    if engine in ("chdb", "datafusion"):
        pytest.importorskip(engine, reason=f"{engine} is not installed; constraints/dev.txt pins it")
    found = ENGINES[engine](files, question)
    assert [tuple(map(float, row)) for row in found] == answers[question]
    assert answers[question]


LINES = dict(
    re.findall(
        r"^\| (\w.*?) \| `(.*?)` \|$", (Path(__file__).parents[3] / "docs" / "engines.md").read_text(), re.MULTILINE
    )
)


@pytest.mark.parametrize("engine", [engine for engine in LINES if engine != "Spark"])
def test_every_line_of_the_page_on_engines_runs(files, engine):
    names: dict[str, Any] = {"pl": importlib.import_module("polars"), "pd": importlib.import_module("pandas")}
    for module in ("duckdb", "pyarrow.dataset", "pyarrow.compute"):
        names[module.partition(".")[0]] = importlib.import_module(module.partition(".")[0])
        importlib.import_module(module)
    if engine.startswith(("ClickHouse", "DataFusion")):
        module = pytest.importorskip({"C": "chdb", "D": "datafusion"}[engine[0]], reason=f"{engine} is not installed")
        names |= {"chdb": module, "SessionContext": getattr(module, "SessionContext", None)}
    exec(LINES[engine].replace("data/ms1m", str(files)), names)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="pyspark is not installed; constraints/spark.txt pins it")
    sql = importlib.import_module("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    yield session
    session.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_spark_gives_the_golden_answers(files, answers, spark):
    for name in ("layouts", "stats"):
        spark.read.parquet(str(files / name)).createOrReplaceTempView(name)
    for question, sql in QUESTIONS.items():
        found = [tuple(row) for row in spark.sql(sql.format(layouts="layouts", stats="stats")).collect()]
        assert found == answers[question]
