"""Commands that read tables or make them from others: query, report, import, positions, publish.

In: parsed options. Out: rows, pages, files.
"""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pipeline.cli.app import EngineOption, FormatOption, JobsOption, SchedulerOption, app, engine_of
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.moves import Limit

_MOST_ROWS_ON_A_TERMINAL = 1000


@app.command()
def query(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    sql: Annotated[
        str | None,
        typer.Argument(help="SQL for DuckDB; a prompt on a terminal, standard input elsewhere, if left out."),
    ] = None,
    format: FormatOption = None,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Let the query reach files and the network: COPY, ATTACH, other files.")
    ] = False,
) -> None:
    """Answer SQL over the tables of a dataset, read-only.

    Example: dealbook query data/ms1m "SELECT game_number, card_name(c1r1) FROM layouts LIMIT 3"

    Without SQL, a terminal gets a prompt, where .help tells what there is.
    """
    from pipeline.cli.output import print_rows
    from pipeline.serve.sql.catalog import open_catalog
    from pipeline.serve.sql.query import query as run_query
    from pipeline.serve.sql.query import unfinished

    catalog = open_catalog(dataset, unsafe=unsafe)
    for note in unfinished(catalog):
        print(f"{dataset}: {note}", file=sys.stderr)

    def show(names: list[str], rows: Iterator[dict[str, Any]]) -> None:
        print_rows(rows, format, names, most_in_table=_MOST_ROWS_ON_A_TERMINAL)

    if sql is None and sys.stdin.isatty():
        from pipeline.serve.sql.prompt import run_prompt

        print(f"{dataset}: {', '.join(catalog.views)}. SQL ends with ; and .help tells more.", file=sys.stderr)
        run_prompt(catalog, show)
    else:
        show(*run_query(catalog, sys.stdin.read() if sql is None else sql))


@app.command(name="import")
def import_(
    files: Annotated[
        list[str], typer.Argument(help="Catalogues or other texts of solutions, or folders of them; - is stdin.")
    ],
    dataset: Annotated[str, typer.Option(help="Folder or URL of the dataset that takes them in.")],
    source: Annotated[
        str | None, typer.Option(help="Name for the column source; the file's or folder's own, if left out.")
    ] = None,
    automove: Annotated[
        AutomoveRule | None, typer.Option(help="Automove rule of moves in standard notation, where it is another.")
    ] = None,
    initial_automove: Annotated[
        bool, typer.Option("--initial-automove", help="Automoves run before the first move of these texts.")
    ] = False,
    freecells: Annotated[
        int | None, typer.Option(min=0, max=8, help="Freecells of the games, where the texts do not say.")
    ] = None,
    limit: Annotated[Limit | None, typer.Option(help="How many cards a move takes into an empty column.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove what was imported under this source before.")
    ] = False,
    jobs: JobsOption = None,
    format: FormatOption = None,
) -> None:
    """Import solutions of others, each of them replayed first.

    Example: dealbook import catalogue.txt --dataset data/ms1m

    They go into the table solutions; those that do not win are printed, and why.
    """
    from pipeline.cli.output import print_rows
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.imports.rows import Reading, Rejected
    from pipeline.run.jobs.imports import import_solutions

    with progress_bar(f"import into {dataset}", 0) as advance:
        done = import_solutions(
            Dataset(dataset),
            files,
            source=source,
            reading=Reading(automove, initial_automove, freecells, limit),
            is_replacement=replace,
            engine=engine_of(jobs),
            advance=advance,
        )
    repeated = f", {done.repeated:,} told again" if done.repeated else ""
    solutions = f"{done.solutions:,} solution{'' if done.solutions == 1 else 's'}{repeated}"
    print(f"{dataset}: {solutions}, {len(done.rejected):,} turned down", file=sys.stderr)
    if done.rejected:
        print_rows((text._asdict() for text in done.rejected), format, list(Rejected._fields))
        raise typer.Exit(1)


@app.command()
def positions(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    solutions: Annotated[
        str | None,
        typer.Option(help="Which solutions, where there are several: what stands before part- in their files' names."),
    ] = None,
    automove: Annotated[
        AutomoveRule | None, typer.Option(help="Automove rule, where these solutions are under several.")
    ] = None,
    freecells: Annotated[
        int | None,
        typer.Option(min=0, max=8, help="Freecells, where these solutions are with several numbers of them."),
    ] = None,
    jobs: JobsOption = None,
    engine: EngineOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Add the table positions: each ply of the solutions.

    Example: dealbook positions data/ms1m

    Each row holds the state, the move played and the legal ones. Rerun it to go on after a stop.
    """
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.jobs.positions import add_positions

    given, runner = Dataset(dataset), engine_of(jobs, engine, scheduler)
    with progress_bar(f"positions of {dataset}", given.plan.games) as advance:
        added = add_positions(given, solutions, automove, freecells, engine=runner, advance=advance)
    kept = f", {added.summary.kept} were there" if added.summary.kept else ""
    size = f", {added.bytes / added.rows:.1f} bytes each" if added.rows else ""
    print(
        f"{dataset}: {added.rows:,} positions {added.variant}{size}, {added.summary.written} parts written{kept}",
        file=sys.stderr,
    )


@app.command()
def report(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    out: Annotated[str, typer.Option(help="The page to write.")] = "report.html",
    charts: Annotated[
        str | None, typer.Option(help="A folder for the charts as PNG and SVG; none, if left out.")
    ] = None,
) -> None:
    """Draw a dataset as one HTML page that needs no network.

    Example: dealbook report data/ms1m --out ms1m.html --charts charts

    Statistics, the dealer's fairness, difficulty and the impossible games, as far as the dataset has them.
    """
    from pathlib import Path

    from pipeline.serve.report.report import write_report
    from pipeline.serve.sql.catalog import open_catalog

    written = write_report(open_catalog(dataset), Path(out), None if charts is None else Path(charts))
    others = f", {len(written) - 1} charts in {charts}" if charts is not None else ""
    print(f"{out}: {written[0].stat().st_size / 1e6:.1f} MB{others}", file=sys.stderr)


@app.command()
def publish(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    title: Annotated[
        str | None, typer.Option(help="Name of the dataset in its card; made from its games, if left out.")
    ] = None,
) -> None:
    """Write a dataset's card, descriptions and checksums.

    Example: dealbook publish data/ms1m

    README.md, croissant.json, catalog.sql and SHA256SUMS then lie beside the data, ready to be given to others.
    """
    from pipeline.run.dataset.store import Store
    from pipeline.serve.publish.publish import publish as run_publish

    print(f"{dataset}: {', '.join(run_publish(Store(dataset), title))} written", file=sys.stderr)
