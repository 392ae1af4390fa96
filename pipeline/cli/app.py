"""The typer application, its error handling, and the options that many commands share.

In: the command line. Out: the exit code. The command modules import `app`; `main` imports the command modules.
"""

import atexit
import enum
import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from typer.core import TyperGroup

from pipeline.games import GAMES

if TYPE_CHECKING:
    from pipeline.run.engine.tasks import Engine as Runner


class Interrupted(Exception):  # noqa: N818 - it is no error of the command's
    """Ctrl-C, kept from typer, which would end the command without a word."""


class Commands(TyperGroup):
    """The group of all commands."""

    def invoke(self, context: typer.Context) -> object:  # type: ignore[override]
        """Run the command that was named."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise Interrupted from None


app = typer.Typer(
    name="dealbook",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        print(f"dealbook {version('dealbook')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Deal numbered solitaire games into datasets, solve them, and prove what is written."""


COMMAND_MODULES = ("dataset", "games", "solving", "tables")


class Format(enum.StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


class Engine(enum.StrEnum):
    """What runs the parts of a job."""

    LOCAL = "local"
    DASK = "dask"


FormatOption = Annotated[
    Format | None, typer.Option(help="How rows are printed: a table on a terminal, JSON lines elsewhere.")
]

GameOption = Annotated[
    str | None,
    typer.Option("--game", metavar="NAME", help=f"Which numbered game: {' or '.join(GAMES)}; the first, if left out."),
]
JobsOption = Annotated[int | None, typer.Option(min=1, help="Parts under way at once; one a processor, if left out.")]
EngineOption = Annotated[
    Engine | None, typer.Option(help="What runs the parts: threads of this machine, or Dask workers.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786; processes on this machine, if left out."),
]


def engine_of(jobs: int | None, engine: Engine | None = None, scheduler: str | None = None) -> "Runner":
    """What the options ask for, as one value."""
    from pipeline.run.engine.tasks import Engine as Runner

    return Runner("local" if engine is None else engine.value, jobs, scheduler)


def fail(message: str, code: int) -> "typer.Exit":
    """Print one line on stderr and return the exit to raise."""
    print(f"dealbook: {message}", file=sys.stderr)
    return typer.Exit(code)


def main() -> None:
    """Run the command: errors become one line on stderr and an exit code, never a traceback."""
    from pipeline.cards.errors import Failed, InputError

    _open_closed_streams()
    for module in COMMAND_MODULES:
        importlib.import_module(f"pipeline.cli.{module}")
    try:
        app()
    except InputError as error:
        sys.exit(_say(str(error), 2))
    except Failed as error:
        sys.exit(_say(str(error), 1))
    except (Interrupted, KeyboardInterrupt):
        _say("interrupted; what is done is kept, run the same command again to go on", 130)
        sys.stdout.flush()
        os._exit(130)  # at once: threads may be in the middle of a part, and would hold up or crash an orderly end
    except OSError as error:
        reason = {errno.ENOSPC: "no space left on the disk", errno.EROFS: "the file system is read-only"}.get(
            error.errno or 0, error.strerror or str(error)
        )
        sys.exit(_say(f"{error.filename or 'output'}: {reason}", 1))


def run() -> NoReturn:
    """Run the command as a process of its own, and end that without taking Python apart.

    A thread that has done its part is still in Arrow's cleaning up for a moment; Python ending meanwhile aborted one short `solve` in ten.
    """
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 1
    os._exit(code if isinstance(code, int) else 0)


def _open_closed_streams() -> None:
    """Put the null device where a standard stream was closed (`<&-`): else the next file that is opened takes its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(null := os.open(os.devnull, os.O_RDWR), number)
            if null != number:
                os.close(null)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def _say(message: str, code: int) -> int:
    print(f"dealbook: {message}", file=sys.stderr)
    return code
