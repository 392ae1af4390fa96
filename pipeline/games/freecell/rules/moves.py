"""Moves and supermoves: what the rules of FreeCell allow in a position, and why not.

In: positions and moves. Out: positions, or the exact reason of a refusal. It knows no solver.

A supermove is a sequence carried card by card over empty freecells and columns. Its limits are those of Microsoft's program and of
Campbell's notation (2012), rule 10c: (cells + 1) * 2^(empty columns) onto a card; the column moved into does not count as empty.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pipeline.cards.codes import CARD_NAMES, is_in_order
from pipeline.cards.errors import IllegalMoveError
from pipeline.games.freecell.rules.position import BLOCKED, CELL, EMPTY, HOME, NEXT_CELL, PLACE_LETTERS, Position

Limit = Literal["doubling", "single"]
"""How many cards may go into an empty column: (cells + 1) * 2^(other empty columns), or cells + 1 as in Microsoft's program."""

LIMITS: Final[tuple[Limit, ...]] = get_args(Limit)


@dataclass(frozen=True, slots=True)
class Move:
    """A move from one place to another; ``count`` cards, or as many as the position implies where it is None."""

    source: int
    target: int
    count: int | None = None

    def __str__(self) -> str:
        return PLACE_LETTERS[self.source] + PLACE_LETTERS[self.target]


def sequence_length(column: tuple[int, ...]) -> int:
    """Length of the sequence (descending, alternating colours) that ends at a column's exposed card; 0 for an empty column."""
    length = min(len(column), 1)
    while length < len(column) and is_in_order(column[-length], column[-length - 1]):
        length += 1
    return length


def supermove_limit(position: Position, into_empty: bool, limit: Limit = "doubling") -> int:
    """How many cards one move may carry, onto a card or into an empty column."""
    empty_columns = sum(not column for column in position.columns)
    if not into_empty:
        return (position.free_count + 1) << empty_columns
    return position.free_count + 1 if limit == "single" else (position.free_count + 1) << (empty_columns - 1)


def resolve(position: Position, move: Move, limit: Limit = "doubling") -> Move:
    """Complete a move with its number of cards and its freecell, as the position implies them.

    Raises IllegalMoveError with the reason (``"48: no sequence fits 2H"``) where the rules forbid it.
    """
    source, target = move.source, move.target
    card = position.card_at(source)
    if card is None:
        blocked = source >= CELL and _cell(position, source) == BLOCKED
        raise _refusal(move, "cell blocked" if blocked else "cell empty" if source >= CELL else "column empty")
    if target < CELL:
        count = _column_count(position, move, limit)
    elif move.count not in (None, 1):
        raise _refusal(move, f"{move.count} cards, 1 allowed")
    elif target == HOME:
        if position.foundations[card & 3] != card >> 2:
            raise _refusal(move, f"{CARD_NAMES[card]} not next")
        count = 1
    else:
        if target == NEXT_CELL:
            if EMPTY not in position.freecells:
                raise _refusal(move, "cells full")
            target = CELL + position.freecells.index(EMPTY)
        there = _cell(position, target)
        if there != EMPTY:
            raise _refusal(move, "cell blocked" if there == BLOCKED else "cell full")
        count = 1
    return Move(source, target, count)


def _column_count(position: Position, move: Move, limit: Limit) -> int:
    """Number of cards that a move into a column carries; raises IllegalMoveError."""
    onto = position.columns[move.target]
    moving = position.columns[move.source] if move.source < CELL else (_cell(position, move.source),)
    length = sequence_length(moving)
    allowed = supermove_limit(position, not onto, limit)
    count = move.count
    if count is None:
        if not onto:
            return min(length, allowed)
        count = (onto[-1] >> 2) - (moving[-1] >> 2)  # the ranks leave no choice
        if move.source >= CELL:
            count = 1
        elif not 1 <= count <= length or not is_in_order(moving[-count], onto[-1]):
            raise _refusal(move, f"no sequence fits {CARD_NAMES[onto[-1]]}")
    if count > len(moving):
        raise _refusal(move, f"{count} cards, {len(moving)} there")
    if count > length:
        raise _refusal(move, f"{count} cards are no sequence")
    if onto and not is_in_order(moving[-count], onto[-1]):
        raise _refusal(move, f"{CARD_NAMES[moving[-count]]} on {CARD_NAMES[onto[-1]]}")
    if count > allowed:
        raise _refusal(move, f"{count} cards, {allowed} allowed")
    return count


def _cell(position: Position, place: int) -> int:
    """What a freecell holds: a card, EMPTY or BLOCKED."""
    index = place - CELL
    return position.freecells[index] if index < len(position.freecells) else BLOCKED


def _refusal(move: Move, reason: str) -> IllegalMoveError:
    return IllegalMoveError(f"{move}: {reason}")


def carry(position: Position, move: Move) -> Position:
    """Carry out a move that `resolve` has completed."""
    columns, freecells, foundations = list(position.columns), list(position.freecells), list(position.foundations)
    count = move.count or 1
    if move.source < CELL:
        cards = columns[move.source][-count:]
        columns[move.source] = columns[move.source][:-count]
    else:
        cards = (freecells[move.source - CELL],)
        freecells[move.source - CELL] = EMPTY
    if move.target < CELL:
        columns[move.target] += cards
    elif move.target == HOME:
        foundations[cards[0] & 3] += 1
    else:
        freecells[move.target - CELL] = cards[0]
    return Position(tuple(columns), tuple(freecells), tuple(foundations))


def apply(position: Position, move: Move, limit: Limit = "doubling") -> Position:
    """Play a move, without automoves; raises IllegalMoveError with the reason where the rules forbid it."""
    return carry(position, resolve(position, move, limit))


def legal_moves(position: Position, limit: Limit = "doubling") -> list[Move]:
    """List every legal move with its number of cards, by source, then by target in the order of the places, then by count.

    Each empty freecell and each empty column is a target of its own, and into an empty column each number of cards up to the limit is a
    move of its own. A card that goes from one freecell to another changes nothing but letters: no such move is listed.
    """
    return list(_legal_moves(position, limit))


def _legal_moves(position: Position, limit: Limit) -> Iterator[Move]:
    onto_card = supermove_limit(position, False)
    into_empty = supermove_limit(position, True, limit) if not all(position.columns) else 0
    empty_cells = [CELL + index for index, card in enumerate(position.freecells) if card == EMPTY]
    for source in [*range(len(position.columns)), *range(CELL, CELL + len(position.freecells))]:
        card = position.card_at(source)
        if card is None:
            continue
        moving = position.columns[source] if source < CELL else (card,)
        length = sequence_length(moving)
        for target, onto in enumerate(position.columns):
            if not onto:
                for count in range(1, min(length, into_empty) + 1):
                    yield Move(source, target, count)
            elif target != source:
                count = (onto[-1] >> 2) - (card >> 2)
                if 1 <= count <= min(length, onto_card) and is_in_order(moving[-count], onto[-1]):
                    yield Move(source, target, count)
        if source < CELL:
            yield from (Move(source, cell, 1) for cell in empty_cells)
        if position.foundations[card & 3] == card >> 2:
            yield Move(source, HOME, 1)
