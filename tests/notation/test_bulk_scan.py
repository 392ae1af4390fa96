"""Catalogue files scanned as bytes, against a line by line twin, and the rows their replay prints."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import InputError
from pipeline.deal.microsoft import LAST_GAME
from pipeline.notation.bulk_replay import BATCH, is_catalogue, replay_batches, verdict_rows
from pipeline.notation.bulk_scan import PROBLEMS, scan_catalogue

CATALOGUE = Path(__file__).parent.parent / "cases" / "catalogue.txt"
GOOD = b"617:4r462r2772424r4r4r74d41r7174831683c8212rc2828727285254575r353r38136412"
BLANKS = b" \t\r\v\f"


def naive(data):
    """Game number, moves, line number and problem of each line that counts."""
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip(BLANKS) or line.strip(BLANKS).startswith(b"#"):
            continue
        match = re.fullmatch(rb"\s*([0-9]+)\s*:\s*([^\s#]*)\s*(?:#.*)?", line, re.DOTALL)
        if match is None:
            found.append((0, None, number, 1))
        else:
            game, moves = int(match[1]), match[2]
            found.append((game, moves, number, 0) if game <= LAST_GAME else (0, moves, number, 2))
    return found


LINE = st.one_of(
    st.sampled_from(
        [
            GOOD,
            b"",
            b"# comment",
            b"1:",
            b":57",
            b"1 :57",
            b"1: 57 # x",
            b"2:57 57",
            b" 3 : # 4",
            b"5:57#",
            b"99999999999999999999999:57",
            b"8589934592:57",
        ]
    ),
    st.builds(lambda game, moves: b"%d:%s" % (game, moves), st.integers(0, LAST_GAME), st.binary(max_size=6)),
    st.binary(max_size=12),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(LINE, max_size=8), st.sampled_from([b"\n", b"\r\n", b" \n\t"]))
def test_any_bytes_are_scanned_as_line_by_line(lines, ending):
    data = ending.join(lines)
    found = scan_catalogue(np.frombuffer(data, np.uint8))
    expected = naive(data)
    assert len(expected) == found.line.size
    for i, (game, moves, number, problem) in enumerate(expected):
        assert (found.game_number[i], found.line[i], found.problem[i]) == (game, number, problem)
        assert problem == 1 or data[found.starts[i] : found.ends[i]] == moves
        assert PROBLEMS[problem] or not problem


def rows_of(data, **options):
    return [
        json.loads(line)
        for batch in replay_batches(data, **options)
        for line in verdict_rows(batch).write_ndjson().splitlines()
    ]


def test_rows_say_what_became_of_each_line():
    data = b"\n".join(
        [b"# a comment", GOOD, GOOD + b"57", GOOD[:20], b"\xff\x00", b"4:", b"617:4r4r4r4r4r4r", b"617:xy"]
    )
    home = "C0 D0 H0 S0"
    assert rows_of(data) == [
        {
            "game_number": 617,
            "result": "won",
            "moves": 35,
            "illegal_move": None,
            "reason": None,
            "home": "C13 D13 H13 S13",
        },
        {
            "game_number": 617,
            "result": "won",
            "moves": 35,
            "illegal_move": None,
            "reason": "won with 1 moves left over",
            "home": "C13 D13 H13 S13",
        },
        {
            "game_number": 617,
            "result": "unfinished",
            "moves": 8,
            "illegal_move": None,
            "reason": None,
            "home": "C3 D0 H0 S0",
        },
        {
            "game_number": None,
            "result": "unreadable",
            "moves": 0,
            "illegal_move": None,
            "reason": "line 5: not a catalogue line (game:moves)",
            "home": home,
        },
        {
            "game_number": 4,
            "result": "unfinished",
            "moves": 0,
            "illegal_move": None,
            "reason": "no moves",
            "home": "C0 D2 H0 S0",
        },
        {
            "game_number": 617,
            "result": "illegal",
            "moves": 4,
            "illegal_move": 5,
            "reason": "4r: cells full",
            "home": home,
        },
        {
            "game_number": 617,
            "result": "illegal",
            "moves": 0,
            "illegal_move": 1,
            "reason": "xy: not a move",
            "home": home,
        },
    ]


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
        list(replay_batches(GOOD, freecells=9))
