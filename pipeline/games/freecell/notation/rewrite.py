"""Rewrite the moves of a replay for other rules: automoves, freecell letters and supermove limits.

In: a replay. Out: moves that reach the same under the other rules and mean the same under both supermove limits.

Source of the rules: Campbell's text of 2012, rule 13: what the other rules do not imply is written out, move by move.
"""

from dataclasses import dataclass

from pipeline.cards.codes import CARD_NAMES
from pipeline.cards.errors import Failed, IllegalMoveError
from pipeline.games.freecell.rules.automove import automoves
from pipeline.games.freecell.rules.moves import LIMITS, Limit, Move, carry, resolve, sequence_length, supermove_limit
from pipeline.games.freecell.rules.position import CELL, EMPTY, HOME, NEXT_CELL, Position
from pipeline.games.freecell.rules.replay import Replay, RuleSet, close_up


@dataclass(frozen=True, slots=True)
class Writing:
    """How the target notation says a move: with its number of cards (``counts``), or a single card with a period (``periods``).

    ``limits``: the supermove limits under which the moves must mean the same.
    """

    rules: RuleSet
    counts: bool = False
    periods: bool = False
    limits: tuple[Limit, ...] = LIMITS


@dataclass(frozen=True, slots=True)
class Rewritten:
    """``moves`` for the other rules. ``starts``: for each move of the replay, how many of them come before it, and at last how many in all.

    ``positions``: the position before each move, and the last one.
    """

    moves: tuple[Move, ...]
    starts: tuple[int, ...]
    positions: tuple[Position, ...]


def rewrite(start: Position, replayed: Replay, writing: Writing) -> Rewritten:
    """Write the moves of a replay that began at ``start`` (before any automove) for other rules.

    Raises Failed where the other rules send a card home that the solution still needs, or do not allow what it does.
    """
    writer = _Writer(start, writing)
    for card in replayed.initial_automoves:
        writer.send_home(card)
    starts = []
    before = replayed.start
    for number, step in enumerate(replayed.steps, 1):
        starts.append(len(writer.moves))
        try:
            writer.play(step.cards, step.move, before)
            for card in step.automoves:
                writer.send_home(card)
        except _Obstacle as obstacle:
            raise Failed(f"move {number} ({step.move}) cannot be written under {writing.rules}: {obstacle}") from None
        before = step.position
    starts.append(len(writer.moves))
    return Rewritten(tuple(writer.moves), tuple(starts), tuple(writer.positions))


class _Obstacle(Exception):  # noqa: N818 - it never leaves this module
    """Why a move cannot be written."""


class _Writer:
    """Moves written so far and the position they lead to."""

    def __init__(self, start: Position, writing: Writing) -> None:
        self.writing = writing
        self.rules = writing.rules
        self.moves: list[Move] = []
        self.position = self.settle(start, self.rules.initial)
        self.positions = [self.position]

    def settle(self, position: Position, with_automoves: bool = True) -> Position:
        """A position after its automoves, its row of freecells closed up where the rules say so."""
        if with_automoves:
            position, _ = automoves(position, self.rules.automove)
        return close_up(position) if self.rules.packed else position

    def is_home(self, card: int) -> bool:
        return card >> 2 < self.position.foundations[card & 3]

    def emit(self, move: Move, said: Move) -> None:
        """Play a complete move and write it as ``said``."""
        self.moves.append(said)
        self.position = self.settle(carry(self.position, move))
        self.positions.append(self.position)

    def send_home(self, card: int) -> None:
        """Write out a card's way home, unless it has gone."""
        if self.is_home(card):
            return
        place = self.exposed_place(card)
        move = Move(place, HOME, 1)
        if self.position.foundations[card & 3] != card >> 2:
            raise _Obstacle(f"{CARD_NAMES[card]} is not the next card home")
        self.emit(move, move if self.writing.counts else Move(place, HOME))

    def exposed_place(self, card: int) -> int:
        place = self.position.place_of(card)
        if place is None or place == HOME or self.position.card_at(place) != card:
            raise _Obstacle(f"{CARD_NAMES[card]} is not free to move")
        return place

    def play(self, cards: tuple[int, ...], move: Move, before: Position) -> None:
        """Write a move of the replay: ``cards`` went to its target in the position ``before`` it."""
        cards = tuple(card for card in cards if not self.is_home(card))
        if not cards:
            return
        if move.target == HOME:
            self.send_home(cards[0])
        elif move.target >= CELL:
            self.to_cell(cards[0], move.target)
        else:
            onto = before.columns[move.target][-1:]
            if self.position.columns[move.target][-1:] != onto:
                there = CARD_NAMES[onto[0]] if onto else "an empty column"
                raise _Obstacle(f"{there} is not in column {move.target + 1}")
            self.to_column(cards, move.target)

    def to_cell(self, card: int, wanted: int | None = None) -> None:
        """Write a card's way to a freecell: the wanted one if it is empty."""
        source = self.exposed_place(card)
        if source >= CELL:
            return  # from one freecell to another: nothing changes
        cells = [CELL + index for index, there in enumerate(self.position.freecells) if there == EMPTY]
        if not cells:
            raise _Obstacle("no freecell is empty")
        target = wanted if wanted in cells and not self.rules.packed else cells[0]
        said = Move(source, NEXT_CELL if self.rules.packed else target, 1 if self.writing.counts else None)
        self.emit(Move(source, target, 1), said)

    def to_column(self, cards: tuple[int, ...], target: int) -> None:
        """Write the way of cards (lowest first) to a column: as one move where it can be said, else card by card."""
        source = self.exposed_place(cards[-1])
        if source == target:
            return
        count = len(cards)
        moving = self.position.columns[source] if source < CELL else cards
        if moving[-count:] != cards:
            raise _Obstacle(f"{CARD_NAMES[cards[0]]} is not free to move")
        is_empty = not self.position.columns[target]
        allowed = min(supermove_limit(self.position, is_empty, limit) for limit in self.writing.limits)
        if count > allowed:
            self.card_by_card(cards, target)
            return
        said = self.say(Move(source, target, count))
        if said is not None:
            self.emit(Move(source, target, count), said)
        elif count > 1:
            self.card_by_card(cards, target)
        else:  # no period in this notation: by way of a freecell, from where it is plainly one card
            self.to_cell(cards[0])
            if not self.is_home(cards[0]):
                self.to_column(cards, target)

    def say(self, move: Move) -> Move | None:
        """How the notation says a move into a column, so that it means the same under all limits; None where it cannot."""
        if self.writing.counts:
            return move
        plain = Move(move.source, move.target)
        if self.position.columns[move.target] or move.source >= CELL:
            return plain
        length = sequence_length(self.position.columns[move.source])
        if all(min(length, supermove_limit(self.position, True, limit)) == move.count for limit in self.writing.limits):
            return plain
        return move if move.count == 1 and self.writing.periods else None

    def card_by_card(self, cards: tuple[int, ...], target: int) -> None:
        """Write a supermove as single cards over freecells and other empty columns, as far as they are not gone home."""
        free = [place for place, column in enumerate(self.position.columns) if not column and place != target]
        if len(cards) > (self.position.free_count + 1) << len(free):
            raise _Obstacle(f"{len(cards)} cards need more free places")
        self.spread(cards, target, free)

    def spread(self, cards: tuple[int, ...], target: int, free: list[int]) -> None:
        """Move a sequence to a column by single cards; ``free`` are the empty columns to use on the way."""
        cells = self.position.free_count
        if len(cards) > cells + 1:
            # The upper part waits in an empty column, as much as can go there without it.
            part = min(len(cards) - 1, (cells + 1) << (len(free) - 1))
            waiting, rest = cards[-part:], cards[:-part]
            self.spread(waiting, free[0], free[1:])
            self.spread(rest, target, free[1:])
            self.spread(waiting, target, free[1:])
            return
        for card in reversed(cards[1:]):
            if not self.is_home(card):
                self.to_cell(card)
        for card in cards:
            if not self.is_home(card):
                self.one_card(card, target)

    def one_card(self, card: int, target: int) -> None:
        onto = self.position.columns[target][-1:]
        source = self.exposed_place(card)
        try:
            resolve(self.position, Move(source, target, 1))
        except IllegalMoveError:
            there = CARD_NAMES[onto[0]] if onto else "an empty column"
            raise _Obstacle(f"{CARD_NAMES[card]} cannot go onto {there}") from None
        self.to_column((card,), target)
