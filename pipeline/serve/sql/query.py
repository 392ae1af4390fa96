"""Answer one SQL text over a dataset.

In: a catalog and SQL. Out: rows as dictionaries, and notes on what the dataset lacks.
"""

from collections.abc import Iterator
from typing import Any

from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.run.dataset.plan import FileName
from pipeline.serve.sql.catalog import Catalog


def query(catalog: Catalog, sql: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Run SQL over a dataset's views; returns the columns' names and the rows of the last statement's answer, read as they are asked for.

    Raises InputError for SQL that is wrong and Failed where the dataset's files cannot be read.
    """
    answer = catalog.query(sql)
    return answer.names, (dict(zip(answer.names, row, strict=True)) for row in answer.rows)


def unfinished(catalog: Catalog) -> list[str]:
    """Say what a query is not to be misled by, one line each: tables that are not whole yet, rows that no column tells apart."""
    planned = len(catalog.manifest.parts())
    notes = []
    for table in catalog.present:
        parts = {name.rpartition("part-")[2] for name in catalog.manifest.files if name.startswith(f"{table}/")}
        if len(parts) < planned:
            notes.append(f"{table} has {len(parts)} of {planned} parts: answers speak of the games in these")
    notes += [
        f"{table} is left out: it was written with another schema; `dealbook drop` it and make it anew"
        for table in catalog.stale
    ]
    kinds = {file.variant for name in catalog.manifest.files if (file := FileName.parse(name)).table == POSITIONS.name}
    if len(kinds) > 1:
        notes.append(f"positions are of several solutions ({', '.join(sorted(kinds))}), which no column tells apart")
    return notes
