"""The Python API: frames, matrices, features and batches, against the files and against plain loops."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import pipeline
from pipeline.cards.codes import parse_card
from pipeline.cards.errors import ConfigError, InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.position import from_layout
from pipeline.games.freecell.tables.positions_schema import PLACE_COLUMNS
from pipeline.games.freecell.tables.schema import PLACES
from pipeline.games.registry import TABLES
from pipeline.run.config import load_config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.positions import add_positions
from pipeline.serve.sql.catalog import open_catalog
from pipeline.serve.sql.query import unfinished
from pipeline.tables.split import SPLITS

CATALOGUE = Path(__file__).parents[2] / "cases" / "catalogue.txt"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "ds"
    build(load_config(None, last=400, part_size=100, out=str(folder), jobs=1))
    store = Store(str(folder))
    import_solutions(Dataset(store.url), [str(CATALOGUE)], source="fcs")
    add_positions(Dataset(store.url), engine=Engine(jobs=1))
    return folder


def test_every_name_of_the_api_is_there():
    assert all(callable(getattr(pipeline, name)) for name in pipeline.__all__)
    assert {*pipeline.__all__, "TorchBatches"} <= set(dir(pipeline))
    names: dict[str, object] = {}
    exec("from pipeline import *", names)
    assert names.keys() >= set(pipeline.__all__)
    with pytest.raises(AttributeError, match="no attribute 'loads'"):
        _ = pipeline.loads


def test_the_import_of_the_package_loads_nothing():
    code = "import pipeline, sys; print([m for m in ('numpy', 'polars', 'pyarrow', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.parametrize("table", ["layouts", "stats", "solutions", "positions"])
def test_load_gives_the_stored_rows_and_their_split(dataset, table):
    frame = pipeline.load(dataset, table)
    stored = pl.DataFrame(pq.read_table(dataset / table))
    assert frame.drop("split").equals(stored)
    assert frame["split"].to_list() == [pipeline.split_of(number) for number in frame["game_number"]]
    apart = [pipeline.load(dataset, table, split=split) for split in SPLITS]
    assert pl.concat(apart).sort("game_number", maintain_order=True).equals(frame)
    assert [part["split"].unique().to_list() for part in apart] == [[split] for split in SPLITS]


def test_load_takes_columns_in_the_order_asked_for(dataset):
    frame = pipeline.load(dataset, "stats", ["split", "ace_depth_sum", "game_number"], split="test")
    assert frame.columns == ["split", "ace_depth_sum", "game_number"]
    assert pipeline.load(dataset, "positions", ["action"]).columns == ["action"]


def test_layouts_are_one_matrix_of_deals(dataset):
    layouts = pipeline.matrix(dataset)
    assert layouts.dtype == np.uint8 and layouts.flags.c_contiguous
    assert (layouts == deal(range(1, 401))).all()
    numbers = pipeline.matrix(dataset, "layouts", "game_number", "validation")
    assert (pipeline.matrix(dataset, split="validation") == deal(numbers)).all()


def test_matrices_of_columns_groups_and_nulls(dataset):
    assert pipeline.matrix(dataset, "stats").shape == (400, len(TABLES["stats"].columns) - 1)
    pair = pipeline.matrix(dataset, "stats", ["game_number", "ace_depth_sum"])
    assert pair.dtype == np.int64 and pair[:, 0].tolist() == list(range(1, 401))
    assert pipeline.matrix(dataset, "positions", "legal").shape[1] == 19
    actions = pipeline.matrix(dataset, "positions", "action")
    legal = pipeline.decode_legal(pipeline.matrix(dataset, "positions", "legal"))
    assert legal[np.arange(actions.size), actions].all()
    assert np.isnan(pipeline.matrix(dataset, "solutions", "lower_bound")).all()


def test_solutions_of_several_kinds_come_side_by_side_and_positions_of_one_kind_only(dataset, tmp_path):
    folder = shutil.copytree(dataset, tmp_path / "several")
    store = Store(str(folder))
    manifest = read_manifest(store)
    for name in [name for name in manifest.files if "/import-fcs" in name]:
        other = name.replace("/import-fcs", "/import-other")
        shutil.copyfile(folder / name, folder / other)
        manifest.files[other] = manifest.files[name]
    manifest.save(store)
    rows = pipeline.load(dataset, "solutions").height
    assert pipeline.load(folder, "solutions")["game_number"].is_sorted()
    assert pipeline.load(folder, "solutions").height == len(pipeline.matrix(folder, "solutions", "nodes")) == 2 * rows
    assert pipeline.load(folder, "solutions", variant="import-other").height == rows
    for read in (pipeline.load, pipeline.matrix, pipeline.batches):
        with pytest.raises(InputError, match=r"several solutions, .* choose variant 'import-fcs-max4', 'import-other-"):
            read(folder, "positions")
    one = pipeline.load(folder, "positions", variant="import-fcs-max4")
    assert one.equals(pipeline.load(dataset, "positions"))
    assert "positions are of several solutions" in unfinished(open_catalog(str(folder)))[-1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: pipeline.load(d, "klondike"), "has no table 'klondike', only layouts, positions, solutions, stats"),
        (lambda d: pipeline.load(d, "stats", ["ace_deth_sum"]), "did you mean ace_depth_sum"),
        (lambda d: pipeline.load(d, "stats", split="dev"), "not one of train, validation, test"),
        (lambda d: pipeline.load(d, "solutions", variant="own"), "no variant 'own', only 'import-fcs'"),
        (lambda d: pipeline.matrix(d, "solutions"), "name the columns"),
        (lambda d: pipeline.matrix(d, "solutions", "moves"), "moves is text"),
        (lambda d: pipeline.batches(d, "layouts", 0), "out of range"),
        (lambda d: pipeline.batches(d, "layouts", shard=(2, 2)), "out of range"),
        (lambda d: pipeline.one_hot(np.zeros((2, 51))), r"are \[n, 52\], not \[2, 51\]"),
        (lambda d: pipeline.planes(np.full((1, 52), 161), "positions"), "codes of positions are 0 to 160"),
        (lambda d: pipeline.planes(np.zeros((1, 52)), "stats"), "made of layouts or positions"),
    ],
)
def test_what_is_not_there_is_said(dataset, call, message):
    with pytest.raises(InputError, match=message):
        call(dataset)


def test_no_dataset_is_said(tmp_path):
    with pytest.raises(ConfigError, match="no dataset"):
        pipeline.load(tmp_path, "layouts")


def test_one_hot_of_layouts_and_positions(dataset):
    layouts = deal(range(1, 9))
    hot = pipeline.one_hot(layouts)
    assert hot.shape == (8, 52, 52) and hot.dtype == np.float32
    assert (hot.argmax(2) == layouts).all() and (hot.sum(2) == 1).all()
    places = pipeline.matrix(dataset, "positions")[:500]
    hot = pipeline.one_hot(places, "positions", np.uint8)
    assert hot.shape == (500, 52, 161)
    assert (hot.argmax(2) == places).all() and (hot.sum(2) == 1).all()


def test_planes_show_each_card_where_it_lies(dataset):
    layouts = deal(range(1, 9))
    picture = pipeline.planes(layouts)
    assert picture.shape == (8, 17, 7, 8)
    for k in range(52):
        card = layouts[3, k]
        assert picture[3, :, k // 8, k % 8].nonzero()[0].tolist() == [card >> 2, 13 + (card & 3)]
    assert picture[:, :13].sum() == picture[:, 13:].sum() == 8 * 52
    places = pipeline.matrix(dataset, "positions")[:300]
    picture = pipeline.planes(places, "positions")
    assert picture.shape == (300, 17, 21, 8)
    for row in range(0, 300, 7):
        position = pipeline.decode_position(places[row])
        expected = np.zeros((17, 21, 8))
        shown = [(card, r, c) for c, column in enumerate(position.columns) for r, card in enumerate(column)]
        shown += [(card, 19, i) for i, card in enumerate(position.freecells) if card >= 0]
        shown += [(4 * rank - 4 + suit, 20, suit) for suit, rank in enumerate(position.foundations) if rank]
        for card, r, c in shown:
            expected[card >> 2, r, c] = expected[13 + (card & 3), r, c] = 1
        assert (picture[row] == expected).all()


def rows(stream):
    return [tuple(row) for batch in stream for row in zip(*(v.tolist() for v in batch.values()), strict=True)]


def stored(dataset, split=None):
    return pipeline.load(dataset, "positions", ["game_number", "ply"], split).rows()


@pytest.mark.parametrize("split", [None, "test"])
def test_batches_give_every_row_once_in_another_order_for_each_seed(dataset, split):
    def read(seed, **options):
        return rows(pipeline.batches(dataset, "positions", 64, seed, split, columns=["game_number", "ply"], **options))

    once = read(1)
    assert once == read(1)
    assert Counter(once) == Counter(read(2)) == Counter(stored(dataset, split))
    assert once != read(2) and once != sorted(once)
    assert read(None) == stored(dataset, split)
    shards = [read(1, shard=(i, 3)) for i in range(3)]
    assert Counter(row for shard in shards for row in shard) == Counter(once)
    assert sum(map(bool, shards)) > 1


def test_batches_have_their_size_and_whole_rows(dataset):
    total = len(stored(dataset))
    sizes = [len(b["ply"]) for b in pipeline.batches(dataset, "positions", 100, 3, buffer_rows=1000)]
    assert sizes[:-1] == [100] * (total // 100) and sizes[-1] == total % 100
    first = next(pipeline.batches(dataset, "positions", 100, 3))
    assert first["places"].shape == (100, 52) and first["legal"].shape == (100, 19)
    starts = first["ply"] == 0
    if starts.any():
        assert (
            first["places"][starts]
            == [pipeline.encode_position(from_layout(g)) for g in deal(first["game_number"][starts])]
        ).all()
    frame = pipeline.load(dataset, "positions")
    for i in range(5):
        row = frame.filter(pl.col("game_number") == first["game_number"][i], pl.col("ply") == first["ply"][i])
        assert row.select(PLACE_COLUMNS).row(0) == tuple(first["places"][i].tolist())


def test_batches_hold_no_more_than_their_buffer(dataset, monkeypatch):
    from pipeline.serve.learn.tables import Selection

    read = []
    original = Selection.read
    monkeypatch.setattr(Selection, "read", lambda *a: read.append(original(*a)) or read[-1])
    stream = pipeline.batches(dataset, "layouts", 10, 0, buffer_rows=100)
    next(stream)
    assert len(read) == 1  # of four row groups of 100


def test_no_game_is_in_two_splits(dataset):
    games = [set(pipeline.matrix(dataset, "positions", "game_number", split).tolist()) for split in SPLITS]
    assert (
        sum(map(len, games))
        == len(set.union(*games))
        == len(set(pipeline.matrix(dataset, "positions", "game_number").tolist()))
    )


def test_torch_batches_with_workers(dataset):
    pytest.importorskip("torch", reason="torch is an optional extra and not installed")
    from torch.utils.data import DataLoader

    columns = ["game_number", "ply", "places", "legal", "action"]
    data = pipeline.TorchBatches(dataset, "positions", 64, seed=5, columns=columns)
    for workers in (0, 2):
        seen = []
        for batch in DataLoader(data, batch_size=None, num_workers=workers):
            seen += list(zip(batch["game_number"].tolist(), batch["ply"].tolist(), strict=True))
            assert str(batch["places"].dtype) == "torch.int64" and str(batch["legal"].dtype) == "torch.bool"
            assert batch["legal"].gather(1, batch["action"][:, None]).all()
        assert Counter(seen) == Counter(stored(dataset))
    data.set_epoch(1)
    again = [row for batch in data for row in zip(batch["game_number"].tolist(), batch["ply"].tolist(), strict=True)]
    assert again != seen and Counter(again) == Counter(seen)
    statistics = next(iter(pipeline.TorchBatches(dataset, "stats")))["statistics"]
    assert str(statistics.dtype) == "torch.float32"


def test_torch_is_named_where_it_is_absent():
    try:
        import torch  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match=r"pip install 'dealbook\[ml\]'"):
            _ = pipeline.TorchBatches
    else:
        pytest.skip("torch is installed")


def test_column_names_follow_the_codes():
    assert PLACE_COLUMNS[parse_card("KS")] == "place_ks" and PLACES[9] == "c2r2"
