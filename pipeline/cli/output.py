"""Rows on stdout: a table on a terminal, CSV, or JSON lines.

In: dictionaries with the same keys. Out: text on stdout. The command modules import it.
"""

import csv
import json
import sys
from collections.abc import Iterable
from typing import Any

from pipeline.cli.app import Format


def print_rows(rows: Iterable[dict[str, Any]], format: Format | None) -> None:
    """Print rows in a format; None is a table on a terminal and JSON lines elsewhere."""
    chosen = format or (Format.TABLE if sys.stdout.isatty() else Format.JSON)
    if chosen is Format.JSON:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False, default=str))
        return
    rows = list(rows)
    if not rows:
        return
    if chosen is Format.CSV:
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for key, value in rows[0].items():
        table.add_column(
            key,
            justify="right" if isinstance(value, int | float) and not isinstance(value, bool) else "left",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    Console().print(table)
