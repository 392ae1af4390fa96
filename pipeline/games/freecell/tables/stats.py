"""Statistics of layouts, computed right after the deal.

In: layouts with one row a place (uint8[52, stride], deal order). Out: uint8[len(STATS), n], one row each.

Games lie side by side in memory, so each step below is one loop over neighbouring bytes that the compiler turns into vector
instructions over 32 games at a time; a block of games stays in the processor's cache from the first step to the last.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.tables.definitions import STATS
from pipeline.kernels.compile import inlined, kernel

_INDEX: Final = {name: i for i, name in enumerate(STATS)}
_DEPTHS: Final = _INDEX["depth_ac"]
_ACE_COLUMNS: Final = _INDEX["column_ac"]
_ACE_SUM: Final = _INDEX["ace_depth_sum"]
_ACE_MAX: Final = _INDEX["ace_depth_max"]
_TWO_SUM: Final = _INDEX["two_depth_sum"]
_TWO_MAX: Final = _INDEX["two_depth_max"]
_LOW_SUM: Final = _INDEX["low_depth_sum"]
_KINGS_AT_BASE: Final = _INDEX["kings_at_base"]
_UNDER_KINGS: Final = _INDEX["cards_under_kings"]
_COLUMN_PAIRS: Final = _INDEX["in_order_pairs_c1"]
_PAIRS: Final = _INDEX["in_order_pairs"]
_LONGEST: Final = _INDEX["longest_run"]
_ALTERNATING: Final = _INDEX["alternating_pairs"]
_INVERSIONS: Final = _INDEX["inversions"]
_BLOCKS: Final = _INDEX["same_suit_blocks"]
_MOVES: Final = _INDEX["legal_tableau_moves"]
_AUTOMOVES: Final = _INDEX["horne_automoves"]

_BLOCK: Final = 2048  # games: 52 bytes of layout and 33 of statistics each, 170 KB


@inlined
def _in_order(upper, lower):  # type: ignore[no-untyped-def]
    """1 where card ``upper`` may lie on card ``lower``, else 0. A code's two low bits differ exactly for red suits."""
    turned = upper ^ lower
    return np.uint8((lower >> 2) == (upper >> 2) + 1) & np.uint8((turned ^ (turned >> 1)) & 1)


@inlined
def _depths(places, depths, aces_columns, low_sum):  # type: ignore[no-untyped-def]
    """Depths of aces and twos, the aces' columns, and the depth sum of all cards up to the threes."""
    for place in range(52):
        cards, depth = places[place], (51 - place) >> 3
        for card in range(8):
            known = depths[card]
            for game in range(cards.size):
                known[game] += np.uint8(cards[game] == card) * np.uint8(depth)
        for card in range(4):
            known = aces_columns[card]
            for game in range(cards.size):
                known[game] += np.uint8(cards[game] == card) * np.uint8(place % 8 + 1)
        for game in range(cards.size):
            low_sum[game] += np.uint8(cards[game] < 12) * np.uint8(depth)


@inlined
def _kings(places, at_base, cards_under):  # type: ignore[no-untyped-def]
    """Kings in row 1, and the cards beneath all kings."""
    for place in range(52):
        cards, row = places[place], place >> 3
        for game in range(cards.size):
            king = np.uint8(cards[game] >= 48)
            at_base[game] += king * np.uint8(row == 0)
            cards_under[game] += king * np.uint8(row)


@inlined
def _neighbours(places, run, column_pairs, pairs, longest, alternating):  # type: ignore[no-untyped-def]
    """What two cards lying directly on each other tell: in-order pairs and runs, changes of colour."""
    longest[:] = 1
    for column in range(8):
        in_column = column_pairs[column]
        run[:] = 1
        for place in range(column + 8, 52, 8):
            upper, lower = places[place], places[place - 8]
            for game in range(upper.size):
                fits = _in_order(upper[game], lower[game])
                turned = upper[game] ^ lower[game]
                alternating[game] += np.uint8((turned ^ (turned >> 1)) & 1)
                in_column[game] += fits
                pairs[game] += fits
                run[game] = np.uint8(run[game] * fits + 1)
                longest[game] = max(longest[game], run[game])


@inlined
def _pairs_in_columns(places, inversions, blocks):  # type: ignore[no-untyped-def]
    """What any two cards of one column tell: a higher rank above a lower one, in any suit and in the same suit."""
    for place in range(8, 52):
        upper = places[place]
        for beneath in range(place & 7, place, 8):
            lower = places[beneath]
            for game in range(upper.size):
                above = np.uint8(upper[game] > (lower[game] | 3))
                inversions[game] += above
                blocks[game] += above & np.uint8(((upper[game] ^ lower[game]) & 3) == 0)


@inlined
def _exposed_moves(places, moves):  # type: ignore[no-untyped-def]
    """Moves of one exposed card onto another; the exposed cards are the last eight dealt."""
    for source in range(44, 52):
        for target in range(44, 52):
            upper, lower = places[source], places[target]
            for game in range(upper.size):
                moves[game] += _in_order(upper[game], lower[game])


@kernel
def _automoves(places, n, counts):  # type: ignore[no-untyped-def]
    """Cards that go home before the first move by Horne's rule, for the games with an exposed ace."""
    home = np.empty(4, np.int64)
    height = np.empty(8, np.int64)
    for game in range(n):
        counts[game] = 0
        exposed_ace = False
        for place in range(44, 52):
            exposed_ace |= places[place, game] < 4
        if not exposed_ace:
            continue
        home[:] = 0
        for column in range(8):
            height[column] = 7 if column < 4 else 6
        moved = True
        while moved:
            moved = False
            for column in range(8):
                if height[column] == 0:
                    continue
                card = np.int64(places[column + 8 * (height[column] - 1), game])
                rank, suit = (card >> 2) + 1, card & 3
                red = suit == 1 or suit == 2
                others = min(home[0], home[3]) if red else min(home[1], home[2])
                if home[suit] == rank - 1 and (rank <= 2 or others >= rank - 1):
                    home[suit] = rank
                    height[column] -= 1
                    counts[game] += 1
                    moved = True


@kernel
def _stats(places, n, stats):  # type: ignore[no-untyped-def]
    """Fill ``stats`` (uint8[33, n], zeroed) from ``places`` (uint8[52, at least n]), block by block; all but the automoves."""
    run = np.empty(_BLOCK, np.uint8)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        block, known = places[:, start:stop], stats[:, start:stop]
        _depths(block, known[_DEPTHS : _DEPTHS + 8], known[_ACE_COLUMNS : _ACE_COLUMNS + 4], known[_LOW_SUM])
        _kings(block, known[_KINGS_AT_BASE], known[_UNDER_KINGS])
        _neighbours(
            block,
            run[: stop - start],
            known[_COLUMN_PAIRS : _COLUMN_PAIRS + 8],
            known[_PAIRS],
            known[_LONGEST],
            known[_ALTERNATING],
        )
        _pairs_in_columns(block, known[_INVERSIONS], known[_BLOCKS])
        _exposed_moves(block, known[_MOVES])
        for game in range(stop - start):
            for first, total, deepest in ((_DEPTHS, _ACE_SUM, _ACE_MAX), (_DEPTHS + 4, _TWO_SUM, _TWO_MAX)):
                for card in range(first, first + 4):
                    known[total, game] += known[card, game]
                    known[deepest, game] = max(known[deepest, game], known[card, game])


def compute_stats(places: NDArray[np.uint8], n: int) -> NDArray[np.uint8]:
    """Compute every statistic of `STATS` for the first ``n`` games.

    ``places`` is uint8[52, at least n], C order: row k holds the k-th card dealt of each game. Returns uint8[len(STATS), n] in the
    order of `STATS`; their definitions stand there.
    """
    stats = np.zeros((len(STATS), n), np.uint8)
    _stats(places, n, stats)
    _automoves(places, n, stats[_AUTOMOVES])
    return stats
