"""Commands on single games and texts: show, identify, replay, convert.

In: game numbers, and texts from files or stdin. Out: drawings, numbers, verdicts, texts.
"""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pipeline.cli.app import Format, FormatOption, GameOption, app, fail
from pipeline.games.freecell.notation.names import Dialect, Target
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.moves import Limit
from pipeline.serve.answer.forms import Form


# Unknown options are arguments here, so that the special games -1 and -2 can be typed as they are.
@app.command(context_settings={"ignore_unknown_options": True})
def show(
    game_number: Annotated[
        str, typer.Argument(metavar="GAME", help="Game number; -1 and -2 are FreeCell's special layouts.")
    ],
    format: Annotated[
        Form | None, typer.Option(help="The end of --out says it; else unicode on a terminal, text elsewhere.")
    ] = None,
    game: GameOption = None,
    out: Annotated[Path | None, typer.Option(help="File to write; stdout, if left out.")] = None,
) -> None:
    """Show the layout of a game as text, JSON or a picture.

    Example: dealbook show 11982 --out 11982.png
    """
    from pipeline.cards.numbers import read_game_number
    from pipeline.games import game_named
    from pipeline.serve.answer.show import show_game

    number = read_game_number(game_number)
    terminal = out is None and sys.stdout.isatty()
    if format is None:
        ending = "" if out is None else out.suffix[1:].lower()
        if ending not in ("", "txt", *Form):
            raise fail(f"--out {out}: .{ending} names no form: choose one with --format", 2)
        glyphs = terminal and sys.stdout.encoding.lower() == "utf-8"
        format = Form(ending) if ending in list(Form) else Form.UNICODE if glyphs else Form.TEXT
    if format is Form.PNG and terminal:
        raise fail(f"a PNG is no text for a terminal: name a file for it with --out {number}.png", 2)
    drawn = show_game(number, game_named(game), format, colour=terminal and "NO_COLOR" not in os.environ)
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
    """Find the game number of a layout among all 2^33.

    Example: dealbook show 11982 | dealbook identify -

    ?? stands for a card that is not known; the first two rows must be known.
    """
    from pipeline.cards.errors import BoardError, Failed, InputError
    from pipeline.cli.input import input_name, read_input
    from pipeline.cli.output import print_rows
    from pipeline.games.freecell.board.identify import identify_text
    from pipeline.games.freecell.board.words import decode

    try:
        matches, notes = identify_text(decode(read_input(file), input_name(file)))
    except BoardError as error:
        raise InputError(f"{input_name(file)}: {error}") from None
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


_BULK_BYTES = 100_000
"""From this size on a catalogue is replayed by compiled code: below it, starting that takes longer than it saves."""

TextArgument = Annotated[str, typer.Argument(metavar="FILE", help="Text of one or more games; - is stdin.")]
DialectOption = Annotated[
    Dialect | None, typer.Option("--from", help="The text's dialect, where the reader cannot tell.")
]
AutomoveOption = Annotated[
    Literal[AutomoveRule, "auto"] | None,
    typer.Option(help="Automove rule of the moves; auto finds the rules that win. The text's own, if left out."),
]
InitialOption = Annotated[
    bool | None,
    typer.Option("--initial-automove/--no-initial-automove", help="Whether automoves run before the first move."),
]
LimitOption = Annotated[Limit | None, typer.Option(help="How many cards a move takes into an empty column.")]
FreecellsOption = Annotated[
    int | None, typer.Option(min=0, max=8, help="Freecells of the game, where the text does not say.")
]
GameNumberOption = Annotated[str | None, typer.Option(help="The game of moves that do not say it.")]


@app.command()
def replay(
    file: TextArgument = "-",
    automove: AutomoveOption = None,
    initial_automove: InitialOption = None,
    limit: LimitOption = None,
    freecells: FreecellsOption = None,
    game_number: GameNumberOption = None,
    dialect: DialectOption = None,
    format: FormatOption = None,
) -> None:
    """Verify solutions by playing them, and say why one fails.

    Example: dealbook replay solutions.txt --automove auto
    """
    from pipeline.cards.errors import InputError
    from pipeline.cards.numbers import read_game_number
    from pipeline.cli.input import input_name, read_input
    from pipeline.cli.output import print_rows
    from pipeline.games.freecell.board.words import decode, strip_marks
    from pipeline.games.freecell.notation.verdicts import Choices, judge_text

    data = read_input(file)
    number = None if game_number is None else read_game_number(game_number)
    choices = Choices(dialect, automove, initial_automove, limit, freecells, number)
    if len(data) >= _BULK_BYTES and choices.are_plain:
        from pipeline.games.freecell.notation.bulk_replay import is_catalogue

        lines = strip_marks(data)
        if is_catalogue(lines):
            raise typer.Exit(_replay_catalogue(lines, 4 if freecells is None else freecells, format))
    rows: list[dict[str, Any]] = []
    for row, notes in judge_text(decode(data, input_name(file)), choices):
        rows.append(row)
        for note in notes:
            print(f"dealbook: {note}", file=sys.stderr)
    results = {row["result"] for row in rows}
    if len(rows) == 1 and results == {"unreadable"}:
        raise InputError(f"{input_name(file)}: {rows[0]['reason']}")
    print_rows(rows, format)
    raise typer.Exit(2 if "unreadable" in results else 0 if results == {"won"} else 1)


def _replay_catalogue(data: bytes, freecells: int, format: Format | None) -> int:
    """Replay a large catalogue with compiled code, print its rows and return the exit code."""
    from collections import Counter

    from pipeline.cli.output import json_lines, print_rows
    from pipeline.games.freecell.notation.bulk_replay import replay_batches, verdict_rows

    counts: Counter[str] = Counter()
    has_header = True
    for batch in replay_batches(data, freecells=freecells, jobs=os.cpu_count() or 1):
        rows = verdict_rows(batch)
        counts.update(dict(rows["result"].value_counts().iter_rows()))
        if format is Format.TABLE:
            print_rows(rows.iter_rows(named=True), format)
        else:
            print(rows.write_csv(include_header=has_header) if format is Format.CSV else json_lines(rows), end="")
        has_header = False
    told = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    print(f"dealbook: {', '.join(f'{count:,} {result}' for result, count in told)}", file=sys.stderr)
    return 2 if "unreadable" in counts else 0 if set(counts) == {"won"} else 1


@app.command()
def convert(
    to: Annotated[Target, typer.Option(help="The dialect to write.")],
    file: TextArgument = "-",
    dialect: DialectOption = None,
    automove: AutomoveOption = None,
    initial_automove: InitialOption = None,
    limit: LimitOption = None,
    freecells: FreecellsOption = None,
    game_number: GameNumberOption = None,
) -> None:
    """Rewrite solutions in another notation, each one replayed.

    Example: dealbook convert catalogue.txt --to standard
    """
    from pipeline.cards.errors import Failed, InputError
    from pipeline.cards.numbers import read_game_number
    from pipeline.cli.input import input_name, read_input
    from pipeline.games.freecell.board.words import decode
    from pipeline.games.freecell.notation.convert import convert as convert_document
    from pipeline.games.freecell.notation.dialects import read_any
    from pipeline.games.freecell.notation.document import Document
    from pipeline.games.freecell.notation.verdicts import Choices, check_choices, rules_of

    number = None if game_number is None else read_game_number(game_number)
    choices = Choices(dialect, automove, initial_automove, limit, freecells, number)
    check_choices(choices)
    text = decode(read_input(file), input_name(file))
    code, is_first = 0, True
    for document in read_any(text, dialect, game_number=number, freecells=freecells):
        try:
            if not isinstance(document, Document):
                raise document
            written = convert_document(document, to, rules_of(document, choices), freecells)
        except (InputError, Failed) as error:
            fail(f"{input_name(file)}: {error}", 2)
            code = max(code, 1 if isinstance(error, Failed) else 2)
            continue
        print(("" if is_first or to in ("catalogue", "json") else "\n") + written, end="")
        is_first = False
    raise typer.Exit(code)
