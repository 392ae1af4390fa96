"""The commands `show` and `identify`, as a user meets them: what is on stdout, what on stderr, and the exit code."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from pipeline.cli.app import main


class Outcome:
    def __init__(self, code: int, out: bytes, err: bytes):
        self.code, self.bytes, self.out, self.err = code, out, out.decode(errors="replace"), err.decode()


@pytest.fixture
def dealbook(monkeypatch, capfdbinary):
    def run(*arguments: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["dealbook", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exited:
            main()
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Outcome(exited.value.code or 0, out, err)

    return run


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(os, "isatty", lambda descriptor: True)
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)


def test_show_writes_what_identify_reads(dealbook) -> None:
    for form in ("text", "unicode"):
        shown = dealbook("show", "4294967297", "--format", form)
        assert (shown.code, shown.err) == (0, "")
        identified = dealbook("identify", "-", stdin=shown.bytes)
        assert identified.code == 0
        assert json.loads(identified.out) == {"game_number": 4294967297, "branch": "2^32 .. 2^33-1", "suits": "CDHS"}


def test_show_on_no_terminal_is_plain_text(dealbook) -> None:
    assert dealbook("show", "24").out.startswith("4C 2C 9C 8C QS 4S 2H\n")


def test_show_the_special_layouts_by_their_signed_numbers(dealbook) -> None:
    shown = dealbook("show", "-2")
    assert shown.out.startswith("AS KS QS JS TS 9S 8S\n")
    assert json.loads(dealbook("identify", stdin=shown.bytes).out)["game_number"] == -2


def test_show_on_a_terminal_has_glyphs_and_colours(dealbook, terminal, monkeypatch) -> None:
    assert "\x1b[31m2♦\x1b[0m" in dealbook("show", "24").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in dealbook("show", "24").out


def test_show_refuses_a_png_on_a_terminal(dealbook, terminal) -> None:
    refused = dealbook("show", "24", "--format", "png")
    assert (refused.code, refused.out) == (2, "")
    assert "--out" in refused.err and refused.err.count("\n") == 1


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("json", b'{"game_number": 24'), ("txt", b"4C 2C")]
)
def test_show_writes_a_file_by_its_ending(dealbook, tmp_path: Path, ending: str, start: bytes) -> None:
    if ending == "png":
        pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    file = tmp_path / f"game.{ending}"
    shown = dealbook("show", "24", "--out", str(file))
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    assert file.read_bytes().startswith(start)


def test_show_format_goes_before_the_ending(dealbook, tmp_path: Path) -> None:
    file = tmp_path / "game.png"
    assert dealbook("show", "24", "--format", "svg", "--out", str(file)).code == 0
    assert file.read_bytes().startswith(b"<svg ")


def test_show_refuses_an_ending_that_names_no_form(dealbook, tmp_path: Path) -> None:
    file = tmp_path / "game.jpg"
    refused = dealbook("show", "24", "--out", str(file))
    assert refused.code == 2 and ".jpg" in refused.err and not file.exists()
    assert dealbook("show", "24", "--format", "text", "--out", str(file)).code == 0 and file.exists()


def test_show_klondike(dealbook) -> None:
    shown = dealbook("show", "123", "--game", "klondike", "--format", "json")
    assert [len(column) for column in json.loads(shown.out)["columns"]] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-3"],
        ["8589934592"],
        ["x"],
        [],
        ["1", "--format", "gif"],
        ["1", "--colour"],
        ["100000000", "--game", "klondike"],
    ],
)
def test_show_refuses_what_it_cannot_show(dealbook, arguments: list[str]) -> None:
    refused = dealbook("show", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err and "Traceback" not in refused.err


def test_show_into_a_folder_that_is_not_there(dealbook, tmp_path: Path) -> None:
    failed = dealbook("show", "1", "--out", str(tmp_path / "none" / "game.svg"))
    assert failed.code == 1 and failed.err.count("\n") == 1


def test_identify_a_file_as_csv(dealbook, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_bytes(dealbook("show", "617").bytes)
    assert dealbook("identify", str(file), "--format", "csv").out == "game_number,branch,suits\n617,0 .. 2^31-1,CDHS\n"


def test_identify_names_exchanged_suits(dealbook) -> None:
    shown = dealbook("show", "617").bytes.translate(bytes.maketrans(b"CDHS", b"DCSH"))
    identified = dealbook("identify", stdin=shown)
    assert json.loads(identified.out) == {"game_number": 617, "branch": "0 .. 2^31-1", "suits": "DCSH"}
    assert "game 617" in identified.err and "exchanging suits" in identified.err


def test_identify_a_deck_without_a_number(dealbook) -> None:
    shown = dealbook("show", "617").out
    first, second = shown[:2], shown[3:5]
    identified = dealbook("identify", stdin=f"{second} {first}{shown[5:]}".encode())
    assert (identified.code, identified.out) == (1, "")
    assert identified.err.startswith("dealbook: no game number") and identified.err.count("\n") == 1


def test_identify_partial_layouts(dealbook) -> None:
    rows = dealbook("show", "617", "--format", "unicode").out.splitlines()[1:]
    assert json.loads(dealbook("identify", stdin="\n".join(rows[:2]).encode()).out)["game_number"] == 617
    unknown = "\n".join(rows[:2] + ["??" + row[2:] for row in rows[2:]])
    assert json.loads(dealbook("identify", stdin=unknown.encode()).out)["game_number"] == 617
    refused = dealbook("identify", stdin=rows[0].encode())
    assert refused.code == 2 and "first two rows" in refused.err


def test_identify_refuses_a_position(dealbook) -> None:
    lines = dealbook("show", "24").out.splitlines()
    lines[3] = lines[3].removesuffix(" AS")
    refused = dealbook("identify", stdin="\n".join(["Foundations: S-A", *lines]).encode())
    assert (refused.code, refused.out) == (2, "")
    assert "middle of a game" in refused.err and "cards home: 1," in refused.err and "7 7 7 6 6 6 6 6" in refused.err


def test_identify_tells_the_defects_of_a_whole_board(dealbook) -> None:
    text = dealbook("show", "24").out.replace("9D", "8S")
    refused = dealbook("identify", stdin=text.encode())
    assert refused.code == 2
    assert (
        refused.err.startswith("dealbook: stdin: ")
        and "9D is missing" in refused.err
        and "8S is in column 8 row 5 and in column 8 row 6" in refused.err
    )


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\2", b"\xff\xfe\xff", b"A" * 1_000_000, b"\x89PNG\r\n\x1a\n", b"\r\r\r", b"\x1b[31m"]
)
def test_identify_refuses_what_is_no_board_in_one_line(dealbook, data: bytes) -> None:
    refused = dealbook("identify", stdin=data)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1 and len(refused.err) < 300 and refused.err[:-1].isprintable()
