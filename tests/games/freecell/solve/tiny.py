"""Tiny decks and the naive twin of the solver: breadth-first over positions as sets of tuples, no masks and no keys."""

import random
from collections import deque

from pipeline.cards.codes import is_in_order

Naive = tuple[frozenset[tuple[int, ...]], frozenset[int], tuple[int, ...]]


def tiny_columns(seed: int, ranks: int = 4, columns: int = 4) -> list[list[int]]:
    """Deal a shuffled deck of the lowest ranks over columns."""
    deck = list(range(4 * ranks))
    random.Random(seed).shuffle(deck)
    return [deck[column::columns] for column in range(columns)]


def successors(state: Naive, columns: int, cells: int) -> list[Naive]:
    """Every position one single-card move away."""
    filled, in_cells, home = state
    found = []
    for source in [*filled, None]:
        for card in [source[-1]] if source is not None else in_cells:
            rest = filled - {source} | ({source[:-1]} if source is not None and len(source) > 1 else set())
            others = in_cells - {card}
            if card >> 2 == home[card & 3]:
                heights = tuple(height + (suit == card & 3) for suit, height in enumerate(home))
                found.append((frozenset(rest), others, heights))
            if len(others) < cells and source is not None:
                found.append((frozenset(rest), others | {card}, home))
            if len(rest) < columns:
                found.append((frozenset(rest | {(card,)}), others, home))
            targets = [target for target in filled - {source} if is_in_order(card, target[-1])]
            found += [(frozenset(rest - {target} | {(*target, card)}), others, home) for target in targets]
    return found


def is_solvable(columns: list[list[int]], cells: int, in_cells: tuple[int, ...] = ()) -> bool:
    """Whether a position can be won, by looking at every position that can be reached."""
    playing = {card for column in columns for card in column} | set(in_cells)
    home = tuple(min((card >> 2 for card in playing if card & 3 == suit), default=13) for suit in range(4))
    start = (frozenset(tuple(column) for column in columns if column), frozenset(in_cells), home)
    seen, queue = {start}, deque([start])
    while queue:
        state = queue.popleft()
        if not state[0] and not state[1]:
            return True
        for following in successors(state, len(columns), cells):
            if following not in seen:
                seen.add(following)
                queue.append(following)
    return False
