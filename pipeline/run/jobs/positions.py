"""Add the table `positions` to a dataset, from solutions that it holds, and check it against them.

In: a dataset, which solutions, under which rule set. Out: files of `positions`, findings.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from pipeline.cards.errors import ConfigError, Failed
from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.games.freecell.tables.replayed_positions import (
    COLUMNS_READ,
    RuleSet,
    positions_of,
    rule_sets,
    wrong_positions,
)
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.run.dataset.dataset import LOCAL, Dataset, Summary, read_rows
from pipeline.run.dataset.manifest import FileRecord, require_schema
from pipeline.run.dataset.plan import Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine


@dataclass(frozen=True)
class PositionsJob:
    """Replays the solutions of one variant and rule set into `positions`."""

    solutions: str
    rules: RuleSet
    variant: str
    settings: dict[str, str | int]
    tables: tuple[str, ...] = (POSITIONS.name,)

    def __call__(self, store: Store, part: Part) -> Iterator[tuple[str, pa.RecordBatchReader, str | None]]:
        """Yield the positions of the part, a batch at a time."""
        rows = read_rows(store, part.file_name(SOLUTIONS.name, self.solutions), COLUMNS_READ)
        batches = positions_of(rows, self.rules)
        yield POSITIONS.name, pa.RecordBatchReader.from_batches(POSITIONS.arrow_schema(), batches), None


@dataclass(frozen=True)
class Added:
    """What a run did, and what the table now holds of these solutions."""

    summary: Summary
    variant: str
    rows: int
    bytes: int


def add_positions(
    dataset: Dataset,
    solutions: str | None = None,
    automove: str | None = None,
    freecells: int | None = None,
    *,
    engine: Engine = LOCAL,
    advance: Advance = lambda games, note="": None,
) -> Added:
    """Write the parts of `positions` that are not there yet: of each solved game its shortest solution under one rule set.

    ``solutions`` is the name in front of their files' ``part-``; it and the rule set may be left out where the dataset leaves no choice.
    Raises ConfigError where it does, and Failed for a solution that does not win.
    """
    with dataset.open(POSITIONS.name):
        require_schema(dataset.store, dataset.manifest, (SOLUTIONS.name,))
        source = _chosen(dataset, solutions)
        rules = _rule_set(dataset, source, automove, freecells)
        told = f"{rules.automove}{rules.freecells}"
        variant = source if told in source.split("-") else f"{source}-{told}".lstrip("-")
        files = dataset.files(SOLUTIONS.name, source)
        groups: dict[tuple[tuple[str, str | int], ...], list[Part]] = {}
        for name, file in files.items():  # parts whose solutions were made otherwise are rows made otherwise
            groups.setdefault(tuple(sorted(dataset.manifest.files[name].settings.items())), []).append(file.part)
        total = Summary(0, 0, 0)
        for settings, parts in groups.items():
            own = {"solutions": source, **rules._asdict(), **{f"solutions_{key}": value for key, value in settings}}
            done = dataset.write(PositionsJob(source, rules, variant, own), parts, engine, advance)
            total = Summary(total.games + done.games, total.written + done.written, total.kept + done.kept)
        made = [dataset.manifest.files[file.part.file_name(POSITIONS.name, variant)] for file in files.values()]
        return Added(total, variant, sum(r.rows for r in made), sum(r.bytes for r in made))


def check_positions(store: Store, part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    """Replay the solutions anew and find what differs in a file of positions."""
    name = part.file_name(SOLUTIONS.name, str(record.settings.get("solutions", "")))
    rules = RuleSet(str(record.settings.get("automove")), int(record.settings.get("freecells", -1)))
    try:
        return wrong_positions(table, read_rows(store, name, COLUMNS_READ), rules)
    except FileNotFoundError:
        return [f"the solutions it was made from, {name}, are not there"]
    except (pa.ArrowException, Failed) as error:
        return [f"the solutions it was made from, {name}: {error}"]


def _chosen(dataset: Dataset, solutions: str | None) -> str:
    """The variant of the solutions that are named, or of the only ones there are."""
    variants = dataset.variants(SOLUTIONS.name)
    if not variants:
        raise ConfigError(f"{dataset}: has no solutions; make them with `dealbook solve {dataset}`")
    if solutions is None and len(variants) > 1:
        raise ConfigError(f"{dataset}: has several solutions: choose --solutions {', '.join(variants)}")
    wanted = variants[0] if solutions is None else solutions
    if wanted not in variants:
        raise ConfigError(f"--solutions {wanted}: {dataset} has {', '.join(variants) or 'unnamed ones'}")
    return wanted


def _rule_set(dataset: Dataset, solutions: str, automove: str | None, freecells: int | None) -> RuleSet:
    """The one rule set of these solutions that fits the options."""
    found: set[RuleSet] = set()
    for name in dataset.files(SOLUTIONS.name, solutions):
        found |= rule_sets(dataset.read(name, ["automove", "freecells", "status"]))
    fitting = sorted(r for r in found if automove in (None, r.automove) and freecells in (None, r.freecells))
    if len(fitting) == 1:
        return fitting[0]
    several = "solutions under several rule sets" if fitting else "no solved game under this rule set"
    raise ConfigError(f"{dataset}: {several}; there are {'; '.join(map(str, sorted(found))) or 'none'}")
