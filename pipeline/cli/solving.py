"""Commands that solve: a dataset's games, or one game or board.

In: parsed options. Out: files of solutions, or a solution on stdout. `app` imports it.
"""

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import EngineOption, FormatOption, JobsOption, SchedulerOption, app, fail
from pipeline.serve.forms import Game


class SolutionFormat(enum.StrEnum):
    """How one solution is printed."""

    TEXT = "text"
    JSON = "json"


class KlondikeRule(enum.StrEnum):
    """The rules under which Klondike is solved."""

    RETURN = "return"
    NO_RETURN = "no-return"


BudgetOption = Annotated[int | None, typer.Option(min=1, help="Most states a game may cost before it is unresolved.")]


@app.command()
def solve(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    freecells: Annotated[
        int | None, typer.Option(min=0, max=8, help="Freecells the games are played with; 4, if left out.")
    ] = None,
    first: Annotated[int | None, typer.Option(help="First game, where a part begins.")] = None,
    last: Annotated[int | None, typer.Option(help="Last game, where a part ends.")] = None,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    engine: EngineOption = None,
    scheduler: SchedulerOption = None,
    format: FormatOption = None,
) -> None:
    """Add the table solutions: each game solved, proved impossible, or unresolved; run it again to go on after a stop.

    Example: dealbook solve data/ms1m --jobs 2
    """
    from pipeline.cli.output import print_rows
    from pipeline.run.manifest import read_manifest
    from pipeline.run.parts import Store
    from pipeline.run.progress import progress_bar

    store = Store(dataset)
    if read_manifest(store).game == "klondike":
        from pipeline.cli.klondike import solve_klondike_games

        _refuse_freecells(freecells)
        solve_klondike_games(store, first, last, budget, jobs, engine, scheduler, format)
        return
    from pipeline.run.solving import chosen_parts, solve_dataset
    from pipeline.solve.solver import DEFAULT_BUDGET

    freecells = 4 if freecells is None else freecells
    games = sum(map(len, chosen_parts(read_manifest(store).parts(), first, last)))
    _tell_compiling(many=True)
    with progress_bar(f"solve {dataset}", games) as advance:
        outcomes = solve_dataset(
            store,
            freecells,
            DEFAULT_BUDGET if budget is None else budget,
            first=first,
            last=last,
            jobs=jobs,
            engine="local" if engine is None else engine.value,
            scheduler=scheduler,
            advance=advance,
        )
    kept = f", {outcomes.summary.kept} were there" if outcomes.summary.kept else ""
    print(
        f"{dataset}: {outcomes.summary.games:,} games, {outcomes.summary.written} parts written{kept}", file=sys.stderr
    )
    print_rows([{"freecells": freecells, **outcomes.counts}], format)


# Unknown options are arguments here, so that the special games -1 and -2 can be typed as they are.
@app.command(context_settings={"ignore_unknown_options": True})
def solution(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Game number, or a file with a board or a game; - is stdin.")
    ],
    freecells: Annotated[
        int | None, typer.Option(min=0, max=8, help="Freecells of the game; 4, or as the board says.")
    ] = None,
    budget: BudgetOption = None,
    numbered: Annotated[Game, typer.Option("--game", help="Which numbered game.")] = Game.FREECELL,
    rule: Annotated[
        KlondikeRule | None,
        typer.Option(help="Klondike: whether a card may come back from its foundation to a pile; return, if left out."),
    ] = None,
    format: Annotated[
        SolutionFormat, typer.Option(help="The moves, or one object with the columns of solutions.")
    ] = SolutionFormat.TEXT,
) -> None:
    """Solve one game, or a board in mid-game, and print the solution, or say that there is none.

    Example: dealbook solution 617
    """
    import json

    if numbered is Game.KLONDIKE:
        from pipeline.cli.klondike import print_klondike_solution

        _refuse_freecells(freecells)
        print_klondike_solution(game, rule, budget, format is SolutionFormat.JSON)
        return
    if rule is not None:
        raise fail("--rule: goes with --game klondike", 2)
    from pipeline.serve.solution import is_game_number, numbered_game, read_game, replayed, solution_row, solution_text
    from pipeline.solve.solver import DEFAULT_BUDGET, solve_position

    if is_game_number(game):
        document, name = numbered_game(game, freecells), f"game {game}"
    else:
        name = "stdin" if game == "-" else game
        document = read_game(sys.stdin.buffer.read() if game == "-" else Path(game).read_bytes(), name, freecells)
    assert document.shown is not None
    _tell_compiling()
    outcome = solve_position(document.shown, DEFAULT_BUDGET if budget is None else budget)
    found = replayed(document.shown, outcome)
    if format is SolutionFormat.JSON:
        print(json.dumps(solution_row(document, outcome, found)))
    elif found is not None:
        print(solution_text(document, outcome), end="")
    if found is None:
        cost = f"{outcome.nodes:,} states searched"
        reason = f", all there are ({cost})" if outcome.status == "impossible" else f": {cost} of {outcome.budget:,}"
        raise fail(f"{name} is {outcome.status}{reason}", 1)


def _refuse_freecells(freecells: int | None) -> None:
    if freecells is not None:
        raise fail("--freecells: Klondike has none", 2)


def _tell_compiling(many: bool = False) -> None:
    """Say that the first game will wait, where it will."""
    from pipeline.solve.solver import needs_compiling

    if needs_compiling(many):
        print("dealbook: compiling the solver, once for this version (about half a minute)", file=sys.stderr)
