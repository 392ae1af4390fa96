"""Commands on a whole dataset: build, check, status, drop, merge, describe.

In: parsed options. Out: a dataset, findings, the data dictionary.
"""

import sys
from typing import Annotated

import typer

from pipeline.cli.app import EngineOption, FormatOption, JobsOption, SchedulerOption, app, engine_of, fail


@app.command()
def build(
    config: Annotated[
        str | None, typer.Argument(help="TOML config; games 1..1,000,000 into data/ms1m, if left out.")
    ] = None,
    first: Annotated[int | None, typer.Option(help="First game number.")] = None,
    last: Annotated[int | None, typer.Option(help="Last game number, included.")] = None,
    out: Annotated[str | None, typer.Option(help="Folder or URL of the dataset.")] = None,
    tables: Annotated[str | None, typer.Option(help="Tables to write, separated by commas.")] = None,
    jobs: JobsOption = None,
    part_size: Annotated[int | None, typer.Option(help="Games in one part.")] = None,
    engine: EngineOption = None,
    scheduler: SchedulerOption = None,
    part: Annotated[
        str | None, typer.Option(help="Only these parts of the plan, by their places from 1: 17 or 17-20.")
    ] = None,
    games: Annotated[
        str | None, typer.Option(help="Only these games of the plan, whole parts: 16000001-17000000.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the resolved config and plan, and stop.")] = False,
) -> None:
    """Deal a range of games into a dataset; rerun it to go on.

    Example: dealbook build configs/ms32000.toml --jobs 2
    """
    from pipeline.run.config import load_config

    resolved = load_config(
        config,
        first=first,
        last=last,
        out=out,
        tables=None if tables is None else [t.strip() for t in tables.split(",")],
        jobs=jobs,
        part_size=part_size,
        engine=None if engine is None else engine.value,
        scheduler=scheduler,
    )
    plan = resolved.plan()
    parts = plan.chosen(part, games)
    if dry_run:
        import json

        values = {**resolved.model_dump(), "tables": resolved.dealt_tables()}
        print(
            json.dumps(
                {
                    "config": values,
                    "plan": {
                        "games": sum(map(len, parts)),
                        "parts": len(parts),
                        "first_file": parts[0].file_name(values["tables"][0]),
                    },
                },
                indent=1,
            )
        )
        return
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.jobs.build import build as run_build

    with progress_bar(resolved.out, sum(map(len, parts))) as advance:
        summary = run_build(resolved, advance, parts)
    kept = f", {summary.kept} were there" if summary.kept else ""
    print(f"{resolved.out}: {summary.games:,} games, {summary.written} parts written{kept}", file=sys.stderr)
    if resolved.solve is not None:
        from pipeline.cli.solving import solve_games
        from pipeline.run.dataset.dataset import Dataset
        from pipeline.run.jobs.short_solve import solving_job

        solve_games(Dataset(resolved.out), solving_job(resolved.solve), parts, resolved.runner())


@app.command()
def check(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    sample: Annotated[
        int | None, typer.Option(min=1, help="Look into this many parts, drawn at random, instead of all.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Files looked at at once; one a processor, if left out.")
    ] = None,
    format: FormatOption = None,
) -> None:
    """Prove a dataset: deal, compute and replay all of it anew.

    Example: dealbook check data/ms1m

    Manifest, checksums and schemas are compared first; a solution counts only if it wins.
    """
    from dataclasses import asdict

    from pipeline.cli.output import print_rows
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.jobs.check import check as run_check

    checked = Dataset(dataset)
    with progress_bar(f"check {dataset}", sum(r.rows for r in checked.manifest.files.values())) as advance:
        report = run_check(checked, engine_of(jobs), advance, sample)
    if report.findings:
        print_rows([asdict(finding) for finding in report.findings], format)
        findings = f"{len(report.findings)} finding{'' if len(report.findings) == 1 else 's'}"
        raise fail(f"{dataset}: {findings} in {report.files} files", 1)
    files = f"{report.files} files" if sample is None else f"{report.files} of {report.recorded} files"
    print(f"{dataset}: {files}, {report.rows:,} rows, all as recorded and as made anew", file=sys.stderr)


@app.command()
def status(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    format: FormatOption = None,
) -> None:
    """Print what a dataset holds of what it is to hold.

    Example: dealbook status data/ms1m

    One row for each variant of each table: parts written and planned, rows, bytes.
    """
    from pipeline.cli.output import print_rows
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.jobs.status import status as run_status

    given = Dataset(dataset)
    plan = given.plan
    print(
        f"{dataset}: {given.manifest.game} games {plan.first:,} to {plan.last:,} in parts of {plan.part_size:,}",
        file=sys.stderr,
    )
    print_rows(run_status(given), format)


@app.command()
def drop(
    dataset: Annotated[str, typer.Argument(help="Folder or URL of the dataset.")],
    table: Annotated[str, typer.Argument(help="Name of the table.")],
    variant: Annotated[
        str | None,
        typer.Argument(help="One variant of it: what stands before part- in its files' names; all, if left out."),
    ] = None,
) -> None:
    """Remove a table of a dataset, or one variant of it.

    Example: dealbook drop data/ms1m solutions horne3-effort0

    It asks nothing. Rerun it to go on after a stop.
    """
    from pipeline.run.dataset.dataset import Dataset

    dropped = Dataset(dataset).drop(table, variant)
    named = f"{table} {variant}" if variant else table
    print(f"{dataset}: dropped {named}, {dropped.files} files, {dropped.bytes:,} bytes", file=sys.stderr)
    for orphan in dropped.orphans:
        print(f"{dataset}: {orphan} was made from it and stays; check can prove it no more", file=sys.stderr)


@app.command()
def merge(
    out: Annotated[
        str, typer.Argument(help="Folder or URL of the dataset that takes them in; made, if there is none.")
    ],
    datasets: Annotated[list[str], typer.Argument(help="Datasets that were built apart.")],
    jobs: JobsOption = None,
) -> None:
    """Put datasets that were built apart into one.

    Example: dealbook merge data/all pieces/1 pieces/2

    They hold parts of one plan, or ranges of games with the same part size.
    """
    from pipeline.run.dataset.dataset import Dataset
    from pipeline.run.engine.progress import progress_bar
    from pipeline.run.jobs.merge import merge as run_merge

    rows = sum(r.rows for dataset in datasets for r in Dataset(dataset).manifest.files.values())
    with progress_bar(out, rows) as advance:
        summary = run_merge(out, datasets, engine_of(jobs), advance)
    kept = f", {summary.kept} were there" if summary.kept else ""
    print(f"{out}: {summary.copied} files copied{kept}; {summary.parts} of {summary.planned} parts", file=sys.stderr)


@app.command()
def describe(
    table: Annotated[str | None, typer.Argument(help="One table; all, if left out.")] = None,
    format: FormatOption = None,
) -> None:
    """Print the data dictionary: what each column means.

    Example: dealbook describe stats
    """
    from pipeline.cards.errors import InputError
    from pipeline.cli.output import print_rows
    from pipeline.games.registry import TABLES

    if table is not None and table not in TABLES:
        raise InputError(f"no table {table!r}; the tables are {', '.join(TABLES)}")
    rows = [
        {"table": t.name, "column": c.name, "type": str(c.type), "unit": c.unit, "description": c.description}
        for t in TABLES.values()
        for c in t.columns
        if table in (None, t.name)
    ]
    print_rows(rows, format)
