"""Convert between the dialects; what is written is read back and replayed first.

In: a `Document` of any dialect. Out: the text of another.
"""

from dataclasses import replace
from typing import Final

from pipeline.cards.errors import BoardError, Failed, NotationError
from pipeline.games.freecell.deal.identify import identify
from pipeline.games.freecell.notation.catalogue import CATALOGUE_RULES, write_catalogue
from pipeline.games.freecell.notation.combine import combine
from pipeline.games.freecell.notation.dialects import read_all
from pipeline.games.freecell.notation.document import (
    HORNE,
    STANDARD_FREECELLS,
    Document,
    Verdict,
    start_position,
    verify,
)
from pipeline.games.freecell.notation.fcsolve import FCSOLVE_RULES, write_fcsolve
from pipeline.games.freecell.notation.json_lines import write_json
from pipeline.games.freecell.notation.names import Dialect, Target
from pipeline.games.freecell.notation.rewrite import Rewritten, Writing, rewrite
from pipeline.games.freecell.notation.standard import SEPARATOR_RULES
from pipeline.games.freecell.notation.standard_write import write_standard
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.rules.position import EMPTY, Position, is_layout, layout_of
from pipeline.games.freecell.rules.replay import RuleSet

_DIALECTS: Final[dict[Target, Dialect]] = {
    "standard": "standard",
    "catalogue": "catalogue",
    "fcsolve": "fcsolve",
    "fcsolve-verbose": "fcsolve",
    "json": "json",
}


def convert(document: Document, to: Target, rules: RuleSet | None = None, freecells: int | None = None) -> str:
    """Write a document in another dialect.

    ``rules`` are those of its moves where they differ from its dialect's, ``freecells`` as in `start_position`. The moves written reach the
    same under the other dialect's automoves; in standard notation they mean the same under both supermove limits.
    Raises NotationError where no layout is known, and Failed where the moves are not legal or the other dialect cannot say them.
    """
    start, first = start_position(document, freecells)
    verdict = verify(document, rules, freecells)
    name = (
        f"game {document.game_number}" if document.game_number is not None else f"the document at line {document.line}"
    )
    if verdict.result in ("illegal", "mismatch"):
        where = (
            f"move {verdict.illegal_move} is illegal: " if verdict.illegal_move and verdict.result == "illegal" else ""
        )
        raise Failed(f"{name}: {where}{verdict.reason}")
    try:
        target = _target(document, to, start, first, verdict)
        text = _write(target, to, start)
    except (NotationError, BoardError, Failed) as error:
        raise Failed(f"{name}: {error}") from None
    _prove(text, to, verdict, freecells, name)
    return text


def _target(document: Document, to: Target, start: Position, first: int, verdict: Verdict) -> Document:
    """The document to write: its moves rewritten for the dialect's rules."""
    replayed, number = verdict.replay, document.game_number if document.is_known_game else None
    if to == "standard":
        own = verdict.rules if verdict.rules in SEPARATOR_RULES.values() else HORNE
        moves = rewrite(start, replayed, Writing(own, periods=True))
        return _standard(document, own, start, first, moves)
    if to == "catalogue":
        limit = CATALOGUE_RULES.limit
        moves = rewrite(start, combine(replayed, verdict.rules, limit), Writing(CATALOGUE_RULES, limits=(limit,)))
        return Document(_number_of(start, number), None, None, moves.moves, None, CATALOGUE_RULES)
    rules = FCSOLVE_RULES if to != "json" else replace(verdict.rules, packed=False)
    moves = rewrite(start, replayed, Writing(rules, counts=True, limits=(rules.limit,)))
    return Document(number if to == "json" else None, None, start, moves.moves, None, rules)


def _standard(document: Document, rules: RuleSet, start: Position, first: int, written: Rewritten) -> Document:
    number = document.game_number
    title = document.title or (f"GAME #{number}" if number is not None else None)
    shown: Position | None = start
    bracket = None
    if document.bracket is not None and not first and document.bracket < len(written.starts):
        at = written.starts[document.bracket]
        # Brackets leave no place for a period: such a document begins with the first layout instead.
        if at == len(written.moves) or written.moves[at].count is None:
            bracket, shown = at, written.positions[at]
    if len(start.freecells) > STANDARD_FREECELLS and document.is_known_game:
        shown, bracket = None, None  # the layout line has no place for more cells; the number tells the layout
    return Document(number, title, shown, written.moves, bracket, rules)


def _number_of(start: Position, number: int | None) -> int:
    if not is_layout(start):
        raise Failed("a catalogue line begins with a dealt layout, not in mid-game")
    if number is None:
        matches = [match.game_number for match in identify(layout_of(start)) if match.suits == "CDHS"]
        if not matches:
            raise Failed("a catalogue line needs a game number, and no number deals this layout")
        number = matches[0]
    return number


def _write(target: Document, to: Target, start: Position) -> str:
    if to == "standard":
        return write_standard(target)
    if to == "catalogue":
        return write_catalogue(target)
    return write_json(target) if to == "json" else write_fcsolve(target, verbose=to == "fcsolve-verbose")


def _prove(text: str, to: Target, verdict: Verdict, freecells: int | None, name: str) -> None:
    """Read the text back and replay it: in standard notation under both supermove limits."""
    cells = sum(card >= EMPTY for card in verdict.replay.position.freecells)
    (found,) = read_all(text, _DIALECTS[to], freecells=cells if cells > STANDARD_FREECELLS else freecells)
    for limit in LIMITS if to == "standard" else (found.rules.limit,):
        again = verify(found, replace(found.rules, limit=limit), cells if cells > STANDARD_FREECELLS else freecells)
        if again.result not in (verdict.result, "won") or again.replay.moves_left_over:
            why = again.reason or again.result
            if to == "catalogue" and cells != STANDARD_FREECELLS:
                why += f", since the line does not say that the game has {cells} freecells"
            raise Failed(f"{name}: written as {to} it does not replay: {why}; nothing is printed")
