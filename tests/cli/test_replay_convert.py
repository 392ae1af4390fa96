"""The commands replay and convert: output, exit codes, and one line for whatever they are given."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cards.errors import Failed, InputError
from pipeline.cli import games
from pipeline.cli.app import COMMAND_MODULES, app

CASES = Path(__file__).parent.parent / "cases"
REPLAYS = tomllib.loads((CASES / "replay.toml").read_text())
SHORT = (CASES / "6240-short.txt").read_text()
WON = {"result": "won", "illegal_move": None, "reason": None, "home": "C13 D13 H13 S13"}


def run(*arguments, text=None):
    """Run a command; gives its exit code, stdout and stderr. Errors that `main` prints are turned into what it does with them."""
    import importlib

    for module in COMMAND_MODULES:
        importlib.import_module(f"pipeline.cli.{module}")
    data = text if isinstance(text, bytes) else (text or "").encode()
    done = CliRunner().invoke(app, list(arguments), input=data)
    if isinstance(done.exception, InputError | Failed):
        return (2 if isinstance(done.exception, InputError) else 1), done.stdout, f"dealbook: {done.exception}\n"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def rows(stdout):
    return [json.loads(line) for line in stdout.splitlines()]


@pytest.mark.parametrize("case", REPLAYS["replay"], ids=lambda case: case["name"])
def test_replay_of_every_known_case(case):
    options = ["--game-number", str(case["game_number"]), "--automove", case["automove"], "--limit", case["limit"]]
    options += ["--initial-automove"] if case.get("initial") else []
    code, out, err = run("replay", "-", *options, "--format", "json", text=" " + case["moves"])
    (row,) = rows(out)
    assert list(row) == ["game_number", "result", "moves", "illegal_move", "reason", "home"]
    assert (row["game_number"], row["result"]) == (case["game_number"], case["result"])
    assert (row["illegal_move"], row["reason"]) == (case.get("illegal_move"), case.get("reason"))
    assert row["home"] == case.get("home", row["home"])
    assert (code, err) == (0 if case["result"] == "won" else 1, "")


def test_replay_of_several_files_worth_of_dialects():
    for name in ("short", "long", "partial"):
        code, out, _ = run("replay", str(CASES / f"6240-{name}.txt"))
        assert code == 0 and rows(out)[0] == {"game_number": 6240, "moves": 53 if name == "short" else 173, **WON}
    lines = "\n".join(case["line"] for case in REPLAYS["catalogue"])
    code, out, _ = run("replay", "-", text=lines)
    assert code == 0 and [row["moves"] for row in rows(out)] == [29, 25, 35]


def test_automove_auto_names_the_rules():
    case = next(case for case in REPLAYS["replay"] if case["name"] == "6240 short, every home move written")
    code, out, _ = run("replay", "--automove", "auto", "--game-number", "6240", text=case["moves"])
    assert code == 0 and rows(out)[0]["rules"] == "automove none, limit doubling"
    code, out, _ = run("replay", "--automove", "auto", "--game-number", "617", text=case["moves"])
    assert code == 1 and rows(out)[0]["result"] == "illegal"
    code, out, err = run("replay", "--automove", "auto", "--limit", "single", text=SHORT)
    assert (code, out) == (2, "") and "leave out --initial-automove and --limit" in err


def test_exit_codes_and_rows_where_one_of_several_fails():
    text = SHORT + "GAME #8589934592\n" + SHORT.replace("53 c5", "53 c6") + "GAME #6240\n 5a 5b  5c\n"
    code, out, err = run("replay", text=text)
    assert [row["result"] for row in rows(out)] == ["won", "unreadable", "illegal", "unfinished"]
    assert (code, err) == (2, "dealbook: line 33 is a comment from: 5c\n")
    assert run("replay", text=SHORT.replace("53 c5", "53 c6"))[0] == 1
    code, out, _ = run("replay", text=SHORT.replace("1a 12", "1a 12 11"))
    assert (code, rows(out)[0]["reason"]) == (0, "won with 1 moves left over")


def test_freecells():
    code, out, _ = run("replay", "--freecells", "2", text=SHORT)
    assert (code, rows(out)[0]["reason"]) == (1, "5c: cell blocked")
    assert run("replay", "--freecells", "9", text=SHORT)[0] == 2
    assert run("replay", "--freecells", "6", text=SHORT)[0] == 0


@pytest.mark.parametrize("format", ["json", "csv", "table"])
def test_a_large_catalogue_is_judged_as_line_by_line(format, monkeypatch):
    lines = [line for line in (CASES / "catalogue.txt").read_text().splitlines() if not line.startswith("#")][:40]
    lines[3], lines[7] = lines[3][:-2], lines[7][:9] + "11" + lines[7][11:]
    text = "\n".join([*lines, "617:4r", 'say "hé": \\ 1,'])
    expected = run("replay", "--format", format, text=text)
    monkeypatch.setattr(games, "_BULK_BYTES", 0)
    code, out, err = run("replay", "--format", format, text=text)
    assert (code, expected[0]) == (2, 2) and "won" in err
    if format == "json":
        differing = [pair for pair in zip(rows(out), rows(expected[1]), strict=True) if pair[0] != pair[1]]
        assert {ours["result"] for ours, _ in differing} <= {"unreadable"}  # perhaps in other words
        assert [json.dumps(row, ensure_ascii=False) for row in rows(out)] == out.splitlines()  # as the plain form is
    else:
        assert out.count("\n") == expected[1].count("\n")
    marked = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + b"\r\n\x1a"
    assert run("replay", "--format", format, text=marked) == (code, out, err)
    again = run("replay", "--automove", "max", "--format", format, text=text)
    assert again[1] == expected[1]  # a rule chosen by hand: line by line


def test_convert_writes_each_dialect_and_reads_it_back():
    line = REPLAYS["catalogue"][2]["line"]
    for to in ("standard", "fcsolve", "fcsolve-verbose", "json", "catalogue"):
        code, out, err = run("convert", "--to", to, text=line)
        assert (code, err) == (0, "")
        code, back, err = run("convert", "--to", "catalogue", text=out)
        assert (code, back, err) == (0, line + "\n", "")
    text = "\n".join(case["line"] for case in REPLAYS["catalogue"])
    code, out, _ = run("convert", "--to", "standard", text=text)
    assert code == 0 and out.count("GAME #") == 3
    assert run("convert", "--to", "catalogue", text=out)[1] == text + "\n"
    assert run("convert", "--to", "catalogue", text=run("convert", "--to", "fcsolve", text=text)[1])[1] == text + "\n"


def test_convert_says_what_it_cannot_write():
    code, out, err = run("convert", "--to", "catalogue", text=SHORT)
    assert (code, out) == (1, "") and err.startswith(
        "dealbook: stdin: game 6240: move 8 (52) cannot be written under automove max"
    )
    code, out, err = run("convert", "--to", "json", text=SHORT + "GAME #8589934592\n" + SHORT)
    assert code == 2 and len(rows(out)) == 2 and err.count("\n") == 1
    case = next(case for case in REPLAYS["replay"] if case["name"] == "6240 short, every home move written")
    code, out, _ = run("convert", "--to", "standard", "--automove", "auto", "--game-number", "6240", text=case["moves"])
    assert (code, out) == (0, run("convert", "--to", "standard", text=SHORT)[1])
    assert run("convert", "--to", "nonsense", text=SHORT)[0] == 2


BAD = {
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "zip": b"PK\x03\x04" + b"\0" * 1000,
    "a megabyte on one line": b"5a " * 350_000,
    "a megabyte of nines": b"9" * 1_000_000,
    "latin-1": "Größe 5a".encode("latin-1"),
    "UTF-16 without a mark": SHORT.encode("utf-16-le"),
    "UTF-16 cut": SHORT.encode("utf-16")[:-1],
    "control characters": b"\x1b[31m\x07\x08" * 50,
    "cut in the layout": SHORT[:60].encode(),
    "cut fc-solve": b"-=-=-=-=-\n\nFoundations: H-0 C-0\nFreecells:\n: 4C 2C",
    "cut JSON": b'{"game_number": 617, "columns": ["7D',
    "cut catalogue": b"617:4",
}


@pytest.mark.parametrize("command", [("replay",), ("convert", "--to", "standard")], ids=" ".join)
@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_clear_line(command, name):
    code, out, err = run(*command, text=BAD[name])
    assert (code, out) == (2, "")
    assert err.startswith("dealbook: ") and err.count("\n") == 1 and err.strip().isprintable() and len(err) < 600


@pytest.mark.parametrize("command", [("replay",), ("convert", "--to", "json")], ids=" ".join)
def test_every_cut_of_a_good_text(command):
    for text in (SHORT, REPLAYS["catalogue"][0]["line"]):
        for length in range(0, len(text), 23):
            code, out, err = run(*command, text=text[:length])
            assert code in (0, 1, 2) and err.count("\n") <= 3 and (out or err)


def test_other_line_ends_and_marks_are_read():
    for data in (SHORT.replace("\n", "\r\n").encode(), SHORT.encode("utf-16"), b"\xef\xbb\xbf" + SHORT.encode()):
        assert rows(run("replay", text=data)[1]) == rows(run("replay", text=SHORT)[1])


def test_a_dialect_and_a_game_from_outside():
    moves = "4h 7a 7b 7h 1c 1d a1\n"
    code, out, _ = run("replay", "--from", "fcsolve", "--game-number", "24", text=moves)
    assert (code, rows(out)[0]["result"], rows(out)[0]["moves"]) == (1, "unfinished", 7)
    code, out, _ = run("replay", "--from", "standard", "--game-number", "24", text=moves)
    assert rows(out)[0]["reason"] == "7h: 6S not next"  # under horne automoves AD has gone home by itself
    assert rows(run("replay", "--game-number", "-1", text=" 1a 1b\n")[1])[0]["game_number"] == -1
    for number in ("-3", "8589934592"):
        code, out, err = run("replay", "--game-number", number, text=moves)
        assert (code, out) == (2, "") and err.startswith(f"dealbook: game number {number} is outside 0 .. 8589934591")


@pytest.mark.parametrize(
    "command", [("replay",), ("convert", "--to", "json"), ("identify",), ("solution",), ("shortest",)], ids=" ".join
)
def test_files_that_are_not_there(command, tmp_path):
    for file in (tmp_path / "missing.txt", tmp_path, tmp_path / ("long" * 100)):
        code, out, err = run(*command, str(file))
        assert (code, out) == (2, "") and err.startswith(f"dealbook: {file}: ") and err.count("\n") == 1


def test_the_list_of_commands_cuts_no_summary():
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "--help"], capture_output=True, check=True, env=environment, text=True
    )
    summaries = done.stdout.partition("Commands:\n")[2].splitlines()
    assert len(summaries) > 10 and all(line.endswith(".") and not line.endswith("..") for line in summaries)


def test_the_real_command_from_a_shell():
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "pipeline"]
    done = subprocess.run([*command, "replay"], input=BAD["binary"], capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr.startswith(b"dealbook: stdin: ")
    done = subprocess.run(
        [*command, "replay", "-"], stdin=None, capture_output=True, check=False, env=environment, input=SHORT.encode()
    )
    assert done.returncode == 0 and json.loads(done.stdout)["result"] == "won"
    for name in ("replay", "convert"):
        done = subprocess.run([*command, name, "--help"], capture_output=True, check=True, env=environment)
        assert b"Example: dealbook " + name.encode() in done.stdout
