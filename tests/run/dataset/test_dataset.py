"""A dataset as one object: what is refused before anything is made, and what a killed writer left."""

import pytest

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.merge import merge
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving

SOLVE = SolveJob(4, 100_000)
JOBS = {
    "solve": lambda d: run_solving(d, SOLVE, engine=Engine(jobs=1)),
    "positions": add_positions,
    "import": lambda d: import_solutions(d, [__file__]),
    "check": check,
    "merge": lambda d: merge(f"{d}-merged", [str(d)]),
}


def made(folder, last=40, part_size=20) -> Dataset:
    build(Config(last=last, part_size=part_size, out=str(folder), jobs=1))
    return Dataset(str(folder))


@pytest.mark.parametrize("name", JOBS)
def test_a_dataset_that_is_not_there_is_refused_and_nothing_made(tmp_path, name):
    with pytest.raises(ConfigError, match="no dataset"):
        JOBS[name](Dataset(str(tmp_path / "absent")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["solve", "positions", "import"])
def test_every_job_removes_what_a_killed_writer_left(tmp_path, name):
    dataset = made(tmp_path / "d")
    run_solving(dataset, SOLVE, engine=Engine(jobs=1))
    left = tmp_path / "d" / "solutions" / ".part-0000000001-0000000020.parquet.0123456789ab.tmp"
    left.write_bytes(b"half")
    assert [f.file for f in check(Dataset(str(dataset))).findings] == [f"solutions/{left.name}"]
    JOBS[name](Dataset(str(dataset)))
    assert check(Dataset(str(dataset))).findings == [] and not left.exists()


def test_one_writer_at_a_time_and_each_sees_what_the_other_wrote(tmp_path):
    first, second = made(tmp_path / "d"), Dataset(str(tmp_path / "d"))
    assert second.manifest.files.keys() == first.manifest.files.keys()
    with first.open("solutions"):
        with pytest.raises(Failed, match="another dealbook is writing"), second.open("solutions"):
            pass
        first.write(SOLVE, first.parts(), Engine(jobs=1))
    with second.open("solutions"):
        assert second.variants("solutions") == ["horne4-effort0"]
        assert second.write(SOLVE, second.parts(), Engine(jobs=1)).written == 0
