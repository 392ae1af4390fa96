"""Catalogue files scanned as bytes: their rows against those of the plain reader and the plain replay."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import InputError
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.bulk_replay import BATCH, is_catalogue, replay_batches, verdict_rows
from pipeline.games.freecell.notation.verdicts import Choices, judge_text

CATALOGUE = Path(__file__).parents[3] / "cases" / "catalogue.txt"
GOOD = "617:4r462r2772424r4r4r74d41r7174831683c8212rc2828727285254575r353r38136412"


def rows_of(data, **options):
    return [
        json.loads(line)
        for batch in replay_batches(data, **options)
        for line in verdict_rows(batch).write_ndjson().splitlines()
    ]


LINE = st.one_of(
    st.sampled_from(
        ["", "# comment", "1:", ":57", "1 :57", "1: 57 # x", "2:57 57", " 3 : # 4", "5:57#", "3:#4", "4:57#57 5"]
    ),
    st.sampled_from(
        [GOOD, GOOD + "57", GOOD[:-1], GOOD[:30] + "xx", "99999999999999999999999:57", "8589934592:57", "8589934591:5r"]
    ),
    st.builds("{}:{}".format, st.integers(0, LAST_GAME), st.text("12345678abcdrhgk#", max_size=6)),
    st.text("12:# \t\f5r7x\x00~", max_size=12),
    st.text(st.characters(max_codepoint=126, exclude_categories=["Cc"]), max_size=12),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(LINE, max_size=8), st.sampled_from(["\n", "\r\n", " \n\t", "\r"]))
def test_any_lines_are_read_and_judged_as_the_plain_reader_and_replay_do(lines, ending):
    text = ending.join(lines)
    expected = [row for row, _ in judge_text(text, Choices(dialect="catalogue"))]
    assert rows_of(text.encode()) == expected


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_at_all_get_a_row_a_line(data):
    assert all(row["result"] in ("unreadable", "unfinished", "illegal") for row in rows_of(data + b"\n7:zz"))


def test_a_file_of_several_batches_keeps_its_order():
    text = CATALOGUE.read_bytes()
    copies = BATCH // text.count(b"\n") + 2
    numbers = [int(line.split(b":")[0]) for line in text.splitlines() if line[:1] != b"#"] * copies
    batches = list(replay_batches(text * copies, jobs=2))
    assert len(batches) == 2
    assert np.concatenate([batch.lines.game_number for batch in batches]).tolist() == numbers
    assert all(batch.verdicts.is_won.all() for batch in batches)


def test_a_catalogue_is_told_by_its_first_line():
    assert is_catalogue(b"\n# x\n 617:4r")
    assert not is_catalogue(b"")
    assert not is_catalogue(b"GAME #617\n 57 4a")
    assert not is_catalogue(b"Foundations: H-0\n: 4C")


def test_too_many_freecells_are_refused():
    with pytest.raises(InputError, match="must be 0"):
        list(replay_batches(GOOD.encode(), freecells=9))
