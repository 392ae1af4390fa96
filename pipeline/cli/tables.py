"""Commands that read tables or make them from others: query, report, import, positions, publish.

In: parsed options. Out: rows, pages, files. `app` imports it.
"""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pipeline.cli.app import FormatOption, app

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
    """Answer SQL over a dataset's tables, read-only; `.help` in the prompt tells what there is.

    Example: dealbook query data/ms1m "SELECT game_number, card_name(c1r1) FROM layouts LIMIT 3"
    """
    from pipeline.cli.output import print_rows
    from pipeline.serve.catalog import open_catalog
    from pipeline.serve.query import query as run_query
    from pipeline.serve.query import unfinished

    catalog = open_catalog(dataset, unsafe=unsafe)
    for note in unfinished(catalog):
        print(f"{dataset}: {note}", file=sys.stderr)

    def show(names: list[str], rows: Iterator[dict[str, Any]]) -> None:
        print_rows(rows, format, names, most_in_table=_MOST_ROWS_ON_A_TERMINAL)

    if sql is None and sys.stdin.isatty():
        from pipeline.serve.prompt import run_prompt

        print(f"{dataset}: {', '.join(catalog.views)}. SQL ends with ; and .help tells more.", file=sys.stderr)
        run_prompt(catalog, show)
    else:
        show(*run_query(catalog, sys.stdin.read() if sql is None else sql))
