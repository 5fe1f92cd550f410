"""File storage in a directory of this machine.

Several machines can share a directory over a network if its file system renames atomically. Some
space is left free, because the database is often on the same disk.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from typing import TypeVar

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.folder_sync import sync_folder
from landbridge.platform.files.storage import StorageKey, StorageThreads

T = TypeVar("T")

_OWNER_ONLY = 0o600
_FOLDER_OWNER_ONLY = 0o700
_FREE_BYTES_MIN = 2**30


class Disk:
    """Stores each content in a file of its own, completely or not at all."""

    def __init__(self, folder: Path, *, free_bytes_min: int = _FREE_BYTES_MIN) -> None:
        self._folder = folder
        self._free_bytes_min = free_bytes_min
        self._threads = StorageThreads()

    async def put(self, storage_key: StorageKey, content: bytes) -> None:
        """Write the content to a temporary name, then rename it."""
        path = self._path(storage_key)
        await self._in_thread(lambda: _write(path, content, free_bytes_min=self._free_bytes_min))

    async def get(self, storage_key: StorageKey) -> bytes | None:
        """Return the content; None if there is none."""
        return await self._in_thread(lambda: _read(self._path(storage_key)))

    async def delete(self, storage_key: StorageKey) -> None:
        """Delete the content, and leftovers of a `put` that crashed."""
        path = self._path(storage_key)
        paths = (path, _draft(path))
        await self._in_thread(lambda: [each.unlink(missing_ok=True) for each in paths])

    def _path(self, storage_key: StorageKey) -> Path:
        return self._folder / storage_key.path

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await self._threads.run(work)
        except OSError as error:
            # The error message does not contain the path: the reason suffices (no space, no
            # permission).
            raise Unavailable(f"the folder of files: {error.strerror}") from error


def _write(path: Path, content: bytes, *, free_bytes_min: int) -> None:
    _make(path.parent)
    if disk_usage(path.parent).free - len(content) < free_bytes_min:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    draft = _draft(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(draft, flags, _OWNER_ONLY), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def _make(folder: Path) -> None:
    """Create the directory and its parents."""
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir(mode=_FOLDER_OWNER_ONLY, exist_ok=True)
        sync_folder(folder.parent)


def _read(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.draft")
