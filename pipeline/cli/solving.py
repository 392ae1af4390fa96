"""Commands that solve: a dataset's games, or one game or board.

In: parsed options. Out: files of solutions, or a solution on stdout.
"""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.cli.app import (
    EngineOption,
    Format,
    FormatOption,
    GameOption,
    JobsOption,
    SchedulerOption,
    app,
    engine_of,
    fail,
)
from pipeline.cli.solving_options import (
    Automove,
    AutomoveOption,
    BudgetOption,
    EffortOption,
    KlondikeRule,
    MemoryOption,
    ProveOption,
    SolutionFormat,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.games.freecell.notation.document import Document
    from pipeline.games.freecell.rules.position import Position
    from pipeline.games.freecell.solve.short.solver import ShortSettings
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.dataset.plan import Part
    from pipeline.run.engine.tasks import Engine as Runner
    from pipeline.run.jobs.solve import SolvingJob


@app.command()
def solve(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    freecells: Annotated[
        int | None, typer.Option(min=0, max=8, help="Freecells the games are played with; 4, if left out.")
    ] = None,
    first: Annotated[int | None, typer.Option(help="First game, where a part begins.")] = None,
    last: Annotated[int | None, typer.Option(help="Last game, where a part ends.")] = None,
    budget: BudgetOption = None,
    effort: EffortOption = None,
    automove: AutomoveOption = None,
    prove: ProveOption = None,
    memory: MemoryOption = None,
    jobs: JobsOption = None,
    engine: EngineOption = None,
    scheduler: SchedulerOption = None,
    format: FormatOption = None,
) -> None:
    """Solve the games of a dataset: add the table solutions.

    Example: dealbook solve data/ms1m --jobs 2

    Each game is solved, proved impossible, or unresolved. Rerun it to go on after a stop.
    """
    from pipeline.run.dataset.dataset import Dataset

    given, runner = Dataset(dataset), engine_of(jobs, engine, scheduler)
    if given.manifest.game == "klondike":
        from pipeline.run.jobs.klondike_solve import SolveKlondikeJob

        _refuse_freecells(freecells)
        _refuse_short(effort, automove, prove, memory)
        job: SolvingJob = SolveKlondikeJob() if budget is None else SolveKlondikeJob(budget)
        solve_games(given, job, given.parts(first, last), runner, format)
        return
    from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET
    from pipeline.run.config import SolveConfig
    from pipeline.run.jobs.short_solve import solving_job

    rule = None if automove is None else automove.value
    wanted: dict[str, Any] = {
        "freecells": freecells,
        "effort": effort,
        "automove": rule,
        "prove": prove,
        "memory": memory,
    }
    options = {name: value for name, value in wanted.items() if value is not None}
    if options.keys() == {"memory"}:
        raise fail("--memory: goes with --effort, --automove or --prove", 2)
    job = solving_job(SolveConfig(**options), DEFAULT_BUDGET if budget is None else budget)
    solve_games(given, job, given.parts(first, last), runner, format)


def solve_games(
    dataset: "Dataset",
    job: "SolvingJob",
    parts: "Sequence[Part]",
    engine: "Runner",
    format: Format | None = None,
) -> None:
    """Run a solving job on parts of a dataset that follow one another, and print how the games came out."""
    from pipeline.cli.output import print_rows
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.jobs.solve import run_solving

    _tell_compiling_for(job)
    with progress_bar(f"solve {dataset}", sum(map(len, parts))) as advance:
        first, last = parts[0].start, parts[-1].stop - 1
        outcomes = run_solving(dataset, job, first=first, last=last, engine=engine, advance=advance)
    done = outcomes.summary
    kept = f", {done.kept} were there" if done.kept else ""
    print(f"{dataset}: {done.games:,} games, {done.written} parts written{kept}", file=sys.stderr)
    column = job.rules[0]
    rows = [{column: rule, **{s: counts[s] for s in job.statuses}} for rule, counts in outcomes.by_rule.items()]
    print_rows(rows, format)


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
    effort: EffortOption = None,
    automove: AutomoveOption = None,
    prove: ProveOption = None,
    memory: MemoryOption = None,
    numbered: GameOption = None,
    rule: Annotated[
        KlondikeRule | None,
        typer.Option(help="Klondike: whether a card may come back from its foundation to a pile; return, if left out."),
    ] = None,
    format: Annotated[
        SolutionFormat, typer.Option(help="The moves, or one object with the columns of solutions.")
    ] = SolutionFormat.TEXT,
) -> None:
    """Solve one game, or a board in mid-game, or say why not.

    Example: dealbook solution 617
    """
    from pipeline.games import game_named

    if game_named(numbered).name == "klondike":
        from pipeline.cli.klondike import print_klondike_solution

        _refuse_freecells(freecells)
        _refuse_short(effort, automove, prove, memory)
        print_klondike_solution(game, rule, budget, format is SolutionFormat.JSON)
        return
    if rule is not None:
        raise fail("--rule: goes with --game klondike", 2)
    document, name = _read_one(game, freecells)
    assert document.shown is not None
    short = _short_settings(effort, automove, _count_cells(document.shown), budget, prove, memory)
    _print_solved(document, name, short, budget, format is SolutionFormat.JSON)


@app.command(context_settings={"ignore_unknown_options": True})
def shortest(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Game number, or a file with a board or a game; - is stdin.")
    ],
    freecells: Annotated[
        int | None, typer.Option(min=0, max=8, help="Freecells of the game; 4, or as the board says.")
    ] = None,
    effort: EffortOption = None,
    automove: AutomoveOption = None,
    prove: ProveOption = None,
    memory: MemoryOption = None,
    budget: BudgetOption = None,
    format: Annotated[
        SolutionFormat, typer.Option(help="The moves, or one object with the columns of solutions.")
    ] = SolutionFormat.TEXT,
) -> None:
    """Find the shortest solution of a game or board; prove it.

    Example: dealbook shortest 617 --automove max

    Effort 4 and a proof of 10 seconds, if left out.
    """
    document, name = _read_one(game, freecells)
    assert document.shown is not None
    effort, prove = 4 if effort is None else effort, 10.0 if prove is None else prove
    short = _short_settings(effort, automove, _count_cells(document.shown), budget, prove, memory)
    _print_solved(document, name, short, budget, format is SolutionFormat.JSON)


def _read_one(game: str, freecells: int | None) -> tuple["Document", str]:
    """Read what a command was given: a game number, a file or stdin; returns it and its name."""
    from pipeline.cli.input import input_name, read_input
    from pipeline.serve.answer.solution import is_game_number, numbered_game, read_game

    if is_game_number(game):
        return numbered_game(game, freecells), f"game {game}"
    return read_game(read_input(game), input_name(game), freecells), input_name(game)


def _count_cells(position: "Position") -> int:
    from pipeline.games.freecell.rules.position import BLOCKED

    return sum(card != BLOCKED for card in position.freecells)


def _short_settings(
    effort: int | None,
    automove: Automove | None,
    freecells: int,
    budget: int | None,
    prove: float | None,
    memory: float | None,
) -> "ShortSettings | None":
    """The settings of a short solution, or None where the first one found under Horne's rule is asked for."""
    if not effort and automove in (None, Automove.HORNE) and not prove:
        if memory is not None:
            raise fail("--memory: goes with --effort, --automove or --prove", 2)
        return None
    from pipeline.games.freecell.solve.short.solver import DEFAULT_MEMORY, ShortSettings, check_settings
    from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET

    settings = ShortSettings(
        effort or 0,
        (automove or Automove.HORNE).value,
        freecells,
        DEFAULT_BUDGET if budget is None else budget,
        prove or 0.0,
        DEFAULT_MEMORY if memory is None else memory,
    )
    check_settings(settings)
    return settings


def _print_solved(
    document: "Document", name: str, short: "ShortSettings | None", budget: int | None, as_json: bool
) -> None:
    """Solve a position as `_short_settings` says and print it."""
    if short is None:
        _print_first(document, name, budget, as_json)
    else:
        _print_short(document, name, short, as_json)


def _print_first(document: "Document", name: str, budget: int | None, as_json: bool) -> None:
    """Print the first solution found of a position; exit code 1 where there is none."""
    import json

    from pipeline.games.freecell.solve.solver import DEFAULT_BUDGET, solve_position
    from pipeline.serve.answer.solution import replayed, solution_row, solution_text

    assert document.shown is not None
    _tell_compiling()
    outcome = solve_position(document.shown, DEFAULT_BUDGET if budget is None else budget)
    found = replayed(document.shown, outcome)
    if as_json:
        print(json.dumps(solution_row(document, outcome, found)))
    elif found is not None:
        print(solution_text(document, outcome), end="")
    if found is None:
        cost = f"{outcome.nodes:,} states searched"
        reason = (
            f", by exhaustive search ({cost})" if outcome.status == "impossible" else f": {cost} of {outcome.budget:,}"
        )
        raise fail(f"{name} is {outcome.status}{reason}", 1)


def _print_short(document: "Document", name: str, short: "ShortSettings", as_json: bool) -> None:
    """Solve a position shortly and print it; what is known of its length goes to stderr."""
    import json

    from pipeline.serve.answer.short_solution import short_row, short_text, shorten, verdict

    assert document.shown is not None
    _tell_compiling(short=True)
    answer = shorten(document.shown, short)
    if as_json:
        print(json.dumps(short_row(document, answer)))
    elif answer.found is not None:
        print(short_text(document, answer), end="")
    if answer.found is None:
        raise fail(verdict(name, answer), 1)
    print(f"dealbook: {verdict(name, answer)}", file=sys.stderr)


def _refuse_short(*options: object) -> None:
    if any(option is not None for option in options):
        raise fail("--effort, --automove, --prove and --memory: are for FreeCell", 2)


def _refuse_freecells(freecells: int | None) -> None:
    if freecells is not None:
        raise fail("--freecells: Klondike has none", 2)


def _tell_compiling_for(job: "SolvingJob") -> None:
    """Say that the first games of a dataset will wait, where they will."""
    from pipeline.run.jobs.solve import SolveJob

    if job.rules[0] == "rule":
        from pipeline.cli.klondike import tell_compiling

        tell_compiling()
    else:
        _tell_compiling(many=True, short=not isinstance(job, SolveJob))


def _tell_compiling(many: bool = False, short: bool = False) -> None:
    """Say that the first game will wait, where it will."""
    from pipeline.games.freecell.solve.short import solver as shortly
    from pipeline.games.freecell.solve.solver import needs_compiling

    if shortly.needs_compiling() if short else needs_compiling(many):
        print("dealbook: compiling the solver, once for this version (about half a minute)", file=sys.stderr)
