"""Real builds that are killed, interrupted, or run out of disk: whole parts only, and the same bytes in the end."""

import os
import resource
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.store import Store

COMMAND = [sys.executable, "-m", "pipeline", "build", "--last", "30000", "--part-size", "1000"]


def start(out, **options):
    return subprocess.Popen([*COMMAND, "--out", str(out), "--jobs", "2"], stderr=subprocess.PIPE, text=True, **options)


def finish(folder):
    process = start(folder)
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 0, messages


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "ds"
    finish(folder)
    return contents(folder)


def wait_for_parts(process, folder, count):
    while len(list(folder.glob("stats/part-*"))) < count:
        assert process.poll() is None, "the build ended before it could be stopped"
        time.sleep(0.002)


@pytest.mark.parametrize(
    ("how", "parts"), [(signal.SIGKILL, 1), (signal.SIGKILL, 12), (signal.SIGINT, 12), (signal.SIGTERM, 1)]
)
def test_a_stopped_build_resumes_to_the_same_bytes(tmp_path, uninterrupted, how, parts):
    folder = tmp_path / "ds"
    process = start(folder)
    wait_for_parts(process, folder, parts)
    process.send_signal(how)
    _, messages = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in messages
    for file in folder.rglob("part-*.parquet"):
        assert pq.read_table(file).num_rows == 1000
    manifest = read_manifest(Store(str(folder)))
    assert all(uninterrupted[name] == (folder / name).read_bytes() for name in manifest.files)
    finish(folder)
    assert contents(folder) == uninterrupted


def test_interrupting_says_how_to_go_on(tmp_path):
    process = start(tmp_path / "ds")
    wait_for_parts(process, tmp_path / "ds", 3)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (
        130,
        "dealbook: interrupted; what is done is kept, run the same command again to go on\n",
    )


def test_a_full_disk_is_one_line_and_resumes(tmp_path, uninterrupted):
    folder = tmp_path / "ds"

    def limit_file_size():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    process = start(folder, preexec_fn=limit_file_size)
    _, messages = process.communicate(timeout=60)
    assert process.returncode == 1
    assert (
        messages.startswith(f"dealbook: {folder}/")
        and messages.endswith(": File too large\n")
        and messages.count("\n") == 1
    )
    assert not list(folder.rglob("*.tmp"))
    finish(folder)
    assert contents(folder) == uninterrupted


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_really_full_disk_is_one_line(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False, capture_output=True
    ).returncode:
        pytest.skip("tmpfs cannot be mounted here")
    try:
        process = start(disk / "ds")
        _, messages = process.communicate(timeout=60)
        assert process.returncode == 1
        assert (
            messages.startswith(f"dealbook: {disk}/")
            and messages.endswith("no space left on the disk\n")
            and messages.count("\n") == 1
        )
        assert not list(disk.rglob("*.tmp"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_an_output_that_is_no_folder_is_one_line(tmp_path):
    (tmp_path / "file").write_text("here already")
    process = start(tmp_path / "file")
    _, messages = process.communicate(timeout=60)
    assert process.returncode == 1
    assert messages.count("\n") == 1 and str(tmp_path / "file") in messages
