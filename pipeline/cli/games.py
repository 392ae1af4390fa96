"""Commands on single games and texts: show, identify, replay, convert.

In: game numbers, and texts from files or stdin. Out: drawings, numbers, verdicts, texts. `app` imports it.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import FormatOption, app, fail
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


@app.command()
def identify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Text of a board; - is stdin.")] = "-",
    format: FormatOption = None,
) -> None:
    """Find the game number of a layout among all 2^33; ?? stands for a card that is not known.

    Example: dealbook show 11982 | dealbook identify -
    """
    from pipeline.cards.board_text import decode
    from pipeline.cards.errors import Failed
    from pipeline.cli.output import print_rows
    from pipeline.deal.identify_board import identify_text

    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    matches, notes = identify_text(decode(data, "stdin" if file == "-" else file))
    for note in notes:
        print(f"dealbook: {note}", file=sys.stderr)
    if not matches:
        raise Failed(
            "no game number: none of 0 .. 2^33-1 (all three branches) and no special layout deals this, nor with suits exchanged"
        )
    for match in matches:
        if match.suits != "CDHS":
            print(
                f"dealbook: game {match.game_number} after exchanging suits: CDHS becomes {match.suits}",
                file=sys.stderr,
            )
    print_rows((match._asdict() for match in matches), format)
