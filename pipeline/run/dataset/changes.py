"""Changes of a whole dataset: a larger range of games, a table less.

In: a store and a manifest, held for writing. Out: both changed so that a killed change goes on when it is asked for again.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.cards.errors import ConfigError
from pipeline.run.dataset.manifest import FileRecord, Manifest, PlanRecord
from pipeline.run.dataset.plan import IMPORTED, FileName, Part, Plan
from pipeline.run.dataset.store import Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Dropped:
    """What was removed, and what is left that was made from it: table and variant of each."""

    files: int
    bytes: int
    orphans: list[str]


def extend(store: Store, manifest: Manifest, plan: Plan) -> bool:
    """Give a dataset a plan whose range holds its own; returns False, with nothing done, where parts would be cut through.

    Whole parts stay. A last part that was cut short becomes part of a longer one and is made anew; what was imported for its games, and
    positions made of that, are the same in the longer part and stay.
    """
    old = manifest.parts()
    fits = plan.first <= old.first and old.last <= plan.last and old.part_size == plan.part_size
    if not fits or (old.first - plan.first) % plan.part_size:
        return False
    cut, place = old[-1], plan[(old[-1].start - plan.first) // plan.part_size]
    if cut != place:
        files = {name: file for name in manifest.files if (file := FileName.parse(name)).part == cut}
        kept = {name: file for name, file in files.items() if file.variant.startswith(IMPORTED)}
        for name, file in kept.items():
            _move(store, manifest, name, place.file_name(file.table, file.variant))
        _remove(store, manifest, files)
        if len(files) > len(kept):
            _log.warning(
                "%s: games %s were its last, shorter part; they are made anew in games %s", store.url, cut, place
            )
    manifest.plan = PlanRecord(first=plan.first, last=plan.last, part_size=plan.part_size)
    return True


def drop(store: Store, manifest: Manifest, table: str, variant: str | None = None) -> Dropped:
    """Remove a table, or one variant of it: files first, then the records of them.

    Raises ConfigError for a table or variant that is not there, naming those that are.
    """
    files = {name: FileName.parse(name) for name in manifest.files}
    tables = sorted({file.table for file in files.values()} | manifest.tables.keys())
    if table not in tables:
        raise ConfigError(f"{store.url}: has no table {table!r}; it has {', '.join(tables) or 'none'}")
    variants = sorted({file.variant for file in files.values() if file.table == table})
    if variant is not None and variant not in variants:
        named = ", ".join(v or "one without a name" for v in variants)
        raise ConfigError(f"{store.url}: its table {table} has no variant {variant!r}; it has {named or 'none'}")
    gone = {
        name: manifest.files[name] for name, f in files.items() if f.table == table and variant in (None, f.variant)
    }
    dropped = {files[name].variant for name in gone}
    orphans = {
        f"{file.table} {file.variant}".rstrip()
        for name, file in files.items()
        if name not in gone and manifest.files[name].settings.get(table) in dropped
    }
    _remove(store, manifest, gone)
    if dropped == set(variants):
        manifest.tables.pop(table, None)
    manifest.save(store)
    return Dropped(len(gone), _bytes(gone.values()), sorted(orphans))


def _move(store: Store, manifest: Manifest, name: str, new: str) -> None:
    """Record a file under another name, and copy it there unless a killed run has done so."""
    if store.exists(name):
        store.write(new, store.read(name))
    manifest.files[new] = manifest.files[name]


def _remove(store: Store, manifest: Manifest, names: Iterable[str]) -> None:
    for name in list(names):
        if store.exists(name):
            store.remove(name)
        manifest.files.pop(name, None)


def _bytes(records: Iterable[FileRecord]) -> int:
    return sum(record.bytes for record in records)


def planned_parts(manifest: Manifest, table: str, variant: str) -> set[Part]:
    """The parts that the files of a variant are to have: all that are planned, or those of what they come from.

    Imported solutions are of the games that their source has, and positions of those that their solutions are of.
    """
    files = {FileName.parse(name): record for name, record in manifest.files.items()}
    own = {file.part: record for file, record in files.items() if (file.table, file.variant) == (table, variant)}
    if variant.startswith(IMPORTED) and table == "solutions":
        return set(own)
    made_from = {record.settings["solutions"] for record in own.values() if "solutions" in record.settings}
    if made_from:
        return {file.part for file in files if file.table == "solutions" and file.variant in made_from}
    return set(manifest.parts())
