"""What can be wrong with an input, split by why.

In: nothing. Out: exceptions whose text is one line a person can act on (what, where, what to do).

All but `Failed` are ValueErrors of usage: the command line prints the text and exits 2. `Failed` means that the work was understood
and found wanting (a dataset that does not check, a disk that is full): exit 1.
"""


class InputError(ValueError):
    """An input that cannot be read or does not fit: the command exits 2."""


class GameNumberError(InputError):
    """A game number outside the numbered games."""


class BoardError(InputError):
    """A board text with defects; ``defects`` lists every one of them."""

    def __init__(self, defects: list[str]):
        super().__init__("; ".join(defects))
        self.defects = defects


class NotationError(InputError):
    """A text of moves that is not in its notation."""


class ConfigError(InputError):
    """A configuration or options that are wrong or conflict."""


class IllegalMoveError(InputError):
    """A move that the rules forbid in its position; the text is the reason."""


class Failed(RuntimeError):  # noqa: N818 - it is an outcome, said as such
    """The request was understood, and what it asked for failed: the command exits 1."""
