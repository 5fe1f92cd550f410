"""A folder of this machine, or one that is mounted."""

import asyncio
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.places.port import (
    NAMES_MAX,
    SIZE_MAX,
    TEMPORARY,
    Folder,
    is_listed,
)
from landbridge.core.errors import Unavailable
from landbridge.core.ids import new_id

T = TypeVar("T")

# A mounted folder that takes longer for one verb is away: 50 MB at four megabits a second.
_VERB_S = 120


class FolderPlace:
    """Files in folders below `root`; those that are not there are made."""

    def __init__(self, root: Path, paths: Callable[[Folder], str]) -> None:
        self._root = root
        self._paths = paths

    async def names(self, folder: Folder) -> Sequence[str]:
        """Names of files; see the port."""
        return await self._aside(lambda: _names(self._path(folder)))

    async def read(self, folder: Folder, name: str) -> bytes | None:
        """The content of a file; see the port."""
        return await self._aside(lambda: _read(self._path(folder) / checked_name(name)))

    async def write(self, folder: Folder, name: str, content: bytes) -> None:
        """Write a file whole; see the port."""
        await self._aside(lambda: _write(self._path(folder), checked_name(name), content))

    async def move(self, source: Folder, name: str, destination: Folder, new_name: str) -> bool:
        """Move a file on; see the port."""
        return await self._aside(
            lambda: _move(
                self._path(source) / listed_name(name),
                self._path(destination),
                checked_name(new_name),
            )
        )

    def _path(self, folder: Folder) -> Path:
        return self._root / self._paths(folder)

    async def _aside(self, work: Callable[[], T]) -> T:
        """In a thread of its own: a mounted folder may take its time."""

        def guarded() -> T:
            with _unavailable():
                return work()

        try:
            async with asyncio.timeout(_VERB_S):
                return await asyncio.to_thread(guarded)
        except TimeoutError as error:
            raise Unavailable("the folder of the bank's files does not answer") from error


def checked_name(name: str) -> str:
    """A name that stays in its folder; raises `FileRefused` for any other."""
    if not is_listed(name) or "\\" in name:
        raise FileRefused("The name of a file is no plain name.")
    return listed_name(name)


def listed_name(name: str) -> str:
    """The same for what a folder has listed: whatever a bank may call its files."""
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise FileRefused("The name of a file is no name.")
    return name


def _names(path: Path) -> Sequence[str]:
    path.mkdir(parents=True, exist_ok=True)
    with os.scandir(path) as found:
        names = [
            each.name
            for each in found
            if is_listed(each.name) and each.is_file(follow_symlinks=False)
        ]
    return sorted(names)[:NAMES_MAX]


def _read(path: Path) -> bytes | None:
    try:
        # A link could lead out of the folder, and a pipe would be waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileRefused("It is no plain file.")
        content = file.read(SIZE_MAX + 1)
    if len(content) > SIZE_MAX:
        raise FileRefused(f"The file has more than {SIZE_MAX} bytes.")
    return content


def _write(path: Path, name: str, content: bytes) -> None:
    path.mkdir(parents=True, exist_ok=True)
    # Of this process and thread alone: two that write the same file do not meet half way.
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
    _sync(path)


def _move(source: Path, destination: Path, name: str) -> bool:
    destination.mkdir(parents=True, exist_ok=True)
    try:
        source.rename(destination / name)
    except FileNotFoundError:
        return False
    _sync(destination)
    return True


def _sync(path: Path) -> None:
    """Have the names in a folder outlive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _unavailable() -> Generator[None]:
    try:
        yield
    except OSError as error:
        # The path stays out of the sentence: it may name a customer.
        raise Unavailable(f"the folder of the bank's files: {error.strerror}") from error
