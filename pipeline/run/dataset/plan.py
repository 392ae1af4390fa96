"""Cut a range of games into parts.

In: first and last game number and a part size. Out: `Plan` and `Part`, pure functions of these three.

Jobs, engines and machines never change a part, so a dataset's bytes depend on the plan alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, overload

from pipeline.cards.errors import ConfigError

IMPORTED: Final = "import-"
"""Begins the variant of files that hold what a user imported."""

_FILE_NAME = re.compile(r"([a-z_]+)/(?:([a-z0-9-]+)-)?part-(\d{10})-(\d{10})\.parquet", re.ASCII)

MAX_PARTS: Final = 1_000_000
"""Parts of a plan: more than a manifest can record would be written in vain."""


@dataclass(frozen=True, order=True)
class Part:
    """One range of games and its files: game numbers ``start`` to ``stop - 1``."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __str__(self) -> str:
        return f"{self.start}..{self.stop - 1}"

    def file_name(self, table: str, variant: str = "") -> str:
        """Name of this part's file of a table, relative to the dataset; ``variant`` tells apart files with other settings."""
        prefix = f"{variant}-" if variant else ""
        return f"{table}/{prefix}part-{self.start:010d}-{self.stop - 1:010d}.parquet"


@dataclass(frozen=True)
class FileName:
    """The parts of a data file's name."""

    table: str
    variant: str
    part: Part

    @classmethod
    def parse(cls, name: str) -> "FileName":
        """Read a relative file name as `Part.file_name` writes it; raises ValueError for any other text."""
        match = _FILE_NAME.fullmatch(name)
        if match is None or int(match[3]) > int(match[4]):
            raise ValueError(f"not the name of a part: {name!r}")
        return cls(match[1], match[2] or "", Part(int(match[3]), int(match[4]) + 1))


def _range(option: str, text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,12})(?:(?:-|\.\.)(\d{1,12}))?", text.strip(), re.ASCII)
    if match is None:
        raise ConfigError(f"{option} {text}: not a number nor a range such as 17-20")
    return int(match[1]), int(match[2] or match[1])


@dataclass(frozen=True)
class Plan(Sequence[Part]):
    """The parts of a range of games, ``first`` to ``last`` inclusive, each of ``part_size`` games but for the last one."""

    first: int
    last: int
    part_size: int

    def __len__(self) -> int:
        return -(-(self.last - self.first + 1) // self.part_size)

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> list[Part]: ...
    def __getitem__(self, index: int | slice) -> Part | list[Part]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        start = self.first + (index % len(self)) * self.part_size
        return Part(start, min(start + self.part_size, self.last + 1))

    def chosen(self, parts: str | None, games: str | None) -> Sequence[Part]:
        """The parts that a text names: ``parts`` by their places in the plan ("17" or "17-20", from 1), ``games`` by their numbers.

        All of them for two None; raises ConfigError for both at once, another text, and places or games that are not whole parts.
        """
        if parts is not None and games is not None:
            raise ConfigError("--part and --games: choose one of them")
        if games is not None:
            return self.parts_of(*_range("--games", games))
        if parts is None:
            return self
        first, last = _range("--part", parts)
        if not 1 <= first <= last <= len(self):
            raise ConfigError(f"--part {parts}: the plan has parts 1 to {len(self)}")
        return self[first - 1 : last]

    def holds(self, other: "Plan") -> bool:
        """Whether all parts of another plan are parts of this one."""
        return (
            self.part_size == other.part_size
            and self.first <= other.first <= other.last <= self.last
            and (other.first - self.first) % self.part_size == 0
            and (other.last == self.last or (other.last + 1 - self.first) % self.part_size == 0)
        )

    @property
    def games(self) -> int:
        """Games in the whole plan."""
        return self.last - self.first + 1

    def parts_of(self, first: int, last: int) -> list[Part]:
        """The parts that hold games ``first`` to ``last``; raises ConfigError unless these begin and end with a part."""
        if not self.first <= first <= last <= self.last:
            raise ConfigError(f"games {first}..{last} are not all in the dataset's range {self.first}..{self.last}")
        low, high = (first - self.first) // self.part_size, (last - self.first) // self.part_size
        chosen = self[low : high + 1]
        if chosen[0].start != first or chosen[-1].stop != last + 1:
            raise ConfigError(
                f"games {first}..{last} cut through parts: the parts that hold them are {chosen[0].start}..{chosen[-1].stop - 1}"
            )
        return chosen
