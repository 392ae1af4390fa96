"""The other dialects against their programs, conversion between all of them, and text that is none of them."""

import json
import os
import random
import shutil
import subprocess
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import Failed, NotationError
from pipeline.games.freecell.notation.catalogue import CATALOGUE_RULES, write_catalogue
from pipeline.games.freecell.notation.combine import combine
from pipeline.games.freecell.notation.convert import convert
from pipeline.games.freecell.notation.dialects import detect, read_all, read_any
from pipeline.games.freecell.notation.document import Document, game_position, start_position, verify, verify_under_any
from pipeline.games.freecell.notation.fcsolve import FCSOLVE_RULES, read_fcsolve, write_fcsolve
from pipeline.games.freecell.notation.json_lines import read_json
from pipeline.games.freecell.notation.names import DIALECTS, TARGETS
from pipeline.games.freecell.notation.rewrite import Writing, rewrite
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES, automoves
from pipeline.games.freecell.rules.moves import LIMITS, Move, carry, legal_moves
from pipeline.games.freecell.rules.position import CELL, EMPTY, HOME, Position
from pipeline.games.freecell.rules.replay import RuleSet, replay

CASES = Path(__file__).parents[3] / "cases"
REPLAYS = tomllib.loads((CASES / "replay.toml").read_text())
LINES = [line for line in (CASES / "catalogue.txt").read_text().splitlines() if not line.startswith("#")]
SHORT, LONG, PARTIAL = ((CASES / f"6240-{name}.txt").read_text() for name in ("short", "long", "partial"))
LINE_617 = next(case["line"] for case in REPLAYS["catalogue"] if case["game_number"] == 617)

needs_fcsolve = pytest.mark.skipif(
    shutil.which("fc-solve") is None, reason="Freecell Solver (Debian freecell-solver-bin) is not installed"
)


def one(text, *args, **options):
    (document,) = read_all(text, *args, **options)
    return document


def fcsolve(game, *options):
    board = subprocess.run(["make-microsoft-freecell-board", "-t", str(game)], capture_output=True, check=True).stdout
    environment = os.environ | {"FREECELL_SOLVER_QUIET": "1"}
    done = subprocess.run(["fc-solve", *options], input=board, capture_output=True, check=False, env=environment)
    return done.stdout.decode()


PRINTED = ("-p", "-t", "-sam", "-sel")


@needs_fcsolve
@pytest.mark.parametrize(
    "options", [PRINTED, (*PRINTED, "-snx"), ("-p", "-sam"), ("-m", "-snx"), ("-m",)], ids=" ".join
)
def test_freecell_solvers_own_output_is_read_and_wins(options):
    for game in (5, 7, 10, 24, 617, 1941):
        text = fcsolve(game, *options)
        assert detect(text) == "fcsolve"
        document = one(text, game_number=None if "-p" in options else game)
        verdict = verify(document)
        assert (verdict.result, verdict.replay.moves_left_over) == ("won", 0)
        assert start_position(document)[0] == game_position(game)


@needs_fcsolve
def test_both_printed_forms_tell_the_same_moves():
    wide = 0
    for game in (7, 10, 24):
        verbose, extended = one(fcsolve(game, *PRINTED)), one(fcsolve(game, *PRINTED, "-snx"))
        assert verbose == extended
        wide += sum("v" in word for word in fcsolve(game, "-m", "-snx").split() if len(word) == 4 and word[2] == "v")
    assert wide > 0  # a supermove into an empty column was among them


@needs_fcsolve
@pytest.mark.parametrize("freecells", [2, 3, 6, 8])
def test_other_numbers_of_cells(freecells):
    games = [24, 25, 30]
    solved = 0
    for game in games:
        text = fcsolve(game, *PRINTED, "--freecells-num", str(freecells))
        if "could not" not in text:
            document = one(text)
            assert document.shown.freecells == (EMPTY,) * freecells
            assert verify(document).result == "won"
            assert read_fcsolve(write_fcsolve(document)) == [document]
            assert read_fcsolve(write_fcsolve(document, verbose=True)) == [document]
            solved += 1
    assert solved


@needs_fcsolve
def test_a_game_it_cannot_solve_has_no_moves():
    with pytest.raises(NotationError, match="it says: I could not solve this game"):
        read_fcsolve(fcsolve(11982, *PRINTED))
    with pytest.raises(NotationError, match="it says: Iterations count exceeded"):
        read_fcsolve(fcsolve(1, *PRINTED, "-mi", "5"))


@needs_fcsolve
def test_freecell_solver_reads_our_boards():
    document = one(PARTIAL)
    text = convert(replace(document, title=None, game_number=None), "fcsolve")
    board = "".join(line + "\n" for line in text.splitlines()[2:12])
    environment = os.environ | {"FREECELL_SOLVER_QUIET": "1"}
    done = subprocess.run(
        ["fc-solve", *PRINTED], input=board.encode(), capture_output=True, check=False, env=environment
    )
    solved = one(done.stdout.decode())
    assert solved.shown == document.shown and verify(solved).result == "won"


def test_a_move_into_an_empty_column_is_one_card_without_v():
    board = ": KS QH JS\n:\n" + "".join(
        ": " + " ".join(names) + "\n"
        for names in (
            ["AC", "AD", "AH", "AS", "2C", "2D", "2H", "2S", "3C"],
            ["3D", "3H", "3S", "4C", "4D", "4H", "4S", "5C", "5D"],
            ["5H", "5S", "6C", "6D", "6H", "6S", "7C", "7D", "7H"],
            ["7S", "8C", "8D", "8H", "8S", "9C", "9D", "9H", "9S"],
            ["TC", "TD", "TH", "TS", "JC", "JD", "JH", "QC", "QD"],
            ["QS", "KC", "KD", "KH"],
        )
    )
    for text, count in (("12", 1), ("12v2", 2), ("12v3", 3)):
        document = one(board + "\n" + text + "\n")
        assert document.moves == (Move(0, 1, count),) and verify(document).result == "unfinished"
    assert verify(one(board + "\n12v4\n")).reason == "12: 4 cards, 3 there"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("Move a card from stack 9 to freecell 0", "line 1: there is no stack 9"),
        ("Move a card from stack 0 to freecell 8", "line 1: there is no freecell 8"),
        ("Move the sequence on top of Stack 3 to the foundations", "line 1: not a move of FreeCell: Move the sequence"),
        (": 4C 2C\n12", "the board at line 1: 50 cards are missing"),
        ("-=-=-=-\n", "no board and no moves of Freecell Solver found"),
        ("4h 7a", "line 1: moves without a game"),
    ],
)
def test_freecell_solver_texts_with_defects(line, error):
    with pytest.raises(NotationError) as found:
        read_fcsolve(line)
    assert str(found.value).startswith(error)


@pytest.mark.parametrize("case", REPLAYS["catalogue"], ids=lambda case: str(case["game_number"]))
def test_known_catalogue_lines(case):
    document = one(case["line"])
    assert (document.game_number, len(document.moves)) == (case["game_number"], case["moves"])
    assert verify(document).result == case["result"]
    assert write_catalogue(document) == case["line"] + "\n"
    assert verify_under_any(document).rules == CATALOGUE_RULES


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("617:4r4", "line 1: half a move: 4 (move 2 of game 617)"),
        ("617:4r9x", "line 1: not a move: 9x (move 2 of game 617)"),
        ("617:4a", "line 1: not a move: 4a (move 1 of game 617)"),
        ("617 4r", "line 1: not a catalogue line such as 617:4r462r: 617 4r"),
        ("8589934592:4r", "line 1: game number 8589934592 is outside 0 .. 8589934591 (2^33 - 1)"),
        ("99999999999:4r", "line 1: not a catalogue line such as 617:4r462r: 99999999999:4r"),
    ],
)
def test_catalogue_lines_with_defects(line, error):
    with pytest.raises(NotationError) as found:
        read_all(line, "catalogue")
    assert str(found.value) == error
    found = list(read_any(f"# comment\n\n1:6r # comment\n{line}\n2:4r\n", "catalogue"))
    assert [type(document) for document in found] == [Document, NotationError, Document]
    assert [found[0].line, found[2].line] == [3, 5]


def test_dialects_are_told_apart():
    assert detect(SHORT) == detect(PARTIAL) == detect("") == detect("5a 5b") == "standard"
    assert detect("# catalogue\n\n" + LINE_617) == detect("617:") == detect("617:xx") == "catalogue"
    assert (
        detect("Foundations: H-0\n")
        == detect("4h 7av3")
        == detect("Move a card from stack 0 to freecell 0")
        == "fcsolve"
    )
    assert detect(' {"game_number": 1}') == "json"
    assert detect("24: a hand I like\n" + SHORT) == "standard"


def test_a_game_number_from_outside():
    assert verify(one("\n".join(SHORT.splitlines()[9:]), game_number=6240)).result == "won"
    with pytest.raises(NotationError, match="line 1: the text says game 6240, not 617"):
        read_all(SHORT, game_number=617)


KNOWN = [one(text) for text in (SHORT, LONG, PARTIAL)] + [one(case["line"]) for case in REPLAYS["catalogue"]]


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("document", KNOWN, ids=lambda document: f"{document.game_number}-{len(document.moves)}")
def test_conversion_between_all_dialects(document, to):
    # The short solution of game 6240 lays cards on 3H and 4H, which automove max sends home: no catalogue line can say it.
    if len(document.moves) == 53 and to == "catalogue":
        with pytest.raises(
            Failed, match=r"^game 6240: move 8 \(52\) cannot be written under automove max.*: 3H is not in column 2$"
        ):
            convert(document, to)
        return
    text = convert(document, to)
    again = one(text)
    verdict = verify(again)
    assert (verdict.result, verdict.replay.moves_left_over) == ("won", 0)
    for back in DIALECTS:
        if not (len(document.moves) == 53 and back == "catalogue"):
            assert verify(one(convert(again, back))).result == "won"


def test_brackets_and_titles_survive_standard_notation():
    assert one(convert(one(PARTIAL), "standard")) == one(PARTIAL)
    assert convert(one(SHORT), "standard").startswith("GAME #6240\n8S QS")
    tagged = one(convert(one(PARTIAL.replace("GAME #6240", "my own hand")), "standard"))
    assert (tagged.title, tagged.bracket, len(tagged.moves)) == ("my own hand", None, 101)


def test_catalogue_lines_come_back_the_same():
    """A supermove is split for the sake of the other limit, and put together again."""
    same = 0
    for line in LINES[::8]:
        document = one(line)
        compact = convert(document, "catalogue")
        for to in ("standard", "fcsolve", "json"):
            same += convert(one(convert(document, to)), "catalogue") == compact
    assert same >= 3 * len(LINES[::8]) - 2


def test_standard_notation_means_the_same_under_both_limits():
    split = dotted = 0
    for line in LINES[:60]:
        document = one(convert(one(line), "standard"))
        ends = [verify(document, replace(document.rules, limit=limit)) for limit in LIMITS]
        assert [end.result for end in ends] == ["won", "won"]
        assert [step.position for step in ends[0].replay.steps] == [step.position for step in ends[1].replay.steps]
        dotted += sum(move.count == 1 for move in document.moves)
        split += len(document.moves) > len(one(line).moves)
    assert split > 10 and dotted > 5
    with_double = next(case for case in REPLAYS["replay"] if case["name"] == "game 1024 needs doubling")
    ambiguous = one(with_double["moves"], game_number=1024)
    assert verify(ambiguous, RuleSet("horne", False, "single")).result == "illegal"
    plain = one(convert(ambiguous, "standard"))
    assert verify(plain, RuleSet("horne", False, "single")).result == "won"
    assert len(plain.moves) > len(ambiguous.moves)


def test_home_moves_are_written_where_the_rules_differ():
    document = one(LINE_617)
    standard = one(convert(document, "standard"))
    written = [move for move in standard.moves if move.target == HOME]
    assert written and not any(move.target == HOME for move in document.moves)
    solver = one(convert(document, "fcsolve"))
    assert sum(move.target == HOME for move in solver.moves) == 52
    assert verify(solver).replay.move_count == verify(document).replay.move_count
    none = next(case for case in REPLAYS["replay"] if case["name"] == "6240 short, every home move written")
    assert convert(one(none["moves"], game_number=6240), "standard", RuleSet("none")) == convert(one(SHORT), "standard")


def test_illegal_and_mismatched_texts_are_not_converted():
    with pytest.raises(Failed, match=r"^game 6240: move 10 is illegal: c6: KC on 9S$"):
        convert(one(SHORT.replace("53 c5", "53 c6")), "catalogue")
    with pytest.raises(Failed, match=r"^game 6240: after 71 moves: column 5 is shown as"):
        convert(one(PARTIAL.replace(" 57 5b[5d]6h", " 57[5b]5d 6h")), "standard")
    with pytest.raises(Failed, match="mid-game"):
        convert(one(PARTIAL.replace("GAME #6240", "mine")), "catalogue")
    with pytest.raises(Failed, match="no number deals this layout"):
        swapped = SHORT.replace("8S QS", "QS 8S").replace("GAME #6240", "mine", 1).split("GAME")[0]
        convert(one(swapped), "catalogue")
    assert convert(one("\n".join(SHORT.splitlines()[1:8])), "catalogue") == "6240:\n"


def test_moves_left_over_are_not_written():
    text = SHORT.replace("46 1a 12", "46 1a 12 11 11")
    assert convert(one(text), "standard") == convert(one(SHORT), "standard")


def test_combining_keeps_the_positions():
    for line in LINES[:40]:
        document = one(convert(one(line), "fcsolve"))
        start, _ = start_position(document)
        replayed = replay(start, document.moves, "none")
        fewer = combine(replayed, FCSOLVE_RULES, "doubling")
        positions = [step.position for step in replayed.steps]
        assert all(step.position in positions for step in fewer.steps) and fewer.steps[-1].position == positions[-1]


def test_a_rewriting_tells_where_each_move_begins():
    document = one(LINE_617)
    start, _ = start_position(document)
    found = rewrite(start, verify(document).replay, Writing(RuleSet("horne"), periods=True))
    assert len(found.starts) == len(document.moves) + 1 and found.starts[-1] == len(found.moves)
    assert len(found.positions) == len(found.moves) + 1 and found.positions[-1].is_won
    assert list(found.starts) == sorted(found.starts)


def test_json_says_everything():
    row = json.loads(convert(one(LINE_617), "json"))
    assert (row["automove"], row["initial_automove"], row["limit"], row["game_number"]) == (
        "max",
        True,
        "doubling",
        617,
    )
    assert (
        row["columns"][0] == "7D TD TH KD 4C 4S JD" and row["freecells"] == "- - - -" and row["home"] == "C0 D0 H0 S0"
    )
    assert row["moves"].split()[:3] == ["4a", "46", "2b"]
    for change in (
        {"columns": []},
        {"columns": 7},
        {"home": "C0 D0 H0"},
        {"home": "C0 D0 H0 S14"},
        {"moves": "4a x"},
        {"moves": None},
        {"automove": "often"},
        {"freecells": "?"},
        {"game_number": True},
        {"initial_automove": 1},
    ):
        with pytest.raises(NotationError, match=r"^line 1: not a JSON document of moves: "):
            read_json(json.dumps(row | change))
    del row["limit"]
    with pytest.raises(NotationError, match="no 'limit'"):
        read_json(json.dumps(row))
    with pytest.raises(NotationError, match=r"^line 1: not a JSON document"):
        read_json("[" * 100_000)


def test_blocked_cells_and_many_cells():
    blocked = one("GAME #6240\nBB-  -  -  +\n" + "\n".join(SHORT.splitlines()[1:8]) + "\n 5b 5c 5d\n")
    assert one(convert(blocked, "json")).shown.freecells[0] < EMPTY
    with pytest.raises(Failed, match="standard form only"):
        convert(blocked, "fcsolve")
    many = one("GAME #6240\n 5a 5b 5c 5d 6e 8f\n", freecells=8)
    text = convert(many, "standard", freecells=8)
    assert text == "GAME #6240\n 5a 5b 5c 5d 6e 8f\n"
    assert one(convert(many, "fcsolve", freecells=8)).shown.freecells == (EMPTY,) * 8
    assert [move.target for move in one(text, freecells=8).moves][-2:] == [CELL + 4, CELL + 5]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(LINES), st.integers(0, 60), st.sampled_from(TARGETS))
def test_unfinished_solutions_convert_to_the_same_position(line, length, to):
    game, _, moves = line.partition(":")
    document = one(f"{game}:{moves[: 2 * length]}")
    verdict = verify(document)
    again = verify(one(convert(document, to)))
    assert again.result == verdict.result

    def seen(position: Position):
        return position.columns, sorted(position.freecells), position.foundations

    assert seen(again.replay.position) == seen(verdict.replay.position)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(0, 2**32),
    st.sampled_from([2, 3, 4, 4]),
    st.sampled_from(AUTOMOVE_RULES),
    st.booleans(),
    st.sampled_from(LIMITS),
)
def test_any_play_under_any_rules_converts_to_what_it_reaches(seed, freecells, automove, initial, limit):
    """Random moves with any number of cards; another rule may send more cards home at the end, and a catalogue line may be refused."""
    choice = random.Random(seed)
    game = choice.randrange(1, 32_001)
    start = position = game_position(game, freecells)
    moves = []
    if initial:
        position, _ = automoves(position, automove)
    for _ in range(choice.randrange(60)):
        legal = legal_moves(position, limit)
        onward = [move for move in legal if move.target < CELL or move.target == HOME]
        if not legal:
            break
        moves.append(choice.choice(onward if onward and choice.random() < 0.7 else legal))
        position, _ = automoves(carry(position, moves[-1]), automove)
    document = Document(game, None, start, tuple(moves), None, RuleSet(automove, initial, limit))
    for to in TARGETS:
        try:
            again = one(convert(document, to))
        except Failed:
            assert to == "catalogue"
            continue
        end = verify(again, freecells=freecells if to == "catalogue" else None).replay.position
        expected = automoves(position, again.rules.automove)[0] if moves or again.rules.initial else position
        if to == "catalogue" and automove != "max":
            # Rules this wide may send home a card that others were laid on, and then those: further on, never less far.
            assert all(ours >= theirs for ours, theirs in zip(end.foundations, expected.foundations, strict=True))
            continue
        assert (end.columns, end.foundations) == (expected.columns, expected.foundations)
        assert sorted(end.freecells) == sorted(expected.freecells)


SCRAPS = st.lists(
    st.one_of(
        st.sampled_from(
            [LINE_617, "-=-=-=-=-", ": 4C 2C", "Move a card from stack 3 to freecell 0", "4h 7av3", "{}", "[]"]
        ),
        st.text(alphabet='12345678abcdhrv:{}[]", CDHSAKQ', max_size=30),
        st.text(max_size=20),
    ),
    max_size=8,
).map("\n".join)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(SCRAPS, st.sampled_from([None, *DIALECTS]), st.sampled_from([None, 617]), st.sampled_from([None, 0, 3, 8]))
def test_any_text_in_any_dialect_gives_documents_or_errors_of_one_line(text, dialect, game_number, freecells):
    for found in read_any(text, dialect, game_number=game_number, freecells=freecells):
        try:
            if isinstance(found, NotationError):
                raise found
            verify(found, freecells=freecells)
        except NotationError as error:
            assert "\n" not in str(error) and str(error).isprintable() and len(str(error)) < 2000


@pytest.mark.parametrize("dialect", DIALECTS)
def test_long_texts_take_linear_time(dialect):
    start = time.process_time()
    for unit in (
        "5a ",
        "\n 5a",
        "[5a]",
        "xx",
        "GAME #1\n",
        "4C ",
        " 5a[**]\n",
        "617:4r",
        "{",
        "[",
        "-=-=-\n",
        ": 4C\n",
        "9",
        "v3",
    ):
        for prefix in ("", "GAME #1\n ", "617:", "-=-=-=-\n", '{"a":'):
            for found in read_any(prefix + unit * (100_000 // len(unit)), dialect):
                assert not isinstance(found, NotationError) or len(str(found)) < 10_000
    assert time.process_time() - start < 40
