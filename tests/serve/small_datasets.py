"""A small dataset for tests: real deals, and solutions made up so that every case occurs."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build


@dataclass(frozen=True)
class MadeUpSolutions:
    """Writes `solutions` that are no solutions: every tenth game impossible, every fifteenth unresolved, and lengths from the number."""

    variant: str
    automove: str
    freecells: int = 4
    tables: tuple[str, ...] = ("solutions",)
    settings: dict[str, str | int] = field(default_factory=dict)

    def row(self, game: int) -> dict[str, object]:
        status = "impossible" if game % 10 == 0 else "unresolved" if game % 15 == 0 else "solved"
        count = 20 + game % 7 + len(self.variant) if status == "solved" else None
        columns = dict.fromkeys(SOLUTIONS.arrow_schema().names)
        columns.update(
            game_number=game, freecells=self.freecells, automove=self.automove, status=status, nodes=game, budget=10**6
        )
        columns.update(tier=1, effort=0, is_shortest=False, source=self.variant, move_count=count)
        columns["moves"] = "1a 2b" if count else None
        for name in ("written_move_count", "card_move_count"):
            columns[name] = count
        return columns

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.Table, None]]:
        rows = [self.row(game) for game in range(part.start, part.stop)]
        yield "solutions", pa.Table.from_pylist(rows, schema=SOLUTIONS.arrow_schema()), None


def build_small(url: str, last: int = 2000) -> Store:
    """Deal games 1 to ``last`` into two parts, with made-up solutions of three variants."""
    build(Config(first=1, last=last, part_size=last // 2, out=url, jobs=1))
    jobs = (
        MadeUpSolutions("long", "horne"),
        MadeUpSolutions("s", "horne"),
        MadeUpSolutions("w", "wkr"),
        MadeUpSolutions("two", "horne", freecells=2),
    )
    dataset = Dataset(url)
    with dataset.open("solutions"):
        for job in jobs:
            dataset.write(job, dataset.parts(), Engine(jobs=1))
    return dataset.store
