"""SQL over a million games: wide columns against one column of lists, and the start of the command.

Times are CPU time of this process (of the child, for the command), the least of interleaved repeats.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.games.freecell.tables.layouts import layout_matrix
from pipeline.games.freecell.tables.schema import PLACES
from pipeline.run.config import Config
from pipeline.run.jobs.build import build
from pipeline.serve.sql.catalog import open_catalog

GAMES = 1_000_000
REPEATS = 3

NESTED = (
    '(SELECT game_number, card, card // 4 + 1 AS rank, place % 8 + 1 AS "column", place // 8 + 1 AS "row", (51 - place) // 8 AS depth '
    "FROM (SELECT game_number, unnest(cards) AS card, generate_subscripts(cards, 1) - 1 AS place FROM '{}'))"
)
QUESTIONS = {
    "depths of one card": "SELECT depth, count(*) FROM {} WHERE card = 0 GROUP BY 1 ORDER BY 1",
    "rows of the aces": 'SELECT "row", count(*) FROM {} WHERE rank = 1 GROUP BY 1 ORDER BY 1',
    "all cards in all places": 'SELECT "column", "row", card, count(*) FROM {} GROUP BY ALL ORDER BY ALL',
}


def rows() -> list[dict[str, Any]]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"{folder}/ms1m"
        build(Config(first=1, last=GAMES, part_size=100_000, out=url))
        _write_nested(Path(url), Path(folder) / "nested.parquet")
        found = [_wide_against_nested(url, f"{folder}/nested.parquet")]
        found += [_cards_against_lists(url, f"{folder}/nested.parquet", what, sql) for what, sql in QUESTIONS.items()]
        return [*found, _start_of_the_command(url)]


def _write_nested(dataset: Path, target: Path) -> None:
    """The same layouts with all cards of a game in one list, in row groups of the same size."""
    schema = pa.schema([("game_number", pa.int64()), ("cards", pa.list_(pa.uint8()))])
    with pq.ParquetWriter(target, schema, compression="zstd", compression_level=1) as writer:
        for file in sorted(dataset.glob("layouts/*.parquet")):
            table = pq.read_table(file)
            cards = pa.array(layout_matrix(table).ravel())
            lists = pa.ListArray.from_arrays(pa.array(range(0, len(cards) + 1, 52), pa.int32()), cards)
            group = pq.ParquetFile(file).metadata.row_group(0).num_rows
            writer.write_table(pa.table([table["game_number"], lists], schema=schema), row_group_size=group)


def _least(*functions: Callable[[], Any]) -> list[float]:
    """The least CPU time of each function, run in turns, all giving the same."""
    least = [float("inf")] * len(functions)
    for _ in range(REPEATS):
        results = []
        for i, function in enumerate(functions):
            start = time.process_time()
            results.append(function())
            least[i] = min(least[i], time.process_time() - start)
        assert all(result == results[0] for result in results)
    return least


def _row(what: str, ours: float, reference: float, goal: str) -> dict[str, Any]:
    return {
        "what": what,
        "ours": f"{ours:.3f} s",
        "reference": f"{reference:.3f} s",
        "ratio": round(reference / ours, 1),
        "goal": goal,
    }


def _wide_against_nested(url: str, nested: str) -> dict[str, Any]:
    connection = duckdb.connect()
    wide_sql = f"SELECT count(*) FROM '{url}/layouts/*.parquet' WHERE c5r6 = 0"
    nested_sql = f"SELECT count(*) FROM '{nested}' WHERE cards[{PLACES.index('c5r6') + 1}] = 0"
    ours, reference = _least(
        lambda: connection.execute(wide_sql).fetchall(), lambda: connection.execute(nested_sql).fetchall()
    )
    return _row("filter on one place, wide columns against one list column", ours, reference, "10 or more")


def _cards_against_lists(url: str, nested: str, what: str, sql: str) -> dict[str, Any]:
    catalog, connection = open_catalog(url), duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    ours, reference = _least(
        lambda: list(catalog.query(sql.format("cards")).rows),
        lambda: connection.execute(sql.format(NESTED.format(nested))).fetchall(),
    )
    return _row(f"view cards against lists unrolled: {what}", ours, reference, "")


def _start_of_the_command(url: str) -> dict[str, Any]:
    least = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        sql = "SELECT ace_depth_sum FROM stats WHERE game_number = 617"
        subprocess.run([sys.executable, "-m", "pipeline", "query", url, sql], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return {
        "what": "dealbook query, one game's statistic, whole process",
        "ours": f"{least:.2f} s",
        "reference": "",
        "ratio": "",
        "goal": "about 0.5 s",
    }
