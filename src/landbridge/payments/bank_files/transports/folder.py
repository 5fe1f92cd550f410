"""Transport over a folder of this machine, which may be mounted from another."""

import asyncio
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from landbridge.payments.bank_files.transports.port import (
    NAMES_MAX,
    SIZE_MAX,
    TEMPORARY,
    TransportFolder,
    is_complete,
)
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.folder_sync import sync_folder
from landbridge.platform.core.ids import new_id
from landbridge.platform.formats.file_errors import FileRejected

T = TypeVar("T")

# Timeout of one call, after which a mounted folder is unreachable: 50 MB at 4 megabits a second.
_VERB_S = 120


class FolderTransport:
    """Files in folders below `root`; missing folders are created."""

    def __init__(self, root: Path, paths: Callable[[TransportFolder], str]) -> None:
        self._root = root
        self._paths = paths

    async def names(self, folder: TransportFolder) -> Sequence[str]:
        """List file names; see the port."""
        return await self._aside(lambda: _names(self._path(folder)))

    async def read(self, folder: TransportFolder, name: str) -> bytes | None:
        """Return the content of a file; see the port."""
        return await self._aside(lambda: _read(self._path(folder) / checked_name(name)))

    async def write(self, folder: TransportFolder, name: str, content: bytes) -> None:
        """Write a file atomically; see the port."""
        await self._aside(lambda: _write(self._path(folder), checked_name(name), content))

    async def move(
        self, source: TransportFolder, name: str, destination: TransportFolder, new_name: str
    ) -> bool:
        """Move a file; see the port."""
        return await self._aside(
            lambda: _move(
                self._path(source) / listed_name(name),
                self._path(destination),
                checked_name(new_name),
            )
        )

    def _path(self, folder: TransportFolder) -> Path:
        return self._root / self._paths(folder)

    async def _aside(self, work: Callable[[], T]) -> T:
        """Run `work` in a separate thread, because a mounted folder may be slow."""

        def guarded() -> T:
            with _unavailable():
                return work()

        try:
            async with asyncio.timeout(_VERB_S):
                return await asyncio.to_thread(guarded)
        except TimeoutError as error:
            raise Unavailable("the folder of the bank's files does not answer") from error


def checked_name(name: str) -> str:
    """Return the name if it can't lead out of its folder; otherwise raise `FileRejected`."""
    if not is_complete(name) or "\\" in name:
        raise FileRejected("The name of a file is no plain name.")
    return listed_name(name)


def listed_name(name: str) -> str:
    """Return a name that a folder listed, if it can't lead out of the folder.

    Banks may use characters that our own names never have.
    """
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise FileRejected("The name of a file is no name.")
    return name


def _names(path: Path) -> Sequence[str]:
    path.mkdir(parents=True, exist_ok=True)
    with os.scandir(path) as found:
        names = [
            each.name
            for each in found
            if is_complete(each.name) and each.is_file(follow_symlinks=False)
        ]
    return sorted(names)[:NAMES_MAX]


def _read(path: Path) -> bytes | None:
    try:
        # A link could lead out of the folder, and a pipe would block.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileRejected("It is no plain file.")
        content = file.read(SIZE_MAX + 1)
    if len(content) > SIZE_MAX:
        raise FileRejected(f"The file has more than {SIZE_MAX} bytes.")
    return content


def _write(path: Path, name: str, content: bytes) -> None:
    path.mkdir(parents=True, exist_ok=True)
    # Unique to this process and thread, so that concurrent writers of one file do not mix.
    temporary = path / f"{TEMPORARY}{name}.{new_id().hex}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path / name)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path)


def _move(source: Path, destination: Path, name: str) -> bool:
    destination.mkdir(parents=True, exist_ok=True)
    try:
        source.rename(destination / name)
    except FileNotFoundError:
        return False
    sync_folder(destination)
    return True


@contextmanager
def _unavailable() -> Generator[None]:
    try:
        yield
    except OSError as error:
        # The path stays out of the sentence: it may name a customer.
        raise Unavailable(f"the folder of the bank's files: {error.strerror}") from error
