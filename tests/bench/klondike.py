"""Klondike: dealt, solved under both rules, replayed; CPU time of one core, compiling done before the clock starts."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline.games.klondike.deal import deal_klondike
from pipeline.games.klondike.rules.bulk import replay_klondike_many
from pipeline.games.klondike.rules.replay import Move, replay_klondike
from pipeline.games.klondike.solve.solver import PASSES, one_pass, solve_klondike_under_both

DEALS = 100_000
SOLVED = 2_000
REPLAYED = 100
MINUTES = 3


def _seconds(call: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    before = time.process_time()
    for _ in range(times):
        answer = call()
    return (time.process_time() - before) / times, answer


def rows() -> list[dict[str, object]]:
    """Measure against the literal twin of the tests, the plain replay, and the time that all five-digit games may take."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "klondike"))
    import naive_deal

    few = deal_klondike(range(4))
    solve_klondike_under_both(few)
    ours, layouts = _seconds(lambda: deal_klondike(range(DEALS)), 3)
    literal, _ = _seconds(lambda: [naive_deal.deal(number) for number in range(200)])
    table: list[dict[str, object]] = [
        {
            "what": f"deal {DEALS:,} games, one core",
            "ours": f"{ours:.3f} s",
            "reference": f"{literal / 200 * DEALS:.0f} s, the program card by card in Python",
            "ratio": f"{literal / 200 * DEALS / ours:,.0f}",
            "goal": "well under 1 s",
        }
    ]
    games = layouts[:SOLVED]
    both, found = _seconds(lambda: solve_klondike_under_both(games))
    alone = {rule: _seconds(lambda rule=rule: one_pass(games, rule == "return", PASSES[1])) for rule in found}
    timed = {"both rules": both, **{f"rule {rule} by itself": seconds for rule, (seconds, _) in alone.items()}}
    for name, seconds in timed.items():
        allowed = MINUTES * 60 * 2 / DEALS * SOLVED * (2 if name == "both rules" else 1)
        table.append(
            {
                "what": f"solve {SOLVED:,} games, {name}, one core",
                "ours": f"{seconds:.2f} s, {seconds / SOLVED * 1e3:.2f} ms a game",
                "reference": f"{MINUTES} minutes a rule for {DEALS:,} games on 2 cores",
                "ratio": f"{allowed / seconds:.1f}",
                "goal": "1 or more",
            }
        )
    solutions = found["return"]
    compiled, _ = _seconds(lambda: replay_klondike_many(games, solutions.moves, solutions.offsets), 5)
    lines = [
        [Move(code >> 4, code & 15) for code in solutions.moves[first:last].tolist()]
        for first, last in zip(solutions.offsets, solutions.offsets[1 : REPLAYED + 1], strict=False)
    ]
    plain, _ = _seconds(lambda: [replay_klondike(g, line) for g, line in zip(games, lines, strict=False)])
    table.append(
        {
            "what": f"replay {SOLVED:,} solutions card by card, one core",
            "ours": f"{compiled * 1e3:.0f} ms",
            "reference": f"{plain / REPLAYED * SOLVED:.1f} s, the plain replay",
            "ratio": f"{plain / REPLAYED * SOLVED / compiled:,.0f}",
            "goal": "",
        }
    )
    return table
