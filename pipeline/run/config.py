"""What a batch job is asked to do: a TOML file, with options of the command line over it.

In: a path and options. Out: a validated `Config`, or one ConfigError that names every mistake and its place.
"""

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline.cards.errors import ConfigError
from pipeline.run.dataset.plan import MAX_PARTS, Plan
from pipeline.run.engine.tasks import Engine

LAST_GAME: Final = {"freecell": 2**33 - 1, "klondike": 99_999_999}
DEALT_TABLES: Final = {"freecell": ("layouts", "stats"), "klondike": ("klondike",)}
MAX_CONFIG_BYTES: Final = 1 << 20
MAX_PART_SIZE: Final = 10_000_000


class SolveConfig(BaseModel):
    """What a build solves once its games are dealt; the options of `dealbook solve`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    freecells: int = Field(4, ge=0, le=8, description="Freecells the games are played with.")
    effort: int = Field(
        0, ge=0, le=5, description="0, the first solution, to 5, the shortest that about a second finds."
    )
    automove: Literal["horne", "wkr", "max"] = Field(
        "horne", description="Automove rule of the search and of the text."
    )
    prove: float = Field(
        0, ge=0, description="Seconds, counted in states, to try to prove that no solution is shorter."
    )
    memory: float = Field(2, gt=0, description="Gigabytes for beams and proofs of one worker.")


class Config(BaseModel):
    """A build: which games, which tables, where to, and how. The defaults are the main job, games 1 to 1,000,000."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    game: Literal["freecell", "klondike"] = Field("freecell", description="Which game's numbers are dealt.")
    first: int = Field(1, ge=0, description="First game number.")
    last: int = Field(1_000_000, ge=0, description="Last game number, included.")
    part_size: int = Field(100_000, ge=1, le=MAX_PART_SIZE, description="Games in one part (one file of each table).")
    tables: tuple[str, ...] = Field((), description="Tables to write; all that a deal gives, if left out.")
    out: str = Field(
        "data/ms1m", min_length=1, description="Folder of the dataset, or an fsspec URL such as s3://bucket/prefix."
    )
    jobs: int | None = Field(None, ge=1, description="Parts under way at once; one a processor, if left out.")
    engine: Literal["local", "dask"] = Field("local", description="What runs the parts.")
    scheduler: str | None = Field(
        None, description="Address of a Dask scheduler; a local cluster of processes, if left out."
    )
    solve: SolveConfig | None = Field(None, description="Solve the games as well; not, if left out.")

    @field_validator("tables", mode="before")
    @classmethod
    def _list_as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        mistakes = []
        if self.last > LAST_GAME[self.game]:
            mistakes.append(f"last: {self.last} is above the last {self.game} game, {LAST_GAME[self.game]}")
        if self.first > self.last:
            mistakes.append(f"first: {self.first} is above last, {self.last}")
        known = DEALT_TABLES[self.game]
        mistakes += [
            f"tables: a {self.game} build writes {', '.join(known)}, not {t!r}" for t in self.tables if t not in known
        ]
        if self.solve is not None and self.game != "freecell":
            mistakes.append("solve: is for FreeCell games")
        if self.scheduler is not None and self.engine != "dask":
            mistakes.append("scheduler: goes with engine dask")
        if self.first <= self.last <= LAST_GAME[self.game] and len(self.plan()) > MAX_PARTS:
            mistakes.append(f"part_size: makes {len(self.plan()):,} parts; a dataset has at most {MAX_PARTS:,}")
        if mistakes:
            raise ValueError("\n".join(mistakes))
        return self

    def dealt_tables(self) -> tuple[str, ...]:
        """The tables to write, in the order they are declared."""
        return tuple(t for t in DEALT_TABLES[self.game] if not self.tables or t in self.tables)

    def runner(self) -> Engine:
        """What runs the parts."""
        return Engine(self.engine, self.jobs, self.scheduler)

    def plan(self) -> Plan:
        """The parts of this build."""
        return Plan(self.first, self.last, self.part_size)


def load_config(path: str | Path | None, **options: Any) -> Config:
    """Read a TOML config (or the defaults, for None) and lay the options that are not None over it.

    Raises ConfigError naming all mistakes at once, each with its file and line or its option.
    """
    text = "" if path is None else _read(Path(path))
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:  # too many brackets
        raise ConfigError(f"{path}: not TOML: {error}") from None
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Config(**{**values, **given})
    except ValidationError as error:
        mistakes = [line for e in error.errors() for line in _mistakes(e)]  # type: ignore[arg-type]
        raise ConfigError("; ".join(_place(line, path, text, given) for line in mistakes)) from None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{path}: larger than a config may be ({MAX_CONFIG_BYTES} bytes)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text, at byte {error.start}") from None


def _mistakes(error: dict[str, Any]) -> list[str]:
    key = ".".join(str(place) for place in error["loc"])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, Config.model_fields, 1)
        return [f"{key}: no such key" + (f", did you mean {near[0]}?" if near else "")]
    if error["type"] == "value_error":
        return str(error["ctx"]["error"]).splitlines()
    return [f"{key}: {error['msg'][0].lower()}{error['msg'][1:]}, not {error['input']!r}"]


def _place(mistake: str, path: str | Path | None, text: str, given: dict[str, Any]) -> str:
    """Put the place of a mistake before it: the file and line of its key, or its option."""
    key = mistake.partition(":")[0].partition(".")[0]
    if key in given:
        return f"--{key.replace('_', '-')}: {mistake.partition(': ')[2]}"
    line = re.search(rf"^\s*{re.escape(key)}\s*=", text, re.MULTILINE)
    return f"{path}:{text.count(chr(10), 0, line.end()) + 1}: {mistake}" if line else f"{path or 'defaults'}: {mistake}"
