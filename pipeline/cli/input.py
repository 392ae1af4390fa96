"""What a command is given to read: a file, or stdin for a minus sign.

In: the argument FILE. Out: its bytes, and its name in messages.
"""

import sys
from pathlib import Path

from pipeline.cards.errors import InputError


def input_name(file: str) -> str:
    """Name an input in messages: the path as it was given, or stdin."""
    return "stdin" if file == "-" else file


def read_input(file: str) -> bytes:
    """Read a file, or stdin for a minus sign; raises InputError for a path that is no file one can read."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{input_name(file)}: {error.strerror or error}") from None
