"""Identify a layout: cards -> every game number that deals them, out of all 2^33.

In: uint8[52] in deal order, 255 for a card that is not known. Out: `Match`es.

Each dealt card tells its draw modulo the number of cards left. Where that number is even, the remainder tells low bits of the draw, and
the low 21 bits of the generator's state follow from themselves alone: so those bits are found first, from 2^16 starts, and the few that
are left are completed by the remaining 10 or 11 bits and taken one step back to the number.
"""

import itertools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARD_NAMES, CARDS, COLUMNS, SUITS, UNKNOWN
from pipeline.cards.errors import BoardError
from pipeline.cards.numbers import INCREMENT, MULTIPLIER
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS
from pipeline.kernels.compile import inlined, kernel

FEWEST_KNOWN: Final = 2 * COLUMNS
"""How many cards, from the first dealt, a partial layout must show: its first two rows."""


class Branch(NamedTuple):
    """One of the three ways in which a number is dealt, or the list of special layouts."""

    name: str
    first: int
    last: int
    added: int
    """What the branch adds to the bits of the state that it draws."""
    state_bits: int
    """How many bits of the state the draws depend on."""


BRANCHES: Final = (
    Branch("0 .. 2^31-1", 0, 2**31 - 1, 0, 31),
    Branch("2^31 .. 2^32-1", 2**31, 2**32 - 1, 0x8000, 31),
    Branch("2^32 .. 2^33-1", 2**32, 2**33 - 1, 1, 32),
)
SPECIAL: Final = "special"


class Match(NamedTuple):
    """A game that deals a layout."""

    game_number: int
    branch: str
    """The name of the branch that deals it, or `special` for games -1 and -2."""
    suits: str
    """The game's suits in place of the layout's clubs, diamonds, hearts and spades: `CDHS` unless they are exchanged."""


# The state at draw k + 1 is _MULTIPLIERS[k] * (state at draw 1) + _INCREMENTS[k].
_MULTIPLIERS = np.array([pow(MULTIPLIER, k, 2**32) for k in range(CARDS)], np.int64)
_INCREMENTS = np.array([sum(INCREMENT * pow(MULTIPLIER, i, 2**32) for i in range(k)) % 2**32 for k in range(CARDS)])
_BACK: Final = pow(MULTIPLIER, -1, 2**32)
# The draws with an even number of cards left, and how many low bits of the draw the remainder tells: 2 for 52 cards .. 5 for 32.
_EVEN_DRAWS = np.arange(0, CARDS, 2)
_EVEN_BITS = np.array([((CARDS - k) & (k - CARDS)).bit_length() - 1 for k in range(0, CARDS, 2)])


@inlined
def _agrees(start, width, draws, bits, told, multipliers, increments):  # type: ignore[no-untyped-def]
    """Whether the lowest ``width`` bits of the state at the first draw lead to the low bits ``told`` of each even draw."""
    for i in range(told.size):
        k = draws[i]
        mask = (1 << min(bits[i], width - 16)) - 1
        if (((multipliers[k] * start + increments[k]) >> 16) ^ told[i]) & mask:
            return False
    return True


@kernel
def _search(picks, added, high_bits, draws, bits, multipliers, increments, states):  # type: ignore[no-untyped-def]
    """Find the states at the first draw that lead to ``picks`` (int64[k], the place in the deck of each card dealt).

    Fills ``states`` (int64[n]) and returns how many there are, which may be more than fit. ``draws`` and ``bits`` are those of the draws
    with an even number of cards left. Products stay below 2^63: a state is taken apart into its low 21 bits and the rest.
    """
    told = np.empty((picks.size + 1) // 2, np.int64)
    for i in range(told.size):
        told[i] = (picks[draws[i]] - added) & ((1 << bits[i]) - 1)
    count = 0
    for lowest in range(1 << 16):
        start = (told[0] << 16) | lowest
        if not _agrees(start, 18, draws, bits, told, multipliers, increments):
            continue
        for middle in range(1 << 3):
            low = (middle << 18) | start
            if not _agrees(low, 21, draws, bits, told, multipliers, increments):
                continue
            for high in range(1 << high_bits):
                fits = True
                for k in range(picks.size):
                    state = multipliers[k] * low + increments[k] + ((multipliers[k] & 0x7FF) * high << 21)
                    drawn = ((state >> 16) & ((32 << high_bits) - 1)) + added
                    if drawn % (52 - k) != picks[k]:
                        fits = False
                        break
                if fits:
                    if count < states.size:
                        states[count] = (high << 21) | low
                    count += 1
    return count


def identify(layout: Any) -> list[Match]:
    """Find every game number that deals a layout.

    ``layout`` is uint8[52] in deal order; `UNKNOWN` stands for a card that is not known, and may follow the first two rows only. All three
    branches and the special layouts are searched; if none deals the layout, so are the layouts that become it when suits are exchanged.
    Returns the matches by game number, none if no number deals the layout; a full layout has one at most, since no two numbers deal the
    same (tests/games/freecell/deal/test_identify.py proves it). Raises BoardError for a doubled card, a code that is no card,
    or a layout that shows too few cards.
    """
    cards = _checked(layout)
    found = _matches(cards, "CDHS")
    if not found:
        for suits in itertools.permutations(range(4)):
            exchanged = np.where(cards == UNKNOWN, UNKNOWN, cards & ~np.int64(3) | np.array(suits)[cards & 3])
            found += _matches(exchanged, "".join(SUITS[suit] for suit in suits))
    return sorted(found)


def _checked(layout: Any) -> NDArray[np.int64]:
    cards = np.asarray(layout)
    if cards.shape != (CARDS,) or cards.dtype.kind not in "iu":
        raise BoardError([f"a layout is {CARDS} card codes, not {cards.dtype}{list(cards.shape)}"])
    cards = cards.astype(np.int64)
    defects = []
    places: dict[int, str] = {}
    for k, card in enumerate(cards.tolist()):
        place = f"column {k % COLUMNS + 1} row {k // COLUMNS + 1}"
        if card == UNKNOWN:
            continue
        if not 0 <= card < CARDS:
            defects.append(f"{card} in {place} is no card code")
        elif card in places:
            defects.append(f"{CARD_NAMES[card]} is in {places[card]} and in {place}")
        places[card] = place
    if defects:
        raise BoardError(defects)
    if (cards[:FEWEST_KNOWN] == UNKNOWN).any():
        raise BoardError(
            ["too few cards are known: identifying a layout takes at least the whole of its first two rows"]
        )
    return cards


def _matches(cards: NDArray[np.int64], suits: str) -> list[Match]:
    known = cards != UNKNOWN
    found = [
        Match(number, SPECIAL, suits)
        for number, special in SPECIAL_LAYOUTS.items()
        if (special[known] == cards[known]).all()
    ]
    first_unknown = CARDS if known.all() else int(np.argmin(known))
    picks = _picks(cards[:first_unknown])
    for branch in BRANCHES:
        numbers = _numbers(picks, branch)
        fits = (deal(numbers)[:, known] == cards[known]).all(axis=1)
        found += [Match(number, branch.name, suits) for number in numbers[fits].tolist()]
    return found


def _picks(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place in the deck from which each of the first cards was dealt."""
    deck = list(range(CARDS))
    picks = np.empty(cards.size, np.int64)
    for k, card in enumerate(cards.tolist()):
        picks[k] = deck.index(card)
        deck[picks[k]] = deck[-1]
        deck.pop()
    return picks


def _numbers(picks: NDArray[np.int64], branch: Branch) -> NDArray[np.int64]:
    """The game numbers of one branch that deal the first cards from these places in the deck, in no order."""
    states = np.empty(16, np.int64)
    while True:
        count = _search(
            picks, branch.added, branch.state_bits - 21, _EVEN_DRAWS, _EVEN_BITS, _MULTIPLIERS, _INCREMENTS, states
        )
        if count <= states.size:
            break
        states = np.empty(count, np.int64)
    size = 2**branch.state_bits
    return np.array([(state - INCREMENT) * _BACK % size + branch.first for state in states[:count].tolist()], np.int64)
