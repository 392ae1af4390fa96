"""Say that a Klondike position is lost, or that a card home is of no use in a pile, without searching.

In: sets of cards of `solve.state`. Out: inlined kernels.
"""

from pipeline.games.klondike.solve.state import (
    HIDDEN,
    HOMES,
    ONES,
    STOCK,
    TOPS,
    children_of,
    empty_piles,
    next_home,
    parents_of,
)
from pipeline.kernels.bits import trailing_zeros
from pipeline.kernels.compile import bare


@bare
def is_lost(position, deck, bases, kings, piles, under, may_return):  # type: ignore[no-untyped-def]
    """Whether some card can never turn face up, even in an easier game.

    In the easier game a card may carry any number of others and stays a parent when it goes home, every face-up card can go home in
    turn, and one empty pile serves every king. What is stuck there is stuck here. Growing that game's sets to their end takes a few rounds.
    """
    hidden, tops, homes = position[HIDDEN], position[TOPS], position[HOMES]
    face_up = deck & ~(position[STOCK] | hidden | homes)
    hanging = face_up & ~tops
    room_for_kings = empty_piles(tops, hanging, kings, piles) > 0
    reachable = position[STOCK] | face_up
    carriers = face_up
    spare = position[STOCK] | homes if may_return else position[STOCK]
    while hidden:
        rising = next_home(homes) & reachable
        while rising:
            homes |= rising
            rising = next_home(homes) & reachable
        if homes & hanging & kings:
            room_for_kings = True
        placed = kings if room_for_kings else 0
        joining = spare & ~carriers & (children_of(carriers) | placed)
        while joining:
            carriers |= joining
            joining = spare & ~carriers & (children_of(carriers) | placed)
        movable = children_of(carriers) | homes | (placed & ~bases)
        loose = tops & movable
        if loose == 0:
            return True
        while loose:
            card = trailing_zeros(loose)
            loose &= loose - 1
            tops ^= 1 << card
            if under[card] >= 0:
                bit = 1 << under[card]
                tops |= bit
                hidden ^= bit
                reachable |= bit
                carriers |= bit
            else:
                room_for_kings = True
    return False


@bare
def twins_of(cards):  # type: ignore[no-untyped-def]
    """The cards of the same rank and colour as one of ``cards``, in the other suit."""
    clubs, diamonds, hearts, spades = cards & ONES, cards >> 1 & ONES, cards >> 2 & ONES, cards >> 3 & ONES
    return clubs << 3 | diamonds << 2 | hearts << 1 | spades


@bare
def worth_returning(position, face_up, room):  # type: ignore[no-untyped-def]
    """The cards home that may be of use in a pile.

    Such a card becomes a parent where there is no room, or relieves a twin that could go home; or the next lower card of its suit is of use
    in turn.
    """
    homes = position[HOMES]
    relief = twins_of(face_up & next_home(homes))
    useful = homes & (parents_of(position[TOPS] | position[STOCK]) | relief)
    more = useful
    while more:
        more = homes & ~useful & (parents_of(useful) | useful << 4)
        useful |= more
    return homes & ((~room & (parents_of(position[TOPS] | position[STOCK] | useful) | relief)) | useful << 4)
