"""Automoves: cards that go home by themselves, by named rules.

In: a position and a rule's name. Out: the position after all its automoves, and the cards in the order they went. Each rule
sends a card home, if at all, whatever the order of the others: the result does not depend on the order.
"""

from typing import Final, Literal, get_args

from pipeline.games.freecell.rules.position import EMPTY, Position

AutomoveRule = Literal["none", "horne", "wkr", "max"]
"""`none`: nothing goes by itself. `horne` (the rule of Jim Horne's program): a card goes home when its suit allows it and all cards of the
next lower rank of the other colour are home; aces and twos always. `wkr` (named in Campbell's text of 2012): that, or both foundations
of the other colour are within two ranks below the card and the other suit of its colour within three. `max`: as soon as its suit allows."""

AUTOMOVE_RULES: Final[tuple[AutomoveRule, ...]] = get_args(AutomoveRule)

# Foundations as tests see them for a card of suit C D H S: the two of the other colour, and the other one of its colour.
_OTHERS: Final = ((1, 2, 3), (0, 3, 2), (0, 3, 1), (1, 2, 0))


def goes_home(card: int, foundations: tuple[int, ...] | list[int], rule: AutomoveRule) -> bool:
    """Whether an exposed card goes home by itself, given the foundations' top ranks (C D H S)."""
    rank = (card >> 2) + 1
    if foundations[card & 3] != rank - 1 or rule == "none":
        return False
    if rule == "max" or rank <= 2:
        return True
    first, second, same = (foundations[suit] for suit in _OTHERS[card & 3])
    if min(first, second) >= rank - 1:
        return True
    return rule == "wkr" and min(first, second) >= rank - 2 and same >= rank - 3


def automoves(position: Position, rule: AutomoveRule) -> tuple[Position, tuple[int, ...]]:
    """Send home every card that goes by itself; returns the position then, and the cards in the order they went.

    The order is by sweeps over the columns and then the freecells, from left to right, until a sweep sends nothing.
    """
    if rule == "none":
        return position, ()
    columns, freecells, foundations = list(position.columns), list(position.freecells), list(position.foundations)
    sent: list[int] = []
    swept = -1
    while swept < len(sent):
        swept = len(sent)
        for index, column in enumerate(columns):
            left = len(column)
            while left and goes_home(column[left - 1], foundations, rule):
                left -= 1
                foundations[column[left] & 3] += 1
                sent.append(column[left])
            columns[index] = column[:left]
        for index, card in enumerate(freecells):
            if card >= 0 and goes_home(card, foundations, rule):
                freecells[index] = EMPTY
                foundations[card & 3] += 1
                sent.append(card)
    if not sent:
        return position, ()
    return Position(tuple(columns), tuple(freecells), tuple(foundations)), tuple(sent)
