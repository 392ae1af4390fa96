"""Parts built alone, datasets put together, and checks of a sample."""

import json
import shutil
from pathlib import Path

import pytest

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.config import Config, load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.plan import FileName, Part, Plan
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.merge import merge

CONFIGS = Path(__file__).parents[3] / "configs"


def config(out, first=1, last=500, part_size=100) -> Config:
    return Config(first=first, last=last, part_size=part_size, out=str(out), jobs=1)


def pieces(folder, *chosen, **values) -> list[str]:
    """Build each choice of parts ("2" or "2-3") as a dataset of its own."""
    made = []
    for parts in chosen:
        wanted = config(folder / f"piece-{parts}", **values)
        build(wanted, parts=wanted.plan().chosen(parts, None))
        made.append(wanted.out)
    return made


def contents(out) -> dict[str, bytes]:
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in Path(out).rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("merge") / "whole"
    build(config(out))
    return out


def test_pieces_of_a_plan_make_the_whole(tmp_path, whole):
    urls = pieces(tmp_path, "1-2", "5", "3-4")
    done = merge(str(tmp_path / "merged"), urls, engine=Engine(jobs=2))
    assert (done.copied, done.kept, done.parts, done.planned) == (10, 0, 5, 5)
    assert contents(tmp_path / "merged") == contents(whole)
    again = merge(str(tmp_path / "merged"), urls, engine=Engine(jobs=2))
    assert (again.copied, again.kept) == (0, 10)


def test_a_dataset_takes_in_what_it_lacks_and_builds_the_rest(tmp_path, whole):
    (target,) = pieces(tmp_path, "1")
    done = merge(target, pieces(tmp_path, "4"))
    assert (done.copied, done.kept, done.parts, done.planned) == (2, 2, 2, 5)
    assert build(config(target)).written == 3
    assert contents(target) == contents(whole)


def test_ranges_side_by_side_make_one_range(tmp_path, whole):
    for first, last in ((201, 500), (1, 200)):
        build(config(tmp_path / str(first), first, last))
    merge(str(tmp_path / "merged"), [str(tmp_path / "201"), str(tmp_path / "1")])
    assert contents(tmp_path / "merged") == contents(whole)


@pytest.mark.parametrize(
    ("first", "last", "part_size", "problem"),
    [(501, 700, 50, "are no parts of"), (551, 750, 100, "are no parts of"), (1, 450, 100, "are no parts of")],
)
def test_ranges_that_do_not_fit(tmp_path, whole, first, last, part_size, problem):
    build(config(tmp_path / "other", first, last, part_size))
    with pytest.raises(ConfigError, match=problem):
        merge(str(tmp_path / "merged"), [str(whole), str(tmp_path / "other")])
    assert not (tmp_path / "merged" / "manifest.json").exists()


def test_another_game_does_not_fit(tmp_path, whole):
    build(Config(game="klondike", first=1, last=100, part_size=100, out=str(tmp_path / "klondike"), jobs=1))
    with pytest.raises(ConfigError, match="holds klondike games, the others freecell"):
        merge(str(tmp_path / "merged"), [str(whole), str(tmp_path / "klondike")])


def test_a_harmed_source_is_refused(tmp_path, whole):
    source = shutil.copytree(whole, tmp_path / "source")
    name = Part(101, 201).file_name("layouts")
    data = bytearray((source / name).read_bytes())
    data[100] ^= 1
    (source / name).write_bytes(data)
    with pytest.raises(Failed, match=rf"{name}: not as recorded; `dealbook check"):
        merge(str(tmp_path / "merged"), [str(source)], engine=Engine(jobs=1))
    assert name not in read_manifest(Store(str(tmp_path / "merged"))).files


def test_two_versions_of_a_file_are_refused(tmp_path, whole):
    other = shutil.copytree(whole, tmp_path / "other")
    store, name = Store(str(other)), Part(1, 101).file_name("stats")
    store.write(name, b"something else")
    manifest = read_manifest(store)
    manifest.files[name] = manifest.files[name].model_copy(update={"bytes": 14, "sha256": sha256(b"something else")})
    manifest.save(store)
    with pytest.raises(Failed, match=f"{name}: not the same in"):
        merge(str(tmp_path / "merged"), [str(whole), str(other)])


def test_all_versions_that_wrote_are_told(tmp_path, whole):
    other = shutil.copytree(whole, tmp_path / "other")
    manifest = read_manifest(Store(str(other)))
    manifest.made_with["pyarrow"] = "1.0"
    manifest.save(Store(str(other)))
    merge(str(tmp_path / "merged"), [str(whole), str(other)])
    told = json.loads((tmp_path / "merged" / "manifest.json").read_text())["made_with"]["pyarrow"]
    assert told.startswith("1.0, ") and told.count(",") == 1


@pytest.mark.parametrize(
    ("parts", "games", "expected"),
    [
        (None, None, [(1, 101), (101, 201), (201, 250)]),
        ("2", None, [(101, 201)]),
        ("2-3", None, [(101, 201), (201, 250)]),
        (None, "1-100", [(1, 101)]),
        (None, "101..249", [(101, 201), (201, 250)]),
        ("4", None, "the plan has parts 1 to 3"),
        ("0", None, "the plan has parts 1 to 3"),
        ("3-2", None, "the plan has parts 1 to 3"),
        ("x", None, "--part x: not a number nor a range such as 17-20"),
        (None, "1-150", "games 1..150 cut through parts: the parts that hold them are 1..200"),
        (None, "1-300", "not all in the dataset's range"),
        ("1", "1-100", "choose one of them"),
    ],
)
def test_choosing_parts(parts, games, expected):
    plan = Plan(1, 249, 100)
    if isinstance(expected, str):
        with pytest.raises(ConfigError, match=expected):
            plan.chosen(parts, games)
    else:
        assert list(plan.chosen(parts, games)) == [Part(*bounds) for bounds in expected]


@pytest.mark.parametrize("part", [1, 4000, 4295, 8590])
def test_any_part_of_the_full_range_can_be_built_alone(tmp_path, part):
    """The plan itself, with parts cut down to their first 50 games, so that the test takes no time."""
    full = load_config(CONFIGS / "freecellpro.toml")
    assert (full.first, full.last, len(full.plan())) == (1, 2**33 - 1, 8590)
    (chosen,) = full.plan().chosen(str(part), None)
    small = config(tmp_path / "piece", chosen.start, chosen.start + 49, 50)
    assert build(small).written == 1
    assert check(Dataset(small.out)).findings == []


@pytest.mark.slow
def test_the_last_part_of_the_full_range(tmp_path):
    full = load_config(CONFIGS / "freecellpro.toml", out=str(tmp_path / "piece"))
    summary = build(full, parts=full.plan().chosen("8590", None))
    assert summary.games == 934_591
    findings = check(Dataset(full.out)).findings
    assert {finding.problem.partition(":")[0] for finding in findings} == {"unfinished"}


def test_a_sample_looks_into_so_many_parts(whole):
    report = check(Dataset(str(whole)), engine=Engine(jobs=1), sample=2, seed=7)
    assert (report.files, report.rows, report.recorded, report.findings) == (4, 400, 10, [])
    assert check(Dataset(str(whole)), engine=Engine(jobs=1), sample=99).files == 10


def test_samples_find_what_is_wrong_in_any_part(tmp_path, whole):
    out = shutil.copytree(whole, tmp_path / "harmed")
    name = Part(301, 401).file_name("stats")
    data = bytearray((out / name).read_bytes())
    data[50] ^= 1
    (out / name).write_bytes(data)
    found = [bool(check(Dataset(str(out)), engine=Engine(jobs=1), sample=1, seed=seed).findings) for seed in range(12)]
    assert any(found) and not all(found)
    assert len(check(Dataset(str(out)), engine=Engine(jobs=1), sample=5).findings) >= 1


def test_a_sample_sees_missing_and_cut_files_without_reading(tmp_path, whole):
    out = shutil.copytree(whole, tmp_path / "harmed")
    missing, cut = Part(1, 101).file_name("layouts"), Part(401, 501).file_name("stats")
    (out / missing).unlink()
    (out / cut).write_bytes((out / cut).read_bytes()[:-1])
    for seed in range(3):
        findings = check(Dataset(str(out)), engine=Engine(jobs=1), sample=1, seed=seed).findings
        assert {finding.file for finding in findings} == {missing, cut}


def test_a_part_alone_is_read_as_such_from_its_file_name():
    name = Part(2**33 - 10, 2**33).file_name("layouts")
    assert name == "layouts/part-8589934582-8589934591.parquet"
    assert FileName.parse(name).part == Part(2**33 - 10, 2**33)
