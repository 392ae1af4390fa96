"""Standard FreeCell Notation, rule by rule, both ways."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.deal.microsoft import LAST_GAME, deal
from pipeline.games.freecell.notation.document import Document, game_position, start_position, verify, verify_under_any
from pipeline.games.freecell.notation.standard import read_each, read_standard
from pipeline.games.freecell.notation.standard_write import moves_text, write_standard
from pipeline.games.freecell.rules.automove import automoves
from pipeline.games.freecell.rules.moves import Move, apply, legal_moves
from pipeline.games.freecell.rules.position import BLOCKED, CELL, EMPTY, HOME, PLACES, Position, from_layout
from pipeline.games.freecell.rules.replay import RuleSet

CASES = Path(__file__).parents[3] / "cases"
SHORT, LONG, PARTIAL = ((CASES / f"6240-{name}.txt").read_text() for name in ("short", "long", "partial"))
LAYOUT = "".join(line + "\n" for line in SHORT.splitlines()[1:8])
MOVES = "".join(line + "\n" for line in SHORT.splitlines()[9:])
FINAL = "  -  -  -  +KH KD KC KS\n"


def read_one(text, **options):
    (document,) = read_standard(text, **options)
    return document


@pytest.mark.parametrize("text", [SHORT, LONG, PARTIAL], ids=["short", "long", "partial"])
def test_the_example_files_win_and_come_back(text):
    document = read_one(text)
    assert document.game_number == 6240
    assert verify(document).result == "won"
    assert read_one(write_standard(document)) == document
    written = [line.rstrip() for line in write_standard(document).splitlines()]
    given_lines = [
        line.rstrip() for line in text.replace(" Solved", "").splitlines() if "solved as follows" not in line
    ]
    different = [pair for pair in zip(written, given_lines, strict=True) if pair[0] != pair[1]]
    assert different in ([], [("3S-QH-JH-  +   3D 4H", "3S-QH-JH-  +4H 3D")])  # home cards: in any order


def test_documents_of_every_kind():
    kinds = {
        "a layout alone": LAYOUT,
        "a game number alone": "GAME #6240\n",
        "a number with moves": "GAME #6240\n" + MOVES,
        "a layout with moves": LAYOUT + MOVES,
        "the final position with all the moves": "GAME #6240\n" + FINAL + MOVES.rstrip() + "[**]\n",
        "the final position without brackets, with all the moves": "GAME #6240\n" + FINAL + MOVES,
        "all of it": SHORT,
    }
    for name, text in kinds.items():
        document = read_one(text)
        assert read_one(write_standard(document)) == document, name
        verdict = verify(document)
        assert verdict.result == ("won" if "moves" in name or "all" in name else "unfinished"), name
        assert document.moves or verdict.reason == "no moves"


def test_several_documents_in_one_file():
    texts = [SHORT, PARTIAL, LAYOUT + MOVES, "GAME #1\n", "GAME #617\n", LONG, FINAL, PARTIAL]
    found = read_standard("\n".join(texts))
    assert found == [read_one(text) for text in texts]
    assert [document.line for document in found][:3] == [1, 17, 49]
    assert read_standard("".join(texts)) == found
    assert read_standard("\r\n".join("".join(texts).split("\n"))) == found


def test_a_broken_document_does_not_hide_the_others():
    found = list(read_each(SHORT + PARTIAL.replace("9D\n", "8D\n", 1) + LONG))
    assert [isinstance(document, Document) for document in found] == [True, False, True]
    assert str(found[1]) == "line 16: 8D is in column 3 row 11 and in column 8 row 3; 9D is missing"


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("GAME #6240", 6240),
        ("GAME #6240 is solved as follows:", 6240),
        ("Bill's hand number 24, dealt in 1995", 24),
        ("8589934591", LAST_GAME),
        ("GAME #-1", -1),
        ("MS FreeCell deal -2", -2),
        ("GAME #-77", -77),
        ("GAME #-0", None),
        ("GAME #007", 7),
        ("my own hand", None),
    ],
)
def test_the_game_line(line, number):
    assert read_one(line + "\n" + LAYOUT).game_number == number


@pytest.mark.parametrize("line", ["GAME #8589934592", "GAME #99999999999999999999", "GAME " + "9" * 100_000])
def test_numbers_beyond_the_standard_games(line):
    with pytest.raises(NotationError, match=r"line 1: game number 9*8*.* is outside 0 .. 8589934591 \(2\^33 - 1\)"):
        read_standard(line)


def test_special_games_are_known_by_name_and_tags_need_their_layout():
    for number, first in ((-1, "AC AD AH AS QC QD QH QS"), (-2, "AS AH AD AC 7S 7H 7D 7C")):
        document = read_one(f"GAME #{number}\n 1a 2b\n")
        position, _ = start_position(document)
        names = [cards[0] for cards in position.columns]
        assert names == ["A23456789TJQK".index(name[0]) * 4 + "CDHS".index(name[1]) for name in first.split()]
        assert verify(document).result == "unfinished"
    with pytest.raises(NotationError, match="line 1: no layout for 'GAME #-7': give a layout or a game number"):
        verify(read_one("GAME #-7\n 1a 2b\n"))
    assert verify(read_one("GAME #-7\n" + LAYOUT + MOVES)).result == "won"
    with pytest.raises(NotationError, match="line 1: moves without a game: give a layout or a game number"):
        verify(read_one(MOVES))


def test_the_layout_shown_is_checked_against_the_number():
    with pytest.raises(
        NotationError, match="the layout shown is not game 6241's: column 1 is shown as 8S 8D JH 6C TC 4D 4C, dealt "
    ):
        verify(read_one(SHORT.replace("6240", "6241")))


def test_the_position_in_brackets_is_checked_against_the_replay():
    assert verify(read_one(PARTIAL)).result == "won"
    for old, new, at in ((" 57 5b[5d]6h", " 57[5b]5d 6h", 71), ("5b[5d]6h 2h", "5b 5d[6h]2h", 73)):
        verdict = verify(read_one(PARTIAL.replace(old, new)))
        assert verdict.result == "mismatch"
        assert verdict.reason.startswith(f"after {at} moves: column {5 if at == 71 else 2} is shown as ")
    moved = PARTIAL.replace("3S-QH-JH-", "QH-3S-JH-")
    assert verify(read_one(moved)).reason == "after 72 moves: the freecells are shown as QH 3S JH -, reached 3S QH JH -"
    final = "GAME #6240\n" + FINAL + MOVES.rstrip().removesuffix("12") + "\n"
    assert verify(read_one(final)).result == "mismatch"


def test_a_bracket_without_a_known_game_begins_where_it_stands():
    text = PARTIAL.replace("GAME #6240", "my own hand")
    verdict = verify(read_one(text))
    assert (verdict.result, verdict.replay.written_move_count) == ("won", 173 - 72)
    assert verdict.reason == "moves 1 to 72 cannot be replayed: no game number tells the layout before them"
    broken = verify(read_one(text.replace("[5d]6h", "[5d]5h")))
    assert (broken.result, broken.illegal_move, broken.reason) == ("illegal", 74, "5h: 2S not next")


@pytest.mark.parametrize("bracket", ["[**]", ""])
def test_a_final_position_without_a_game_is_not_believed(bracket):
    with pytest.raises(NotationError, match="line 1: a won position and no layout to play the moves from"):
        verify(read_one(FINAL + MOVES.rstrip() + bracket))
    assert verify(read_one(FINAL)).result == "won"


def test_a_freecell_line_without_columns_tells_the_rules_of_a_numbered_game():
    document = read_one("GAME #6240\n  =  =  =BB+\n" + MOVES)
    assert document.rules == RuleSet("wkr")
    assert document.shown == Position(game_position(6240).columns, (EMPTY,) * 3)
    assert verify(document).reason == "8d: cell blocked"
    assert read_one(write_standard(document)) == document
    for title in ("", "my own hand\n", "GAME #-7\n"):
        with pytest.raises(NotationError, match="52 cards are missing"):
            read_one(title + "  =  =  =  +\n" + MOVES)


def test_separators_name_the_automoves():
    assert verify(read_one(PARTIAL)).rules == RuleSet("horne")
    wkr = PARTIAL.replace("3S-QH-JH-", "3S=QH=JH=")
    assert read_one(wkr).rules == RuleSet("wkr")
    assert "3S=QH=JH=  +" in write_standard(read_one(wkr))
    assert verify(read_one(wkr)).rules == RuleSet("wkr")


def test_blocked_cells_play_with_fewer():
    line = "  -  -BB-BB+\n"
    document = read_one("GAME #6240\n" + line + LAYOUT + " 5a 5b 5c\n")
    assert document.shown.freecells == (EMPTY, EMPTY)
    verdict = verify(document)
    assert (verdict.illegal_move, verdict.reason) == (3, "5c: cell blocked")
    assert write_standard(document).splitlines()[1] == line.rstrip()
    first = read_one("GAME #6240\nXX-  -  -  +\n" + LAYOUT + " 5b\n 5a")
    assert first.shown.freecells == (BLOCKED, EMPTY, EMPTY, EMPTY)
    assert verify(first).reason == "5a: cell blocked"
    with_more = verify(read_one("GAME #6240\n 5a 5b 5c 5d 6e 6e\n", freecells=5), freecells=5)
    assert (with_more.illegal_move, with_more.reason) == (6, "6e: cell full")
    assert len(read_one("GAME #6240\n 5a 5b 5c 5d 6e 6e\n").moves) == 4  # e is no cell of the standard game
    with pytest.raises(NotationError, match="the text shows 2 freecells, not 4"):
        verify(document, freecells=4)
    with pytest.raises(NotationError, match="cell d is shown"):
        verify(read_one(PARTIAL.replace("JH-  +", "  -JH+").replace("[5d]", "[5c]")), freecells=3)


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        (" 5a 5b 5c", "5a 5b 5c"),
        ("      5a 5b", "5a 5b"),
        (".5a.5b 5c", ".5a .5b 5c"),
        ("   .5a", ".5a"),
        (" c4 32 3c Solved", "c4 32 3c"),
        (" 5a 5b  5c 5d", "5a 5b"),
        (" 5a 5x 5c", "5a"),
        (" 5a 5b5c", "5a 5b"),
        (" 5a 5b, 5c", "5a 5b"),
        (" 5A 5b", ""),
        ("5a is the first move", ""),
        ("5a 5b 5c", "5a 5b 5c"),
        ("5a .5b 5c", "5a .5b 5c"),
        (".5a 5b .5c", ".5a 5b .5c"),
        (" h1 5a", ""),
        (" ab a1", "ab a1"),
        ("\t5a 5b", ""),
        (" [5a]5b 5c", "5a 5b 5c"),
        ("[5a]5b 5c", "5a 5b 5c"),
        (" 5a[5b", "5a"),
        (" 5a]5b", "5a"),
        (" 5a[**]5b", "5a"),
    ],
)
def test_the_cycle_of_three_characters(line, moves):
    document = read_one("GAME #1\n" + line)
    assert moves_text(document.moves) == moves


def test_what_is_not_read_is_noted():
    document = read_one("GAME #1\nfirst a word\n 5a 5b  5c\nwell then\n 5d")
    assert moves_text(document.moves) == "5a 5b 5d"
    assert document.notes == ("line 3 is a comment from: 5c", "line 4 is a comment: well then")


def test_moves_that_are_all_comments_are_noted():
    document = read_one("GAME #1\n\t5a\t5b\n")
    assert (document.moves, document.notes) == ((), ("line 2 is a comment: 5a\\t5b",))


@pytest.mark.parametrize("title", ["GAME #6240\n", ""])
def test_a_layout_in_lower_case_is_refused(title):
    with pytest.raises(NotationError, match=f"line {1 + len(title.splitlines())}: cards in lower case"):
        read_one(title + LAYOUT.lower() + MOVES)
    assert moves_text(read_one("GAME #1\n4c 4d 5h 2c\n").moves) == "4c 4d 5h 2c"


def test_a_period_is_a_single_card():
    position = Position(((51, 46, 43), (), (1, 4, 9, 12, 17)), (EMPTY,) * 4)
    rest = [card for card in range(52) if not any(card in column for column in position.columns)]
    position = Position((*position.columns, *(tuple(rest[k::5]) for k in range(5))), (EMPTY,) * 4)
    for text, count in ((" 12", 3), (".12", 1)):
        document = replace(read_one("GAME #1\n" + text), shown=position, game_number=None)
        step = verify(document).replay.steps[0]
        assert (step.move.count, len(step.cards)) == (count, count)


def test_a_second_bracket_is_an_error():
    for text in (" 5a[5b]5c[5d]", " 5a[5b]5c\n 5d[**]"):
        with pytest.raises(NotationError, match="a second move in brackets"):
            read_standard("GAME #1\n" + text)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("8S QS", "QS 8S", "the layout shown is not game 6240's"),
        ("8S QS", "8S 8S", "line 1: 8S is in column 1 row 1 and in column 2 row 1; QS is missing"),
        ("8S QS", "8S qs", "line 2: not a card in column 2: qs"),
        ("4C 3H KD 2D", "4C 3H KD", "line 1: 2D is missing"),
        ("4C 3H KD 2D", "4C 3H KD    2D", "line 1: only a fresh deal goes without a freecell[+]home line"),
        ("8S QS 9C 9H TS TH KS AD", "8S QS 9C 9H TS TH KS AD 4C", "line 2: more than 8 columns: 4C"),
    ],
)
def test_layouts_with_defects(old, new, error):
    with pytest.raises(NotationError, match=error):
        verify(read_one(SHORT.replace(old, new)))


def test_a_layout_has_at_most_eighteen_lines():
    text = FINAL.replace("KH", "  ").replace("KS", "QS") + "KS\n" * 19
    with pytest.raises(NotationError, match="line 20: 19 column lines, a layout has at most 18"):
        read_standard(text)


def test_what_the_notation_cannot_say_is_refused():
    document = read_one(SHORT)
    for rules in (RuleSet("max"), RuleSet("none"), RuleSet("horne", True), RuleSet("horne", False, "single")):
        with pytest.raises(NotationError, match="standard notation cannot say"):
            write_standard(replace(document, rules=rules))
    with pytest.raises(NotationError, match="cannot say 3 cards"):
        write_standard(replace(document, moves=(Move(0, 1, 3),)))
    with pytest.raises(NotationError, match="show a layout"):
        write_standard(replace(document, shown=None, rules=RuleSet("wkr")))
    with pytest.raises(NotationError, match="read back as another one"):
        write_standard(replace(document, title="8S QS is my title"))
    with pytest.raises(NotationError, match="read back as another one"):
        write_standard(replace(document, title="GAME #24"))
    with pytest.raises(NotationError, match="no place for its period"):
        write_standard(replace(document, moves=(Move(0, 8, 1),), bracket=0))


def test_the_rules_that_win_are_found():
    text = "GAME #6240\n" + MOVES
    assert verify_under_any(read_one(text)).rules == RuleSet("horne")
    lost = verify_under_any(read_one(text.replace("5a", "5d")))
    assert lost.result == "illegal"


@st.composite
def documents(draw):
    """A game in play: the deal of a number, some moves, a position on the way in brackets or not, cells blocked or not."""
    number = draw(st.one_of(st.integers(0, LAST_GAME), st.sampled_from([-1, -2])))
    rules = draw(st.sampled_from([RuleSet("horne"), RuleSet("wkr")]))
    cells = draw(st.integers(1, 4))
    position = start = game_position(number, cells)
    choice = random.Random(draw(st.integers(0, 2**32)))
    moves, positions = [], [start]
    for _ in range(draw(st.integers(0, 40))):
        legal = legal_moves(position)
        if not legal:
            break
        move = choice.choice(legal)
        plain = Move(move.source, move.target)
        counted = Move(move.source, move.target, 1)
        said = plain if apply(position, plain) == apply(position, move) else counted
        if apply(position, said) != apply(position, move):
            continue
        moves.append(said)
        position, _ = automoves(apply(position, move), rules.automove)
        positions.append(position)
    kind = draw(st.sampled_from(["number", "start", "bracket", "later"]))
    title = draw(st.sampled_from([None, f"GAME #{number}", f"Deal {number} for you"]))
    if kind == "bracket":
        at = draw(st.integers(0, len(moves)))
        if at == len(moves) or moves[at].count is None:
            return Document(number, title or f"GAME #{number}", positions[at], tuple(moves), at, rules)
        kind = "start"
    if kind == "number" and cells == 4 and rules == RuleSet("horne"):
        return Document(number, title or f"GAME #{number}", None, tuple(moves), None, rules)
    if kind == "later":
        return Document(None, None, position, (), None, rules)
    return Document(number if title else None, title, start, tuple(moves), None, rules)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_what_is_written_reads_back_and_replays(written):
    for document in written:
        assert read_standard(write_standard(document)) == [document]
        verdict = verify(document)
        assert verdict.result in ("unfinished", "won"), verdict.reason
        assert verdict.replay.written_move_count + verdict.replay.moves_left_over == len(document.moves)
    # A layout without a Game line would follow comments or moves only: blank lines do not part two documents.
    if all(document.title for document in written):
        assert read_standard("\n".join(write_standard(document) for document in written)) == written


SCRAPS = st.lists(
    st.one_of(
        st.sampled_from([*SHORT.splitlines(), *PARTIAL.splitlines(), *LONG.splitlines()]),
        st.text(alphabet="A23456789TJQKCDHS abcdh[*].-+=#GAME\t", max_size=40),
        st.text(max_size=30),
    ),
    max_size=25,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(SCRAPS)
def test_any_text_gives_documents_or_errors_of_one_line(lines):
    for found in read_each("\n".join(lines)):
        if isinstance(found, NotationError):
            assert "\n" not in str(found) and str(found).isprintable()
            continue
        try:
            verdict = verify(found)
        except NotationError as error:
            assert "\n" not in str(error)
        else:
            assert verdict.result in ("won", "unfinished", "illegal", "mismatch")


def test_moves_text_is_what_tables_hold():
    moves = (Move(0, 8), Move(8, 1, 1), Move(2, HOME), Move(1, CELL + 7))
    assert moves_text(moves) == "1a .a2 3h 2k"
    assert read_standard("1\n " + moves_text(moves).replace(" .", "."), 8)[0].moves == moves
    assert PLACES["k"] == CELL + 7
    assert from_layout(deal(1)[0].tolist(), 8).freecells == (EMPTY,) * 8
