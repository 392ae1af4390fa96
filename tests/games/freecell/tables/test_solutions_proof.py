"""A table of solutions is proved by replay: each kind of damage is found and named with its game."""

import pyarrow as pa
import pytest

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import PLACES, from_layout
from pipeline.games.freecell.rules.replay import replay
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.games.freecell.tables.solutions_proof import wrong_solutions

GAME_4 = (
    "57 57 51 6a 8b 18 81 85 81 58 3c 3d 4h 34 a4 b3 65 84 38 2a 3h d3 23 2b 2h 28 68 26 13 71 17 12 1c 43 42 76 7c"
)
COUNTS = {"move_count": 34, "written_move_count": 37, "card_move_count": 60}
SOLVED = {
    "game_number": 4,
    "freecells": 4,
    "automove": "horne",
    "status": "solved",
    "moves": GAME_4,
    **COUNTS,
    "nodes": 0,
    "budget": 0,
    "tier": 0,
    "effort": 0,
    "lower_bound": None,
    "is_shortest": False,
    "source": "test",
}
OPEN = SOLVED | dict.fromkeys(["moves", *COUNTS]) | {"game_number": 11982, "status": "impossible"}


def table_of(*rows):
    return pa.Table.from_pylist(list(rows), schema=SOLUTIONS.arrow_schema())


def test_right_rows_have_nothing_wrong():
    assert wrong_solutions(table_of(SOLVED, SOLVED | {"lower_bound": 20}, OPEN)) == []
    assert wrong_solutions(table_of(SOLVED | {"lower_bound": 34, "is_shortest": True})) == []
    assert wrong_solutions(table_of()) == []
    assert wrong_solutions(table_of(OPEN)) == []


def test_a_slice_of_a_chunked_table_is_read_from_its_own_place():
    table = pa.concat_tables([table_of(OPEN, SOLVED | {"moves": "57"}), table_of(SOLVED, OPEN)]).slice(2)
    assert wrong_solutions(table) == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ({"moves": GAME_4[:-3]}, "does not replay with 4 freecells and automove horne: "),
        ({"moves": GAME_4 + " 57"}, "goes on for 1 moves after it has won"),
        ({"moves": GAME_4.replace("6a", "6x")}, "move 4 is illegal: 6x: not a move"),
        ({"game_number": 5}, "move 1 is illegal: "),
        ({"freecells": 0}, "illegal: 6a: cell blocked"),
        ({"freecells": 9}, "no such rule set"),
        ({"automove": "all"}, "no such rule set"),
        ({"automove": "none"}, "illegal: "),
        ({"move_count": 32}, "move_count is 32, 34 is right (1 such rows)"),
        ({"written_move_count": None}, "written_move_count is given for a game without a solution, or missing"),
        ({"card_move_count": 1}, "card_move_count is 1, "),
        ({"moves": None}, "moves is given for a game without a solution, or missing"),
        ({"status": "impossible"}, "moves is given for a game without a solution, or missing"),
        ({"lower_bound": 35}, "lower_bound is above move_count"),
        ({"is_shortest": True}, "is_shortest does not fit"),
        ({"lower_bound": 34}, "is_shortest does not fit"),
    ],
)
def test_each_kind_of_damage_is_named_with_its_game(damage, problem):
    broken = SOLVED | damage
    problems = wrong_solutions(table_of(OPEN, SOLVED, broken))
    assert any(found.startswith(f"game {broken['game_number']}: ") and problem in found for found in problems), problems


def test_the_counts_here_are_those_of_the_plain_replay():
    moves = [Move(PLACES[word[0]], PLACES[word[1]]) for word in GAME_4.split()]
    found = replay(from_layout(deal(4)[0]), moves)
    assert found.result == "won"
    assert {name: getattr(found, name) for name in COUNTS} == COUNTS
