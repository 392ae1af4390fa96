"""Builds: the same bytes whatever the jobs and the interruptions, and refusals in one line."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem

from pipeline.cards.errors import ConfigError, Failed
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.tables.layouts import layout_matrix
from pipeline.games.freecell.tables.schema import LAYOUTS, STATISTICS
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.plan import Plan
from pipeline.run.dataset.store import Store
from pipeline.run.jobs.build import build


def make(out, **options):
    return build(load_config(None, **{"last": 1000, "part_size": 300, "out": str(out), "jobs": 1, **options}))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "ds"
    make(folder)
    return folder


def test_layouts_and_stats_hold_the_range(dataset):
    layouts, stats = pq.read_table(dataset / "layouts"), pq.read_table(dataset / "stats")
    assert layouts["game_number"].to_pylist() == stats["game_number"].to_pylist() == list(range(1, 1001))
    assert (layout_matrix(layouts) == deal(range(1, 1001))).all()


@pytest.mark.parametrize(("folder", "table"), [("layouts", LAYOUTS), ("stats", STATISTICS)])
def test_files_carry_the_schema(dataset, folder, table):
    schema = pq.read_schema(next((dataset / folder).iterdir()))
    assert schema.equals(table.arrow_schema(), check_metadata=True)
    assert not any(field.nullable for field in schema)
    assert all(field.metadata[b"description"] for field in schema)


@pytest.mark.parametrize("jobs", [2, 3])
def test_jobs_do_not_change_a_byte(dataset, tmp_path, jobs):
    make(tmp_path / "ds", jobs=jobs)
    assert contents(tmp_path / "ds") == contents(dataset)


def test_part_size_does_not_change_a_row(dataset, tmp_path):
    make(tmp_path / "ds", part_size=77, jobs=2)
    for table in ("layouts", "stats"):
        assert pq.read_table(tmp_path / "ds" / table).equals(pq.read_table(dataset / table))


def test_a_rerun_keeps_what_is_there(dataset, tmp_path):
    shutil.copytree(dataset, tmp_path / "ds")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "ds").rglob("part-*")}
    assert make(tmp_path / "ds").written == 0
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "ds").rglob("part-*")}


def test_a_rerun_writes_what_is_gone_or_cut(dataset, tmp_path):
    folder = tmp_path / "ds"
    shutil.copytree(dataset, folder)
    first, second, *_ = sorted((folder / "layouts").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes()[:100])
    (folder / "stats" / ".part-0000000001-0000000300.parquet.123.tmp").write_bytes(b"half")
    assert make(folder).written == 2
    assert contents(folder) == contents(dataset)


def test_tables_can_come_one_after_the_other(dataset, tmp_path):
    make(tmp_path / "ds", tables=["stats"])
    assert not (tmp_path / "ds" / "layouts").exists()
    make(tmp_path / "ds", tables=["layouts"])
    assert contents(tmp_path / "ds") == contents(dataset)


@pytest.mark.parametrize("change", [{"last": 999}, {"first": 0}, {"part_size": 100}, {"game": "klondike"}])
def test_a_changed_plan_is_refused(dataset, change):
    before = contents(dataset)
    with pytest.raises(ConfigError, match=r"choose another --out, or remove this folder"):
        make(dataset, **change)
    assert contents(dataset) == before


def test_a_second_builder_is_refused(dataset):
    store = Store(str(dataset))
    with store.locked(), pytest.raises(Failed, match="another dealbook is writing"):
        make(dataset)


def test_the_manifest_says_what_is_there(dataset):
    manifest = json.loads((dataset / "manifest.json").read_text())
    assert manifest["plan"] == {"first": 1, "last": 1000, "part_size": 300}
    assert len(manifest["files"]) == 8
    for name, record in manifest["files"].items():
        data = (dataset / name).read_bytes()
        assert record["sha256"] == hashlib.sha256(data).hexdigest() and record["bytes"] == len(data)
    record = manifest["files"]["layouts/part-0000000901-0000001000.parquet"]
    assert record["cards_sha256"] == hashlib.sha256(deal(range(901, 1001)).tobytes()).hexdigest()


def test_an_empty_dataset_can_be_planned(tmp_path):
    with Dataset(str(tmp_path)).begin("freecell", Plan(1, 10, 5), "layouts"):
        pass
    dataset = Dataset(str(tmp_path))
    assert dataset.manifest.files == {} and len(dataset.plan) == 2


def test_the_last_numbers_are_dealt(tmp_path):
    make(tmp_path / "ds", first=2**33 - 5, last=2**33 - 1, part_size=3)
    layouts = pq.read_table(tmp_path / "ds" / "layouts")
    assert (layout_matrix(layouts) == deal(range(2**33 - 5, 2**33))).all()


class CountingFile(LocalFileSystem):
    """The local disk, counting the bytes that are read."""

    protocol = "counted"
    read_bytes = 0

    def _open(self, path, mode="rb", **kwargs):
        file = super()._open(path, mode, **kwargs)
        read = file.read

        class Counted:
            def read(self, *args):
                data = read(*args)
                CountingFile.read_bytes += len(data)
                return data

            def __getattr__(self, name):
                return getattr(file, name)

        return Counted()


def test_a_point_query_reads_little_of_a_million(tmp_path):
    make(tmp_path / "ds", last=1_000_000, part_size=100_000, tables=["layouts"], jobs=2)
    files = sorted(map(str, (tmp_path / "ds" / "layouts").iterdir()))
    size = sum(Path(file).stat().st_size for file in files)
    assert size <= 40 * 1_000_000
    connection = duckdb.connect()
    connection.register_filesystem(CountingFile())
    CountingFile.read_bytes = 0
    names = ", ".join(f"'counted://{file}'" for file in files)
    rows = connection.sql(f"SELECT * FROM read_parquet([{names}]) WHERE game_number = 617").fetchall()
    assert list(rows[0][1:]) == deal(617)[0].tolist()
    assert 0 < CountingFile.read_bytes <= 0.04 * size


def test_ten_times_the_games_take_no_more_memory(tmp_path):
    """Peak memory of whole builds in processes of their own, scaled down: 10 parts against 100."""
    peaks = []
    for games in (100_000, 1_000_000):
        code = (
            "import resource\n"
            "from pipeline.run.jobs.build import build\n"
            "from pipeline.run.config import load_config\n"
            f"build(load_config(None, last={games}, part_size=10_000, out={str(tmp_path / str(games))!r}, jobs=2))\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(run.stdout))
    assert peaks[1] <= 1.2 * peaks[0]
