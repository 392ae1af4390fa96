"""What a game brings with it: the record by which the rest of the house knows a game, and the parts of that record.

In: nothing. Out: `Game`, `GameTable`, `Picture`.

Names, numbers and words stand in a record as they are. Whatever takes time to load (Arrow schemas, kernels, readers) stands behind a
function that loads it when it is called: drawing one layout loads neither pyarrow nor the tables of all games.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from pipeline.tables.declared import Table
    from pipeline.tables.view import View


class Picture(NamedTuple):
    """The cards on the table at the start of a game."""

    title: str | None
    columns: list[list[int]]
    """Card codes of each column, base first."""
    face_down: list[int]
    """How many cards of each column lie face down, from its base."""
    stock: list[int] | None
    """Card codes of the stock, the first to be drawn first; None in a game without one."""


class GameTable(NamedTuple):
    """One table of a game: its declaration, the command that makes it, and the columns that come as one matrix, by the matrix's name."""

    declared: "Table"
    made_by: str
    matrices: "Mapping[str, tuple[str, ...]]" = MappingProxyType({})


@dataclass(frozen=True)
class CardWords:
    """What a dataset's card says of a game: how its layouts are made, and in what its numbers are no fair sample; Markdown."""

    how_made: str
    biases: str


@dataclass(frozen=True)
class Game:
    """A numbered game. Functions take and return what their names say; card codes are those of `cards.codes`.

    ``dealt``: names of the tables that a build writes. ``deal_tables`` makes these for games ``start`` to ``stop - 1``, in one pass over
    the layouts because the tables share them, and yields name, Arrow table and the digest of the cards or None; what it makes is a
    function of the range, so that dealing anew is the proof of these tables.
    """

    name: str
    title: str
    """As a sentence names it: FreeCell."""
    numbering: str
    """Whose numbers these are, as a dataset is called: Microsoft FreeCell."""
    first: int
    last: int
    special: tuple[int, ...]
    """Numbers that name a layout apart from those that are dealt."""
    dealt: tuple[str, ...]
    deal_tables: "Callable[[int, int, tuple[str, ...]], Iterator[tuple[str, pa.Table, str | None]]]" = field(repr=False)
    load_tables: Callable[[], tuple[GameTable, ...]] = field(repr=False)
    views: "Callable[[set[str]], list[View]]" = field(repr=False)
    """SQL views over those of its tables that a dataset has, beside the ones that every table gets."""
    layout: "Callable[[int], NDArray[np.uint8]]" = field(repr=False)
    """The cards of one game as dealt, special numbers included; raises GameNumberError for a number without a game."""
    picture: "Callable[[NDArray[np.uint8], str | None], Picture]" = field(repr=False)
    """How a layout lies on the table, under a title."""
    card: CardWords = field(repr=False)

    @cached_property
    def tables(self) -> dict[str, GameTable]:
        """The game's tables by name, in the order in which they are shown."""
        return {table.declared.name: table for table in self.load_tables()}
