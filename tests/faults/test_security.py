"""What comes from outside never leads out of the dataset, never grows without bound, and is never a pickle."""

import ast
import json
from pathlib import Path

import pytest

import pipeline
from pipeline.cards.errors import ConfigError, Failed, NotationError
from pipeline.games.freecell.notation.json_lines import read_json
from pipeline.run.config import MAX_CONFIG_BYTES, Config, load_config
from pipeline.run.dataset import manifest as manifests
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import MANIFEST, read_manifest
from pipeline.run.dataset.plan import MAX_PARTS
from pipeline.run.dataset.store import Store
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.merge import merge

RECORD = {"rows": 1, "bytes": 6, "sha256": "0" * 64}
PLAN = {"first": 1, "last": 100, "part_size": 50}


def forge(folder: Path, **values) -> Store:
    """Write a manifest of any content, with a seal that fits."""
    folder.mkdir(exist_ok=True)
    content = {"format": 1, "game": "freecell", "plan": PLAN, "tables": {}, "made_with": {}, "files": {}, **values}
    (folder / MANIFEST).write_text(json.dumps(manifests._sealed(content)))
    return Store(str(folder))


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "layouts/../../secret.txt",
        "/etc/passwd",
        "layouts//etc/passwd",
        "..",
        "layouts/../part-0000000001-0000000050.parquet",
        "../layouts/part-0000000001-0000000050.parquet",
        "layouts/part-0000000001-0000000050.parquet/../x",
        "layouts/part-0000000001-0000000050.parquet\n",
        "layouts/part-٠٠٠٠٠٠٠٠٠١-0000000050.parquet",
        "no_table/part-0000000001-0000000050.parquet",
        "layouts\\part-0000000001-0000000050.parquet",
        "s3://bucket/layouts/part-0000000001-0000000050.parquet",
        "file:///etc/passwd",
        "layouts/part-0000000051-0000000001.parquet",
        "",
    ],
)
def test_names_in_a_manifest_stay_inside(tmp_path, name):
    (tmp_path / "secret.txt").write_text("secret")
    store = forge(tmp_path / "dataset", files={name: RECORD})
    for use in (read_manifest, lambda s: check(Dataset(s.url)), lambda s: merge(str(tmp_path / "merged"), [s.url])):
        with pytest.raises(Failed, match="damaged"):
            use(store)
    assert not (tmp_path / "merged" / MANIFEST).exists()


@pytest.mark.parametrize(
    "plan",
    [
        {"first": 1, "last": 10**18, "part_size": 1},
        {"first": 0, "last": MAX_PARTS, "part_size": 1},
        {"first": 5, "last": 1, "part_size": 10},
        {"first": 1, "last": 10, "part_size": 0},
        {"first": -5, "last": 10, "part_size": 10},
    ],
)
def test_a_plan_without_bound_is_refused(tmp_path, plan):
    with pytest.raises(Failed, match="damaged"):
        check(Dataset(forge(tmp_path / "dataset", plan=plan).url))


def test_a_config_with_too_many_parts_is_refused():
    with pytest.raises(ConfigError, match=r"--part-size: makes 8,589,934,591 parts; a dataset has at most 1,000,000"):
        load_config(None, last=2**33 - 1, part_size=1)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "NaN", "[]", '"text"', "7", "null", "\x00", "{}"])
def test_odd_json_is_a_damaged_manifest(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(Failed, match="damaged"):
        read_manifest(Store(str(tmp_path)))


def test_a_manifest_is_read_up_to_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(manifests, "MAX_MANIFEST_BYTES", 1000)
    (tmp_path / MANIFEST).write_bytes(b"x" * 100_000)
    taken = []
    real = Store.read

    def read(self, name, *limits):
        taken.append(len(data := real(self, name, *limits)))
        return data

    monkeypatch.setattr(Store, "read", read)
    with pytest.raises(Failed, match="larger than a manifest may be"):
        read_manifest(Store(str(tmp_path)))
    assert taken == [1001]


def test_a_config_is_read_up_to_its_limit(tmp_path):
    file = tmp_path / "big.toml"
    file.write_bytes(b"#" * (MAX_CONFIG_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than a config may be"):
        load_config(file)
    with pytest.raises(ConfigError, match="larger than a config may be"):
        load_config("/dev/zero")


def test_a_line_of_json_is_read_up_to_its_limit():
    with pytest.raises(NotationError, match="line 1: not a JSON document of moves: longer than a line may be"):
        read_json('{"moves": "' + "1a " * 1_000_000 + '"}')


def test_nothing_ever_reads_a_pickle():
    """Dask sends tasks as pickles between its own processes; nothing reads one from a file."""
    forbidden = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "pandas.io.pickle"}
    for file in sorted(Path(pipeline.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & set(names), file
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in {"eval", "exec", "np.load", "numpy.load", "joblib.load", "torch.load"}, file
                assert not any(keyword.arg == "allow_pickle" for keyword in node.keywords), file


def test_a_pickle_among_the_data_is_extra_and_left_alone(tmp_path):
    build(Config(last=20, part_size=20, out=str(tmp_path / "d"), jobs=1))
    trap = tmp_path / "sprung"
    bomb = b"cos\nsystem\n(S'touch " + str(trap).encode() + b"'\ntR."
    for name in ("layouts/part-0000000001-0000000020.pkl", "model.joblib", "layouts/a.npy"):
        (tmp_path / "d" / name).write_bytes(bomb)
    findings = check(Dataset(str(tmp_path / "d"))).findings
    assert {finding.problem for finding in findings} == {"extra: not recorded in the manifest"}
    assert len(findings) == 3 and not trap.exists()
