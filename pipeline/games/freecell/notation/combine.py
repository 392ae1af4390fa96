"""Combine single moves that carry a sequence card by card into the supermove they amount to.

In: a replay. Out: its steps, fewer. For notations that can say a supermove but not a single card.
"""

from dataclasses import replace

from pipeline.games.freecell.rules.moves import Limit, Move, carry, sequence_length, supermove_limit
from pipeline.games.freecell.rules.position import CELL, HOME, Position
from pipeline.games.freecell.rules.replay import Replay, RuleSet, Step, close_up


def combine(replayed: Replay, rules: RuleSet, limit: Limit) -> Replay:
    """Replace each chain of moves that carries a sequence from one column to another over free places by one supermove,
    cards that go home on the way as its automoves.

    ``rules`` are those of the replay; ``limit`` bounds what a supermove may carry. The positions between are the same otherwise.
    """
    steps: list[Step] = []
    before, index = replayed.start, 0
    while index < len(replayed.steps):
        last, step = _chain(before, replayed.steps, index, rules, limit)
        steps.append(step)
        before, index = step.position, last + 1
    return replace(replayed, steps=tuple(steps))


def _chain(before: Position, steps: tuple[Step, ...], first: int, rules: RuleSet, limit: Limit) -> tuple[int, Step]:
    """The longest supermove that the steps from ``first`` on amount to, and its last step; or the first step as it is."""
    source = steps[first].move.source
    found = first, steps[first]
    if source >= CELL:
        return found
    column = before.columns[source]
    sequence = column[len(column) - sequence_length(column) :]
    moved: set[int] = set()
    sent: tuple[int, ...] = ()
    for last in range(first, len(steps)):
        step = steps[last]
        if step.move.target == HOME:
            sent += step.cards + step.automoves
            continue
        sent += step.automoves
        if not set(step.cards) <= set(sequence):
            break
        moved.update(step.cards)
        count, target = len(moved), step.move.target
        if last > first and target < CELL and target != source and 1 < count <= len(sequence):
            move = Move(source, target, count)
            fits = count <= supermove_limit(before, not before.columns[target], limit)
            if fits and _leads_to(before, move, sent, step.position, rules):
                found = last, Step(move, column[-count:], sent, step.position)
    return found


def _leads_to(before: Position, move: Move, sent: tuple[int, ...], position: Position, rules: RuleSet) -> bool:
    """Whether a move, and then the cards of ``sent`` going home, lead to a position."""
    reached = carry(before, move)
    for card in sent:
        place = reached.place_of(card)
        if place is None or place == HOME or reached.card_at(place) != card:
            return False
        reached = carry(reached, Move(place, HOME, 1))
    return (close_up(reached) if rules.packed else reached) == position
