"""The compiled replay against the plain one, on the known cases and on texts altered, cut, swapped and played on other games."""

import random
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import InputError
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.bulk_convert import rewrite_many
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES, automoves, goes_home
from pipeline.games.freecell.rules.bulk import RESULTS, Verdicts, replay_catalogue, replay_many
from pipeline.games.freecell.rules.compiled import BOARD, HOMES, due
from pipeline.games.freecell.rules.moves import LIMITS, Move, carry, legal_moves, resolve
from pipeline.games.freecell.rules.position import CELL, HOME, NEXT_CELL, PLACE_LETTERS, PLACES, from_layout
from pipeline.games.freecell.rules.replay import replay
from pipeline.kernels.compile import kernel

CASES = tomllib.loads((Path(__file__).parents[3] / "cases" / "replay.toml").read_text())
LINES = [
    line.split(":")
    for line in (Path(__file__).parents[3] / "cases" / "catalogue.txt").read_text().splitlines()
    if not line.startswith("#")
]


def arrow(texts):
    """Texts as bytes and offsets."""
    encoded = [text.encode() for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in encoded])]).astype(np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def replay_one(game, text, freecells=4, packed=False, **rules):
    data, offsets = arrow([text])
    if packed:
        return replay_catalogue(deal(game), data, offsets[:-1], offsets[1:], freecells=freecells)
    return replay_many(deal(game), data, offsets, freecells=freecells, **rules)


def plain(game, text, freecells, packed=False, **rules):
    """What the plain replay says of a text, in the form of `said`."""
    words = [text[i : i + 2] for i in range(0, len(text), 2)] if packed else text.split()
    moves = []
    for word in words:
        pair = word[1:] if word[0] == "." and not packed else word
        places = [PLACES.get(letter, -1) for letter in pair]
        if len(pair) != 2 or min(places) < 0 or places[0] >= HOME:
            break
        if (CELL <= places[1] < HOME) if packed else (places[1] == NEXT_CELL):
            break
        moves.append(Move(*places, 1 if len(word) == 3 else None))
    found = replay(from_layout(deal(game)[0], freecells), moves, packed=packed, **rules)
    result, illegal_move, reason = found.result, found.illegal_move or 0, found.reason
    if result == "unfinished" and len(moves) < len(words):
        result, illegal_move, reason = "illegal", len(moves) + 1, f"{words[len(moves)][:8]}: not a move"
    return (
        result,
        illegal_move,
        reason,
        list(found.position.foundations),
        len(words) - len(found.steps) if result == "won" else 0,
        found.move_count,
        found.written_move_count,
        sum(len(step.cards) for step in found.steps),
        sum(found.automove_counts) + len(found.initial_automoves),
    )


def said(verdicts: Verdicts, i=0):
    return (
        RESULTS[verdicts.result[i]],
        verdicts.illegal_move[i],
        verdicts.reason(i),
        verdicts.home[i].tolist(),
        verdicts.moves_left[i],
        verdicts.move_count[i],
        verdicts.written_move_count[i],
        verdicts.card_move_count[i],
        verdicts.automove_count[i],
    )


@pytest.mark.parametrize("case", CASES["replay"], ids=lambda case: case["name"])
def test_known_texts(case):
    rules = {"automove": case["automove"], "initial": case.get("initial", False), "limit": case["limit"]}
    verdicts = replay_one(case["game_number"], case["moves"], **rules)
    assert RESULTS[verdicts.result[0]] == case["result"]
    assert verdicts.illegal_move[0] == case.get("illegal_move", 0)
    assert verdicts.reason(0) == case.get("reason")
    if "home" in case:
        assert verdicts.home[0].tolist() == [int(suit[1:]) for suit in case["home"].split()]
    assert said(verdicts) == plain(case["game_number"], case["moves"], 4, **rules)


@pytest.mark.parametrize("case", CASES["catalogue"], ids=lambda case: case["line"][:8])
def test_known_catalogue_lines(case):
    verdicts = replay_one(case["game_number"], case["line"].partition(":")[2], packed=True)
    assert RESULTS[verdicts.result[0]] == case["result"]
    assert verdicts.move_count[0] == case["moves"]


@kernel
def _all_due(automove, cards):
    board = np.zeros(BOARD, np.int64)
    for heights in range(cards.size):
        for suit in range(4):
            board[HOMES + suit] = heights // 14**suit % 14
        cards[heights] = due(board, automove)


@pytest.mark.parametrize("rule", AUTOMOVE_RULES)
def test_automoves_are_due_as_the_plain_rule_says_whatever_is_home(rule):
    cards = np.empty(14**4, np.int64)
    _all_due(AUTOMOVE_RULES.index(rule), cards)
    for index, found in enumerate(cards):
        heights = [index // 14**suit % 14 for suit in range(4)]
        following = [4 * height + suit for suit, height in enumerate(heights) if height < 13]
        assert found == sum(1 << card for card in following if goes_home(card, heights, rule)), heights


@pytest.mark.parametrize("limit", LIMITS)
def test_a_period_before_each_move_in_turn(limit):
    """Supermoves cut to one card, onto a card (which then does not fit) and into an empty column (which may go on legally)."""
    lines = LINES[10:18]
    text, offsets = arrow([moves for _, moves in lines])
    layouts = deal([int(number) for number, _ in lines])
    written, ends = rewrite_many(layouts, text, offsets[:-1], offsets[1:], is_catalogue=True, to_automove="horne")
    games, texts = [], []
    for i, (number, _) in enumerate(lines):
        words = bytes(written[ends[i] : ends[i + 1]]).decode().split()
        texts += [" ".join([*words[:k], "." + words[k], *words[k + 1 :]]) for k in range(len(words))]
        games += [int(number)] * len(words)
    verdicts = replay_many(deal(games), *arrow(texts), limit=limit)
    rules = {"automove": "horne", "initial": False, "limit": limit}
    for i, (game, one) in enumerate(zip(games, texts, strict=True)):
        assert said(verdicts, i) == plain(game, one, 4, **rules)
    assert {"won", "illegal"} <= {RESULTS[result] for result in verdicts.result}


def random_text(game, freecells, automove, initial, seed):
    """A walk over legal moves as standard notation, which prefers moves home and onto cards so that it leads somewhere."""
    rng = random.Random(seed)
    position = from_layout(deal(game)[0], freecells)
    if initial:
        position = automoves(position, automove)[0]
    words = []
    for _ in range(rng.randrange(60)):
        moves = legal_moves(position)
        if not moves:
            break
        weights = [8 if m.target == HOME else 4 if m.target < CELL and position.columns[m.target] else 1 for m in moves]
        move = rng.choices(moves, weights)[0]
        implied = resolve(position, Move(move.source, move.target))
        if move.count not in (1, implied.count):
            move = implied
        words.append(("." if move.count != implied.count else "") + str(move))
        position = automoves(carry(position, move), automove)[0]
    return words


def altered(words, data, letters):
    """Alter words: a character, a word taken out, put in or exchanged, an end cut off."""
    words = list(words)
    for kind in data.draw(st.lists(st.sampled_from(["letter", "drop", "add", "swap", "cut", "period"]), max_size=3)):
        at = data.draw(st.integers(0, max(0, len(words) - 1)))
        if kind == "add" or not words:
            words.insert(at, "".join(data.draw(st.sampled_from(letters)) for _ in range(2)))
        elif kind == "letter":
            word, place = words[at], data.draw(st.integers(0, len(words[at]) - 1))
            words[at] = word[:place] + data.draw(st.sampled_from(letters)) + word[place + 1 :]
        elif kind == "drop":
            del words[at]
        elif kind == "swap":
            words[at], words[0] = words[0], words[at]
        elif kind == "cut":
            del words[at:]
        else:
            words[at] = "." + words[at]
    return words


STRICT = settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@STRICT
@given(data=st.data())
def test_altered_standard_texts_are_judged_as_the_plain_replay_judges_them(data):
    game, freecells = data.draw(st.integers(1, 2**33 - 1)), data.draw(st.sampled_from([4, 0, 1, 2, 3, 5, 6, 7, 8]))
    automove, initial = data.draw(st.sampled_from(AUTOMOVE_RULES)), data.draw(st.booleans())
    if data.draw(st.booleans()):
        words = random_text(game, freecells, automove, initial, data.draw(st.integers(0, 2**32)))
    else:
        number, moves = data.draw(st.sampled_from(LINES))
        game, starts = int(number), np.array([0])
        text = np.frombuffer(moves.encode(), np.uint8)
        to = data.draw(st.sampled_from(AUTOMOVE_RULES))
        words = bytes(
            rewrite_many(deal(game), text, starts, starts + len(moves), is_catalogue=True, to_automove=to).text
        )
        words = words.decode().split()
    text = " ".join(altered(words, data, PLACE_LETTERS + ".x0 "))
    if data.draw(st.integers(0, 9)) == 0:
        game += 1
    rules = {"automove": automove, "initial": initial, "limit": data.draw(st.sampled_from(LIMITS))}
    if data.draw(st.booleans()):
        rules = {"automove": data.draw(st.sampled_from(AUTOMOVE_RULES)), "initial": False, "limit": "doubling"}
    assert said(replay_one(game, text, freecells, **rules)) == plain(game, text, freecells, **rules)


@STRICT
@given(data=st.data())
def test_altered_catalogue_lines_are_judged_as_the_plain_replay_judges_them(data):
    number, moves = data.draw(st.sampled_from(LINES))
    words = altered([moves[i : i + 2] for i in range(0, len(moves), 2)], data, PLACE_LETTERS + ".x0")
    text = "".join(words)
    freecells = data.draw(st.sampled_from([4, 4, 4, 0, 1, 2, 3, 5, 8]))
    rules = {"automove": "max", "initial": True, "limit": "doubling"}
    assert said(replay_one(int(number), text, freecells, packed=True)) == plain(
        int(number), text, freecells, packed=True, **rules
    )


@pytest.mark.parametrize("to", AUTOMOVE_RULES)
def test_catalogue_lines_win_as_standard_texts_under_each_rule(to):
    layouts = deal([int(number) for number, _ in LINES])
    text, offsets = arrow([moves for _, moves in LINES])
    known = replay_catalogue(layouts, text, offsets[:-1], offsets[1:])
    assert known.is_won.all()
    written = rewrite_many(layouts, text, offsets[:-1], offsets[1:], is_catalogue=True, to_automove=to)
    verdicts = replay_many(layouts, *written, automove=to)
    assert verdicts.is_won.all()
    assert not verdicts.moves_left.any()
    assert (verdicts.move_count == known.move_count).all()
    if to == "none":
        assert (verdicts.written_move_count == known.move_count + 52).all()


def test_a_rule_cannot_be_had_from_moves_made_for_a_weaker_one():
    text, offsets = arrow(["57 57"])
    with pytest.raises(InputError, match="sends more cards home"):
        rewrite_many(deal(4), text, offsets[:-1], offsets[1:], automove="horne", to_automove="wkr")


def test_an_illegal_text_is_rewritten_as_an_empty_one():
    (first, good), (second, other) = LINES[:2]
    text, offsets = arrow([good, good, other, "1x"])
    layouts = deal([int(first), int(second), int(second), int(second)])
    written = rewrite_many(layouts, text, offsets[:-1], offsets[1:], is_catalogue=True)
    lengths = np.diff(written.offsets)
    assert lengths[0] > 0 and lengths[2] > 0
    assert lengths[1] == lengths[3] == 0


def test_threads_and_batches_change_nothing():
    layouts = deal([int(number) for number, _ in LINES])
    text, offsets = arrow([moves for _, moves in LINES])
    alone = replay_catalogue(layouts, text, offsets[:-1], offsets[1:])
    together = replay_catalogue(layouts, text, offsets[:-1], offsets[1:], jobs=3)
    assert (alone.fields == together.fields).all()
    assert replay_catalogue(layouts[:0], text, offsets[:0], offsets[:0], jobs=2).result.size == 0


@pytest.mark.parametrize(
    ("layouts", "offsets", "rules", "message"),
    [
        (np.zeros((1, 52), np.uint8), [0, 2], {}, "does not hold each of the 52 cards"),
        (deal(1), [0, 9], {}, "outside the 2 bytes"),
        (deal([1, 2]), [0, 2], {}, "for 1 texts"),
        (deal(1), [0, 2], {"automove": "all"}, "'all' is not one of none, horne, wkr, max"),
        (deal(1), [0, 2], {"limit": "no"}, "not one of doubling, single"),
        (deal(1), [0, 2], {"freecells": 9}, "must be 0"),
    ],
)
def test_arrays_and_rules_that_do_not_fit_are_refused(layouts, offsets, rules, message):
    with pytest.raises(InputError, match=message):
        replay_many(layouts, np.frombuffer(b"57", np.uint8), offsets, **rules)
