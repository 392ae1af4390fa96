"""Add the table `positions` to a dataset, from solutions that it holds, and check it against them.

In: a dataset's store, which solutions, under which rule set. Out: files of `positions`, findings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.cards.errors import ConfigError, Failed
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.tables.positions import position_batches
from pipeline.games.freecell.tables.positions_schema import POSITIONS
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.run.dataset.manifest import FileRecord, Manifest, open_manifest, read_manifest
from pipeline.run.dataset.plan import FileName, Part
from pipeline.run.dataset.store import Store
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import EngineName
from pipeline.run.jobs.build import Summary, run_job

_COLUMNS: Final = ("game_number", "freecells", "automove", "status", "moves", "move_count", "written_move_count")


class RuleSet(NamedTuple):
    """What solutions of one kind share."""

    automove: str
    freecells: int

    def __str__(self) -> str:
        return f"--automove {self.automove} --freecells {self.freecells}"


class Texts(NamedTuple):
    """One solution a game: int64[n] game numbers, and the i-th text is ``text[offsets[i]:offsets[i + 1]]``."""

    game_numbers: NDArray[np.int64]
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]


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
        batches = _batches(store, part.file_name(SOLUTIONS.name, self.solutions), self.rules)
        yield POSITIONS.name, pa.RecordBatchReader.from_batches(POSITIONS.arrow_schema(), batches), None


@dataclass(frozen=True)
class Added:
    """What a run did, and what the table now holds of these solutions."""

    summary: Summary
    variant: str
    rows: int
    bytes: int


def add_positions(
    store: Store,
    solutions: str | None = None,
    automove: str | None = None,
    freecells: int | None = None,
    *,
    jobs: int | None = None,
    engine: EngineName = "local",
    scheduler: str | None = None,
    advance: Advance = lambda games, note="": None,
) -> Added:
    """Write the parts of `positions` that are not there yet: of each solved game its shortest solution under one rule set.

    ``solutions`` is the name in front of their files' ``part-``; it and the rule set may be left out where the dataset leaves no choice.
    Raises ConfigError where it does, and Failed for a solution that does not win.
    """
    with store.locked():
        known = read_manifest(store)
        if known.game != POSITIONS.game:
            raise ConfigError(f"{store.url}: holds {known.game} games; positions are of {POSITIONS.game} games")
        files = _chosen(store, known, solutions)
        rules = _rule_set(store, files, automove, freecells)
        manifest = open_manifest(store, known.game, known.parts(), (POSITIONS.name,))
        first = FileName.parse(files[0]).variant
        told = f"{rules.automove}{rules.freecells}"
        variant = first if told in first.split("-") else f"{first}-{told}".lstrip("-")
        groups: dict[tuple[tuple[str, str | int], ...], list[Part]] = {}
        for name in files:  # parts whose solutions were made otherwise are rows made otherwise
            groups.setdefault(tuple(sorted(manifest.files[name].settings.items())), []).append(
                FileName.parse(name).part
            )
        total = Summary(0, 0, 0)
        for settings, parts in groups.items():
            own = {"solutions": first, **rules._asdict(), **{f"solutions_{key}": value for key, value in settings}}
            job = PositionsJob(first, rules, variant, own)
            done = run_job(store, manifest, job, parts, jobs=jobs, engine=engine, scheduler=scheduler, advance=advance)
            total = Summary(total.games + done.games, total.written + done.written, total.kept + done.kept)
        records = [manifest.files[FileName.parse(name).part.file_name(POSITIONS.name, variant)] for name in files]
        return Added(total, variant, sum(r.rows for r in records), sum(r.bytes for r in records))


def check_positions(store: Store, part: Part, table: pa.Table, record: FileRecord) -> list[str]:
    """Replay the solutions anew and find what differs in a file of positions."""
    name = part.file_name(SOLUTIONS.name, str(record.settings.get("solutions", "")))
    rules = RuleSet(str(record.settings.get("automove")), int(record.settings.get("freecells", -1)))
    try:
        at = 0
        for batch in _batches(store, name, rules):
            found = table.slice(at, batch.num_rows)
            if found.num_rows < batch.num_rows:
                return [f"ends with {table.num_rows} positions; its solutions have more"]
            for column, expected in zip(table.schema.names, batch.columns, strict=True):
                if not found[column].equals(pa.chunked_array([expected])):
                    return [_difference(found, batch, column)]
            at += batch.num_rows
    except FileNotFoundError:
        return [f"the solutions it was made from, {name}, are not there"]
    except (pa.ArrowException, Failed) as error:
        return [f"the solutions it was made from, {name}: {error}"]
    return [] if at == table.num_rows else [f"{table.num_rows} positions; its solutions have {at}"]


def _difference(found: pa.Table, batch: pa.RecordBatch, column: str) -> str:
    numbers, plies = batch.column("game_number").to_numpy(), batch.column("ply").to_numpy()
    here, right = found[column].to_numpy(), batch.column(column).to_numpy()
    row = int(np.argmax(here != right))
    return f"game {numbers[row]}, ply {plies[row]}: {column} is {here[row]}, {right[row]} is right"


def _chosen(store: Store, manifest: Manifest, solutions: str | None) -> list[str]:
    """The files of the solutions that are named, or of the only ones there are."""
    names = [name for name in manifest.files if FileName.parse(name).table == SOLUTIONS.name]
    variants = sorted({FileName.parse(name).variant for name in names})
    if not variants:
        raise ConfigError(f"{store.url}: has no solutions; make them with `dealbook solve {store.url}`")
    if solutions is None and len(variants) > 1:
        raise ConfigError(f"{store.url}: has several solutions: choose --solutions {', '.join(variants)}")
    wanted = variants[0] if solutions is None else solutions
    if wanted not in variants:
        raise ConfigError(f"--solutions {wanted}: {store.url} has {', '.join(variants) or 'unnamed ones'}")
    return [name for name in names if FileName.parse(name).variant == wanted]


def _rule_set(store: Store, names: list[str], automove: str | None, freecells: int | None) -> RuleSet:
    """The one rule set of these solutions that fits the options."""
    found: set[RuleSet] = set()
    for name in names:
        rows = _read(store, name, ["automove", "freecells", "status"])
        rows = rows.filter(pc.equal(rows["status"], "solved")).group_by(["automove", "freecells"]).aggregate([])
        found.update(map(RuleSet, rows["automove"].to_pylist(), rows["freecells"].to_pylist()))
    fitting = sorted(r for r in found if automove in (None, r.automove) and freecells in (None, r.freecells))
    if len(fitting) == 1:
        return fitting[0]
    several = "solutions under several rule sets" if fitting else "no solved game under this rule set"
    raise ConfigError(f"{store.url}: {several}; there are {'; '.join(map(str, sorted(found))) or 'none'}")


def _read(store: Store, name: str, columns: list[str]) -> pa.Table:
    with store.open(name) as file:
        return pq.read_table(file, columns=columns)


def _batches(store: Store, name: str, rules: RuleSet) -> Iterator[pa.RecordBatch]:
    """Replay the solutions of one file under one rule set."""
    chosen = shortest(_read(store, name, list(_COLUMNS)), rules)
    yield from position_batches(
        chosen.game_numbers, deal(chosen.game_numbers), chosen.text, chosen.offsets, **rules._asdict()
    )


def shortest(rows: pa.Table, rules: RuleSet) -> Texts:
    """Choose the shortest solution of each solved game under a rule set; of equal ones the first."""
    fits: Any = pc.and_(pc.equal(rows["automove"], rules.automove), pc.equal(rows["freecells"], rules.freecells))
    rows = rows.filter(pc.and_(fits, pc.equal(rows["status"], "solved")))
    numbers = rows["game_number"].to_numpy()
    order = np.lexsort((rows["written_move_count"].to_numpy(), rows["move_count"].to_numpy(), numbers))
    is_first = np.diff(numbers[order], prepend=-1) > 0
    moves = rows["moves"].take(pa.array(order[is_first])).cast(pa.large_string()).combine_chunks()
    if not len(moves):
        return Texts(np.empty(0, np.int64), np.empty(0, np.uint8), np.zeros(1, np.int64))
    _, offsets, text = moves.buffers()
    return Texts(
        numbers[order][is_first],
        np.frombuffer(text, np.uint8),
        np.frombuffer(offsets, np.int64)[moves.offset : moves.offset + len(moves) + 1],
    )
