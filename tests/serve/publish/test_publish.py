"""Publishing: every column told everywhere, and what is written read by the tools it is for."""

import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.cards.errors import ConfigError
from pipeline.games.registry import TABLES
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving
from pipeline.serve.publish.publish import publish
from pipeline.tables.split import SPLIT_PYTHON, SPLITS, split_codes, split_of

CATALOGUE = Path(__file__).parents[2] / "cases" / "catalogue.txt"
FREECELL = ("layouts", "stats", "solutions", "positions")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published") / "ds"
    build(load_config(None, last=400, part_size=100, out=str(folder), jobs=1))
    store = Store(str(folder))
    import_solutions(Dataset(store.url), [str(CATALOGUE)], source="fcs")
    add_positions(Dataset(store.url), engine=Engine(jobs=1))
    publish(store)
    return folder


def test_every_column_has_a_description():
    lacking = [f"{t.name}.{c.name}" for t in TABLES.values() for c in t.columns if len(c.description.strip()) < 10]
    assert lacking == []
    assert all(t.description.strip() and t.row.strip() for t in TABLES.values())


@pytest.mark.parametrize("table", FREECELL)
def test_every_column_is_described_wherever_a_reader_looks(dataset, table):
    card, sql = (dataset / "README.md").read_text(), (dataset / "catalog.sql").read_text()
    croissant = json.loads((dataset / "croissant.json").read_text())
    fields = {f["@id"]: f["description"] for records in croissant["recordSet"] for f in records["field"]}
    stored = pq.read_schema(next((dataset / table).iterdir()))
    for column in TABLES[table].columns:
        assert f"| `{column.name}` | {column.type}" in card
        assert column.description in card
        assert column.description in fields[f"{table}/{column.name}"]
        assert re.search(rf'COMMENT ON COLUMN {table}."?{column.name}"? IS', sql)
        assert stored.field(column.name).metadata[b"description"].decode() == column.description


def test_checksums_hold_for_every_file(dataset):
    listed = dict(line.split("  ")[::-1] for line in (dataset / "SHA256SUMS").read_text().splitlines())
    files = {str(path.relative_to(dataset)) for path in dataset.rglob("*") if path.is_file()}
    assert set(listed) == {name for name in files if name != "SHA256SUMS" and not Path(name).name.startswith(".")}
    assert all(hashlib.sha256((dataset / name).read_bytes()).hexdigest() == digest for name, digest in listed.items())
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=dataset, check=True)


def test_publishing_again_writes_the_same_and_the_dataset_still_checks(dataset):
    names = ("README.md", "croissant.json", "catalog.sql", "SHA256SUMS")
    before = [(dataset / name).read_bytes() for name in names]
    assert publish(Store(str(dataset))) == list(names)
    assert [(dataset / name).read_bytes() for name in names] == before
    assert check(Dataset(str(dataset)), engine=Engine(jobs=1)).findings == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_croissant_is_valid_and_loads_row_by_row(dataset):
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant comes with the extra publish")
    read = croissant.Dataset(jsonld=str(dataset / "croissant.json"))
    assert not read.metadata.issues.errors
    assert all("datePublished" in warning for warning in read.metadata.issues.warnings)  # our bytes hold no times
    for name in FREECELL:
        stored = pq.read_table(dataset / name).slice(0, 30).to_pylist()
        records = list(itertools.islice(read.records(name), 30))
        for record, row in zip(records, stored, strict=True):
            found = {key.partition("/")[2]: v.decode() if isinstance(v, bytes) else v for key, v in record.items()}
            assert found == row


def test_datasets_loads_every_configuration_offline(dataset, tmp_path):
    pytest.importorskip("datasets", reason="datasets comes with the extra ml")
    code = (
        "import sys, json\nfrom datasets import load_dataset, get_dataset_config_names\n"
        "folder, cache = sys.argv[1:]\nfound = {}\n"
        "for name in get_dataset_config_names(folder):\n"
        "    rows = load_dataset(folder, name, split='full', cache_dir=cache)\n"
        "    features = {key: value.dtype for key, value in rows.features.items()}\n"
        "    found[name] = [rows.num_rows, features, rows[5]['game_number']]\n"
        "print(json.dumps(found))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(dataset), str(tmp_path / "cache")],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert list(found) == list(FREECELL)
    for name, (rows, features, game) in found.items():
        table = pq.read_table(dataset / name)
        assert rows == table.num_rows and game == table["game_number"][5].as_py()
        assert features == {c.name: str(c.type) for c in TABLES[name].columns}


def test_the_card_tells_sizes_and_splits(dataset):
    card = (dataset / "README.md").read_text()
    counts = [sum(split_of(n) == split for n in range(1, 401)) for split in SPLITS]
    assert f"| `layouts` | game | 400 | {' | '.join(map(str, counts))} |" in card
    assert "license: mit" in card and "size_categories:\n- 10K<n<100K" in card
    assert (
        "- config_name: positions\n  data_files:\n  - split: full\n    path: positions/import-fcs-max4-part-*.parquet"
        in card
    )
    numbers = [0, 1, 617, 2**31 - 1, 2**31, 2**33 - 1, *range(5000, 5100)]
    assert [eval(SPLIT_PYTHON, {"n": n}) for n in numbers] == [split_of(n) for n in numbers]
    assert (
        SPLIT_PYTHON in card
        and len(set(split_codes(pq.read_table(dataset / "layouts")["game_number"].to_numpy()))) == 3
    )


def test_what_was_proved_is_counted_by_kind_and_unfinished_parts_are_told(tmp_path):
    store = Store(str(tmp_path / "ds"))
    with pytest.raises(ConfigError, match="no dataset"):
        publish(store)
    build(load_config(None, first=11981, last=11984, part_size=2, out=store.url, jobs=1))
    run_solving(Dataset(store.url), SolveJob(4, 1_000_000), last=11982, engine=Engine(jobs=1))
    run_solving(Dataset(store.url), SolveJob(3, 10), engine=Engine(jobs=1))
    publish(store, title='Deals "of" note')
    card = (tmp_path / "ds" / "README.md").read_text()
    assert 'pretty_name: "Deals \\"of\\" note"' in card
    verdicts = re.findall(r"\| `(solutions_\S+)` \| freecells (\d).* \| (\w+) \| (\d) \| (\d) \|", card)
    assert {v[1:] for v in verdicts} >= {("4", "solved", "1", "0"), ("4", "impossible", "1", "0")}
    assert ("3", "unresolved") in {v[1:3] for v in verdicts}
    assert "not finished: 1 files of its plan" in card
    names = re.findall(r"config_name: (\S+)\n  data_files", card)
    assert len(names) == 4 and sum(name.startswith("solutions_") for name in names) == 2
