"""The commands on Klondike games, as a user meets them."""

import json
import sys

import pytest

from pipeline.cli.app import main
from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.notation.text import read_klondike_moves
from pipeline.games.klondike.rules.replay import replay_klondike


@pytest.fixture
def dealbook(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dealbook", *map(str, arguments)])
        with pytest.raises(SystemExit) as exited:
            main()
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return exited.value.code or 0, out, err

    return run


def test_solution_prints_moves_that_win(dealbook):
    code, out, err = dealbook("solution", 617, "--game", "klondike")
    assert code == 0
    assert replay_klondike(deal_klondike(617)[0], read_klondike_moves(out)).is_won
    assert max(map(len, out.splitlines())) <= 80
    assert "moves and" in err


def test_the_rule_decides_game_121(dealbook):
    code, out, err = dealbook("solution", 121, "--game", "klondike", "--rule", "no-return")
    assert (code, out) == (1, "")
    assert "Klondike game 121 is impossible under rule no-return, by exhaustive search (" in err
    code, out, _ = dealbook("solution", 121, "--game", "klondike", "--format", "json")
    row = json.loads(out)
    assert (code, row["rule"], row["status"]) == (0, "return", "solved")
    assert replay_klondike(deal_klondike(121)[0], read_klondike_moves(row["moves"])).is_won


def test_too_small_a_budget_is_said(dealbook):
    code, _, err = dealbook("solution", 121, "--game", "klondike", "--budget", 3)
    assert code == 1
    assert "Klondike game 121 is unresolved" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solution", "x", "--game", "klondike"], "'x' is no Klondike game number"),
        (["solution", "100000000", "--game", "klondike"], "game number 100000000 is outside 0 .. 99999999"),
        (["solution", "1", "--game", "klondike", "--freecells", "4"], "--freecells: Klondike has none"),
        (["solution", "1", "--rule", "return"], "--rule: goes with --game klondike"),
    ],
)
def test_usage_errors(dealbook, arguments, said):
    code, out, err = dealbook(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_a_dataset_from_deal_to_report(dealbook, tmp_path):
    out = tmp_path / "data"
    assert dealbook("build", "configs/klondike.toml", "--out", out, "--last", 149, "--part-size", 75)[0] == 0
    code, counts, _ = dealbook("solve", out, "--jobs", 1, "--format", "json")
    assert code == 0
    rows = [json.loads(line) for line in counts.splitlines()]
    assert [row["rule"] for row in rows] == ["return", "no-return"]
    assert [row["unresolved"] for row in rows] == [0, 0]
    assert rows[0]["solved"] == rows[1]["solved"] + 1, "game 121 turns on the rule"
    assert dealbook("solve", out, "--freecells", 3)[0] == 2
    assert dealbook("check", out)[0] == 0
    assert "holds klondike games, not freecell" in dealbook("positions", out)[2]
    sql = "SELECT game_number FROM klondike_solutions GROUP BY 1 HAVING count(DISTINCT status) = 2"
    assert [json.loads(line) for line in dealbook("query", out, sql)[1].splitlines()] == [{"game_number": 121}]
    page = tmp_path / "page.html"
    assert dealbook("report", out, "--out", page)[0] == 0
    text = page.read_text()
    assert "Klondike games 0 to 149" in text
    assert "1 game can be won only where a card may come back: 121." in text
    assert f"<td>{rows[0]['solved']:,}</td>" in text
