"""Judge every document of a text and shape the verdicts as rows.

In: text of any dialect and the rules to replay under. Out: the rows that `replay` prints.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from pipeline.cards.errors import GameNumberError, InputError
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.dialects import read_any
from pipeline.games.freecell.notation.document import Document, Verdict, verify, verify_under_any
from pipeline.games.freecell.notation.names import Dialect
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.moves import Limit
from pipeline.games.freecell.rules.replay import RuleSet


@dataclass(frozen=True, slots=True)
class Choices:
    """What a user says of texts instead of the texts themselves; None leaves it to the text."""

    dialect: Dialect | None = None
    automove: AutomoveRule | Literal["auto"] | None = None
    initial: bool | None = None
    limit: Limit | None = None
    freecells: int | None = None
    game_number: int | None = None

    @property
    def are_plain(self) -> bool:
        """Whether the texts alone say how to replay them, freecells apart."""
        return (
            self.dialect in (None, "catalogue")
            and (self.automove, self.initial, self.limit, self.game_number) == (None,) * 4
        )


def rules_of(document: Document, choices: Choices) -> RuleSet:
    """The rules a document is replayed under: its own, where nothing else was chosen."""
    if choices.automove == "auto":
        return verify_under_any(document, choices.freecells).rules
    rules = document.rules
    return replace(
        rules,
        automove=choices.automove or rules.automove,
        initial=rules.initial if choices.initial is None else choices.initial,
        limit=choices.limit or rules.limit,
    )


def check_choices(choices: Choices) -> None:
    """Raise InputError where choices conflict, GameNumberError for a number that deals no game."""
    number = choices.game_number
    if number is not None and not Document(number).is_known_game:
        raise GameNumberError(f"game number {number} is outside 0 .. {LAST_GAME} (2^33 - 1), and not -1 or -2")
    if choices.automove == "auto" and (choices.initial is not None or choices.limit is not None):
        raise InputError("--automove auto tries every rule set: leave out --initial-automove and --limit")


def judge_text(text: str, choices: Choices) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Replay each document of a text; gives its row, and notes on what was left unread where it is not won.

    A document that cannot be read or has no layout has the result ``unreadable``. Raises InputError where choices conflict.
    """
    check_choices(choices)
    for document in read_any(text, choices.dialect, game_number=choices.game_number, freecells=choices.freecells):
        if not isinstance(document, Document):
            yield _row(None, None, str(document), choices), ()
            continue
        try:
            verdict = verify(document, rules_of(document, choices), choices.freecells)
        except InputError as error:
            yield _row(document.game_number, None, str(error), choices), ()
        else:
            yield (
                _row(document.game_number, verdict, verdict.reason, choices),
                () if verdict.result == "won" else document.notes,
            )


def _row(game_number: int | None, verdict: Verdict | None, reason: str | None, choices: Choices) -> dict[str, Any]:
    row = {
        "game_number": game_number,
        "result": verdict.result if verdict else "unreadable",
        "moves": verdict.replay.written_move_count if verdict else 0,
        "illegal_move": verdict.illegal_move if verdict else None,
        "reason": reason,
        "home": verdict.replay.position.home if verdict else None,
    }
    return row | {"rules": str(verdict.rules) if verdict else None} if choices.automove == "auto" else row
