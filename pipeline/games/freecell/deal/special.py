"""The layouts that have a name but no number in the generator: games -1 and -2 of Microsoft's program.

In: nothing. Out: uint8[52] layouts in deal order, by their signed number.

Source of the rule: Campbell's Standard FreeCell Notation (2012) keeps signed numbers for special layouts; these two, in which every card
lies against the order of play, are the ones the original program dealt for the numbers -1 and -2.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARDS, COLUMNS, parse_card

_COLUMNS: Final[dict[int, tuple[str, ...]]] = {
    -1: (
        "AC 3C 5C 7C 9C JC KC",
        "AD 3D 5D 7D 9D JD KD",
        "AH 3H 5H 7H 9H JH KH",
        "AS 3S 5S 7S 9S JS KS",
        "QC TC 8C 6C 4C 2C",
        "QD TD 8D 6D 4D 2D",
        "QH TH 8H 6H 4H 2H",
        "QS TS 8S 6S 4S 2S",
    ),
    -2: (
        "AS KS QS JS TS 9S 8S",
        "AH KH QH JH TH 9H 8H",
        "AD KD QD JD TD 9D 8D",
        "AC KC QC JC TC 9C 8C",
        "7S 6S 5S 4S 3S 2S",
        "7H 6H 5H 4H 3H 2H",
        "7D 6D 5D 4D 3D 2D",
        "7C 6C 5C 4C 3C 2C",
    ),
}


def _layout(columns: tuple[str, ...]) -> NDArray[np.uint8]:
    layout = np.empty(CARDS, np.uint8)
    for column, names in enumerate(columns):
        layout[column::COLUMNS] = [parse_card(name) for name in names.split()]
    layout.flags.writeable = False
    return layout


SPECIAL_LAYOUTS: Final[dict[int, NDArray[np.uint8]]] = {
    number: _layout(columns) for number, columns in _COLUMNS.items()
}
"""The layout of each special game, uint8[52] in deal order, by its signed number; the arrays are read-only."""
