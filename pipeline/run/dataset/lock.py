"""Keep a dataset for one writer: a lock on a local folder, a lease in an object store.

In: a folder or a store. Out: context managers that raise Failed where another process holds it.

Both end with their holder: the system drops a killed process's lock, and a lease that nobody renews is taken over. No clocks are compared:
a waiting process looks whether the lease changes for as long as its own steady clock says.
"""

import fcntl
import logging
import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from pipeline.cards.errors import Failed

HIDDEN: Final = ".lock"
SECONDS_BETWEEN_BEATS: Final = 5.0
SECONDS_TO_TAKE_OVER: Final = 25.0
_log = logging.getLogger(__name__)


class Storage(Protocol):
    """What a lease needs of a store."""

    url: str

    def version(self, name: str) -> str | None:
        """Version of a file, None where there is none."""
        ...

    def read(self, name: str, limit: int | None = None) -> bytes:
        """Content of a file."""
        ...

    def replace(self, name: str, data: bytes, seen: str | None) -> str | None:
        """Write a file if it is still the version seen; raises Failed."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...


def _refuse(url: str, holder: str = "") -> Failed:
    return Failed(f"{url}: another dealbook{holder} is writing this dataset; wait for it to end")


class FolderLock:
    """A lock on a local folder itself, so that no lock file is left behind."""

    def __init__(self, folder: Path, url: str):
        self._folder, self._url = folder, url

    def __enter__(self) -> None:
        """Take the lock."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(self._folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise
            except OSError:  # NFS locks only what is open for writing, which a folder cannot be
                os.close(self._handle)
                self._handle = os.open(self._folder / HIDDEN, os.O_RDWR | os.O_CREAT, 0o644)
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._handle)
            raise _refuse(self._url) from None

    def __exit__(self, *error: object) -> None:
        """Let go of it."""
        os.close(self._handle)


class Lease:
    """A small object that its holder puts anew every few seconds, each put on condition that it is still the holder's."""

    def __init__(self, store: Storage):
        self._store = store
        self._holder = f"{socket.gethostname()}, process {os.getpid()}"
        self._token = secrets.token_hex(8)
        self._beats = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> None:
        """Take the lease: a free one at once, one that is not renewed after a while."""
        self._version = self._put(self._wait(self._store.version(HIDDEN)))
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        """Give it back."""
        self._ended.set()
        self._thread.join()
        with suppress(Failed, OSError):
            if self._store.version(HIDDEN) == self._version:
                self._store.remove(HIDDEN)

    def _wait(self, seen: str | None) -> str | None:
        """Wait until an old lease is given back or long enough unchanged; raises Failed when it is renewed."""
        if seen is None:
            return None
        try:
            holder = self._store.read(HIDDEN, 200).decode(errors="replace").partition("\n")[0]
        except FileNotFoundError:
            return None
        message = "%s: held by %s; waiting up to %d seconds to see whether it is alive"
        _log.warning(message, self._store.url, holder, SECONDS_TO_TAKE_OVER)
        end = time.monotonic() + SECONDS_TO_TAKE_OVER
        while time.monotonic() < end:
            time.sleep(SECONDS_BETWEEN_BEATS / 5)
            now = self._store.version(HIDDEN)
            if now is None:
                return None
            if now != seen:
                raise _refuse(self._store.url, f" ({holder})")
        return seen

    def _put(self, seen: str | None) -> str | None:
        self._beats += 1
        return self._store.replace(HIDDEN, f"{self._holder}\n{self._token} {self._beats}\n".encode(), seen)

    def _renew(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_BEATS):
            try:
                self._version = self._put(self._version)
            except Failed as error:
                # Taken over, or no answer. The manifest is put on condition as well, so nothing is lost: the run ends there.
                _log.debug("lease not renewed: %s", error)
