"""Deal a range of games into a dataset: the parts that are not there yet.

In: a config. Out: the files of the dealt tables.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset, Summary
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance


@dataclass(frozen=True)
class DealJob:
    """Deals games into `layouts` and `stats`, or Klondike games into `klondike`."""

    game: str
    tables: tuple[str, ...]
    variant: str = ""
    settings: dict[str, str | int] = field(default_factory=dict)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, str | None]]:
        """Yield the dealt tables of the part."""
        if self.game == "klondike":
            from pipeline.games.klondike.tables.layouts import dealt_klondike_tables

            return dealt_klondike_tables(part.start, part.stop, self.tables)
        from pipeline.games.freecell.tables.layouts import dealt_tables

        return dealt_tables(part.start, part.stop, self.tables)


def build(
    config: Config, advance: Advance = lambda games, note="": None, parts: Iterable[Part] | None = None
) -> Summary:
    """Deal the games of a config into its dataset: those of the parts (all of the plan, for None) that are not there yet."""
    dataset, job = Dataset(config.out), DealJob(config.game, config.dealt_tables())
    with dataset.begin(config.game, config.plan(), *job.tables):
        return dataset.write(job, dataset.parts() if parts is None else parts, config.runner(), advance)
