"""What a dataset is meant to hold and what it holds so far: manifest.json.

In: a store. Out: `Manifest`, read, checked, added to and saved.

The manifest has nothing in it that two runs of one plan could differ in: no times, no machine, no job count.
"""

import json
import time
from functools import cache
from importlib.metadata import version
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline.cards.errors import ConfigError, Failed
from pipeline.games.registry import TABLES
from pipeline.run.dataset.plan import MAX_PARTS, FileName, Plan
from pipeline.run.dataset.store import Store, sha256

MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
MAX_MANIFEST_BYTES: Final = 64 << 20
GameName = Literal["freecell", "klondike"]
SECONDS_BETWEEN_SAVES: Final = 1.0
_SHARE_OF_SAVING: Final = 0.05


class FileRecord(BaseModel):
    """What was written into one file. ``settings`` are what, beside its part, its content depends on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    cards_sha256: str | None = Field(
        None, pattern="^[0-9a-f]{64}$", description="SHA-256 of uint8[rows, 52], the cards as dealt."
    )
    settings: dict[str, str | int] = Field(default_factory=dict)


class PlanRecord(BaseModel):
    """The plan: all a part's place depends on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int = Field(ge=0)
    last: int = Field(ge=0)
    part_size: int = Field(ge=1)

    @model_validator(mode="after")
    def _countable(self) -> "PlanRecord":
        if not 0 < len(Plan(self.first, self.last, self.part_size)) <= MAX_PARTS:
            raise ValueError(f"a plan has 1 to {MAX_PARTS} parts")
        return self


class Manifest(BaseModel):
    """The record of one dataset."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1] = FORMAT
    game: GameName
    plan: PlanRecord
    tables: dict[str, str] = Field(default_factory=dict, description="Fingerprint of the schema of each table.")
    made_with: dict[str, str] = Field(default_factory=dict, description="Versions of what wrote the files.")
    files: dict[str, FileRecord] = Field(default_factory=dict)
    _next_save: float = float("-inf")
    _version: str | None = None

    @field_validator("files")
    @classmethod
    def _names_are_parts(cls, files: dict[str, FileRecord]) -> dict[str, FileRecord]:
        for name in files:
            if FileName.parse(name).table not in TABLES:  # and a name that leads elsewhere is refused by parse
                raise ValueError(f"no table has a file {name!r}")
        return files

    def is_current(self, table: str) -> bool:
        """Whether a table was written, if at all, under today's schema."""
        return self.tables.get(table) in (None, TABLES[table].fingerprint())

    def parts(self) -> Plan:
        """The plan as parts."""
        return Plan(self.plan.first, self.plan.last, self.plan.part_size)

    def add(self, store: Store, records: dict[str, FileRecord]) -> None:
        """Record files that were written, and save now or soon (a rerun writes again what a crash left unrecorded)."""
        self.files.update(records)
        if time.monotonic() >= self._next_save:
            self.save(store)

    def save(self, store: Store) -> None:
        """Write the manifest; raises Failed where another process has written it since it was read."""
        started = time.monotonic()
        self.files = dict(sorted(self.files.items()))
        self.tables = dict(sorted(self.tables.items()))
        data = json.dumps(_sealed(self.model_dump(exclude_none=True)), indent=1) + "\n"
        self._version = store.replace(MANIFEST, data.encode(), self._version)
        ended = time.monotonic()
        self._next_save = ended + max(SECONDS_BETWEEN_SAVES, (ended - started) / _SHARE_OF_SAVING)


def _sealed(values: dict[str, Any]) -> dict[str, Any]:
    """Add the seal, a SHA-256 of all the rest, by which an edited manifest is told."""
    rest = {key: value for key, value in values.items() if key != "seal"}
    return {**rest, "seal": sha256(json.dumps(rest, sort_keys=True).encode())}


def read_manifest(store: Store) -> Manifest:
    """Read a dataset's manifest; raises ConfigError where there is no dataset and Failed where its manifest is damaged."""
    try:
        seen = store.version(MANIFEST)  # before the content: a later version is then refused when this one is saved
        data = store.read(MANIFEST, MAX_MANIFEST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(
            f"{store.url}: no dataset (no {MANIFEST} there); make one with `dealbook build --out {store.url}`"
        ) from None
    where = f"{store.url}/{MANIFEST}"
    if len(data) > MAX_MANIFEST_BYTES:
        raise Failed(f"{where}: larger than a manifest may be ({MAX_MANIFEST_BYTES} bytes)")
    try:
        values = json.loads(data)
        seal = values.pop("seal", None)
        _require_known(store, values)
        manifest = Manifest.model_validate(values)
    except ConfigError:
        raise
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise Failed(
            f"{where}: damaged ({reason}); remove it and run the same commands again: they write the same bytes"
        ) from None
    if seal != _sealed(values)["seal"]:
        raise Failed(
            f"{where}: edited by hand (its seal does not fit); remove it and run the same commands again: they write the same bytes"
        )
    manifest._version = seen
    return manifest


@cache
def made_with() -> dict[str, str]:
    """Versions of what decides the bytes of a file."""
    return {name: version(name) for name in ("dealbook", "pyarrow")}


def _require_known(store: Store, values: dict[str, Any]) -> None:
    """Refuse what a later dealbook has recorded; raises ConfigError."""
    written = values.get("format")
    unknown = sorted(set(values.get("tables", ())) - TABLES.keys())
    if (isinstance(written, int) and written != FORMAT) or unknown:
        what = f"tables {', '.join(unknown)}" if unknown else f"manifest format {written}"
        raise ConfigError(
            f"{store.url}: has {what}, which this dealbook ({version('dealbook')}) does not know; use the dealbook that wrote it, "
            "or build into another --out"
        )


def require_schema(store: Store, manifest: Manifest, tables: tuple[str, ...]) -> None:
    """Refuse tables that were written under another schema than today's; raises ConfigError."""
    for table in tables:
        if not manifest.is_current(table):
            raise ConfigError(
                f"{store.url}: its table {table} was written with another schema by dealbook {manifest.made_with.get('dealbook', '?')}; "
                f"`dealbook drop {store.url} {table}` removes it, and the command that makes it then makes it anew"
            )
