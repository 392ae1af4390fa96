"""A text about one game in any dialect: which game, what is shown of it, the moves, and what they were written for.

In: what a reader found. Out: where the moves start, and what a replay makes of them.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

from pipeline.cards.codes import CARD_NAMES
from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.board import COLUMNS
from pipeline.games.freecell.deal.microsoft import LAST_GAME, deal
from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS
from pipeline.games.freecell.rules.moves import Move
from pipeline.games.freecell.rules.position import CELL_LETTERS, EMPTY, Position, from_layout, is_layout
from pipeline.games.freecell.rules.replay import Replay, RuleSet, find_rules, replay_under

STANDARD_FREECELLS: Final = 4

HORNE: Final = RuleSet("horne")
"""The rules of Standard FreeCell Notation where it says nothing else."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text about one game.

    ``title``: its Game line as written. ``game_number``: a numbered game, or a signed number (-1 and -2 are known layouts, others
    only tags). ``shown``: the position it shows. ``bracket``: how many moves are played when that position is reached, where the
    text says so. ``rules``: what the moves were written for. ``line`` is where it begins; ``notes`` tell what was left unread.
    """

    game_number: int | None = None
    title: str | None = None
    shown: Position | None = None
    moves: tuple[Move, ...] = ()
    bracket: int | None = None
    rules: RuleSet = HORNE
    line: int = field(default=1, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_known_game(self) -> bool:
        """Whether the number alone tells the layout."""
        number = self.game_number
        return number is not None and (0 <= number <= LAST_GAME or number in SPECIAL_LAYOUTS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a replay makes of a document.

    ``result``: as in `Replay`, or ``mismatch`` where the position shown is not the one reached there. ``illegal_move`` counts from 1 in the
    document. ``reason``: why it is not plainly won. ``rules``: under which it was replayed.
    """

    result: Literal["won", "unfinished", "illegal", "mismatch"]
    reason: str | None
    illegal_move: int | None
    rules: RuleSet
    replay: Replay


def game_position(number: int, freecells: int = STANDARD_FREECELLS) -> Position:
    """Deal a game by its number, -1 and -2 included; raises GameNumberError for any other number below 0 or above 2^33 - 1."""
    return from_layout((SPECIAL_LAYOUTS[number] if number in SPECIAL_LAYOUTS else deal(number)[0]).tolist(), freecells)


def start_position(document: Document, freecells: int | None = None) -> tuple[Position, int]:
    """The position where the moves can be replayed from, and the index of the move to play there.

    ``freecells`` is how many the game has, where the document does not say. Raises NotationError where no layout is known, or the layout
    shown is not the one of the game number.
    """
    shown = document.shown
    if shown is not None and freecells is not None:
        shown = with_freecells(shown, freecells)
    if document.is_known_game:
        assert document.game_number is not None
        cells = STANDARD_FREECELLS if freecells is None else freecells
        dealt = game_position(document.game_number, cells)
        if shown is None:
            return dealt, 0
        if is_layout(shown):
            if shown.columns != dealt.columns:
                raise NotationError(
                    f"the layout shown is not game {document.game_number}'s: {difference(shown, dealt, 'dealt')}"
                )
        elif document.bracket is None and not (shown.is_won and document.moves):
            return shown, 0  # a game taken up in the middle
        open_cells = tuple(card if card < 0 else EMPTY for card in shown.freecells)
        return Position(dealt.columns, open_cells, dealt.foundations), 0
    if shown is None:
        what = "moves without a game" if document.title is None else f"no layout for {document.title[:60]!r}"
        raise NotationError(f"line {document.line}: {what}: give a layout or a game number")
    if shown.is_won and document.moves:
        raise NotationError(
            f"line {document.line}: a won position and no layout to play the moves from: give its number"
        )
    return shown, document.bracket or 0


def with_freecells(position: Position, freecells: int) -> Position:
    """Give a position another number of freecells.

    Raises NotationError where it shows another number than the usual four, or cards lie in those taken away.
    """
    have = len(position.freecells)
    if have not in (freecells, STANDARD_FREECELLS):
        raise NotationError(f"the text shows {have} freecells, not {freecells}")
    if any(card >= 0 for card in position.freecells[freecells:]):
        raise NotationError(f"cell {CELL_LETTERS[have - 1]} is shown, the game is to have {freecells} freecells")
    cells = (position.freecells + (EMPTY,) * freecells)[:freecells]
    return Position(position.columns, cells, position.foundations)


def verify(document: Document, rules: RuleSet | None = None, freecells: int | None = None) -> Verdict:
    """Replay a document under its own rules or others; raises NotationError as `start_position` does."""
    start, first = start_position(document, freecells)
    rules = rules or document.rules
    return _judge(document, replay_under(start, document.moves[first:], rules), rules, first)


def verify_under_any(document: Document, freecells: int | None = None) -> Verdict:
    """Find the rule set under which a document wins, and replay it; raises NotationError as `start_position` does."""
    start, first = start_position(document, freecells)
    own = verify(document, None, freecells)
    if own.result == "won" and not own.replay.moves_left_over:
        return own
    rules, found = find_rules(start, document.moves[first:], document.rules.packed)
    return _judge(document, found, rules, first)


def _judge(document: Document, found: Replay, rules: RuleSet, first: int) -> Verdict:
    illegal_move = found.illegal_move + first if found.illegal_move is not None else None
    shown_at = document.bracket
    if shown_at is None and document.shown is not None and document.shown.is_won and not first and document.moves:
        shown_at = len(document.moves)  # the final position, with all the moves
    if document.shown is not None and shown_at is not None and shown_at <= first + len(found.steps):
        reached = found.position_before(shown_at - first)
        if (reached.columns, reached.foundations, reached.freecells) != _seen(document.shown, reached):
            mismatch = f"after {shown_at} moves: {difference(document.shown, reached, 'reached')}"
            return Verdict("mismatch", mismatch, illegal_move, rules, found)
    reason = found.reason
    if first and found.result == "won":
        reason = f"moves 1 to {first} cannot be replayed: no game number tells the layout before them"
    if found.moves_left_over:
        reason = f"won with {found.moves_left_over} moves left over"
    elif not document.moves and found.result == "unfinished":
        reason = "no moves"
    return Verdict(found.result, reason, illegal_move, rules, found)


def _seen(shown: Position, reached: Position) -> tuple[object, object, object]:
    """A position shown, its row of freecells as long as the one reached: cells at the end may be blocked or left unsaid."""
    cells = shown.freecells + (EMPTY,) * (len(reached.freecells) - len(shown.freecells))
    return shown.columns, shown.foundations, cells


def difference(shown: Position, other: Position, word: str) -> str:
    """Say the first difference between a position shown and another."""
    for number in range(COLUMNS):
        ours, theirs = shown.columns[number], other.columns[number]
        if ours != theirs:
            return f"column {number + 1} is shown as {_names(ours)}, {word} {_names(theirs)}"
    if shown.foundations != other.foundations:
        return f"home is shown as {shown.home}, {word} {other.home}"
    return f"the freecells are shown as {_names(shown.freecells)}, {word} {_names(other.freecells)}"


def _names(cards: tuple[int, ...]) -> str:
    return " ".join(CARD_NAMES[card] if card >= 0 else "-" for card in cards) or "empty"
