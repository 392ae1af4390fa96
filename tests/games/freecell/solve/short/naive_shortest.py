"""The naive twin of the proofs of shortest solutions: breadth-first over positions by the plain rules, no keys and no bounds."""

from pipeline.games.freecell.rules.automove import automoves
from pipeline.games.freecell.rules.moves import carry, legal_moves, sequence_length, supermove_limit
from pipeline.games.freecell.rules.position import CELL, EMPTY, HOME, Position


def tiny_position(columns, cells: int) -> Position:
    return Position(tuple(tuple(column) for column in columns), (EMPTY,) * cells)


def _key(position: Position):
    return frozenset(position.columns), frozenset(position.freecells), position.foundations


def _moves(position: Position):
    """The moves between columns and cells that one word of standard notation can say, and those home."""
    most = supermove_limit(position, True) if not all(position.columns) else 0
    for move in legal_moves(position):
        into_empty = move.target < CELL and not position.columns[move.target] and move.source < CELL
        if not into_empty or move.count in (1, min(most, sequence_length(position.columns[move.source]))):
            yield move


def naive_shortest(start: Position, rule: str) -> int | None:
    """The fewest moves, those home not counted, that win under an automove rule; None where none do."""
    layer = {}
    first, _ = automoves(start, rule)
    layer[_key(first)] = first
    seen = set(layer)
    length = 0
    while layer:
        following = {}
        waiting = list(layer.values())
        while waiting:
            position = waiting.pop()
            if position.is_won:
                return length
            for move in _moves(position):
                reached, _ = automoves(carry(position, move), rule)
                key = _key(reached)
                if move.target == HOME and key not in seen:
                    seen.add(key)
                    waiting.append(reached)
                elif move.target != HOME and key not in seen:
                    following.setdefault(key, reached)
        layer = {key: position for key, position in following.items() if key not in seen}
        seen.update(layer)
        length += 1
    return None
