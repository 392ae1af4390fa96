"""The plain rules: known replays, and independent counts of what can be reached."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pipeline.cards.codes import CARD_NAMES, is_in_order, parse_card
from pipeline.cards.errors import IllegalMoveError, InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.standard import read_standard
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES, automoves, goes_home
from pipeline.games.freecell.rules.moves import LIMITS, Move, apply, carry, legal_moves, resolve, supermove_limit
from pipeline.games.freecell.rules.position import (
    BLOCKED,
    CELL,
    EMPTY,
    HOME,
    NEXT_CELL,
    PLACES,
    Position,
    from_layout,
    is_layout,
    layout_of,
)
from pipeline.games.freecell.rules.replay import RuleSet, find_rules, replay

CASES = tomllib.loads((Path(__file__).parents[3] / "cases" / "replay.toml").read_text())


def position_of(game, freecells=4):
    return from_layout(deal(game)[0].tolist(), freecells)


def moves_of(text):
    return read_standard(f"1\n {text}")[0].moves


def cards(names):
    return tuple(parse_card(name) for name in names.split())


@pytest.mark.parametrize("case", CASES["replay"], ids=lambda case: case["name"])
def test_known_replays(case):
    position = position_of(case["game_number"])
    found = replay(position, moves_of(case["moves"]), case["automove"], case.get("initial", False), case["limit"])
    assert (found.result, found.illegal_move, found.reason) == (
        case["result"],
        case.get("illegal_move"),
        case.get("reason"),
    )
    if "home" in case:
        assert found.position.home == case["home"]
    assert found.moves_left_over == 0
    if found.result == "won":
        automoved = sum(found.automove_counts) + len(found.initial_automoves)
        homeward = sum(step.move.target == HOME for step in found.steps)
        assert automoved + homeward == 52 and found.position.is_won
        assert found.move_count == found.written_move_count - homeward
        assert found.card_move_count >= found.written_move_count == len(case["moves"].split())


@pytest.mark.parametrize("case", CASES["catalogue"], ids=lambda case: str(case["game_number"]))
def test_catalogue_lines_win_with_the_row_of_cells_closing_up(case):
    text = case["line"].partition(":")[2]
    moves = [Move(PLACES[source], PLACES[target]) for source, target in zip(text[::2], text[1::2], strict=True)]
    found = replay(position_of(case["game_number"]), moves, "max", initial=True, packed=True)
    assert (found.result, len(found.steps), found.moves_left_over) == (case["result"], case["moves"], 0)
    open_row = replay(position_of(case["game_number"]), moves, "max", initial=True)
    assert case["game_number"] != 617 or open_row.result == "illegal"  # its letters name places in the row


def test_moves_after_the_win_are_left_over_and_not_illegal():
    case = CASES["replay"][0]
    found = replay(position_of(6240), moves_of(case["moves"] + " 11 11 4h"), "horne")
    assert (found.result, found.moves_left_over, found.illegal_move) == ("won", 3, None)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("6240 short", RuleSet("horne")),
        ("6240 long", RuleSet("horne")),
        ("game 1024 needs doubling", RuleSet("horne")),
        ("game 1, older catalogue text", RuleSet("horne")),
        ("6240 short, every home move written", RuleSet("none")),
    ],
)
def test_the_rules_of_a_text_are_found(name, rules):
    case = next(case for case in CASES["replay"] if case["name"] == name)
    found_rules, found = find_rules(position_of(case["game_number"]), moves_of(case["moves"]))
    assert (found_rules, found.result) == (rules, "won")


def test_where_no_rules_win_the_longest_replay_is_told():
    _, found = find_rules(position_of(617), moves_of(CASES["replay"][0]["moves"]))
    assert found.result == "illegal"
    others = [replay(position_of(617), moves_of(CASES["replay"][0]["moves"]), rule) for rule in AUTOMOVE_RULES]
    assert len(found.steps) == max(len(other.steps) for other in others)


# Every reason of a refusal, in one position: cell b is blocked, c does not exist.
BOARD = Position(
    (cards("KS QH JS"), cards("QD"), cards("KC JD TS 9H"), (), cards("8C 7C"), (), cards("2C"), cards("TH")),
    (parse_card("3S"), BLOCKED),
    (1, 0, 0, 0),
)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Move(3, 0), "41: column empty"),
        (Move(CELL + 1, 0), "b1: cell blocked"),
        (Move(CELL + 2, 0), "c1: cell blocked"),
        (Move(0, CELL), "1a: cell full"),
        (Move(0, CELL + 1), "1b: cell blocked"),
        (Move(0, CELL + 3), "1d: cell blocked"),
        (Move(0, NEXT_CELL), "1r: cells full"),
        (Move(0, HOME), "1h: JS not next"),
        (Move(CELL, 0), "a1: 3S on JS"),
        (Move(0, 0), "11: no sequence fits JS"),
        (Move(4, 7), "58: no sequence fits TH"),
        (Move(1, 0), "21: no sequence fits JS"),
        (Move(0, 7, 1), "18: JS on TH"),
        (Move(4, 3, 2), "54: 2 cards are no sequence"),
        (Move(6, 3, 2), "74: 2 cards, 1 there"),
        (Move(0, 3, 3), "14: 3 cards, 2 allowed"),
        (Move(0, HOME, 2), "1h: 2 cards, 1 allowed"),
    ],
)
def test_each_refusal_says_its_reason(move, reason):
    with pytest.raises(IllegalMoveError) as refusal:
        resolve(BOARD, move)
    assert str(refusal.value) == reason


def test_an_empty_cell_and_a_supermove_too_long_are_refused():
    free = Position(BOARD.columns, (EMPTY, EMPTY), BOARD.foundations)
    with pytest.raises(IllegalMoveError, match=r"^a1: cell empty$"):
        resolve(free, Move(CELL, 0))
    full = Position((cards("KS QH JS TH 9S"), cards("QD"), cards("KD")), (parse_card("3S"),))
    with pytest.raises(IllegalMoveError, match=r"^13: no sequence fits KD$"):
        resolve(full, Move(0, 2))
    with pytest.raises(IllegalMoveError, match=r"^12: 3 cards, 1 allowed$"):
        resolve(full, Move(0, 1))


def test_limits_and_implied_counts():
    assert [supermove_limit(BOARD, False), supermove_limit(BOARD, True), supermove_limit(BOARD, True, "single")] == [
        4,
        2,
        1,
    ]
    assert [resolve(BOARD, Move(0, 3), limit).count for limit in LIMITS] == [2, 1]
    assert resolve(BOARD, Move(0, 3, 1)).count == 1
    assert resolve(BOARD, Move(0, 1)).count == 1


def naive_max(columns_empty, cells_free, into_empty):
    """The longest sequence that single moves can carry to a target, by trying all of them."""
    best = 0
    for count in range(1, 9):
        # A sequence of `count` cards on a black king, a target for it, and nothing else that could move.
        sequence = tuple(4 * (count - 1 - k) + (3 if k % 2 else 1) for k in range(count))
        target = () if into_empty else (4 * count + 3,)
        start = ((51, *sequence) if not into_empty else (50, *sequence), target, *[()] * columns_empty)
        goal = (start[0][:1], target + sequence)
        seen, todo = {(start, ())}, [(start, ())]
        while todo:
            columns, cells = todo.pop()
            places = [(i, c[-1]) for i, c in enumerate(columns) if c] + [(None, card) for card in cells]
            for (source, card), to in itertools.product(places, [*range(len(columns)), "cell"]):
                if (
                    card in start[0][:1]
                    or (to == "cell" and (source is None or len(cells) >= cells_free))
                    or source == to
                ):
                    continue
                if to != "cell" and columns[to] and not is_in_order(card, columns[to][-1]):
                    continue
                rows = [list(c) for c in columns]
                hand = set(cells)
                hand.discard(card) if source is None else rows[source].pop()
                hand.add(card) if to == "cell" else rows[to].append(card)
                after = tuple(map(tuple, rows)), tuple(sorted(hand))
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        if any(columns[:2] == goal for columns, _ in seen):
            best = count
    return best


@pytest.mark.parametrize(("empty", "free"), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)])
def test_the_limit_is_what_single_moves_can_do(empty, free):
    """Onto a card and into an empty column, exhaustively: neither more nor fewer cards can be carried."""
    padding = [(51,)] * (6 - empty)
    onto_card = Position(((50, 0), (4,), *[()] * empty, *padding), (EMPTY,) * free)
    into_empty = Position(((50, 0), (), *[()] * empty, *padding), (EMPTY,) * free)
    assert supermove_limit(onto_card, False) == naive_max(empty, free, False)
    assert supermove_limit(into_empty, True) == naive_max(empty, free, True)


def reachable(game, freecells):
    """How many positions single moves reach, the order of columns and cells left aside."""
    start = position_of(game, freecells)
    seen, todo = set(), [start]
    while todo:
        position = todo.pop()
        key = (tuple(sorted(position.columns)), tuple(sorted(position.freecells)), position.foundations)
        if key not in seen:
            seen.add(key)
            todo += [carry(position, move) for move in legal_moves(position) if move.count == 1]
    return len(seen)


@pytest.mark.skipif(
    shutil.which("fc-solve") is None, reason="Freecell Solver (Debian freecell-solver-bin) is not installed"
)
@pytest.mark.parametrize("freecells", [0, 1])
def test_as_many_positions_are_reached_as_freecell_solver_reaches(freecells):
    """With all of its single-card moves, Freecell Solver exhausts the same number of positions."""
    games = [game for game in range(1, 21) if freecells == 0 or game in (1, 3, 4, 6, 9, 10, 13, 14, 17, 18, 19)]
    told, ours = [], []
    for game in games:
        board = subprocess.run(["make-microsoft-freecell-board", "-t", str(game)], capture_output=True, check=True)
        options = f"--freecells-num {freecells} --method bfs -to 01ABCDE".split()
        environment = os.environ | {"FREECELL_SOLVER_QUIET": "1"}
        output = subprocess.run(
            ["fc-solve", *options], input=board.stdout, capture_output=True, check=False, env=environment
        ).stdout.decode()
        assert "could not solve" in output
        told.append(int(re.search(r"states checked is ([0-9]+)", output)[1]))
        ours.append(reachable(game, freecells))
    assert ours == told and max(told) > 200


@pytest.mark.parametrize("game", [1, 617, 6240])
@pytest.mark.parametrize("limit", LIMITS)
def test_legal_moves_are_those_that_replay_accepts(game, limit):
    """Every source, target and count, tried one by one along a replay that empties columns and fills cells."""
    case = next(case for case in CASES["replay"] if case["name"] == "6240 long")
    line = next((case["line"] for case in CASES["catalogue"] if case["game_number"] == game), None)
    if line is None:
        steps = replay(position_of(game), moves_of(case["moves"])).steps[::9]
    else:
        text = line.partition(":")[2]
        moves = [Move(PLACES[s], PLACES[t]) for s, t in zip(text[::2], text[1::2], strict=True)]
        steps = replay(position_of(game), moves, "max", initial=True, packed=True).steps
    for step in steps:
        position = step.position
        accepted = []
        for source, target in itertools.product(
            [*range(8), *range(CELL, CELL + 4)], [*range(8), *range(CELL, CELL + 4), HOME]
        ):
            for count in range(1, 14):
                try:
                    apply(position, Move(source, target, count), limit)
                except IllegalMoveError:
                    continue
                if not (source >= CELL and CELL <= target < HOME):
                    accepted.append(Move(source, target, count))
        assert legal_moves(position, limit) == accepted


def naive_goes_home(card, home, rule):
    """The rules as Campbell and their authors word them, over sets of cards."""
    rank, suit = card // 4, card % 4
    red = {1, 2}
    other = [s for s in range(4) if (s in red) != (suit in red)]
    twin = next(s for s in range(4) if (s in red) == (suit in red) and s != suit)
    if any(4 * below + suit not in home for below in range(rank)):
        return False
    if rule == "max":
        return True
    if rule == "none":
        return False
    lower_home = all(4 * (rank - 1) + s in home for s in other)
    horne = rank <= 1 or lower_home
    within_two = all(rank < 2 or 4 * (rank - 2) + s in home for s in other)
    within_three = rank < 3 or 4 * (rank - 3) + twin in home
    return horne or (rule == "wkr" and within_two and within_three)


@pytest.mark.parametrize("rule", AUTOMOVE_RULES)
def test_automove_rules_for_all_foundations(rule):
    for foundations in itertools.product(range(0, 14, 1), repeat=4):
        if max(foundations) - min(foundations) > 4:
            continue
        home = {4 * below + suit for suit, top in enumerate(foundations) for below in range(top)}
        for suit, top in enumerate(foundations):
            if top < 13:
                card = 4 * top + suit
                assert goes_home(card, foundations, rule) == naive_goes_home(card, home, rule), (
                    CARD_NAMES[card],
                    foundations,
                )


def test_automoves_run_until_nothing_goes():
    won, sent = automoves(replay(position_of(6240), moves_of(CASES["replay"][0]["moves"])).steps[-2].position, "max")
    assert len(sent) == len(set(sent)) and automoves(won, "max") == (won, ())
    stuck, none = automoves(position_of(1), "none")
    assert (stuck, none) == (position_of(1), ())


def test_layouts_are_checked_and_come_back():
    layout = tuple(deal(617)[0].tolist())
    assert layout_of(from_layout(layout)) == layout and is_layout(from_layout(layout, 0))
    with pytest.raises(InputError, match="1 doubled"):
        from_layout((*layout[1:], layout[1]))
    with pytest.raises(InputError, match="9 freecells"):
        from_layout(layout, 9)
    with pytest.raises(InputError, match="not a fresh deal"):
        layout_of(apply(from_layout(layout), Move(0, CELL)))


def test_places_of_cards():
    assert BOARD.place_of(parse_card("AC")) == HOME and BOARD.place_of(parse_card("3S")) == CELL
    assert BOARD.place_of(parse_card("KS")) == 0 and BOARD.place_of(parse_card("AD")) is None
    assert BOARD.card_at(3) is None and BOARD.card_at(CELL + 1) is None and BOARD.card_at(CELL) == parse_card("3S")


def test_the_rules_know_neither_a_solver_nor_compiled_code():
    code = "import sys, pipeline.games.freecell.rules.replay; print([m for m in sys.modules if m.startswith(('numba', 'numpy'))])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[4]
    )
    assert done.stdout == "[]\n"
