"""Changes of a whole dataset: a larger range, a table less, a table whose schema changed."""

import json
import subprocess
import sys

import pytest

from pipeline.cards.errors import ConfigError
from pipeline.run.config import Config
from pipeline.run.dataset import changes
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import MANIFEST, _sealed, read_manifest
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving
from pipeline.serve.sql.catalog import open_catalog

ONE = Engine(jobs=1)
SOLVE = SolveJob(4, 100_000)


def built(folder, first=1, last=50, part_size=20) -> Dataset:
    build(Config(first=first, last=last, part_size=part_size, out=str(folder), jobs=1))
    return Dataset(str(folder))


def solved(folder, **plan) -> Dataset:
    dataset = built(folder, **plan)
    run_solving(dataset, SOLVE, engine=ONE)
    add_positions(dataset, "horne4-effort0", engine=ONE)
    return dataset


def bytes_of(folder) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.parquet"))}


def imported(dataset, tmp_path) -> Dataset:
    """A dataset with its own solutions of games 3 and 45, as another's."""
    rows = {r["game_number"]: r["moves"] for n in dataset.files("solutions") for r in dataset.read(n).to_pylist()}
    text = "".join(f"#{game}\n{rows[game]}\n\n" for game in (3, 45))
    (tmp_path / "friend.txt").write_text(text)
    done = import_solutions(dataset, [str(tmp_path / "friend.txt")], engine=ONE)
    assert (done.solutions, done.rejected) == (2, [])
    add_positions(dataset, "import-friend", engine=ONE)
    return dataset


@pytest.mark.parametrize("plan", [{"last": 60}, {"last": 70}, {"last": 100}])
def test_an_extended_dataset_is_the_one_built_at_once(tmp_path, plan):
    solved(tmp_path / "grown")
    solved(tmp_path / "grown", **plan)
    solved(tmp_path / "whole", **plan)
    assert bytes_of(tmp_path / "grown") == bytes_of(tmp_path / "whole")
    assert (tmp_path / "grown" / MANIFEST).read_bytes() == (tmp_path / "whole" / MANIFEST).read_bytes()
    assert check(Dataset(str(tmp_path / "grown"))).findings == []


def test_whole_parts_are_kept_and_the_range_grows_downwards_too(tmp_path):
    dataset = built(tmp_path / "d", first=41, last=80)
    times = {p: p.stat().st_mtime_ns for p in (tmp_path / "d").rglob("*.parquet")}
    grown = Config(first=1, last=100, part_size=20, out=str(dataset), jobs=1)
    assert build(grown).written == 3
    assert {p: p.stat().st_mtime_ns for p in times} == times
    assert check(Dataset(str(dataset))).findings == []


def test_what_was_imported_stays_when_a_short_part_grows(tmp_path):
    dataset = imported(solved(tmp_path / "d"), tmp_path)
    built(tmp_path / "d", last=100)
    grown = Dataset(str(dataset))
    assert [f.part.start for f in grown.files("solutions", "import-friend").values()] == [1, 41]
    assert [f.part.stop for f in grown.files("solutions", "import-friend").values()] == [21, 61]
    assert {finding.problem.partition(":")[0] for finding in check(grown).findings} == {"unfinished"}
    solved(tmp_path / "d", last=100)
    assert check(Dataset(str(dataset))).findings == []


def test_an_extension_that_was_killed_goes_on(tmp_path, monkeypatch):
    dataset = imported(solved(tmp_path / "d"), tmp_path)
    remove = changes.Store.remove

    def dying(store, name):
        remove(store, name)
        if "part-0000000041-0000000050" in name:
            raise KeyboardInterrupt

    monkeypatch.setattr(changes.Store, "remove", dying)
    for _ in range(20):
        try:
            built(tmp_path / "d", last=100)
        except KeyboardInterrupt:
            continue
        break
    else:
        pytest.fail("an interrupted extension never ends")
    solved(tmp_path / "d", last=100)
    assert check(Dataset(str(dataset))).findings == []
    assert len(Dataset(str(dataset)).files("solutions", "import-friend")) == 2


@pytest.mark.parametrize(
    "plan", [{"last": 40}, {"first": 0}, {"part_size": 25, "last": 100}, {"first": 10, "last": 99}]
)
def test_a_plan_that_cuts_through_parts_is_refused_and_nothing_changed(tmp_path, plan):
    built(tmp_path / "d")
    before = bytes_of(tmp_path / "d"), (tmp_path / "d" / MANIFEST).read_bytes()
    with pytest.raises(ConfigError, match=r"would cut through its parts; choose another --out"):
        built(tmp_path / "d", **plan)
    assert (bytes_of(tmp_path / "d"), (tmp_path / "d" / MANIFEST).read_bytes()) == before


def age(dataset: Dataset, table: str) -> Dataset:
    """Record another schema for a table, as an earlier dealbook would have."""
    manifest = read_manifest(dataset.store)
    manifest.tables[table] = "0" * 16
    manifest.save(dataset.store)
    return Dataset(str(dataset))


@pytest.mark.parametrize("table", ["layouts", "stats", "solutions", "positions"])
def test_a_changed_schema_strands_its_own_table_alone(tmp_path, table):
    dataset = age(solved(tmp_path / "d"), table)
    before = bytes_of(tmp_path / "d")
    (finding,) = check(dataset).findings
    assert (finding.file, finding.problem.partition(";")[0]) == (f"{table}/", "written with another schema")
    assert table not in open_catalog(str(dataset)).present
    others = {p: p.stat().st_mtime_ns for p in (tmp_path / "d").rglob("*.parquet") if p.parent.name != table}
    built(tmp_path / "d")
    run_solving(Dataset(str(dataset)), SOLVE, engine=ONE)
    add_positions(Dataset(str(dataset)), engine=ONE)
    assert bytes_of(tmp_path / "d") == before and check(Dataset(str(dataset))).findings == []
    assert {p: p.stat().st_mtime_ns for p in others} == others


def test_solutions_that_would_not_be_made_anew_are_not_lost(tmp_path):
    dataset = age(imported(solved(tmp_path / "d"), tmp_path), "solutions")
    before = bytes_of(tmp_path / "d")
    for job in (lambda: run_solving(dataset, SOLVE, engine=ONE), lambda: add_positions(dataset, "horne4-effort0")):
        with pytest.raises(ConfigError, match=rf"another schema .*`dealbook drop {dataset} solutions` removes it"):
            job()
    assert bytes_of(tmp_path / "d") == before


@pytest.mark.parametrize(
    ("change", "told"), [({"format": 9}, "manifest format 9"), ({"tables": {"puzzles": "0"}}, "tables puzzles")]
)
def test_a_later_dealbooks_dataset_is_refused_in_a_sentence(tmp_path, change, told):
    dataset = built(tmp_path / "d")
    values = {**json.loads((tmp_path / "d" / MANIFEST).read_text()), **change}
    (tmp_path / "d" / MANIFEST).write_text(json.dumps(_sealed(values)))
    with pytest.raises(ConfigError, match=rf"has {told}, which this dealbook .* does not know; use the dealbook"):
        check(Dataset(str(dataset)))


def command(*words) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "pipeline", *map(str, words)], capture_output=True, text=True)


def test_status_tells_parts_done_of_planned(tmp_path):
    dataset = imported(solved(tmp_path / "d"), tmp_path)
    built(tmp_path / "d", last=100)
    told = command("status", dataset, "--format", "json")
    rows = {(r["table"], r["variant"]): r for r in map(json.loads, told.stdout.splitlines())}
    done = {key: (row["parts"], row["planned"], row["rows"]) for key, row in rows.items()}
    assert done[("layouts", "")] == (5, 5, 100)
    assert done[("solutions", "horne4-effort0")] == (2, 5, 40)
    assert done[("solutions", "import-friend")] == (2, 2, 2)
    assert done[("positions", "horne4-effort0")][:2] == (2, 2)
    sizes = {name: len(data) for name, data in bytes_of(tmp_path / "d").items()}
    assert sum(row["bytes"] for row in rows.values()) == sum(sizes.values())
    assert {row["schema"] for row in rows.values()} == {"current"}
    assert "games 1 to 100 in parts of 20" in told.stderr and told.returncode == 0


def test_drop_removes_one_variant_and_says_what_was_made_from_it(tmp_path):
    dataset = imported(solved(tmp_path / "d"), tmp_path)
    told = command("drop", dataset, "solutions", "horne4-effort0")
    assert told.returncode == 0 and "dropped solutions horne4-effort0, 3 files" in told.stderr
    assert "positions horne4-effort0 was made from it" in told.stderr
    assert {n.split("/")[1][:6] for n in bytes_of(tmp_path / "d") if n.startswith("solutions")} == {"import"}
    command("drop", dataset, "positions")
    assert check(Dataset(str(dataset))).findings == []
    assert "positions" not in Dataset(str(dataset)).manifest.tables


def test_drop_goes_on_where_it_was_killed(tmp_path):
    dataset = solved(tmp_path / "d")
    (tmp_path / "d" / "stats" / "part-0000000001-0000000020.parquet").unlink()
    assert Dataset(str(dataset)).drop("stats").files == 3
    assert check(Dataset(str(dataset))).findings == []


def test_drop_refuses_what_is_not_there_and_names_what_is(tmp_path):
    dataset = solved(tmp_path / "d")
    wrong = command("drop", dataset, "puzzles")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "has no table 'puzzles'; it has layouts, positions, solutions, stats" in wrong.stderr
    wrong = command("drop", dataset, "solutions", "wkr4")
    assert wrong.returncode == 2 and "no variant 'wkr4'; it has horne4-effort0" in wrong.stderr
    assert command("drop", tmp_path / "absent", "stats").returncode == 2 and not (tmp_path / "absent").exists()
