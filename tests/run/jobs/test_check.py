"""Check: every kind of damage is found and named."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.parquet import encode
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import _check_numbers, check

LAYOUTS = "layouts/part-0000000001-0000000300.parquet"
STATS = "stats/part-0000000301-0000000600.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check") / "ds"
    build(load_config(None, last=1000, part_size=300, out=str(folder), jobs=1))
    return folder


@pytest.fixture
def dataset(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "ds")


def findings(folder) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for finding in check(Dataset(str(folder)), engine=Engine(jobs=2)).findings:
        found.setdefault(finding.file, []).append(finding.problem)
    return found


def rewrite(folder, name, change):
    """Replace a file by a changed table and record it as if it had been written so: only the content is wrong."""
    data = encode(change(pq.read_table(folder / name))).to_pybytes()
    (folder / name).write_bytes(data)
    store = Store(str(folder))
    manifest = read_manifest(store)
    manifest.files[name] = manifest.files[name].model_copy(update={"sha256": sha256(data), "bytes": len(data)})
    manifest.save(store)


def test_a_good_dataset_has_no_findings(whole):
    report = check(Dataset(str(whole)), engine=Engine(jobs=2))
    assert (report.files, report.rows, report.findings) == (8, 2000, [])


@pytest.mark.parametrize("place", [4, 1000, -5])
def test_a_flipped_byte(dataset, place):
    data = bytearray((dataset / LAYOUTS).read_bytes())
    data[place] ^= 0x10
    (dataset / LAYOUTS).write_bytes(data)
    found = findings(dataset)
    assert list(found) == [LAYOUTS] and found[LAYOUTS][0] == "changed: its SHA-256 is not the recorded one"


def test_a_missing_file(dataset):
    (dataset / LAYOUTS).unlink()
    assert findings(dataset) == {LAYOUTS: ["missing; build again to write it"]}


def test_a_truncated_file(dataset):
    data = (dataset / STATS).read_bytes()
    (dataset / STATS).write_bytes(data[:-100])
    truncated, unreadable = findings(dataset)[STATS]
    assert truncated == f"truncated: {len(data) - 100} bytes, recorded {len(data)}"
    assert unreadable.startswith("not a readable Parquet file")


def test_a_renamed_file(dataset):
    (dataset / LAYOUTS).rename(dataset / "layouts" / "mine.parquet")
    assert findings(dataset) == {LAYOUTS: ["renamed to layouts/mine.parquet"]}


def test_an_extra_file(dataset):
    shutil.copy(dataset / LAYOUTS, dataset / "layouts" / "part-0000001001-0000001300.parquet")
    assert findings(dataset) == {"layouts/part-0000001001-0000001300.parquet": ["extra: not recorded in the manifest"]}


def test_a_part_of_another_place(dataset):
    shutil.copy(dataset / "layouts/part-0000000301-0000000600.parquet", dataset / LAYOUTS)
    assert any("game 301 does not belong to this part" in problem for problem in findings(dataset)[LAYOUTS])


def test_a_part_of_another_dataset(dataset, tmp_path):
    build(load_config(None, first=5001, last=6000, part_size=300, out=str(tmp_path / "other"), jobs=1))
    shutil.copy(tmp_path / "other/layouts/part-0000005001-0000005300.parquet", dataset / LAYOUTS)
    assert any("game 5001 does not belong to this part" in problem for problem in findings(dataset)[LAYOUTS])


def test_swapped_tables(dataset):
    shutil.copy(dataset / "stats/part-0000000001-0000000300.parquet", dataset / LAYOUTS)
    assert any("another schema than declared" in problem for problem in findings(dataset)[LAYOUTS])


def test_rows_out_of_order(dataset):
    rewrite(dataset, LAYOUTS, lambda table: table.take([1, 0, *range(2, 300)]))
    assert findings(dataset) == {LAYOUTS: ["rows out of order at row 2"]}


def test_rows_out_of_order_where_a_game_has_several():
    numbers = np.array([1, 1, 2, 2, 4, 3])
    assert _check_numbers(numbers, Part(1, 5), one_row_a_game=False) == "rows out of order at row 6"
    assert _check_numbers(np.sort(numbers), Part(1, 5), one_row_a_game=False) is None
    assert _check_numbers(np.sort(numbers), Part(1, 5), one_row_a_game=True) == "rows out of order at row 2"


def test_a_row_too_few(dataset):
    rewrite(dataset, LAYOUTS, lambda table: table.slice(0, 299))
    assert findings(dataset) == {LAYOUTS: ["299 rows, recorded 300"]}


@pytest.mark.parametrize(("name", "column", "row"), [(LAYOUTS, "c3r2", 7), (STATS, "inversions", 0)])
def test_one_wrong_value(dataset, name, column, row):
    def spoil(table):
        values = table[column].to_pylist()
        values[row] = (values[row] + 1) % 52
        return table.set_column(
            table.schema.get_field_index(column), table.schema.field(column), pa.array(values, pa.uint8())
        )

    right = pq.read_table(dataset / name)[column][row].as_py()
    rewrite(dataset, name, spoil)
    first = int(name[-29:-19])
    problems = findings(dataset)[name]
    assert problems[0] == f"game {first + row}: {column} is {(right + 1) % 52}, {right} is right (1 such rows)"
    assert (len(problems) == 2) == (name == LAYOUTS)  # the digest of the cards differs too


def test_other_descriptions(dataset):
    rewrite(dataset, STATS, lambda table: table.replace_schema_metadata({"description": "mine"}))
    assert findings(dataset) == {STATS: ["another schema than declared: descriptions of columns differ"]}


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m["files"][LAYOUTS].update(rows=299),
        lambda m: m["plan"].update(last=999),
        lambda m: m["files"].pop(STATS),
        lambda m: m["made_with"].update(dealbook="9.9"),
        lambda m: m.pop("seal"),
    ],
)
def test_an_edited_manifest(dataset, edit):
    manifest = json.loads((dataset / "manifest.json").read_text())
    edit(manifest)
    (dataset / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Failed, match="edited by hand"):
        check(Dataset(str(dataset)))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"format": "1"}', b"[" * 100_000, b'{"files": {"../x": {}}}'],
    ids=lambda content: repr(content[:12]),
)
def test_a_damaged_manifest(dataset, content):
    (dataset / "manifest.json").write_bytes(content)
    with pytest.raises(Failed, match="damaged"):
        check(Dataset(str(dataset)))


def test_a_name_that_leads_outside_is_refused(dataset):
    manifest = json.loads((dataset / "manifest.json").read_text())
    manifest["files"]["../../etc/part-0000000001-0000000300.parquet"] = manifest["files"][LAYOUTS]
    (dataset / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Failed, match="not the name of a part"):
        check(Dataset(str(dataset)))


def test_an_unfinished_build(tmp_path, whole):
    folder = shutil.copytree(whole, tmp_path / "ds")
    store = Store(str(folder))
    manifest = read_manifest(store)
    del manifest.files[LAYOUTS]
    manifest.save(store)
    (folder / LAYOUTS).unlink()
    assert findings(folder) == {
        "layouts/": [
            "unfinished: 1 of 4 parts are not written yet, the first of them games 1..300; run the same command for them again"
        ]
    }


def test_no_dataset(tmp_path):
    with pytest.raises(ConfigError, match="no dataset"):
        check(Dataset(str(tmp_path / "nowhere")))
