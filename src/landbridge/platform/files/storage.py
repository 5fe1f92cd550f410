"""Storage port for the contents of files.

Contents are sealed before they reach it: a reader of the disk or the bucket learns only the number
and sizes of files, and their owners' ids.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

T = TypeVar("T")

# As many threads as boto3's pool has connections.
_THREADS = 10


@dataclass(frozen=True, slots=True)
class StorageKey:
    """Key of a stored content, built from our own ids only, never from a caller's text."""

    org_id: UUID
    file_id: UUID

    @property
    def path(self) -> str:
        """Return `<organisation>/<two digits>/<file>`, which spreads files over 256 folders.

        The last two digits of an id are random; its first ones are the time.
        """
        name = self.file_id.hex
        return f"{self.org_id.hex}/{name[-2:]}/{name}"


class Storage(Protocol):
    """Stores contents.

    Every method can be repeated, and raises `Unavailable` if it had no effect.
    """

    async def put(self, storage_key: StorageKey, content: bytes) -> None:
        """Store `content` completely or not at all; afterwards it survives a power failure."""
        ...

    async def get(self, storage_key: StorageKey) -> bytes | None:
        """Return the content stored under `storage_key`; None if there is none."""
        ...

    async def delete(self, storage_key: StorageKey) -> None:
        """Delete the content stored under `storage_key`, if any."""
        ...


class StorageThreads:
    """Threads that only wait for a disk or a bucket.

    A slow store would otherwise occupy the threads that the whole process shares, and delay the
    comparison of names and the validation of images.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="files")

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in one of these threads, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
