"""The rules of Klondike, in plain code: position, legal moves, apply, replay with reasons.

In: layouts uint8[52] of `klondike.deal` and moves between its 13 boxes. Out: positions, verdicts. `bulk` judges
many games by the same rules, compiled.

Source of the rules: the published account of the 13-box Klondike, where the stock is turned one card at a time, round and round; other
rules of the stock are arguments. Cards that lie face up in a pile are always one run in order, so a move's two boxes tell how many cards
it takes: no more than one of them fits.
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, is_in_order, rank_of, suit_of
from pipeline.cards.errors import IllegalMoveError
from pipeline.games.klondike.deal import PILES, piles_of, stock_of

STOCK: Final = 0
WASTE: Final = 1
FIRST_PILE: Final = 2
FIRST_FOUNDATION: Final = FIRST_PILE + PILES
BOXES: Final = FIRST_FOUNDATION + 4
KING: Final = 13

SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
BOX_NAMES: Final = (
    "stock",
    "waste",
    *(f"pile {n + 1}" for n in range(PILES)),
    *(f"{suit} foundation" for suit in SUIT_WORDS),
)


class Move(NamedTuple):
    """A move from one box to another; `DRAW` turns cards from the stock to the waste, or the whole waste back where the stock is empty."""

    source: int
    target: int


DRAW: Final = Move(STOCK, WASTE)


class Reason(enum.IntEnum):
    """Why a move is illegal; the compiled replay gives the same numbers."""

    LEGAL = 0
    NOTHING_TO_DRAW = 1
    NO_SUCH_MOVE = 2
    IS_EMPTY = 3
    RETURN_FORBIDDEN = 4
    NEEDS_KING = 5
    DOES_NOT_FIT = 6
    WRONG_SUIT = 7
    WRONG_RANK = 8
    IS_WON = 9
    NO_PASS_LEFT = 10


@dataclass
class Position:
    """Where the cards lie. In each list the last card is the top; ``face_down`` counts the cards of a pile that are face down."""

    stock: list[int]
    waste: list[int]
    piles: list[list[int]]
    face_down: list[int]
    home: list[int]
    """How many cards lie on the foundation of clubs, diamonds, hearts and spades."""
    may_return: bool = True
    """Whether the rule lets a card come back from a foundation to a pile."""
    draw: int = 1
    """How many cards a draw turns to the waste; fewer where the stock holds fewer."""
    turns_left: int | None = None
    """How often the waste may still be turned back; None without limit."""

    @classmethod
    def start(
        cls, layout: NDArray[np.uint8], may_return: bool = True, draw: int = 1, passes: int | None = None
    ) -> "Position":
        """Set up a game from its layout, uint8[52]; ``passes`` is how often the stock may be gone through, None without limit."""
        piles = piles_of(layout)
        face_down, turns = [len(pile) - 1 for pile in piles], None if passes is None else passes - 1
        return cls(stock_of(layout)[::-1], [], piles, face_down, [0, 0, 0, 0], may_return, draw, turns)

    @property
    def is_won(self) -> bool:
        """Whether each foundation holds its thirteen cards."""
        return sum(self.home) == 4 * KING

    def cards_in(self, box: int) -> list[int]:
        """List the cards of a box, the last one on top."""
        if box >= FIRST_FOUNDATION:
            suit = box - FIRST_FOUNDATION
            return [4 * rank + suit for rank in range(self.home[suit])]
        return [self.stock, self.waste, *self.piles][box]

    def judge(self, move: Move) -> tuple[Reason, int]:
        """Return (reason, count): `Reason.LEGAL` and how many cards the move takes, or why it is illegal and 0."""
        source, target = move
        if move == DRAW:
            return self._judge_draw()
        if not (WASTE <= source < BOXES and FIRST_PILE <= target < BOXES) or source == target:
            return Reason.NO_SUCH_MOVE, 0
        if source >= FIRST_FOUNDATION and target >= FIRST_FOUNDATION:
            return Reason.NO_SUCH_MOVE, 0
        cards = self.cards_in(source)
        if not cards:
            return Reason.IS_EMPTY, 0
        if target >= FIRST_FOUNDATION:
            return self._judge_home(cards[-1], target - FIRST_FOUNDATION)
        if source >= FIRST_FOUNDATION and not self.may_return:
            return Reason.RETURN_FORBIDDEN, 0
        return self._judge_pile(self._offered(source), self.piles[target - FIRST_PILE])

    def _judge_draw(self) -> tuple[Reason, int]:
        if self.stock:
            return Reason.LEGAL, min(self.draw, len(self.stock))
        if not self.waste:
            return Reason.NOTHING_TO_DRAW, 0
        return (Reason.NO_PASS_LEFT, 0) if self.turns_left == 0 else (Reason.LEGAL, len(self.waste))

    def _offered(self, source: int) -> list[int]:
        """The cards of a box that may leave it: all that lie face up in a pile, else the top one."""
        if FIRST_PILE <= source < FIRST_FOUNDATION:
            return self.piles[source - FIRST_PILE][self.face_down[source - FIRST_PILE] :]
        return self.cards_in(source)[-1:]

    def _judge_home(self, card: int, suit: int) -> tuple[Reason, int]:
        if suit_of(card) != suit:
            return Reason.WRONG_SUIT, 0
        return (Reason.LEGAL, 1) if rank_of(card) == self.home[suit] + 1 else (Reason.WRONG_RANK, 0)

    def _judge_pile(self, movable: list[int], pile: list[int]) -> tuple[Reason, int]:
        for place, card in enumerate(movable):
            if is_in_order(card, pile[-1]) if pile else rank_of(card) == KING:
                return Reason.LEGAL, len(movable) - place
        return (Reason.DOES_NOT_FIT if pile else Reason.NEEDS_KING), 0

    def legal_moves(self) -> list[Move]:
        """List the legal moves, the draw last."""
        moves = [Move(s, t) for s in range(WASTE, BOXES) for t in range(FIRST_PILE, BOXES)]
        return [move for move in [*moves, DRAW] if self.judge(move)[0] == Reason.LEGAL]

    def apply(self, move: Move) -> None:
        """Play a move; raises IllegalMoveError with the reason where the rules forbid it."""
        reason, count = self.judge(move)
        if reason != Reason.LEGAL:
            raise IllegalMoveError(self.explain(move))
        source, target = move
        if move == DRAW:
            if self.stock:
                self.waste += [self.stock.pop() for _ in range(count)]
                return
            self.stock, self.waste = self.waste[::-1], []
            if self.turns_left is not None:
                self.turns_left -= 1
            return
        cards = self.cards_in(source)[-count:]
        if source >= FIRST_FOUNDATION:
            self.home[source - FIRST_FOUNDATION] -= 1
        elif source == WASTE:
            self.waste.pop()
        else:
            self._take_from_pile(source - FIRST_PILE, count)
        if target >= FIRST_FOUNDATION:
            self.home[target - FIRST_FOUNDATION] += 1
        else:
            self.piles[target - FIRST_PILE] += cards

    def _take_from_pile(self, pile: int, count: int) -> None:
        del self.piles[pile][-count:]
        if self.face_down[pile] == len(self.piles[pile]) > 0:  # the top card turns face up
            self.face_down[pile] -= 1

    def explain(self, move: Move) -> str:
        """Say why a move is illegal; an empty text for a legal one."""
        reason, _ = self.judge(move)
        source, target = (BOX_NAMES[box] if 0 <= box < BOXES else f"box {box}" for box in move)
        match reason:
            case Reason.LEGAL:
                return ""
            case Reason.NOTHING_TO_DRAW:
                return "stock and waste are both empty"
            case Reason.NO_PASS_LEFT:
                return "the stock is empty, and the waste may not be turned back again"
            case Reason.NO_SUCH_MOVE:
                return f"no card moves from {source} to {target}"
            case Reason.IS_EMPTY:
                return f"{source} is empty"
            case Reason.RETURN_FORBIDDEN:
                return "under this rule no card leaves a foundation"
            case Reason.NEEDS_KING:
                return f"{target} is empty and takes only a king, and {source} offers none"
        offered = [CARD_NAMES[card] for card in self._offered(move.source)]
        if reason == Reason.DOES_NOT_FIT:
            below = CARD_NAMES[self.piles[move.target - FIRST_PILE][-1]]
            return f"{' '.join(offered)} of {source} does not fit on the {below} of {target}"
        card, suit = offered[-1], move.target - FIRST_FOUNDATION
        if reason == Reason.WRONG_SUIT:
            return f"the {card} does not belong on the {target}"
        return f"the {target} takes the {CARD_NAMES[4 * self.home[suit] + suit]} next, not the {card}"


@dataclass(frozen=True)
class Replay:
    """What became of a game's moves: won if the last one brought the last card home, and nothing followed.

    ``illegal_move`` is the 1-based number of the first illegal move, 0 where there is none; ``reason`` is then empty.
    """

    is_won: bool
    played: int
    illegal_move: int
    reason_code: Reason
    reason: str
    home: tuple[int, int, int, int]


def replay_klondike(
    layout: NDArray[np.uint8],
    moves: Iterable[Move],
    may_return: bool = True,
    draw: int = 1,
    passes: int | None = None,
) -> Replay:
    """Play moves from a layout (uint8[52]) until one is illegal; a move after the game is won is illegal too.

    A draw turns ``draw`` cards, and the stock may be gone through ``passes`` times, without limit for None.
    """
    position = Position.start(layout, may_return, draw, passes)
    played = 0
    for move in moves:
        reason = Reason.IS_WON if position.is_won else position.judge(move)[0]
        if reason != Reason.LEGAL:
            text = "the game is won already" if reason == Reason.IS_WON else position.explain(move)
            return Replay(False, played, played + 1, reason, text, tuple(position.home))  # type: ignore[arg-type]
        position.apply(move)
        played += 1
    return Replay(position.is_won, played, 0, Reason.LEGAL, "", tuple(position.home))  # type: ignore[arg-type]
