"""The Dask engine with real schedulers and workers over TCP: same bytes, and nothing lost when processes die."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import psutil
import pytest

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.plan import Plan
from pipeline.run.dataset.store import Store
from pipeline.run.engine import tasks as engine
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving
from tests.faults.dask_cluster import Cluster, wait_for
from tests.faults.staged_job import ElsewhereJob, StagedJob, begun, run_staged

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

PLAN = Plan(1, 480, 60)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "dataset"
    build(config(out))
    return contents(out)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster"), workers=2) as cluster:
        yield cluster


@pytest.fixture
def stage(tmp_path):
    folder = tmp_path / "stage"
    folder.mkdir()
    return folder


def config(out, **values) -> Config:
    values = {"first": PLAN.first, "last": PLAN.last, "part_size": PLAN.part_size, "jobs": 2, **values}
    return Config(out=str(out), **values)


def contents(out) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


def run(out, job, scheduler: str):
    return run_staged(str(out), job, PLAN, Engine("dask", scheduler=scheduler))


def command_of(out) -> list[str]:
    return [sys.executable, "-m", "pipeline", "build", "--last", "480", "--part-size", "60", "--out", str(out)]


def meanwhile(action) -> threading.Thread:
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    return thread


def double(number: int) -> int:
    return 2 * number


def test_command_on_a_scheduler_writes_the_same_bytes(cluster, tmp_path, expected):
    command = command_of(tmp_path / "d")
    told = subprocess.run(
        [*command, "--engine", "dask", "--scheduler", cluster.address], capture_output=True, text=True
    )
    assert (told.returncode, told.stdout) == (0, "")
    assert told.stderr == f"{tmp_path / 'd'}: 480 games, 8 parts written\n"
    assert contents(tmp_path / "d") == expected


def test_worker_killed_in_the_middle_of_a_part(cluster, tmp_path, stage, expected):
    def kill_one():
        _, process = wait_for(lambda: begun(stage))[0]
        wait_for(lambda: list((tmp_path / "d").glob("layouts/part-*")))
        os.kill(process, signal.SIGKILL)
        (stage / "go").touch()

    killer = meanwhile(kill_one)
    assert run(tmp_path / "d", StagedJob(str(stage)), cluster.address).written == 8
    killer.join()
    assert len(begun(stage)) > 8  # the killed worker's part was begun twice
    assert contents(tmp_path / "d") == expected


def test_worker_that_joins_late_takes_its_share(cluster, tmp_path, stage, expected):
    def join():
        wait_for(lambda: len(begun(stage)) >= 2)
        early = {process for _, process in begun(stage)}
        late = cluster.add_worker()
        wait_for(lambda: {process for _, process in begun(stage)} - early)
        (stage / "go").touch()
        joined.append(late)

    joined = []
    helper = meanwhile(join)
    assert run(tmp_path / "d", StagedJob(str(stage)), cluster.address).written == 8
    helper.join()
    os.killpg(joined[0].pid, signal.SIGKILL)
    assert contents(tmp_path / "d") == expected


def test_part_that_kills_its_workers_is_named_and_the_rest_completes(cluster, tmp_path, stage, expected):
    with pytest.raises(Failed, match=r"1 of 8 parts are not written, games 121\.\.180: each worker that took one died"):
        run(tmp_path / "d", StagedJob(str(stage), waits=False, deadly=(121,)), cluster.address)
    assert len(begun(stage)) >= 9
    recorded = read_manifest(Store(str(tmp_path / "d"))).files
    assert len(recorded) == 14
    assert all(contents(tmp_path / "d")[name] == expected[name] for name in recorded)
    assert build(config(tmp_path / "d")).written == 1
    assert contents(tmp_path / "d") == expected


@pytest.mark.slow
def test_neighbours_of_a_deadly_part_are_not_blamed(tmp_path, stage, expected):
    """One worker with four threads: each death takes the neighbours along, until Dask gives them up as well."""
    with (
        Cluster(tmp_path, workers=1, threads=4) as crowded,
        pytest.raises(Failed, match=r"1 of 8 parts are not written, games 1\.\.60: "),
    ):
        run(tmp_path / "d", StagedJob(str(stage), waits=False, deadly=(1,), pause=1.0), crowded.address)
    assert sum(first == 61 for first, _ in begun(stage)) == 3  # twice beside the deadly part, once alone
    assert len(read_manifest(Store(str(tmp_path / "d"))).files) == 14
    build(config(tmp_path / "d"))
    assert contents(tmp_path / "d") == expected


def test_workers_with_a_disk_of_their_own_are_refused(cluster, tmp_path):
    with pytest.raises(Failed, match=r"a worker wrote games \d+\.\.\d+ where this process cannot see them"):
        run(tmp_path / "d", ElsewhereJob(), cluster.address)
    assert read_manifest(Store(str(tmp_path / "d"))).files == {}


def test_solutions_and_positions_have_the_same_bytes(cluster, tmp_path):
    for name, runner in (("here", Engine(jobs=1)), ("there", Engine("dask", scheduler=cluster.address))):
        build(config(tmp_path / name, last=120))
        store = Store(str(tmp_path / name))
        assert run_solving(Dataset(store.url), SolveJob(4, 10**6), engine=runner).counts["solved"] == 120
        assert add_positions(Dataset(store.url), engine=runner).summary.written == 2
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert check(Dataset(str(tmp_path / "there")), engine=Engine(jobs=1)).findings == []


def test_few_items_are_under_way(cluster):
    taken, most = 0, 0

    def items():
        nonlocal taken
        for number in range(60):
            taken += 1
            yield number

    results = []
    for result in Engine("dask", scheduler=cluster.address).run(double, items()):
        results.append(result)
        most = max(most, taken - len(results))
    assert sorted(results) == [2 * n for n in range(60)]
    assert most <= 2 * 3 + 1


def test_error_of_a_task_ends_the_run_as_itself(cluster, tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(Engine("dask", scheduler=cluster.address).run(halve_one, [1, 0]))


def halve_one(number: int) -> float:
    return 1 / number


def test_losing_all_workers_is_an_error(tmp_path, stage, expected, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS_WITHOUT_WORKERS", 2)
    with Cluster(tmp_path, workers=1, nanny=False) as small:

        def kill_all():
            wait_for(lambda: begun(stage))
            os.killpg(small.processes[1].pid, signal.SIGKILL)

        killer = meanwhile(kill_all)
        with pytest.raises(
            Failed, match=r"no worker is left at tcp://127\.0\.0\.1:\d+ for 2 seconds; what is done is kept"
        ):
            run(tmp_path / "d", StagedJob(str(stage)), small.address)
        killer.join()
        monkeypatch.setattr(engine, "SECONDS_WITHOUT_WORKERS", 60)
        small.add_worker()
        (stage / "go").touch()
        run(tmp_path / "d", StagedJob(str(stage)), small.address)
        assert contents(tmp_path / "d") == expected


def test_losing_the_scheduler_is_an_error(tmp_path, stage):
    with Cluster(tmp_path, workers=1, nanny=False) as small:

        def kill_scheduler():
            wait_for(lambda: begun(stage))
            os.killpg(small.scheduler.pid, signal.SIGKILL)

        killer = meanwhile(kill_scheduler)
        with pytest.raises(Failed, match="lost the Dask scheduler"):
            run(tmp_path / "d", StagedJob(str(stage)), small.address)
        killer.join()


def test_no_scheduler_there(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(Failed, match=r"--scheduler tcp://127\.0\.0\.1:9: no Dask scheduler answers there"):
        build(config(tmp_path / "d", engine="dask", scheduler="tcp://127.0.0.1:9"))
    for wrong in ("nonsense", "foo://host:1", "tcp://host", "host:", "tcp://:1"):
        with pytest.raises(ConfigError, match=f"--scheduler {wrong}: not an address such as tcp://host:8786"):
            list(Engine("dask", scheduler=wrong).run(double, [1]))
    with pytest.raises(ConfigError, match="scheduler: goes with --engine dask"):
        list(Engine(scheduler="tcp://127.0.0.1:9").run(double, [1]))


def test_processes_on_this_machine_write_the_same_bytes(tmp_path, expected):
    command = command_of(tmp_path / "d")
    told = subprocess.run([*command, "--engine", "dask", "--jobs", "2"], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, f"{tmp_path / 'd'}: 480 games, 8 parts written\n")
    assert contents(tmp_path / "d") == expected
    assert check(Dataset(str(tmp_path / "d"))).findings == []


@pytest.mark.slow
def test_killed_command_takes_its_processes_along(tmp_path, expected):
    process = subprocess.Popen([*command_of(tmp_path / "d"), "--engine", "dask", "--jobs", "2"], start_new_session=True)
    try:
        wait_for(lambda: list((tmp_path / "d").glob("layouts/part-*")))
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert psutil.wait_procs(children, timeout=30)[1] == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    recorded = read_manifest(Store(str(tmp_path / "d"))).files
    assert all(contents(tmp_path / "d")[name] == expected[name] for name in recorded)
    build(config(tmp_path / "d"))
    assert contents(tmp_path / "d") == expected


@pytest.mark.slow
def test_interrupted_with_processes_of_its_own(tmp_path, expected):
    out = tmp_path / "d"
    process = subprocess.Popen(
        [*command_of(out), "--part-size", "2", "--engine", "dask", "--jobs", "2"],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: len(list(out.glob("layouts/part-*"))) > 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, messages = process.communicate(timeout=60)
    assert "Traceback" not in messages
    assert (process.returncode, messages) == (
        130,
        "dealbook: interrupted; what is done is kept, run the same command again to go on\n",
    )


def test_worker_of_another_version_is_refused(cluster, tmp_path, stage, monkeypatch):
    monkeypatch.setattr("pipeline.run.dataset.dataset.made_with", lambda: {"dealbook": "9.9"})
    with pytest.raises(
        Failed, match=r"a worker has dealbook 0.1.0, pyarrow .+, and here is dealbook 9.9; install the same"
    ):
        run(tmp_path / "d", StagedJob(str(stage), waits=False), cluster.address)
    assert read_manifest(Store(str(tmp_path / "d"))).files == {}
