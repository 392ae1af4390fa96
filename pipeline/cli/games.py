"""Commands on single games and texts: show, identify, replay, convert.

In: game numbers, and texts from files or stdin. Out: drawings, numbers, verdicts, texts. `app` imports it.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app, fail
from pipeline.serve.forms import Form, Game


# Unknown options are arguments here, so that the special games -1 and -2 can be typed as they are.
@app.command(context_settings={"ignore_unknown_options": True})
def show(
    game_number: Annotated[
        int, typer.Argument(metavar="GAME", help="Game number; -1 and -2 are FreeCell's special layouts.")
    ],
    format: Annotated[
        Form | None, typer.Option(help="The end of --out says it; else unicode on a terminal, text elsewhere.")
    ] = None,
    game: Annotated[Game, typer.Option(help="Which numbered game.")] = Game.FREECELL,
    out: Annotated[Path | None, typer.Option(help="File to write; stdout, if left out.")] = None,
) -> None:
    """Show the layout of a game as text, glyphs, JSON or a picture of its cards.

    Example: dealbook show 11982 --out 11982.png
    """
    from pipeline.serve.show import show_game

    terminal = out is None and sys.stdout.isatty()
    if format is None:
        ending = "" if out is None else out.suffix[1:].lower()
        glyphs = terminal and sys.stdout.encoding.lower() == "utf-8"
        format = Form(ending) if ending in list(Form) else Form.UNICODE if glyphs else Form.TEXT
    if format is Form.PNG and terminal:
        raise fail(f"a PNG is no text for a terminal: name a file for it with --out {game_number}.png", 2)
    drawn = show_game(game_number, game, format, colour=terminal and "NO_COLOR" not in os.environ)
    data = drawn.encode() if isinstance(drawn, str) else drawn
    if out is not None:
        out.write_bytes(data)
    else:
        sys.stdout.buffer.write(data)
