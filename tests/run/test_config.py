"""Configs: defaults, options over files, every mistake at once with its place."""

import pytest

from pipeline.cards.errors import ConfigError
from pipeline.run.config import Config, load_config


def test_the_default_is_the_main_job():
    assert load_config("configs/ms1m.toml").model_dump(exclude={"tables"}) == Config().model_dump(exclude={"tables"})
    assert load_config("configs/ms1m.toml").dealt_tables() == Config().dealt_tables() == ("layouts", "stats")


@pytest.mark.parametrize("name", ["ms1m", "ms32000", "sample"])
def test_configs_are_valid(name):
    assert load_config(f"configs/{name}.toml").plan().first == 1


def test_options_go_over_the_file():
    config = load_config("configs/sample.toml", last=10, out="elsewhere", tables=["stats"])
    assert (config.last, config.out, config.dealt_tables(), config.part_size) == (10, "elsewhere", ("stats",), 500)


def test_all_mistakes_at_once_with_their_places(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text('game = "freecell"\nlastt = 5\npart_size = 0\nfirst = "one"\n')
    with pytest.raises(ConfigError) as error:
        load_config(path, jobs=0)
    message = str(error.value)
    assert f"{path}:2: lastt: no such key, did you mean last?" in message
    assert f"{path}:3: part_size: " in message
    assert f"{path}:4: first: " in message
    assert "--jobs: " in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"last": 2**33}, "above the last freecell game, 8589934591"),
        ({"game": "klondike", "last": 10**8}, "above the last klondike game, 99999999"),
        ({"first": 7, "last": 6}, "first: 7 is above last, 6"),
        ({"tables": ["layouts", "cards"]}, "not 'cards'"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "goes with engine dask"),
        ({"first": -1}, "greater than or equal to 0"),
        ({"part_size": 10**8}, "less than or equal to"),
        ({"engine": "spark"}, "'local' or 'dask'"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(ConfigError) as error:
        load_config(None, **options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"first = ", "not TOML: Invalid value"),
        (b"\xff\xfe", "not UTF-8 text, at byte 0"),
        (b"last = " + b"9" * 30, "above the last freecell game"),
        (b"first = " + b"[" * 20_000, "not TOML: "),
        (b"#" * (2 << 20), "larger than a config may be"),
    ],
)
def test_files_that_are_no_config(tmp_path, content, words):
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        load_config(path)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xef\xbb\xbflast = 7\n")
    assert load_config(path).last == 7


def test_a_missing_file_is_named():
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read: No such file"):
        load_config("nowhere.toml")
