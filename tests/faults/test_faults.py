"""Faults of one machine: what was reported done is there and right, and a rerun completes with the same bytes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

import pipeline
from pipeline.cards.errors import Failed
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.store import Store
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from tests.faults import staged_job
from tests.faults.dask_cluster import wait_for
from tests.faults.staged_job import begun

LAST, PART_SIZE = 4000, 50
LAYOUTS = "layouts/part-0000000001-0000000050.parquet"
OTHER_LAYOUTS = "layouts/part-0000000051-0000000100.parquet"


def config(out, **values) -> Config:
    return Config(**{"last": LAST, "part_size": PART_SIZE, "out": str(out), "jobs": 2, **values})


def command(*words) -> list[str]:
    return [sys.executable, "-m", "pipeline", *map(str, words)]


def build_command(out) -> list[str]:
    return command("build", "--last", LAST, "--part-size", PART_SIZE, "--jobs", 2, "--out", out)


def contents(out) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in Path(out).rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("faults") / "dataset"
    build(config(out))
    return out


@pytest.fixture(scope="module")
def expected(whole):
    return contents(whole)


@pytest.fixture
def dataset(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "dataset")


@pytest.mark.parametrize("milliseconds", [0, 5, 50])
def test_interrupted_twice(tmp_path, expected, milliseconds):
    out = tmp_path / "dataset"
    process = subprocess.Popen(build_command(out), stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list(out.glob("stats/part-*")))
    process.send_signal(signal.SIGINT)
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    assert "Traceback" not in messages
    recorded = read_manifest(Store(str(out))).files
    assert all((out / name).read_bytes() == expected[name] for name in recorded)
    build(config(out))
    assert contents(out) == expected


def without_privileges() -> list[str]:
    """What makes even root obey the permissions of files."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root needs setpriv to obey permissions")
    return ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]


def test_read_only_output(dataset, expected, tmp_path):
    (dataset / LAYOUTS).unlink()
    folders = [dataset, dataset / "layouts"]
    for folder in folders:
        folder.chmod(0o555)
    try:
        told = subprocess.run([*without_privileges(), *build_command(dataset)], capture_output=True, text=True)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert told.returncode == 1
    assert told.stderr.startswith("dealbook: ") and told.stderr.endswith(": Permission denied\n")
    assert told.stderr.count("\n") == 1
    assert build(config(dataset)).written == 1
    assert contents(dataset) == expected


def truncate(dataset):
    os.truncate(dataset / LAYOUTS, 1000)


def flip(dataset):
    data = bytearray((dataset / LAYOUTS).read_bytes())
    data[len(data) // 2] ^= 0x40
    (dataset / LAYOUTS).write_bytes(data)


def swap(dataset):
    (dataset / LAYOUTS).rename(dataset / "aside")
    (dataset / OTHER_LAYOUTS).rename(dataset / LAYOUTS)
    (dataset / "aside").rename(dataset / OTHER_LAYOUTS)


@pytest.mark.parametrize(("harm", "parts"), [(truncate, 1), (flip, 1), (swap, 2)])
def test_harmed_part(dataset, expected, harm, parts):
    harm(dataset)
    assert {finding.file for finding in check(Dataset(str(dataset))).findings} == {LAYOUTS, OTHER_LAYOUTS} - (
        {OTHER_LAYOUTS} if parts == 1 else set()
    )
    assert build(config(dataset)).written == parts
    assert contents(dataset) == expected


def test_manifest_cut_in_half(dataset, expected):
    manifest = dataset / "manifest.json"
    os.truncate(manifest, manifest.stat().st_size // 2)
    for words in (build_command(dataset), command("check", dataset)):
        told = subprocess.run(words, capture_output=True, text=True)
        assert (told.returncode, told.stdout, told.stderr.count("\n")) == (1, "", 1)
        assert "damaged" in told.stderr and "remove it and run the same commands again" in told.stderr
    manifest.unlink()
    build(config(dataset))
    assert contents(dataset) == expected


def test_clock_going_backwards(dataset, expected, monkeypatch):
    (dataset / LAYOUTS).unlink()
    for file in dataset.rglob("*"):
        os.utime(file, (4e9, 4e9))  # written in 2096
    ticks = count()
    monkeypatch.setattr(time, "time", lambda: 1e9 - 86_400 * next(ticks))
    monkeypatch.setattr(time, "time_ns", lambda: 10**18 - 86_400 * 10**9 * next(ticks))
    assert build(config(dataset)).written == 1
    assert check(Dataset(str(dataset))).findings == []
    assert contents(dataset) == expected


def test_two_builders_at_once(tmp_path, expected):
    out, stage = tmp_path / "dataset", tmp_path / "stage"
    stage.mkdir()
    first = subprocess.Popen([sys.executable, staged_job.__file__, str(out), str(stage), str(LAST), str(PART_SIZE)])
    try:
        wait_for(lambda: begun(stage))
        with pytest.raises(Failed, match="another dealbook is writing this dataset; wait for it to end"):
            build(config(out))
    finally:
        (stage / "go").touch()
        assert first.wait(timeout=60) == 0
    assert contents(out) == expected


def test_a_lock_on_a_file_where_folders_cannot_be_locked(tmp_path, monkeypatch):
    import errno
    import fcntl

    def flock(handle, operation, real=fcntl.flock):
        if Path(f"/proc/self/fd/{handle}").resolve().is_dir():
            raise OSError(errno.EBADF, "as NFS says")
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    out = tmp_path / "dataset"
    with Store(str(out)).locked(), pytest.raises(Failed, match="another dealbook is writing"):
        build(config(out))
    build(config(out))
    assert check(Dataset(str(out))).findings == []


@pytest.mark.parametrize("home", [None, pytest.param("/proc/nowhere", marks=pytest.mark.slow)])
def test_no_home_and_a_read_only_install(tmp_path, expected, home):
    site = tmp_path / "site"
    ours = Path(pipeline.__file__).parent
    shutil.copytree(ours, site / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    entries = [site, *site.rglob("*")]
    for entry in entries:
        entry.chmod(0o555 if entry.is_dir() else 0o444)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
    if home is not None:
        environment |= {"HOME": home, "XDG_CACHE_HOME": f"{home}/.cache"}
    try:
        told = subprocess.run(
            [*without_privileges(), *build_command(tmp_path / "dataset")],
            capture_output=True, text=True, env=environment, cwd=tmp_path,
        )  # fmt: skip
    finally:
        for entry in entries:
            entry.chmod(0o755)
    assert (told.returncode, told.stderr) == (0, f"{tmp_path / 'dataset'}: 4,000 games, 80 parts written\n")
    assert contents(tmp_path / "dataset") == expected
    assert not list(site.rglob("__pycache__"))


def test_closed_standard_streams(tmp_path, expected):
    out = tmp_path / "dataset"
    words = " ".join(build_command(out))
    told = subprocess.run(["sh", "-c", f"{words} <&- >&- 2>&-"], capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    assert contents(out) == expected


def test_standard_output_a_closed_pipe(dataset):
    flip(dataset)
    reader, writer = os.pipe()
    os.close(reader)
    told = subprocess.run(
        command("check", dataset, "--format", "json"), stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert told.returncode == 1
    assert "Traceback" not in told.stderr and "Exception" not in told.stderr
