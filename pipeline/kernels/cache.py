"""Where compiled kernels are kept, and when they are out of date.

In: modules with kernels. Out: a folder and a digest for each.

numba stores a compiled function beside a stamp of its own file alone, so a kernel that inlines a function of another module would keep
running that module's old code after an edit. Here the stamp is a digest of the module and of all modules of ours that it imports. It
stands in the name of each file, and a new one takes the old ones away. ``NUMBA_CACHE_DIR`` says where the files are kept, as it does for
numba; where no folder can be written, kernels are compiled anew in each process.
"""

import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from pipeline.kernels.compile import IS_PLAIN

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(
    rf"^\s*(?:from|import) {__name__.partition('.')[0]}\.([\w.]+)(?: import \(?([\w, ]+))?", re.MULTILINE
)


@functools.cache
def _source(path: Path) -> tuple[bytes, list[Path]] | None:
    """The text of a module and the files of ours that it may import, or None where there is no such file."""
    if not path.is_file():
        return None
    text = path.read_bytes()
    imported = []
    for module, names in _IMPORT.findall(text.decode()):
        target = _PACKAGE / module.replace(".", "/")
        imported += [
            each.with_suffix(".py") for each in [target, *(target / name.strip() for name in names.split(","))]
        ]
    return text, imported


def _sources(path: Path, found: dict[Path, bytes]) -> dict[Path, bytes]:
    """Collect the text of a module and of the modules of ours that it imports, however deep."""
    if path not in found and (source := _source(path)):
        found[path] = source[0]
        for imported in source[1]:
            _sources(imported, found)
    return found


@functools.cache
def digest(file: str) -> str:
    """The digest of a module and of all of ours that it imports."""
    digest = hashlib.blake2b(digest_size=8)
    for path, text in sorted(_sources(Path(file), {}).items()):
        digest.update(path.name.encode() + b"\0" + text)
    return digest.hexdigest()


@functools.cache
def folder() -> Path | None:
    """The folder of this installation's compiled kernels, made if need be, or None where none can be written."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if IS_PLAIN or not Path(__file__).is_file():
        return None
    try:
        root = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("dealbook")) / "kernels"
        ours = root / f"dealbook-{hashlib.blake2b(bytes(_PACKAGE), digest_size=4).hexdigest()}"
        if not ours.is_dir():
            ours.mkdir(parents=True)
            (ours / _OWNER).write_text(str(_PACKAGE))
        with tempfile.TemporaryFile(dir=ours):
            return ours
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


_OWNER = "belongs-to"
"""A file that tells which installation a folder belongs to."""


class Place(NamedTuple):
    """Where the compiled code of one function is kept: the files in ``folder`` whose names begin with ``name`` and ``stamp``."""

    folder: Path
    name: str
    stamp: str

    def remove_outdated(self) -> None:
        """Remove the function's files with another stamp, and the folders of installations that are gone."""
        for file in self.folder.glob(f"{self.name}-*"):
            if not file.name.startswith(f"{self.name}-{self.stamp}."):
                file.unlink(missing_ok=True)
        for other in self.folder.parent.parent.glob("dealbook-*"):
            owner = other / _OWNER
            if owner.is_file() and not Path(owner.read_text()).is_dir():
                shutil.rmtree(other, ignore_errors=True)


def place_of(function: Callable[..., Any]) -> Place | None:
    """Tell where a function's compiled code is kept, or None where it is compiled anew in each process."""
    module, file = function.__module__, sys.modules[function.__module__].__file__ or ""
    ours = folder()
    if ours is None or not Path(file).is_file():
        return None
    room, _, name = module.rpartition(".")
    return Place(ours / (room or name), f"{Path(file).stem}.{function.__qualname__}", digest(file))


def is_cached(*functions: Callable[..., Any]) -> bool:
    """Whether each of these kernels has compiled code in the cache, so that its first call is quick."""
    places = [place_of(function) for function in functions]
    return all(place and any(place.folder.glob(f"{place.name}-{place.stamp}.*.nbi")) for place in places)
