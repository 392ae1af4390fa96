"""The door to DuckDB: a dataset's tables as views, read-only and shut off from everything else.

In: a dataset's store and manifest, and SQL. Out: answers row by row, and the text of catalog.sql.

The engine is given the recorded files through `ReadOnlyFiles` and no other file system. DuckDB's own list of allowed paths would not
do: it allows writing too, and since DuckDB 2 a SELECT can hold a COPY in a common table expression.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb

from pipeline.cards.errors import Failed, InputError
from pipeline.games import GAMES
from pipeline.games.registry import TABLES
from pipeline.run.dataset.manifest import Manifest, read_manifest
from pipeline.run.dataset.store import ReadOnlyFiles, Store
from pipeline.serve.sql.macros import MACROS, macro_sql
from pipeline.serve.sql.views import comment_sql, declared_views, how_to_make, view_sql

_SYSTEM: Final = re.compile(
    r"\b(show|summarize|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+|comment)\b", re.IGNORECASE
)
_FETCH: Final = 2048


@dataclass(frozen=True)
class Answer:
    """What a query answers: names of the columns, and rows as they come."""

    names: list[str]
    rows: Iterator[tuple[Any, ...]]


class Catalog:
    """One dataset as a database. ``unsafe`` lets queries reach files and the network."""

    def __init__(self, store: Store, manifest: Manifest, *, unsafe: bool = False):
        self.store, self.manifest = store, manifest
        written = [name for name in TABLES if any(file.startswith(f"{name}/") for file in manifest.files)]
        self.present = [name for name in written if manifest.is_current(name)]
        self.stale = [name for name in written if not manifest.is_current(name)]
        self.views = {view.name: view for view in declared_views(self.present, self._sources())}
        self._waiting = dict(self.views)
        self._uncommented = list(self.views.values())
        self._connection = duckdb.connect(
            config={
                # A name that is no table must be an error, not a variable of ours.
                "python_enable_replacements": False,
                "temp_directory": str(Path(tempfile.gettempdir()) / f"dealbook-{os.getpid()}"),
                "allow_persistent_secrets": unsafe,
                "autoinstall_known_extensions": unsafe,
                "autoload_known_extensions": unsafe,
            }
        )
        self._connection.execute("SET enable_progress_bar = false")  # it would be printed among the rows
        self._worker = ThreadPoolExecutor(1)
        self._register_filesystem()
        for macro in MACROS:
            self._connection.execute(macro_sql(macro))
        if not unsafe:
            self._connection.execute(f"SET allowed_directories = ['{ReadOnlyFiles.protocol}://']")
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")

    def _register_filesystem(self) -> None:
        """Give the engine the dataset's files, wherever the store keeps them."""
        sizes = {name: record.bytes for name, record in self.manifest.files.items()}
        self._connection.register_filesystem(ReadOnlyFiles(self.store, sizes))

    def _sources(self) -> dict[str, str]:
        files = self.manifest.files
        listed = {
            table: ", ".join(f"'{ReadOnlyFiles.protocol}://{name}'" for name in files if name.startswith(f"{table}/"))
            for table in self.present
        }
        return {table: f"read_parquet([{names}])" for table, names in listed.items()}

    def execute(self, sql: str) -> Answer:
        """Run SQL and return the answer of its last statement.

        Raises InputError for SQL that is wrong or reaches too far, with DuckDB's own words, and Failed where files cannot be read.
        """
        if _SYSTEM.search(sql):
            self.complete()
        # Making a view opens files of its table, so only those that the text names are made.
        words = set(re.findall(r"\w+", sql.lower()))
        self._make(name for name in self.views if name in words)
        try:
            return self._run(sql)
        except duckdb.CatalogException:
            if not self._waiting:
                raise
        self._make(self.views)  # DuckDB proposes the nearest name, so it has to know them all
        return self._run(sql)

    def query(self, sql: str) -> Answer:
        """Run SQL as `execute` does, with errors in words for people."""
        try:
            return self.execute(sql)
        except duckdb.Error as error:
            raise self._told(error) from None

    def complete(self) -> None:
        """Make all views with their comments, for those who look around."""
        self._make(self.views)
        while self._uncommented:
            for statement in comment_sql(self._uncommented.pop()):
                self._connection.execute(statement)

    def _make(self, names: Iterable[str]) -> None:
        """Make views that are not made yet, and before each of them those that it reads."""
        for name in names:
            view = self._waiting.pop(name, None)
            if view is not None:
                self._make(re.findall(r"\w+", view.query))
                self._connection.execute(view_sql(view))

    def _run(self, sql: str) -> Answer:
        cursor = self._interruptible(partial(self._connection.execute, sql))
        if cursor is None or cursor.description is None:
            return Answer([], iter(()))
        return Answer(_distinct([column[0] for column in cursor.description]), self._rows(cursor))

    def _rows(self, cursor: Any) -> Iterator[tuple[Any, ...]]:
        try:
            while rows := self._interruptible(partial(cursor.fetchmany, _FETCH)):
                for row in rows:
                    yield tuple(_plain(value) for value in row)
        except duckdb.Error as error:
            raise self._told(error) from None

    def _interruptible(self, call: Callable[[], Any]) -> Any:
        """Make a call that Ctrl-C can stop: the engine does not look for signals, so it works beside and this thread waits."""
        work = self._worker.submit(call)
        try:
            return work.result()
        except KeyboardInterrupt:
            self._connection.interrupt()
            wait([work])
            raise

    def _told(self, error: duckdb.Error) -> InputError | Failed:
        """The error to raise for one of DuckDB's."""
        text = str(error).strip()
        if "Traceback" in text:  # an error of our file system, which passed through the engine
            kind, said = (re.findall(r"^([\w.]+): (.*)", text, re.MULTILINE) or [("", "cannot be read")])[-1]
            if kind == "PermissionError":
                return InputError(f"{said}; --unsafe lets a query write to other places")
            return Failed(said if said.startswith(self.store.url) else f"{self.store.url}: {said or kind}")
        if isinstance(error, duckdb.PermissionException):
            return InputError(f"{text}\nA query sees the dataset alone; --unsafe lets it reach files and the network.")
        if isinstance(error, duckdb.CatalogException):
            missing = re.search(r"Table with name (\w+) does not exist", text)
            name = missing[1].lower() if missing else ""
            made_by = how_to_make(name, GAMES[self.manifest.game])
            if made_by and name not in self.views:
                return InputError(f"{text}\nThis dataset has no {name} yet; `{made_by}` makes it.")
        if isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException | duckdb.InternalException):
            return Failed(f"{self.store.url}: {text}")
        return InputError(text)


def open_catalog(url: str, *, unsafe: bool = False) -> Catalog:
    """Open a dataset by its folder or URL; raises ConfigError where there is none and Failed where its manifest is damaged."""
    store = Store(url)
    return Catalog(store, read_manifest(store), unsafe=unsafe)


def catalog_sql(manifest: Manifest) -> str:
    """Write the text of catalog.sql: the same macros, views and comments for a DuckDB session started in the dataset's folder."""
    present = [name for name in TABLES if any(file.startswith(f"{name}/") for file in manifest.files)]
    lines = [
        "-- Views over the tables beside this file. In this folder: duckdb -init catalog.sql, or .read catalog.sql in a session.",
        *map(macro_sql, MACROS),
    ]
    for view in declared_views(present, {name: f"read_parquet('{name}/*.parquet')" for name in present}):
        lines += ["", view_sql(view), *comment_sql(view)]
    return "\n".join(lines) + "\n"


def _distinct(names: list[str]) -> list[str]:
    """Number the repeats of a column's name, so that no column hides another."""
    seen: set[str] = set()
    distinct = []
    for name in names:
        candidate, repeat = name, 0
        while candidate in seen:
            repeat += 1
            candidate = f"{name}_{repeat}"
        seen.add(candidate)
        distinct.append(candidate)
    return distinct


def _plain(value: Any) -> Any:
    """A decimal as a plain number, where that says the same."""
    if isinstance(value, Decimal):
        if value == int(value):
            return int(value)
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    return value
