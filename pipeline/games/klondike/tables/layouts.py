"""The table `klondike`: layouts of a range of games with their statistics, dealt and computed in one pass.

In: a range of game numbers. Out: an Arrow table as `schema` declares it.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.cards.codes import CARDS
from pipeline.games.klondike.deal import PLACES, deal_klondike
from pipeline.games.klondike.tables.definitions import KLONDIKE_STATS, NULLABLE
from pipeline.games.klondike.tables.schema import KLONDIKE
from pipeline.kernels.compile import inlined, kernel
from pipeline.tables.arrow import arrow_array, cards_digest

NOWHERE: Final = 255
"""In the kernel's output: the card lies in the other place, null in the table."""

FACE_UP: Final = sum(1 << (column * (column + 1) // 2 - 1) for column in range(1, 8))
"""The flags of the cards that are dealt face up, bit k for the k-th card of the tableau: the last of each column."""

_INDEX: Final = {name: i for i, name in enumerate(KLONDIKE_STATS)}
_DEPTH, _FACE_DOWN, _STOCK = _INDEX["depth_ac"], _INDEX["face_down_over_ac"], _INDEX["stock_place_ac"]
_KING_STOCK, _KING_COLUMN, _KING_ROW = _INDEX["stock_place_kc"], _INDEX["column_kc"], _INDEX["row_kc"]
_ACE_SUM, _ACE_MAX, _ACES_IN_STOCK = _INDEX["ace_depth_sum"], _INDEX["ace_depth_max"], _INDEX["aces_in_stock"]
_KINGS_IN_STOCK, _KINGS_AT_BASE = _INDEX["kings_in_stock"], _INDEX["kings_at_base"]
_UNDER_KINGS, _COLUMN_PAIRS, _PAIRS = _INDEX["cards_under_kings"], _INDEX["in_order_pairs_c2"], _INDEX["in_order_pairs"]
_TABLEAU_MOVES, _HOME_MOVES = _INDEX["legal_tableau_moves"], _INDEX["legal_foundation_moves"]
_PLAYABLE: Final = _INDEX["playable_stock_cards"]
_FIRST_NULLABLE, _LAST_NULLABLE = _DEPTH, _KING_ROW + 3

_COLUMN = np.array([int(place[1]) if place[0] == "c" else 0 for place in PLACES], np.int64)
_ROW = np.array([int(place[3]) if place[0] == "c" else int(place[1:]) for place in PLACES], np.int64)


@inlined
def _fits(upper, lower):  # type: ignore[no-untyped-def]
    """Whether a card may lie on another; a code's two low bits differ exactly for red suits."""
    turned = upper ^ lower
    return lower >> 2 == (upper >> 2) + 1 and (turned ^ turned >> 1) & 1 == 1


@kernel
def _statistics(layouts, columns, rows, stats):  # type: ignore[no-untyped-def]
    """Fill ``stats`` (uint8[len(KLONDIKE_STATS), n]) from ``layouts`` (uint8[n, 52]); ``columns`` and ``rows`` are those of each place."""
    cards, tops = np.empty(52, np.int64), np.empty(7, np.int64)
    for game in range(layouts.shape[0]):
        for place in range(52):
            cards[place] = layouts[game, place]
        for stat in range(stats.shape[0]):
            stats[stat, game] = 255 if _FIRST_NULLABLE <= stat <= _LAST_NULLABLE else 0
        for column in range(7):
            tops[column] = cards[(column + 1) * (column + 2) // 2 - 1]
        for place in range(52):
            card, column, row = cards[place], columns[place], rows[place]
            depth, low, king = column - row, card, card - 48
            if column == 0:  # in the stock; the row is the place there
                if low < 8:
                    stats[_STOCK + low, game] = row
                if king >= 0:
                    stats[_KING_STOCK + king, game] = row
                    stats[_KINGS_IN_STOCK, game] += 1
                playable = low < 4
                for k in range(7):
                    playable = playable or _fits(card, tops[k])
                stats[_ACES_IN_STOCK, game] += low < 4
                stats[_PLAYABLE, game] += playable
                continue
            if low < 8:
                stats[_DEPTH + low, game] = depth
                stats[_FACE_DOWN + low, game] = max(depth - 1, 0)
            if low < 4:
                stats[_ACE_SUM, game] += depth
                stats[_ACE_MAX, game] = max(depth, np.int64(stats[_ACE_MAX, game]))
                stats[_HOME_MOVES, game] += depth == 0
            if king >= 0:
                stats[_KING_COLUMN + king, game] = column
                stats[_KING_ROW + king, game] = row
                stats[_KINGS_AT_BASE, game] += row == 1
                stats[_UNDER_KINGS, game] += row - 1
            if row > 1 and _fits(card, cards[place - 1]):
                stats[_COLUMN_PAIRS + column - 2, game] += 1
                stats[_PAIRS, game] += 1
            if depth == 0:
                for k in range(7):
                    stats[_TABLEAU_MOVES, game] += _fits(card, tops[k])


def klondike_statistics(layouts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Compute the statistics of layouts (uint8[n, 52]); returns uint8[len(KLONDIKE_STATS), n], `NOWHERE` where the table has null."""
    stats = np.empty((len(KLONDIKE_STATS), len(layouts)), np.uint8)
    _statistics(np.ascontiguousarray(layouts), _COLUMN, _ROW, stats)
    return stats


def nullable_array(values: NDArray[np.uint8]) -> pa.Array:
    """Wrap uint8[n] as an Arrow array, null where it is `NOWHERE`."""
    present = values != NOWHERE
    bitmap = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.Array.from_buffers(
        pa.uint8(), values.size, [bitmap, pa.py_buffer(np.where(present, values, 0).astype(np.uint8))]
    )


def dealt_klondike_tables(start: int, stop: int, tables: tuple[str, ...]) -> Iterator[tuple[str, pa.Table, str | None]]:
    """Deal games ``start`` to ``stop - 1`` and yield name, Arrow table and the digest of the cards, where ``tables`` asks for it."""
    if "klondike" not in tables:
        return
    numbers = np.arange(start, stop, dtype=np.int64)
    layouts = deal_klondike(numbers)
    places = np.ascontiguousarray(layouts.T)
    stats = zip(KLONDIKE_STATS, klondike_statistics(layouts), strict=True)
    columns = [
        arrow_array(numbers),
        *(arrow_array(places[k]) for k in range(CARDS)),
        arrow_array(np.full(numbers.size, FACE_UP, np.uint32)),
        *(nullable_array(values) if name in NULLABLE else arrow_array(values) for name, values in stats),
    ]
    yield "klondike", pa.Table.from_arrays(columns, schema=KLONDIKE.arrow_schema()), cards_digest(places)
