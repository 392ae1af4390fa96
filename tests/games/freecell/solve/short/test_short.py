"""Short solutions: they replay, more effort pays, tiny decks agree with a naive search, files of several efforts live side by side."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pipeline.cards.errors import InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.dialects import read_all
from pipeline.games.freecell.notation.document import Document, game_position, verify
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.position import HOME, from_layout
from pipeline.games.freecell.rules.replay import RuleSet, replay
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, SOLVED
from pipeline.games.freecell.solve.short import solver as short
from pipeline.games.freecell.solve.short.moves import HIGHER, MOST_MOVES, list_moves, new_survey, survey
from pipeline.games.freecell.solve.short.solver import (
    ShortSettings,
    ShortSolver,
    layout_places,
    shorten_position,
    solve_short,
)
from pipeline.games.freecell.solve.state import CARDS, EXPOSED, PARENTS, SLOTS, new_pool, position_places, settle
from pipeline.kernels.compile import kernel
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.short_solve import ShortJob
from pipeline.run.jobs.solve import run_solving
from pipeline.serve.answer.short_solution import short_text, shorten, verdict
from pipeline.serve.answer.solution import parse_moves
from tests.games.freecell.solve.short.naive_shortest import naive_shortest, tiny_position
from tests.games.freecell.solve.tiny import tiny_columns

RULES = short.SHORT_RULES


def verdicts_of(layouts, solver):
    found = solve_short(layouts, solver)
    settings = solver.settings
    rules = {"automove": settings.automove, "freecells": settings.freecells}
    return found, replay_many(layouts, found.solved.text, found.solved.offsets, **rules)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("effort", "cells"), [(0, 4), (1, 4), (1, 3), (1, 2), (1, 8), (2, 4)])
def test_solutions_replay_under_their_rule(effort, cells, rule):
    solver = ShortSolver(ShortSettings(effort, rule, cells, budget=200_000))
    layouts = deal(range(200, 208 if cells > 2 else 203))
    found, verdicts = verdicts_of(layouts, solver)
    solved = found.solved.status == SOLVED
    assert solved.sum() >= (len(layouts) if cells > 2 else 1)
    assert (verdicts.is_won == solved).all() and not verdicts.moves_left.any()
    for layout, count, is_solved in zip(layouts, verdicts.move_count, solved, strict=True):
        outcome, text = shorten_position(from_layout(layout.tolist(), cells), solver)
        assert (text is not None) == is_solved
        if text is not None:
            plain = replay(from_layout(layout.tolist(), cells), parse_moves(text), rule)
            assert plain.result == "won" and plain.move_count == outcome.length == count


def test_a_solution_found_under_max_is_written_under_every_rule():
    layouts = deal(range(300, 320))
    solver = ShortSolver(ShortSettings(1, "max"))
    found, under_max = verdicts_of(layouts, solver)
    for rule in ("horne", "wkr"):
        _, verdicts = verdicts_of(layouts, ShortSolver(ShortSettings(1, rule)))
        assert verdicts.is_won.all() and (verdicts.move_count <= under_max.move_count).all()
        assert (verdicts.written_move_count > verdicts.move_count).any(), "moves home are written out"
    assert found.solved.status.tolist() == [SOLVED] * 20


def test_more_effort_pays():
    layouts = deal(range(2_000, 42_000, 2_000))
    means = [
        verdicts_of(layouts, ShortSolver(ShortSettings(effort, "max")))[1].move_count.mean() for effort in range(4)
    ]
    assert means == sorted(means, reverse=True) and means[0] - means[3] > 3
    assert means[3] < 26.5


def test_no_game_fails_as_wider_beams_take_over(monkeypatch):
    monkeypatch.setattr(short, "WIDTHS", (1, 2))
    found, verdicts = verdicts_of(deal(range(1, 41)), ShortSolver(ShortSettings(0, "max")))
    assert verdicts.is_won.all() and set(found.solved.tier) >= {1, 2, 3}
    monkeypatch.setattr(short, "MOST_WIDTH", 1)
    monkeypatch.setattr(short, "WIDER", 2)
    for rule in ("horne", "wkr"):
        found, verdicts = verdicts_of(deal([1, 7, 16]), ShortSolver(ShortSettings(0, rule)))
        assert verdicts.is_won.all() and found.solved.tier.max() == 3, "the last resort"


@pytest.mark.parametrize("cells", [0, 1])
def test_tiny_decks_agree_with_a_naive_search(cells):
    solvers = {rule: ShortSolver(ShortSettings(0, rule, cells, prove=1)) for rule in RULES}
    said = set()
    for seed in range(40):
        columns = tiny_columns(seed, 4, 4 - cells)
        naive = {rule: naive_shortest(tiny_position(columns, cells), rule) for rule in RULES}
        for rule, solver in solvers.items():
            answer = shorten(tiny_position(columns, cells), solver.settings)
            assert answer.outcome.length == naive[rule]
            assert answer.outcome.is_shortest == (naive[rule] is not None)
            expected = "solved" if naive[rule] is not None else "impossible"
            if naive[rule] is None and naive["horne"] is not None:
                expected = "impossible_under_automove"
                assert "but one under --automove horne" in verdict("this", answer)
            assert answer.status == expected
            said.add(expected)
    assert said >= {"solved", "impossible"}


def test_no_solution_under_max_but_one_otherwise_is_said_as_that():
    seed = next(
        seed
        for seed in range(5_000)
        if naive_shortest(tiny_position(tiny_columns(seed, 4, 3), 0), "max") is None
        and naive_shortest(tiny_position(tiny_columns(seed, 4, 3), 0), "horne") is not None
    )
    position = tiny_position(tiny_columns(seed, 4, 3), 0)
    assert shorten(position, ShortSettings(1, "max", 0)).status == "impossible_under_automove"
    assert shorten(position, ShortSettings(1, "horne", 0)).status == "solved"


def test_impossible_games_are_said_to_be_so_under_every_rule():
    for rule in RULES:
        outcome = ShortSolver(ShortSettings(0, rule)).solve(layout_places(deal(11982)[0]), 8)
        assert outcome.status == IMPOSSIBLE and not outcome.has_other and outcome.steps is None


@kernel
def _survey(words, places, row, parents, higher, found):
    survey(words, places, row, parents, higher, found)


@kernel
def _list(words, parents, found, moves):
    return list_moves(words, 0, parents, 8, 4, found, moves)


@kernel
def _settle(words, places, row, table):
    settle(words, places, row, table)


def test_what_a_move_leaves_is_told_without_making_it():
    words, places = new_pool(2, 16)
    found, moves, table = new_survey(), np.zeros((MOST_MOVES, 4), np.int64), np.zeros((SLOTS, 0), np.int64)
    total = 0
    solver = ShortSolver(ShortSettings(0, "max"))
    for layout in deal(range(500, 506)):
        position = from_layout(layout.tolist())
        _, text = shorten_position(position, solver)
        for step in replay(position, parse_moves(text), "max").steps:
            cells = [card for card in step.position.freecells if card >= 0]
            places[0, :CARDS] = position_places(step.position.columns, cells)
            _settle(words, places, 0, table)
            assert bin(words[0, EXPOSED]).count("1") == sum(map(bool, step.position.columns))
            _survey(words, places, 0, PARENTS, HIGHER, found)
            count = _list(words, PARENTS, found, moves)
            for move, blocked, buried, _ in moves[:count].tolist():
                places[1] = places[0]
                places[1, move >> 6] = move & 63
                _settle(words, places, 1, table)
                _survey(words, places, 1, PARENTS, HIGHER, found)
                assert (blocked, buried) == (found.totals[1], found.totals[2])
            total += count
    assert total > 1_000


def test_middle_of_a_game_is_solved_and_proved_by_text():
    layout = deal(3)[0].tolist()
    _, text = shorten_position(from_layout(layout), ShortSolver(ShortSettings(2, "max")))
    played = replay(from_layout(layout), parse_moves(text), "max")
    middle = played.steps[5].position
    answer = shorten(middle, ShortSettings(1, "max", prove=1))
    left = sum(step.move.target != HOME for step in played.steps[6:])
    assert answer.outcome.is_shortest and answer.outcome.length <= left
    assert "proved the fewest (automove max, limit doubling, one card or the most" in verdict("it", answer)
    shown = short_text(Document(shown=middle), answer)
    assert shown.splitlines()[-1].split()[-1] == answer.moves.split()[-1]


@pytest.mark.parametrize("rule", ["horne", "wkr", "max"])
@pytest.mark.parametrize("freecells", [1, 4, 5, 8])
def test_what_is_written_reads_back_and_wins(freecells, rule):
    """From the deal and from the middle of a game; 58 has moves into empty columns that are of one card for Freecell Solver."""
    settings = ShortSettings(1, rule, freecells)
    for game in (7, 58):
        start = game_position(game, freecells)
        answer = shorten(start, settings)
        if answer.moves is None:
            continue
        middle = replay(start, parse_moves(answer.moves), rule).steps[6].position
        for number, position in ((game, start), (None, middle)):
            answer = shorten(position, settings)
            text = short_text(Document(number, shown=position), answer)
            says_all = "Freecells:" in text
            assert says_all == (freecells > 4 and number is None)
            (document,) = read_all(text, freecells=None if says_all else freecells)
            found = verify(document, None if says_all else RuleSet(rule), None if says_all else freecells)
            assert (found.result, document.game_number) == ("won", number)
            home = sum(step.move.target == HOME for step in found.replay.steps)
            assert len(found.replay.steps) - home == answer.found.move_count


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (ShortSettings(6), "effort 6"),
        (ShortSettings(1, "none"), "not one of horne, wkr, max"),
        (ShortSettings(1, prove=-1), "seconds"),
        (ShortSettings(5, memory=0.1), "gigabytes"),
        (ShortSettings(1, memory=float("nan")), "gigabytes"),
        (ShortSettings(1, freecells=9), "freecells"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        ShortSolver(settings)


def test_files_of_efforts_and_rules_live_side_by_side(tmp_path):
    build(Config(first=1, last=40, part_size=20, out=str(tmp_path / "a"), jobs=1))
    build(Config(first=1, last=40, part_size=20, out=str(tmp_path / "b"), jobs=1))
    jobs = [
        ShortJob(ShortSettings(1, "max")),
        ShortJob(ShortSettings(1, "horne")),
        ShortJob(ShortSettings(2, "max", prove=0.02)),
    ]
    for job in jobs:
        counts = run_solving(Dataset(str(tmp_path / "a")), job, engine=Engine(jobs=1)).counts
        assert counts == {"solved": 40}
        run_solving(Dataset(str(tmp_path / "b")), job, engine=Engine(jobs=2))
        assert run_solving(Dataset(str(tmp_path / "a")), job, engine=Engine(jobs=1)).summary.written == 0
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a" / "solutions").iterdir())
    assert len(files) == 6
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert not check(Dataset(str(tmp_path / "a")), Engine(jobs=1)).findings


def test_same_without_compilation():
    program = """
from pipeline.games.freecell.solve.short.solver import ShortSettings, ShortSolver
from pipeline.games.freecell.solve.state import position_places
import random
deck = list(range(12)); random.Random(4).shuffle(deck)
found = ShortSolver(ShortSettings(0, "max", 1, budget=1000, prove=0.01, memory=0.05))
found = found.solve(position_places([deck[k::3] for k in range(3)]), 3)
print(found.status, found.length, found.lower_bound, found.nodes)
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert runs[0] == runs[1] != ""
    assert set(RULES) < set(AUTOMOVE_RULES)
