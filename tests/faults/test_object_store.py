"""Datasets in an object store: moto's server on loopback, the real client, and everything that goes wrong on the way."""

import subprocess
import sys

import pytest

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.config import Config
from pipeline.run.dataset import lock
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import MANIFEST, Manifest, PlanRecord, read_manifest
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.merge import merge
from pipeline.serve.sql.catalog import open_catalog
from tests.faults import staged_job
from tests.faults.dask_cluster import Cluster, wait_for


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "dataset"
    build(config(str(out)))
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


def config(out: str, **values) -> Config:
    return Config(**{"first": 1, "last": 240, "part_size": 60, "out": out, "jobs": 2, **values})


def contents(url: str) -> dict[str, bytes]:
    store = Store(url)
    return {name: store.read(name) for name in store.files()}


def test_same_bytes_as_on_disk(s3, local):
    summary = build(config(s3.url()))
    assert summary.written == 4
    assert contents(s3.url()) == local
    assert build(config(s3.url())).kept == 4
    assert check(Dataset(s3.url())).findings == []


@pytest.mark.parametrize("how", ["500", "503", "silent", "cut", "answer lost"])
def test_a_part_survives_a_fault(s3, local, how):
    fault = s3.fail(how, fragment="layouts/part-")
    build(config(s3.url()))
    assert fault.met == 1
    assert contents(s3.url()) == local


@pytest.mark.parametrize("how", ["500", "cut", "answer lost"])
def test_the_manifest_survives_a_fault(s3, local, how):
    faults = [s3.fail(how, fragment=MANIFEST), s3.fail(how, fragment=lock.HIDDEN)]
    build(config(s3.url()))
    assert [fault.met for fault in faults] == [1, 1]
    assert contents(s3.url()) == local


def test_reading_survives_a_fault(s3):
    build(config(s3.url()))
    faults = [s3.fail("cut", "GET", "part-"), s3.fail("500", "GET", MANIFEST), s3.fail("503", "HEAD", MANIFEST)]
    assert check(Dataset(s3.url())).findings == []
    assert [fault.met for fault in faults] == [1, 1, 1]


def test_a_store_that_stays_broken_is_one_line_and_a_rerun_completes(s3, local):
    fault = s3.fail("403", fragment="part-0000000121", times=1000)
    with pytest.raises(Failed, match=r"^s3://bucket-\w+/dataset: injected$"):
        build(config(s3.url(), jobs=1))
    recorded = read_manifest(Store(s3.url())).files
    assert len(recorded) == 4  # two parts of two tables, each there and right
    assert all(contents(s3.url())[name] == local[name] for name in recorded)
    fault.times = 0
    assert build(config(s3.url())).kept == 2
    assert contents(s3.url()) == local


def test_no_bucket_is_one_line(s3):
    with pytest.raises(Failed, match="bucket does not exist"):
        build(config("s3://no-such-bucket-here/dataset"))
    with pytest.raises(ConfigError, match="no dataset"):
        read_manifest(Store("s3://no-such-bucket-here/dataset"))


def test_a_store_without_conditional_puts_is_refused():
    with pytest.raises(ConfigError, match="local folder or to s3"):
        build(config("memory://dataset"))


def test_second_builder_is_refused_while_the_first_lives(s3, monkeypatch):
    monkeypatch.setattr(lock, "SECONDS_BETWEEN_BEATS", 0.2)
    build(config(s3.url()))
    with (
        Store(s3.url()).locked(),
        pytest.raises(Failed, match=r"another dealbook \(.+, process \d+\) is writing this dataset"),
    ):
        build(config(s3.url()))
    assert build(config(s3.url())).kept == 4
    assert lock.HIDDEN not in s3.files.ls(f"{s3.bucket}/dataset")


def test_the_lease_of_a_killed_builder_is_taken_over(s3, monkeypatch, local):
    monkeypatch.setattr(lock, "SECONDS_BETWEEN_BEATS", 0.1)
    monkeypatch.setattr(lock, "SECONDS_TO_TAKE_OVER", 0.5)
    s3.files.pipe_file(f"{s3.bucket}/dataset/{lock.HIDDEN}", b"another-host, process 1\n")
    assert build(config(s3.url())).written == 4
    assert contents(s3.url()) == local


def test_a_builder_that_was_overtaken_saves_nothing(s3):
    build(config(s3.url()))
    store = Store(s3.url())
    sleeper, other = read_manifest(store), read_manifest(store)
    other.files.popitem()
    other.save(store)
    other.save(store)
    with pytest.raises(Failed, match="another dealbook is writing this dataset"):
        sleeper.save(store)
    assert read_manifest(store).files == other.files


def test_two_manifests_begun_at_once_are_one(s3):
    store, wanted = Store(s3.url()), config(s3.url())
    first, second = (
        Manifest(game="freecell", plan=PlanRecord(first=1, last=wanted.last, part_size=wanted.part_size))
        for _ in range(2)
    )
    first.tables["layouts"] = "0"
    first.save(store)
    with pytest.raises(Failed, match="another dealbook is writing"):
        second.save(store)


def command(*words) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "pipeline", *map(str, words)], capture_output=True, text=True)


def test_commands_read_from_there(s3, tmp_path):
    build(config(s3.url()))
    build(config(str(tmp_path / "local")))
    checked = command("check", s3.url(), "--sample", 2)
    assert (checked.returncode, checked.stdout) == (0, "")
    assert checked.stderr.endswith("4 of 8 files, 240 rows, all as recorded and as made anew\n")
    sql = "SELECT sum(game_number) AS games, sum(depth_ac) AS depth FROM stats JOIN layouts USING (game_number) WHERE c1r1 < 26"
    there, here = (command("query", url, sql, "--format", "json") for url in (s3.url(), tmp_path / "local"))
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == here.stdout != ""


def test_pieces_built_apart_are_merged_there(s3, tmp_path, local):
    for place in range(1, 5):
        piece = config(str(tmp_path / str(place)) if place % 2 else s3.url(f"piece-{place}"))
        build(piece, parts=piece.plan().chosen(str(place), None))
    merge(
        s3.url(),
        [str(tmp_path / "1"), s3.url("piece-2"), str(tmp_path / "3"), s3.url("piece-4")],
        engine=Engine(jobs=2),
    )
    assert contents(s3.url()) == local


def test_killed_builder(s3, tmp_path, local, monkeypatch):
    monkeypatch.setattr(lock, "SECONDS_BETWEEN_BEATS", 0.1)
    monkeypatch.setattr(lock, "SECONDS_TO_TAKE_OVER", 1)
    process = subprocess.Popen([sys.executable, staged_job.__file__, s3.url(), str(tmp_path), "240", "60"])
    wait_for(lambda: len(staged_job.begun(tmp_path)) == 2 and lock.HIDDEN in str(s3.requests))
    process.kill()
    process.wait()
    assert build(config(s3.url())).written == 4
    assert contents(s3.url()) == local


def test_dask_workers_write_there(s3, tmp_path, local):
    with Cluster(tmp_path, workers=1, nanny=False) as cluster:
        build(config(s3.url(), engine="dask", scheduler=cluster.address))
    assert contents(s3.url()) == local


def test_a_query_that_cannot_read_is_one_line(s3):
    build(config(s3.url()))
    catalog = open_catalog(s3.url())
    s3.fail("403", "GET", "part-", times=1000)
    with pytest.raises(Failed, match=r"^s3://bucket-\w+/dataset: .*injected$"):
        list(catalog.query("SELECT sum(game_number) FROM stats").rows)
