"""Put datasets that were built apart into one.

In: the URLs of a dataset that takes in and of those that are taken in. Out: its files and manifest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.dataset.dataset import LOCAL, Dataset
from pipeline.run.dataset.manifest import FileRecord, Manifest, PlanRecord, require_schema
from pipeline.run.dataset.plan import FileName, Plan
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.progress import Advance
from pipeline.run.engine.tasks import Engine


@dataclass(frozen=True)
class Merged:
    """What a merge did: files copied now, files that were there, and how many parts of the plan have files."""

    copied: int
    kept: int
    parts: int
    planned: int


def merge(
    out: str, urls: Sequence[str], engine: Engine = LOCAL, advance: Advance = lambda games, note="": None
) -> Merged:
    """Copy the files of datasets into ``out``, each checked against its record; what is there already stays.

    The datasets hold parts of one plan, or ranges of games whose parts are parts of the range of all. Raises ConfigError where they do
    not fit together, and Failed where a file exists in two versions or is not as recorded.
    """
    sources, target = [Dataset(url) for url in urls], Dataset(out)
    for source in sources:
        source.manifest  # noqa: B018 - each is read, and refused, before anything is made
    with target.lock():
        there = [target] if target.exists() else []
        plan = _common_plan(there + sources)
        files = _all_files(there + sources)
        whole = target.manifest if there else Manifest(game=sources[0].manifest.game, plan=plan)
        whole.plan = plan
        for source in sources:
            whole.tables.update(source.manifest.tables)
            whole.made_with = _joined(whole.made_with, source.manifest.made_with)
        sizes = target.store.files()
        kept = {name for name, record in whole.files.items() if sizes.get(name) == record.bytes}
        missing = [
            (source.store, name, source.manifest.files[name])
            for name, source in _all_files(sources).items()
            if name not in kept
        ]
        whole.save(target.store)
        try:
            for name, record in engine.run(partial(_copy, target.store), missing):
                whole.add(target.store, {name: record})
                advance(record.rows)
        finally:
            whole.save(target.store)
        target.store.sync()
    parts = {FileName.parse(name).part for name in files}
    return Merged(len(missing), len(files) - len(missing), len(parts), len(whole.parts()))


def _copy(target: Store, item: tuple[Store, str, FileRecord]) -> tuple[str, FileRecord]:
    source, name, record = item
    try:
        data = source.read(name, record.bytes + 1)
    except FileNotFoundError:
        raise Failed(f"{source.url}/{name}: missing; build that dataset again to write it") from None
    if sha256(data) != record.sha256:
        raise Failed(f"{source.url}/{name}: not as recorded; `dealbook check {source.url}` tells more")
    target.write(name, data)
    return name, record


def _common_plan(sources: Sequence[Dataset]) -> PlanRecord:
    """The plan from the first game of all datasets to the last; raises ConfigError where one of them does not fit into it."""
    game = sources[0].manifest.game
    plans = [source.manifest.parts() for source in sources]
    whole = Plan(min(p.first for p in plans), max(p.last for p in plans), plans[0].part_size)
    for source, plan in zip(sources, plans, strict=True):
        require_schema(source.store, source.manifest, tuple(source.manifest.tables))
        if source.manifest.game != game:
            raise ConfigError(f"{source}: holds {source.manifest.game} games, the others {game}")
        if not whole.holds(plan):
            raise ConfigError(
                f"{source}: its parts, games {plan.first}..{plan.last} by {plan.part_size}, are no parts of "
                f"{whole.first}..{whole.last} by {whole.part_size}"
            )
    return PlanRecord(first=whole.first, last=whole.last, part_size=whole.part_size)


def _all_files(sources: Sequence[Dataset]) -> dict[str, Dataset]:
    """Where each file can be had; raises Failed where two datasets hold different ones of a name."""
    found: dict[str, Dataset] = {}
    for source in sources:
        planned = set(source.manifest.parts())
        for name, record in source.manifest.files.items():
            if FileName.parse(name).part not in planned:
                raise Failed(f"{source}/{name}: is no part of that dataset's plan")
            other = found.setdefault(name, source)
            if other.manifest.files[name] != record:
                raise Failed(f"{name}: not the same in {other} as in {source}; remove one of them")
    return found


def _joined(ours: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    """Name all versions that wrote files."""
    return {
        name: ", ".join(
            sorted({*ours.get(name, theirs.get(name, "")).split(", "), *theirs.get(name, "").split(", ")} - {""})
        )
        for name in {**ours, **theirs}
    }
