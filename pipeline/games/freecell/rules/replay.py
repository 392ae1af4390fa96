"""Replay moves by the rules: a solution is never believed.

In: a position, moves and the rule set they were written for. Out: whether they win, or which move is illegal and why, and every position
on the way. It knows no solver and no notation.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.cards.errors import IllegalMoveError
from pipeline.games.freecell.rules.automove import AutomoveRule, automoves
from pipeline.games.freecell.rules.moves import Limit, Move, carry, resolve
from pipeline.games.freecell.rules.position import BLOCKED, CELL, EMPTY, HOME, Position

Result = Literal["won", "unfinished", "illegal"]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules a text of moves leaves unsaid.

    ``initial``: automoves run before the first move as well. ``packed``: the freecells are a row that closes up when a card leaves
    it, and a letter names a place in that row (compact catalogues).
    """

    automove: AutomoveRule = "horne"
    initial: bool = False
    limit: Limit = "doubling"
    packed: bool = False

    def __str__(self) -> str:
        words = [f"automove {self.automove}"]
        words += ["also before the first move"] if self.initial else []
        return ", ".join([*words, f"limit {self.limit}"])


# In the order of preference: what texts most often mean first.
KNOWN_RULE_SETS: Final = tuple(
    RuleSet(automove, initial, limit)
    for initial in (False, True)
    for automove in ("horne", "wkr", "max", "none")
    for limit in ("doubling", "single")
    if not (initial and automove == "none")
)


@dataclass(frozen=True, slots=True)
class Step:
    """One move as it was played: complete, the cards it carried (the lowest in the column first), the cards that went home by
    themselves after it, and the position then."""

    move: Move
    cards: tuple[int, ...]
    automoves: tuple[int, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of a text of moves.

    ``illegal_move``: number of the first illegal move, from 1, and ``reason`` why (None unless the result is illegal). ``start``:
    the position after any automoves before the first move, ``position``: the one reached, before the illegal move.
    ``initial_automoves``: the cards that went home before the first move. ``moves_left_over``: how many moves of the text follow
    after the game is won. ``written_move_count``: moves played; ``move_count``: those between columns and freecells, a supermove
    as one, cards going home not counted (so that it compares across automove rules); ``card_move_count``: the cards that the
    moves played carried.
    """

    result: Result
    illegal_move: int | None
    reason: str | None
    start: Position
    position: Position
    initial_automoves: tuple[int, ...]
    steps: tuple[Step, ...]
    moves_left_over: int

    @property
    def written_move_count(self) -> int:
        """How many moves were played, explicit moves home included."""
        return len(self.steps)

    @property
    def move_count(self) -> int:
        """How many moves between columns and freecells were played, a supermove as one."""
        return sum(step.move.target != HOME for step in self.steps)

    @property
    def card_move_count(self) -> int:
        """How many cards the moves carried, a supermove of k cards as k; automoves are not counted."""
        return sum(len(step.cards) for step in self.steps)

    @property
    def automove_counts(self) -> tuple[int, ...]:
        """How many cards went home by themselves after each move."""
        return tuple(len(step.automoves) for step in self.steps)

    def position_before(self, index: int) -> Position:
        """The position in which move ``index`` (from 0) was or would be played, up to the number of moves played."""
        return self.steps[index - 1].position if index else self.start


def replay(
    position: Position,
    moves: Iterable[Move],
    automove: AutomoveRule = "horne",
    initial: bool = False,
    limit: Limit = "doubling",
    packed: bool = False,
) -> Replay:
    """Play moves from a position until they end, the game is won, or one is illegal.

    The arguments after ``moves`` are those of `RuleSet`. ``position`` is the one before any automove.
    """
    texts = tuple(moves)
    sent: tuple[int, ...] = ()
    if initial:
        position, sent = automoves(position, automove)
    if packed:
        position = close_up(position)
    start = position
    steps: list[Step] = []
    illegal_move, reason = None, None
    for number, move in enumerate(texts, 1):
        if position.is_won:
            break
        try:
            played = resolve(position, move, limit)
        except IllegalMoveError as refusal:
            illegal_move, reason = number, str(refusal)
            break
        cards = _cards(position, played)
        position, home = automoves(carry(position, played), automove)
        if packed:
            position = close_up(position)
        steps.append(Step(played, cards, home, position))
    result: Result = "illegal" if illegal_move else "won" if position.is_won else "unfinished"
    left_over = len(texts) - len(steps) if result == "won" else 0
    return Replay(result, illegal_move, reason, start, position, sent, tuple(steps), left_over)


def replay_under(position: Position, moves: Iterable[Move], rules: RuleSet) -> Replay:
    """Replay moves under a rule set."""
    return replay(position, moves, rules.automove, rules.initial, rules.limit, rules.packed)


def find_rules(position: Position, moves: Iterable[Move], packed: bool = False) -> tuple[RuleSet, Replay]:
    """Find the rule set under which moves win, and replay them under it.

    A rule set that wins with the last move comes before one that wins with moves left over; then the order of KNOWN_RULE_SETS
    decides. Where none wins, it is the one that plays the most moves.
    """
    texts = tuple(moves)
    best: tuple[RuleSet, Replay] | None = None
    for known in KNOWN_RULE_SETS:
        rules = RuleSet(known.automove, known.initial, known.limit, packed)
        found = replay_under(position, texts, rules)
        if found.result == "won" and not found.moves_left_over:
            return rules, found
        if best is None or _merit(found) > _merit(best[1]):
            best = rules, found
    assert best is not None  # KNOWN_RULE_SETS is not empty
    return best


def _merit(found: Replay) -> tuple[bool, int]:
    return found.result == "won", len(found.steps)


def _cards(position: Position, move: Move) -> tuple[int, ...]:
    """The cards that a complete move carries."""
    if move.source >= CELL:
        return (position.freecells[move.source - CELL],)
    return position.columns[move.source][-(move.count or 1) :]


def close_up(position: Position) -> Position:
    """Close up the row of freecells: cards first, in their order."""
    open_cells = [card for card in position.freecells if card != BLOCKED]
    cards = [card for card in open_cells if card != EMPTY]
    row = tuple(cards + [EMPTY] * (len(open_cells) - len(cards)))
    return position if row == position.freecells else Position(position.columns, row, position.foundations)
