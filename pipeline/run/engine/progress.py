"""A progress bar with games per second and time left, on a terminal only.

In: how many games there are and each step. Out: a bar on stderr, nothing where stderr is no terminal.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[..., None]
"""``advance(games)``, and optionally ``note="..."``, a few words shown beside the bar."""


@contextmanager
def progress_bar(what: str, games: int) -> Iterator[Advance]:
    """Show a bar for ``games`` games; yields the function that moves it on."""
    if not sys.stderr.isatty():
        yield lambda games, note="": None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f} games/s" if speed else "", style="progress.data.speed")

    class Description(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.description, no_wrap=True, overflow="ellipsis")

    class Note(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.fields["note"], no_wrap=True, overflow="ellipsis")

    def whole() -> Column:
        return Column(no_wrap=True)

    # On a narrow terminal bar and words give way, and no number is cut.
    columns = (
        Description(),
        BarColumn(bar_width=None, table_column=Column(max_width=40)),
        MofNCompleteColumn(table_column=whole()),
        Speed(table_column=whole()),
        TimeRemainingColumn(table_column=whole()),
        Note(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=games, note="")

        def advance(games: int, note: str = "") -> None:
            bar.update(task, advance=games, note=note)

        yield advance
