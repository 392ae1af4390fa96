"""The door to file systems: a dataset's files, written whole or not at all.

In: an fsspec URL or path, file names relative to it, bytes. Out: files.

On a local disk a file is written under a temporary name, synced and renamed, so that a reader or a crash meets a whole file or none.
An object store's put is atomic by itself, and its clients repeat what a network or a busy server spoils.
"""

import fnmatch
import hashlib
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import fsspec

from pipeline.cards.errors import ConfigError, Failed
from pipeline.run.dataset.lock import HIDDEN, FolderLock, Lease

TEMPORARY_SUFFIX: Final = ".tmp"
_NOT_AS_EXPECTED: Final = ("PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey", "409", "412")


class Overtaken(Failed):
    """A file that was to be replaced is not the version that was read: somebody else has written it."""


class Store:
    """The folder of one dataset, local or remote."""

    def __init__(self, url: str):
        self.url = url
        try:
            # Listings are not kept: other processes write here too.
            self.fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            needs = "`pip install 'dealbook[cloud]'`" if url.startswith(("s3:", "s3a:")) else str(error)
            raise ConfigError(f"{url}: needs {needs}") from None
        except ValueError as error:
            raise ConfigError(f"{url}: {error}") from None
        self.root = root.rstrip("/")
        protocols = self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,)
        self.is_local, self._is_s3 = "file" in protocols, "s3" in protocols

    def path(self, name: str) -> str:
        """Full path of a file within the store's file system."""
        return f"{self.root}/{name}"

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        with self._told():
            return bool(self.fs.isfile(self.path(name)))

    def read(self, name: str, limit: int | None = None, start: int = 0) -> bytes:
        """Read a whole file, or no more than ``limit`` bytes from ``start`` on; raises FileNotFoundError."""
        piece = {} if limit is None else {"start": start, "end": start + limit}
        with self._told():
            data: bytes = self.fs.cat_file(self.path(name), **piece)
            return data

    def open(self, name: str) -> Any:
        """Open a file to read pieces of it; raises FileNotFoundError."""
        with self._told():
            return self.fs.open(self.path(name), "rb")

    def write(self, name: str, data: Any) -> None:
        """Write a whole file (bytes or a buffer), replacing one of the same name at once."""
        if not self.is_local:
            with self._told(may_lack=False):
                self.fs.pipe_file(self.path(name), bytes(data))
            return
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}{TEMPORARY_SUFFIX}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException as error:
            with suppress(OSError):
                temporary.unlink()
            if isinstance(error, OSError):
                error.filename = str(target)  # a failed write names no file
            raise

    def version(self, name: str) -> str | None:
        """What tells this version of a file from others (an object store's entity tag), or None where there is none."""
        if self.is_local:
            return None
        with self._told():
            try:
                return str(self.fs.info(self.path(name)).get("ETag"))
            except FileNotFoundError:
                return None

    def replace(self, name: str, data: bytes, seen: str | None) -> str | None:
        """Write a file only where it is the version ``seen`` (None: where there is none), and return the new version.

        Raises Overtaken where it is another one. A local file is just written: there the lock keeps others out.
        """
        if self.is_local:
            self.write(name, data)
            return None
        condition = {"IfNoneMatch": "*"} if seen is None else {"IfMatch": seen}
        with self._told(may_lack=False):
            try:
                return str(self.fs.pipe_file(self.path(name), data, **condition)["ETag"])
            except OSError as error:
                code = getattr(error.__cause__, "response", {}).get("Error", {}).get("Code")
                if code not in _NOT_AS_EXPECTED:
                    raise
            # Either another process wrote it, or our own put did and its answer was lost on the way, so that it was put again.
            now = self.version(name)
            if now is not None and self.read(name, len(data) + 1) == data:
                return now
        raise Overtaken(f"{self.url}: another dealbook is writing this dataset; wait for it to end")

    def sync(self, folder: str = "") -> None:
        """Make the names of files written so far survive a power cut."""
        if self.is_local and Path(self.path(folder)).is_dir():
            handle = os.open(self.path(folder), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def files(self) -> dict[str, int]:
        """Names and sizes in bytes of all files, temporary ones included."""
        with self._told():
            if not self.fs.isdir(self.root):
                return {}
            found = self.fs.find(self.root, detail=True)
        names = {path[len(self.root) + 1 :]: int(entry["size"]) for path, entry in sorted(found.items())}
        return {name: size for name, size in names.items() if name and not name.endswith("/") and name != HIDDEN}

    def remove(self, name: str) -> None:
        """Remove a file."""
        with self._told():
            self.fs.rm_file(self.path(name))

    def locked(self) -> AbstractContextManager[None]:
        """Hold the dataset for writing; raises Failed where another process holds it. A killed holder's hold ends by itself."""
        if self.is_local:
            return FolderLock(Path(self.root), self.url)
        if self._is_s3:
            return Lease(self)
        raise ConfigError(f"{self.url}: a dataset is written to a local folder or to s3://bucket/prefix")

    def remove_temporaries(self) -> None:
        """Remove what a killed run left half written; only the holder of the lock may."""
        if not self.is_local:
            return
        for name in self.files():
            if name.endswith(TEMPORARY_SUFFIX) and Path(name).name.startswith("."):
                self.remove(name)

    @contextmanager
    def _told(self, *, may_lack: bool = True) -> Iterator[None]:
        """Turn what goes wrong with a remote store, in whatever library, into one line; a missing file may be an answer."""
        try:
            yield
        except Exception as error:
            if self.is_local or isinstance(error, Failed) or (may_lack and isinstance(error, FileNotFoundError)):
                raise
            raise Failed(f"{self.url}: {' '.join(str(error).split()) or type(error).__name__}") from error


def sha256(data: Any) -> str:
    """SHA-256 of bytes or a buffer, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class RecordedFile:
    """A file open for reading, by many threads at once: each has a place of its own, as engines seek and read in two steps.

    A shared place would be moved by one thread between the seek and the read of another, and its answer would be of the wrong bytes.
    The file itself is open during a read only: a query over many parts holds more files than a process may have open.
    """

    def __init__(self, store: Store, name: str, size: int):
        self._store, self._name, self._size = store, name, size
        self._places: dict[int, int] = {}

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move this thread's place."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self.tell(), os.SEEK_END: self._size}[whence]
        self._places[threading.get_ident()] = start + offset
        return start + offset

    def tell(self) -> int:
        """This thread's place."""
        return self._places.get(threading.get_ident(), 0)

    def read(self, count: int = -1) -> bytes:
        """Read ``count`` bytes, or to the end, from this thread's place on; fewer only at the end of the file."""
        start = self.tell()
        stop = self._size if count < 0 else min(start + count, self._size)
        if stop <= start:
            return b""
        data = self._store.read(self._name, stop - start, start)
        self._places[threading.get_ident()] = start + len(data)
        return data

    def close(self) -> None:
        """Do nothing: no file is held."""


class ReadOnlyFiles(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """The recorded files of a store, and nothing else, to be read and never written: what a query engine is given.

    Their names follow ``dealbook://``. ``sizes`` holds name and bytes of each file, so that no request is spent on asking for them.
    """

    protocol = "dealbook"
    cachable = False
    RECORDED_FILES_NEVER_CHANGE: Final = datetime(2000, 1, 1, tzinfo=UTC)

    def __init__(self, store: Store, sizes: dict[str, int]):
        super().__init__()
        self._store, self._sizes = store, sizes

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Name, size and type of a file; raises FileNotFoundError for any file that is not recorded."""
        name = self._strip_protocol(path)
        if name not in self._sizes:
            raise FileNotFoundError(path)
        return {"name": name, "size": self._sizes[name], "type": "file"}

    def open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        """Open a file for reading; raises PermissionError for any other mode."""
        if mode != "rb":
            raise PermissionError(f"{path}: a dataset can only be read here")
        found = self.info(path)
        return RecordedFile(self._store, found["name"], found["size"])

    def glob(self, path: str, **kwargs: Any) -> list[str]:
        """Names that fit a pattern."""
        return sorted(fnmatch.filter(self._sizes, self._strip_protocol(path)))

    def modified(self, path: str) -> datetime:
        """Time of change, the same for all: a file that changes does not fit the manifest any more."""
        return self.RECORDED_FILES_NEVER_CHANGE
