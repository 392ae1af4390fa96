"""Dealbook: numbered solitaire deals as datasets.

The names below are the Python API. Each is imported when it is first used, so that the command starts quickly; games are dealt by
`pipeline.games.freecell.deal.microsoft.deal`, whose name here is that of the room.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pipeline.games.freecell.tables.positions_code import action_move as action_move
    from pipeline.games.freecell.tables.positions_code import action_of as action_of
    from pipeline.games.freecell.tables.positions_code import decode_legal as decode_legal
    from pipeline.games.freecell.tables.positions_code import decode_position as decode_position
    from pipeline.games.freecell.tables.positions_code import encode_legal as encode_legal
    from pipeline.games.freecell.tables.positions_code import encode_position as encode_position
    from pipeline.serve.learn.batches import batches as batches
    from pipeline.serve.learn.features import one_hot as one_hot
    from pipeline.serve.learn.features import planes as planes
    from pipeline.serve.learn.tables import load as load
    from pipeline.serve.learn.tables import matrix as matrix
    from pipeline.serve.learn.torch_data import TorchBatches as TorchBatches
    from pipeline.tables.split import split_codes as split_codes
    from pipeline.tables.split import split_of as split_of

_HOMES: Final = {
    "batches": "serve.learn.batches",
    "load": "serve.learn.tables",
    "matrix": "serve.learn.tables",
    "one_hot": "serve.learn.features",
    "planes": "serve.learn.features",
    "TorchBatches": "serve.learn.torch_data",
    "action_move": "games.freecell.tables.positions_code",
    "action_of": "games.freecell.tables.positions_code",
    "decode_legal": "games.freecell.tables.positions_code",
    "decode_position": "games.freecell.tables.positions_code",
    "encode_legal": "games.freecell.tables.positions_code",
    "encode_position": "games.freecell.tables.positions_code",
    "split_codes": "tables.split",
    "split_of": "tables.split",
}

# TorchBatches is left out, for torch may be absent: it is imported by its name.
__all__ = [
    "action_move",
    "action_of",
    "batches",
    "decode_legal",
    "decode_position",
    "encode_legal",
    "encode_position",
    "load",
    "matrix",
    "one_hot",
    "planes",
    "split_codes",
    "split_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
