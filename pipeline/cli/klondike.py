"""What `solve` and `solution` do for Klondike.

In: their parsed options. Out: files of solutions, or a solution on stdout.
"""

import json
import sys

from pipeline.cards.errors import GameNumberError
from pipeline.cli.app import Engine, Format, fail
from pipeline.cli.output import print_rows
from pipeline.games.klondike.deal import LAST_GAME
from pipeline.games.klondike.solve.solver import PASSES, STATUSES, needs_compiling
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import progress_bar
from pipeline.run.jobs.klondike_solve import klondike_parts, solve_klondike_dataset
from pipeline.serve.answer.klondike import DEFAULT_RULE, klondike_solution, moves_in_lines


def solve_klondike_games(
    store: Store,
    first: int | None,
    last: int | None,
    budget: int | None,
    jobs: int | None,
    engine: Engine | None,
    scheduler: str | None,
    format: Format | None,
) -> None:
    """Add the table klondike_solutions to a dataset and print how many games came out how under each rule."""
    games = sum(map(len, klondike_parts(store, first, last)))
    _tell_compiling()
    with progress_bar(f"solve {store.url}", games) as advance:
        outcomes = solve_klondike_dataset(
            store,
            PASSES[-1] if budget is None else budget,
            first=first,
            last=last,
            jobs=jobs,
            engine="local" if engine is None else engine.value,
            scheduler=scheduler,
            advance=advance,
        )
    done = outcomes.summary
    kept = f", {done.kept} were there" if done.kept else ""
    print(f"{store.url}: {done.games:,} games, {done.written} parts written{kept}", file=sys.stderr)
    print_rows([{"rule": rule, **{s: counts[s] for s in STATUSES}} for rule, counts in outcomes.counts.items()], format)


def print_klondike_solution(game: str, rule: str | None, budget: int | None, as_json: bool) -> None:
    """Solve one game and print its moves, or its row as JSON; exit code 1 where there is no solution."""
    if not (game.isascii() and game.isdigit()):
        raise GameNumberError(f"{game!r} is no Klondike game number; they are whole numbers from 0 to {LAST_GAME}")
    game_number = int(game)
    _tell_compiling()
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


def _tell_compiling() -> None:
    if needs_compiling():
        print("dealbook: compiling the solver, once for this version (about twenty seconds)", file=sys.stderr)
