"""Every table of every game.

In: `GAMES`. Out: `TABLES`, which loads a game's tables when one is looked for.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from pipeline.games import GAMES
from pipeline.tables.declared import Table


class Tables(Mapping[str, Table]):
    """The declared tables of all games by name, in the order of the games."""

    def __getitem__(self, name: str) -> Table:
        for game in GAMES.values():
            if name in game.tables:
                return game.tables[name].declared
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(game.tables for game in GAMES.values())

    def __len__(self) -> int:
        return sum(len(game.tables) for game in GAMES.values())


TABLES: Final = Tables()


def matrices_of(table: str) -> Mapping[str, tuple[str, ...]]:
    """The columns of a table that come as one matrix, by the matrix's name; raises KeyError for a name that no table has."""
    return GAMES[TABLES[table].game].tables[table].matrices
