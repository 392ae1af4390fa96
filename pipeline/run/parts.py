"""The door to file systems: a dataset's files, written whole or not at all.

In: an fsspec URL or path, file names relative to it, bytes. Out: files. The rest of `run` and `serve` import it.

On a local disk a file is written under a temporary name, synced and renamed, so that a reader or a crash meets a whole file or none.
An object store's put is atomic by itself.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import fsspec

from pipeline.cards.errors import Failed

TEMPORARY_SUFFIX = ".tmp"


class Store:
    """The folder of one dataset, local or remote."""

    def __init__(self, url: str):
        self.url = url
        self.fs, self.root = fsspec.core.url_to_fs(url)
        self.is_local = "file" in (self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,))

    def path(self, name: str) -> str:
        """Full path of a file within the store's file system."""
        return f"{self.root}/{name}"

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return bool(self.fs.isfile(self.path(name)))

    def read(self, name: str) -> bytes:
        """Read a whole file; raises FileNotFoundError."""
        data: bytes = self.fs.cat_file(self.path(name))
        return data

    def write(self, name: str, data: Any) -> None:
        """Write a whole file (bytes or a buffer), replacing one of the same name at once."""
        if not self.is_local:
            self.fs.pipe_file(self.path(name), bytes(data))
            return
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise

    def sync(self, folder: str = "") -> None:
        """Make the names of files written so far survive a power cut."""
        if self.is_local and os.name == "posix":
            handle = os.open(self.path(folder), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def files(self) -> dict[str, int]:
        """Names and sizes in bytes of all files, temporary ones included."""
        if not self.fs.isdir(self.root):
            return {}
        found = self.fs.find(self.root, detail=True)
        return {path[len(self.root) + 1 :]: int(entry["size"]) for path, entry in sorted(found.items())}

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.fs.rm_file(self.path(name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the dataset for writing; raises Failed where another process holds it. A killed holder lets go by itself."""
        if not self.is_local:
            yield
            return
        import fcntl

        folder = Path(self.root)
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)  # the folder itself is the lock, so that no lock file is left behind
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Failed(f"{self.url}: another dealbook is writing this dataset; wait for it to end") from None
            yield
        finally:
            os.close(handle)

    def remove_temporaries(self) -> None:
        """Remove what a killed run left half written; only the holder of the lock may."""
        for name in self.files():
            if name.endswith(TEMPORARY_SUFFIX) and Path(name).name.startswith("."):
                self.remove(name)


def sha256(data: Any) -> str:
    """SHA-256 of bytes or a buffer, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
