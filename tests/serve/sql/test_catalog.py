"""Views and macros say what the tables and the Python names say, and the engine reaches nothing but the dataset."""

import os
import resource
import threading
from collections import defaultdict
from pathlib import Path

import duckdb
import fsspec
import pyarrow as pa
import pytest

from pipeline.cards.codes import CARD_NAMES, card_name, is_red, rank_of, suit_of
from pipeline.cards.errors import Failed, InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.registry import TABLES
from pipeline.run.config import Config
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.store import RecordedFile, Store
from pipeline.run.jobs.build import build
from pipeline.serve.sql.catalog import Catalog, catalog_sql, open_catalog
from pipeline.serve.sql.views import declared_views
from pipeline.tables.split import split_of
from tests.serve.small_datasets import build_small


@pytest.fixture(scope="module")
def catalog(small_dataset: Path) -> Catalog:
    return open_catalog(str(small_dataset))


def rows(catalog: Catalog, sql: str) -> list[tuple]:
    return list(catalog.query(sql).rows)


def test_macros_agree_with_the_card_codes(catalog):
    found = rows(
        catalog,
        "SELECT c, card_name(c), card_code(card_name(c)), rank_of(c), suit_of(c), is_red(c) FROM range(52) r(c) ORDER BY c",
    )
    assert found == [(c, card_name(c), c, rank_of(c), suit_of(c), is_red(c)) for c in range(52)]
    assert rows(catalog, "SELECT card_code('as'), card_code('1S'), card_code('ASX'), card_name(52), card_name(-1)") == [
        (3, None, None, None, None)
    ]


@pytest.mark.parametrize("game", [1, 617, 2000])
def test_cards_are_the_cards_as_dealt(catalog, game):
    layout = deal(game)[0]
    expected = sorted(
        (int(card), rank_of(int(card)), suit_of(int(card)), "red" if is_red(int(card)) else "black",
         k % 8 + 1, k // 8 + 1, (51 - k) // 8, split_of(game))
        for k, card in enumerate(layout)
    )  # fmt: skip
    sql = f'SELECT card, rank, suit, colour, "column", "row", depth, split FROM cards WHERE game_number = {game} ORDER BY card'
    assert rows(catalog, sql) == expected


def test_columns_as_text(catalog):
    # The first game as Rosetta Code prints it, column by column.
    assert rows(catalog, "SELECT column_1, column_8 FROM columns_text WHERE game_number = 1") == [
        ("JD KD 2S 4C 3S 6D 6S", "5H 3H 3C 7S 7D TC")
    ]
    (text,) = rows(catalog, "SELECT * FROM columns_text WHERE game_number = 617")
    assert sorted(" ".join(text[1:9]).split()) == sorted(CARD_NAMES)


def test_arithmetic_never_wraps_and_never_overflows(catalog):
    wide = "c1r1*c2r1*c3r1*c4r1*c5r1*c6r1*c7r1*c8r1"
    sql = f"SELECT min(c1r1 - c2r1), sum(c1r1), max({wide}), sum(game_number * game_number) FROM layouts"
    numbers = range(1, 2001)
    layouts = [[int(card) for card in deal(n)[0]] for n in numbers]
    products = [a * b * c * d * e * f * g * h for a, b, c, d, e, f, g, h in (layout[:8] for layout in layouts)]
    assert rows(catalog, sql) == [
        (
            min(layout[0] - layout[1] for layout in layouts),
            sum(layout[0] for layout in layouts),
            max(products),
            sum(n * n for n in numbers),
        )
    ]
    assert rows(catalog, "SELECT min(kings_at_base - inversions) < 0, sum(inversions * 1000000) > 0 FROM stats") == [
        (True, True)
    ]


def test_games_join_layout_statistics_and_verdict(catalog):
    sql = "SELECT c1r1, ace_depth_sum, status, move_count, split FROM games WHERE game_number IN (1, 10, 15) ORDER BY game_number"
    assert [row[2:4] for row in rows(catalog, sql)] == [("solved", 22), ("impossible", None), ("unresolved", None)]
    assert rows(catalog, "SELECT count(*), count(DISTINCT game_number) FROM games") == [(2000, 2000)]


def test_best_solutions_pick_the_shortest_of_each_rule_set(catalog):
    sql = (
        "SELECT freecells, automove, status, move_count, source FROM best_solutions WHERE game_number = {} ORDER BY ALL"
    )
    assert rows(catalog, sql.format(1)) == [
        (2, "horne", "solved", 24, "two"),
        (4, "horne", "solved", 22, "s"),  # not the longer one beside it
        (4, "wkr", "solved", 22, "w"),
    ]
    assert {row[2] for row in rows(catalog, sql.format(10))} == {"impossible"}
    assert rows(catalog, "SELECT count(*) FROM best_solutions") == [(6000,)]


def test_the_best_of_several_rows_is_the_one_that_tells_most():
    shown = ("move_count", "is_shortest", "lower_bound", "written_move_count", "effort", "source")
    verdicts = [("unresolved", "a"), ("impossible_under_automove", "b"), ("impossible", "c"), ("solved", "d")]
    solved = [  # from the best to the worst
        (20, False, None, 40, 5, "e"),
        (21, True, 21, 44, 4, "e"),
        (21, False, 20, 43, 4, "e"),
        (21, False, None, 42, 0, "z"),
        (21, False, None, 43, 0, "a"),
        (21, False, None, 43, 0, "e"),
        (21, False, None, 43, 2, "d"),
    ]
    made = [
        {"game_number": game, "freecells": 4, "automove": "max", "status": status, "source": source}
        for game in range(4)
        for status, source in verdicts[: game + 1]
    ]
    made += [
        {"game_number": 10 + worst, "freecells": 4, "automove": "max", "status": "solved"}
        | dict(zip(shown, row, strict=True))
        for worst in range(len(solved))
        for row in reversed(solved[worst:])
    ]
    schema = TABLES["solutions"].arrow_schema()
    solutions = pa.Table.from_pylist([dict.fromkeys(schema.names) | row for row in made])
    views = {view.name: view.query for view in declared_views(["layouts", "stats", "solutions"], defaultdict(str))}
    with duckdb.connect() as plain:
        plain.register("solutions", solutions)
        best = plain.sql(f"SELECT game_number, status, {', '.join(shown)} FROM ({views['best_solutions']}) ORDER BY 1")
        found = best.fetchall()
        plain.sql("CREATE TABLE layouts AS SELECT game_number, 'train' AS split FROM range(4) r(game_number)")
        plain.sql("CREATE TABLE stats AS FROM range(4) r(game_number)")
        joined = f"FROM layouts l JOIN stats s USING (game_number) LEFT JOIN {views['games'].partition('LEFT JOIN')[2]}"
        games = plain.sql(f"SELECT game_number, v.status {joined} ORDER BY 1").fetchall()
    assert [row[1] for row in found[:4]] == [status for status, _ in verdicts]
    assert [row[2:] for row in found[4:]] == solved
    assert games == list(enumerate(status for status, _ in verdicts))


def test_every_view_and_column_is_commented(catalog):
    assert rows(catalog, "SELECT view_name FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''") == []
    lacking = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''"
    assert rows(catalog, lacking) == []
    (text,) = rows(
        catalog, "SELECT comment FROM duckdb_columns() WHERE table_name = 'stats' AND column_name = 'inversions'"
    )
    assert text[0].startswith(next(c.description for c in TABLES["stats"].columns if c.name == "inversions"))


def test_catalog_sql_makes_the_same_views_in_a_plain_session(catalog, small_dataset, monkeypatch):
    monkeypatch.chdir(small_dataset)
    with duckdb.connect() as plain:
        text = catalog_sql(read_manifest(Store(str(small_dataset))))
        plain.execute(text)
        plain.execute(text)  # and again, in a session that has them
        for view in catalog.views.values():
            sql = f"SELECT * FROM {view.name} WHERE game_number < 30 ORDER BY ALL"
            assert plain.execute(sql).fetchall() == rows(catalog, sql)
            assert [c[0] for c in plain.description] == list(view.columns)
        assert plain.execute("SELECT comment FROM duckdb_views() WHERE view_name = 'cards'").fetchone()[0]


ATTACKS = [
    "SELECT * FROM read_text('{outside}')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '{part}'",
    "SELECT * FROM glob('/etc/*')",
    "COPY (SELECT 1) TO '{new}'",
    "COPY (SELECT 1 AS a) TO '{part}' (FORMAT parquet, USE_TMP_FILE false)",
    "COPY (SELECT 1 AS a) TO 'dealbook://{name}' (FORMAT parquet, USE_TMP_FILE false)",
    "WITH a AS (COPY (SELECT 1) TO 'dealbook://{name}' (FORMAT parquet, USE_TMP_FILE false)) SELECT 1",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{new}'",
    "FROM query('WITH a AS (COPY (SELECT 1) TO ''{new}'') SELECT 1')",
    "ATTACH '{new}'",
    "ATTACH 'dealbook://new.db'",
    "EXPORT DATABASE '{new}'",
    "EXPORT DATABASE 'dealbook://new'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT * FROM 'https://127.0.0.1:9/a.parquet'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET allowed_directories = ['/']",
    "CREATE PERSISTENT SECRET s (TYPE s3)",
    "SELECT * FROM catalog",  # a variable of the Python code around the engine
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_queries_reach_nothing_but_the_dataset(small_dataset, tmp_path, attack):
    part = next(small_dataset.glob("stats/*.parquet"))
    outside, new = tmp_path / "secret.txt", tmp_path / "new"
    outside.write_text("secret")
    before = {path: path.read_bytes() for path in small_dataset.rglob("*") if path.is_file()}
    name = part.relative_to(small_dataset)
    with pytest.raises((InputError, Failed)) as raised:
        rows(open_catalog(str(small_dataset)), attack.format(outside=outside, part=part, new=new, name=name))
    assert "Traceback" not in str(raised.value)
    assert {path: path.read_bytes() for path in small_dataset.rglob("*") if path.is_file()} == before
    assert not new.exists()


def test_a_name_that_leads_out_of_the_dataset_finds_nothing(catalog, small_dataset):
    (small_dataset.parent / "secret.txt").write_text("secret")
    assert rows(catalog, "SELECT content FROM read_text('dealbook://../secret.txt')") == []
    assert rows(catalog, "SELECT * FROM glob('dealbook://../*')") == []


def test_unsafe_lets_a_query_write_a_file(small_dataset, tmp_path):
    target = tmp_path / "aces.parquet"
    catalog = open_catalog(str(small_dataset), unsafe=True)
    rows(catalog, f"COPY (SELECT game_number, ace_depth_sum FROM stats) TO '{target}'")
    assert rows(catalog, f"SELECT count(*) FROM '{target}'") == [(2000,)]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELEC 1", ["syntax error"]),
        ("SELECT dpeth_as FROM stats", ["dpeth_as", '"depth_as"']),
        ("SELECT * FROM sttas", ["sttas", 'Did you mean "stats"']),
        ("SELECT * FROM card", ["card", 'Did you mean "cards"']),  # a view that is made only when it is needed
        ("SELECT card_nam(1)", ["card_nam", "card_name"]),
        ("SELECT * FROM positions", ["no positions yet", "dealbook positions"]),
        ("SELECT CAST('x' AS INT)", ["Could not convert"]),
        ("COPY (SELECT 1) TO '/x.csv'", ["--unsafe"]),
    ],
)
def test_errors_are_the_engines_own_words(catalog, sql, words):
    with pytest.raises(InputError) as raised:
        rows(catalog, sql)
    assert all(word in str(raised.value) for word in words)


def test_a_missing_file_is_named(tmp_path):
    build_small(str(tmp_path / "d"), last=10)
    (tmp_path / "d/stats/part-0000000006-0000000010.parquet").unlink()
    with pytest.raises(Failed, match=r"stats/part-0000000006-0000000010\.parquet"):
        rows(open_catalog(str(tmp_path / "d")), "SELECT sum(inversions) FROM stats")


def test_columns_of_one_name_stay_apart(catalog):
    answer = catalog.query("SELECT 1 AS a, 2 AS a, 1.5 AS b, CAST(3 AS DECIMAL(9, 2)) AS c")
    assert answer.names == ["a", "a_1", "b", "c"]
    assert list(answer.rows) == [(1, 2, 1.5, 3)]


def test_a_remote_dataset_answers_alike(catalog, small_dataset):
    memory = fsspec.filesystem("memory")
    memory.put(str(small_dataset), "/remote/small", recursive=True)
    try:
        sql = 'SELECT "row", count(*), sum(card) FROM cards WHERE rank < 3 GROUP BY 1 ORDER BY 1'
        assert rows(open_catalog("memory://remote/small"), sql) == rows(catalog, sql)
    finally:
        memory.rm("/remote", recursive=True)


def test_threads_do_not_move_each_others_place_in_a_file(tmp_path):
    data = bytes(i % 251 for i in range(100_000))
    (tmp_path / "f").write_bytes(data)
    file = RecordedFile(Store(str(tmp_path)), "f", len(data))
    wrong, together = [], threading.Barrier(4)

    def read(first: int) -> None:
        for start in range(first, 90_000, 997):
            file.seek(start)
            if start == first:
                together.wait(30)  # all threads have moved before one reads
            if file.read(64) != data[start : start + 64]:
                wrong.append(start)

    threads = [threading.Thread(target=read, args=(first,)) for first in (1, 5, 11, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert (file.seek(-3, os.SEEK_END), file.read(), file.read()) == (len(data) - 3, data[-3:], b"")
    file.close()


def test_a_query_over_many_parts_needs_few_open_files(tmp_path):
    """Each part is a file, and a process may have 1024 open or fewer."""
    build(Config(first=1, last=400, part_size=2, out=str(tmp_path / "d"), jobs=1))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(100 + sum(1 for _ in Path("/proc/self/fd").iterdir()), soft), hard))
    try:
        assert rows(open_catalog(str(tmp_path / "d")), "SELECT count(*), sum(card) FROM cards") == [
            (400 * 52, 400 * 51 * 26)
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_klondike_has_the_same_views(tmp_path):
    url = str(tmp_path / "klondike")
    build(Config(game="klondike", first=0, last=19, out=url, jobs=1))
    catalog = open_catalog(url)
    sql = 'SELECT card, "column", "row", depth, stock FROM cards WHERE game_number = 7 ORDER BY ALL'
    layout = [int(card) for card in deal_klondike(7)[0]]
    places = [(column, row, column - row, None) for row in range(1, 8) for column in range(row, 8)]
    table = TABLES["klondike"].arrow_schema().names[1:53]
    named = {name: k for k, name in enumerate(table)}
    expected = [(layout[named[f"c{c}r{r}"]], c, r, depth, None) for c, r, depth, _ in places]
    expected += [(layout[named[f"s{k:02}"]], None, None, None, k) for k in range(1, 25)]
    assert rows(catalog, sql) == sorted(expected)
    assert rows(catalog, "SELECT count(*), count(status), count(c7r7) FROM games") == [(20, 0, 20)]
    (text,) = rows(catalog, "SELECT column_1, column_7, stock FROM columns_text WHERE game_number = 7")
    assert [len(part.split()) for part in text] == [1, 7, 24]
    assert (
        rows(catalog, "SELECT column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''")
        == []
    )
