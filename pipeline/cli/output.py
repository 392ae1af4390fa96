"""Rows on stdout: a table on a terminal, CSV, or JSON lines.

In: dictionaries with the same keys. Out: text on stdout.
"""

import csv
import json
import sys
from collections.abc import Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pipeline.cli.app import Format

if TYPE_CHECKING:
    import polars


def print_rows(
    rows: Iterable[dict[str, Any]],
    format: Format | None,
    names: list[str] | None = None,
    most_in_table: int | None = None,
) -> None:
    """Print rows in a format; None is a table on a terminal and JSON lines elsewhere. CSV and JSON are written as the rows come.

    ``names`` are the columns, for a header where there is no row. A table stops after ``most_in_table`` rows and says so.
    """
    chosen = format or (Format.TABLE if sys.stdout.isatty() else Format.JSON)
    if chosen is Format.JSON:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False, default=str))
        return
    rows = iter(rows)
    first = next(rows, None)
    names = names or list(first or ())
    if not names:
        return
    rows = chain(() if first is None else (first,), rows)
    if chosen is Format.CSV:
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    _print_table(list(islice(rows, most_in_table)), names)
    if next(rows, None) is not None:
        print(f"more than {most_in_table} rows: --format csv or json prints them all", file=sys.stderr)


def json_lines(rows: "polars.DataFrame") -> str:
    """Write rows as JSON lines to the letter as `print_rows` does, faster (polars' own JSON lines have no blanks)."""
    import polars as pl

    # Each value is taken from an object of its own, {"name":value}.
    values = {name: pl.struct(name).struct.json_encode().str.slice(len(name) + 4).str.head(-1) for name in rows.columns}
    fields = [pl.concat_str(pl.lit(f'"{name}": '), value) for name, value in values.items()]
    lines = rows.select(pl.concat_str(pl.lit("{"), pl.concat_str(fields, separator=", "), pl.lit("}\n"))).to_series()
    return "".join(lines)


def _print_table(rows: list[dict[str, Any]], names: list[str]) -> None:
    """Print a table, or one of names and values a row where there are more columns than the terminal is wide for."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def cell(value: Any) -> Text:
        return Text("" if value is None else str(value))

    console = Console()
    if len(names) * 4 > console.width:
        for row in rows:
            table = Table("column", "value", box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
            for name, value in row.items():
                table.add_row(name, cell(value))
            console.print(table)
        return
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in names:
        sample = next((row[name] for row in rows if row[name] is not None), None)
        is_number = isinstance(sample, int | float) and not isinstance(sample, bool)
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(cell, row.values()))
    console.print(table)
