"""Prove a table of solutions: every one of them is replayed, and its counts are what the replay counts.

In: rows of `solutions`. Out: what is wrong with them, in words.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.position import MAX_FREECELLS

_COUNTS = ("move_count", "written_move_count", "card_move_count")


def wrong_solutions(table: pa.Table) -> list[str]:
    """Find what is wrong with rows of `solutions` (each kind of mistake once, with its first game); an empty list where nothing is.

    A row without a solution must claim nothing of one; that its game is impossible is the solver's proof, not repeated here.
    """
    problems = []
    is_solved = pc.equal(table["status"], "solved")
    for name in ("moves", *_COUNTS):
        wrong = table.filter(pc.equal(pc.is_valid(table[name]), pc.invert(is_solved)))
        problems += _first(wrong, f"{name} is given for a game without a solution, or missing for one with it")
    table = table.filter(pc.fill_null(pc.and_(is_solved, pc.is_valid(table["moves"])), False))
    unknown = pc.or_(
        pc.greater(table["freecells"], MAX_FREECELLS), pc.invert(pc.is_in(table["automove"], pa.array(AUTOMOVE_RULES)))
    )
    problems += _first(table.filter(unknown), "no such rule set")
    known = table.filter(pc.invert(unknown))
    for rules in known.select(["freecells", "automove"]).group_by(["freecells", "automove"]).aggregate([]).to_pylist():
        is_under = pc.and_(
            pc.equal(known["freecells"], rules["freecells"]), pc.equal(known["automove"], rules["automove"])
        )
        problems += _wrong_under(known.filter(is_under), rules["freecells"], rules["automove"])
    bound = table["lower_bound"]
    problems += _first(
        table.filter(pc.fill_null(pc.greater(bound, table["move_count"]), False)), "lower_bound is above move_count"
    )
    is_proved = pc.fill_null(pc.equal(bound, table["move_count"]), False)
    problems += _first(
        table.filter(pc.not_equal(is_proved, table["is_shortest"])),
        "is_shortest does not fit lower_bound and move_count",
    )
    return problems


def _wrong_under(table: pa.Table, freecells: int, automove: str) -> list[str]:
    """Replay the solutions of one rule set."""
    numbers = table["game_number"].to_numpy()
    moves = table["moves"].cast(pa.large_string()).combine_chunks()
    _, offsets, text = moves.buffers()
    ends = np.frombuffer(offsets, np.int64)[moves.offset : moves.offset + len(moves) + 1]
    verdicts = replay_many(
        deal(numbers), np.frombuffer(text or b"", np.uint8), ends, automove=automove, freecells=freecells
    )
    rules = f"with {freecells} freecells and automove {automove}"
    for one in np.flatnonzero(~verdicts.is_won | (verdicts.moves_left > 0)).tolist():
        if verdicts.moves_left[one]:
            reason = f"it goes on for {verdicts.moves_left[one]} moves after it has won"
        elif verdicts.illegal_move[one]:
            reason = f"move {verdicts.illegal_move[one]} is illegal: {verdicts.reason(one)}"
        else:
            reason = f"{52 - verdicts.home[one].sum()} cards are not home at its end"
        return [f"game {numbers[one]}: its solution does not replay {rules}: {reason}"]
    problems = []
    for name, counted in zip(
        _COUNTS, (verdicts.move_count, verdicts.written_move_count, verdicts.card_move_count), strict=True
    ):
        told = table[name].fill_null(-1).to_numpy()
        wrong = np.flatnonzero(told != counted)
        if wrong.size:
            one = int(wrong[0])
            problems.append(
                f"game {numbers[one]}: {name} is {told[one]}, {counted[one]} is right ({wrong.size} such rows)"
            )
    return problems


def _first(wrong: pa.Table, problem: str) -> list[str]:
    rows = f" ({wrong.num_rows} such rows)"
    return [f"game {wrong['game_number'][0].as_py()}: {problem}{rows}"] if wrong.num_rows else []
