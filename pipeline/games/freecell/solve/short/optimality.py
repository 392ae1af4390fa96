"""Prove that no solution is shorter than one that is known, or say how far the proof got.

In: places and a length. Out: a lower bound, and a shorter solution where there is one.

A budget is counted in states, not in seconds, so that the outcome is the same on every machine.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.freecell.solve.short.layered_search import (
    END,
    FOUND,
    MET,
    NONE,
    STEP_BITS,
    TABLE_FULL,
    WORDS,
    begin,
    move_keys,
    new_layers,
    search_layers,
)
from pipeline.games.freecell.solve.state import HOME, HOME_RULES, PARENTS

STATES_A_SECOND: Final = 1_000_000
"""States that one core of a machine of 2024 meets in a second."""
FOR_THE_PROOF: Final = 0.9
"""Share of the budget for the proof itself; if it fails, the rest raises the lower bound from below."""

_FIRST_WORDS: Final = 1 << 15
_GROWTH: Final = 4
_ANY: Final = 1 << 30


def states_of(seconds: float) -> int:
    """The budget that stands for so many seconds."""
    return int(seconds * STATES_A_SECOND)


class Proof(NamedTuple):
    """``lower_bound``: no solution is shorter. ``steps``: `slot`s of a solution as short as that, where one was met, else None.
    ``states``: states met. ``is_complete``: whether nothing was left untried within the length asked for."""

    lower_bound: int
    steps: NDArray[np.int64] | None
    states: int
    is_complete: bool


class Prover:
    """Memory for proofs, one after the other: a table of keys that grows, a ring of layers and a log, within ``memory`` bytes together."""

    def __init__(self, memory: float):
        self.most_words = 1 << int(memory * 0.4 / 8).bit_length() - 1
        self.layers = new_layers(max(1_000, int(memory * 0.35 / 8 / WORDS)), max(1_000, int(memory * 0.1 / 8)))

    def within(self, start: NDArray[np.uint8], columns: int, cells: int, rule: str, most: int, states: int) -> Proof:
        """Look for a solution of at most ``most`` moves, meeting at most so many states.

        A table, a layer or a budget that is full makes the proof incomplete, and its lower bound the static one (`bound`).
        """
        layers, home_rule = self.layers, HOME_RULES[rule]
        keys = np.zeros(min(_FIRST_WORDS, self.most_words), np.int64)
        is_won, bound = begin(layers, start, keys, PARENTS, home_rule, most + 1)
        if is_won:
            return Proof(0, np.zeros(0, np.int64), 1, True)
        while True:
            ended = search_layers(layers, keys, PARENTS, home_rule, columns, cells, most, states)
            if ended != TABLE_FULL or keys.size * _GROWTH > self.most_words:
                break
            larger = np.zeros(keys.size * _GROWTH, np.int64)
            move_keys(keys, larger)
            keys = larger
        met = int(layers.stand[MET])
        if ended == FOUND:
            steps = self._steps()
            return Proof(move_steps(steps), steps, met, True)  # layers come by length: there is none shorter
        return Proof(most + 1, None, met, True) if ended == NONE else Proof(bound, None, met, False)

    def _steps(self) -> NDArray[np.int64]:
        """The steps to the last state of the log."""
        number, steps = int(self.layers.stand[END]) - 1, []
        while number:
            number, step = divmod(int(self.layers.log[number]), 1 << STEP_BITS)
            steps.append(step)
        return np.array(steps[::-1], np.int64)

    def shortest(
        self, start: NDArray[np.uint8], columns: int, cells: int, rule: str, length: int, states: int
    ) -> Proof:
        """Prove that no solution has less than ``length`` moves, or find one.

        Where the budget is too small for that, what is left of it raises the lower bound from below.
        """
        if length == 0:
            return Proof(0, None, 0, True)
        proof = self.within(start, columns, cells, rule, length - 1, int(states * FOR_THE_PROOF))
        used, bound = proof.states, proof.lower_bound
        while not proof.is_complete and bound < length - 1 and used < states:
            step = self.within(start, columns, cells, rule, bound, states - used)
            used += step.states
            if step.steps is not None:
                return step._replace(states=used)
            if not step.is_complete:
                break
            bound = step.lower_bound
        return proof._replace(lower_bound=bound, states=used)

    def exhaust(self, start: NDArray[np.uint8], columns: int, cells: int, rule: str, states: int) -> Proof:
        """Try everything a rule allows: complete without steps, there is no solution."""
        return self.within(start, columns, cells, rule, _ANY, states)


def move_steps(steps: NDArray[np.int64]) -> int:
    """How many steps are moves between columns and cells."""
    return int(((steps & 63) != HOME).sum())
