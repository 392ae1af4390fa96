"""A small prompt for SQL over a dataset, with history, completion and a few dot commands.

In: a catalog, lines from the terminal, and a function that shows rows. Out: answers, until the end of input.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from pipeline.cards.errors import Failed, InputError
from pipeline.serve.sql.catalog import Catalog
from pipeline.serve.sql.macros import MACROS
from pipeline.serve.sql.query import query

Show = Callable[[list[str], Iterator[dict[str, Any]]], None]

_HISTORY_LINES: Final = 2000
_HELP: Final = """\
SQL runs at the semicolon that ends it; Ctrl-C drops what is typed, Ctrl-D leaves.
.tables            the views, and what a row of each is
.schema [VIEW]     the columns of a view (of all, if left out): type and meaning
.macros            functions on cards and games, such as card_name(code)
.help              this text
.quit              leave"""


def run_prompt(catalog: Catalog, show: Show) -> None:
    """Read SQL and dot commands from the terminal and show their answers, until Ctrl-D or ``.quit``."""
    with _line_editing(catalog):
        text = ""
        while True:
            try:
                line = input("     ...> " if text else "dealbook> ")
            except KeyboardInterrupt:
                print()
                text = ""
                continue
            except EOFError:
                print()
                return
            if not text and line.strip().startswith("."):
                if line.strip() in (".quit", ".exit"):
                    return
                _dot_command(catalog, line.split(), show)
                continue
            text = f"{text}\n{line}" if text else line
            if text.rstrip().endswith(";"):
                _answer(catalog, text, show)
                text = ""
            elif not text.strip():
                text = ""


def _answer(catalog: Catalog, sql: str, show: Show) -> None:
    try:
        show(*query(catalog, sql))
    except (InputError, Failed) as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)


def _dot_command(catalog: Catalog, words: list[str], show: Show) -> None:
    match words:
        case [".tables"]:
            show(["view", "a row"], ({"view": view.name, "a row": view.comment} for view in catalog.views.values()))
        case [".schema", *names] if len(names) < 2:
            if names and names[0] not in catalog.views:
                print(f"no view {names[0]}; .tables lists them", file=sys.stderr)
                return
            _answer(catalog, _schema_sql(names), show)
        case [".macros"]:
            show(
                ["macro", "meaning"],
                ({"macro": f"{m.name}({m.parameter})", "meaning": m.comment} for m in MACROS),
            )
        case [".help"]:
            print(_HELP)
        case _:
            print(f"no command {' '.join(words)}; .help lists them", file=sys.stderr)


def _schema_sql(names: list[str]) -> str:
    """The columns of one view or all, from the engine's own catalog."""
    chosen = f"table_name = '{names[0]}'" if names else "NOT internal"
    return (
        f'SELECT {"" if names else "table_name AS view, "}column_name AS "column", data_type AS type, comment AS meaning '
        f"FROM duckdb_columns() WHERE {chosen} ORDER BY table_oid, column_index"
    )


@contextmanager
def _line_editing(catalog: Catalog) -> Iterator[None]:
    """Edit, complete and remember lines where Python has readline and the home folder can be written."""
    try:
        import readline
    except ImportError:
        yield
        return
    import platformdirs

    history = platformdirs.user_state_path("dealbook") / "history"
    with suppress(OSError):
        history.parent.mkdir(parents=True, exist_ok=True)
        readline.read_history_file(history)
    words = sorted(
        {".help", ".macros", ".quit", ".schema", ".tables"}
        | set(catalog.views)
        | {column for view in catalog.views.values() for column in view.columns}
        | {f"{macro.name}(" for macro in MACROS}
    )

    def complete(text: str, index: int) -> str | None:
        fitting = [word for word in words if word.startswith(text)]
        return fitting[index] if index < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n,()=<>+-*/;\"'")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_history_length(_HISTORY_LINES)
        with suppress(OSError):
            readline.write_history_file(history)
