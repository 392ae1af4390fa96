"""The games: a room each, and `GAMES`, the one list of them.

A game's record is small and loads nothing; its tables, kernels and readers are imported when they are asked for. This module is read at
the start of every command, so it must stay that way: Arrow alone would double the time of `dealbook show`.
"""

from typing import Final

from pipeline.cards.errors import InputError
from pipeline.games.freecell import FREECELL
from pipeline.games.game import Game
from pipeline.games.klondike import KLONDIKE

GAMES: Final[dict[str, Game]] = {game.name: game for game in (FREECELL, KLONDIKE)}
"""Every game by its name; the first is meant where none is named."""


def game_named(name: str | None) -> Game:
    """Find a game by its name, the first for None; raises InputError for a name that no game has."""
    chosen = next(iter(GAMES)) if name is None else name
    if chosen not in GAMES:
        raise InputError(f"no game {chosen!r}; the games are {', '.join(GAMES)}")
    return GAMES[chosen]
