"""What `solution` does for Klondike.

In: their parsed options. Out: a solution on stdout.
"""

import json
import sys

from pipeline.cards.errors import GameNumberError
from pipeline.cli.app import fail
from pipeline.games.klondike.deal import LAST_GAME
from pipeline.games.klondike.solve.solver import PASSES, needs_compiling
from pipeline.serve.answer.klondike import DEFAULT_RULE, klondike_solution, moves_in_lines


def print_klondike_solution(game: str, rule: str | None, budget: int | None, as_json: bool) -> None:
    """Solve one game and print its moves, or its row as JSON; exit code 1 where there is no solution."""
    if not (game.isascii() and game.isdigit()):
        raise GameNumberError(f"{game!r} is no Klondike game number; they are whole numbers from 0 to {LAST_GAME}")
    game_number = int(game)
    tell_compiling()
    row = klondike_solution(game_number, rule or DEFAULT_RULE, PASSES[-1] if budget is None else budget)
    if as_json:
        print(json.dumps(row))
    elif row["moves"] is not None:
        print(moves_in_lines(row["moves"]), end="")
        print(f"dealbook: {row['move_count']} moves and {row['draw_count']} draws, rule {row['rule']}", file=sys.stderr)
    if row["moves"] is None:
        cost = f"{row['nodes']:,} states searched"
        reason = f", by exhaustive search ({cost})" if row["status"] == "impossible" else f": {cost}"
        raise fail(f"Klondike game {game_number} is {row['status']} under rule {row['rule']}{reason}", 1)


def tell_compiling() -> None:
    """Say that the first game will wait, where it will."""
    if needs_compiling():
        print("dealbook: compiling the solver, once for this version (about twenty seconds)", file=sys.stderr)
