"""The port to where the contents of files are kept.

What goes through it is sealed already: whoever reads the disk or the bucket learns the number and
the sizes of files, and whose they are by number.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

T = TypeVar("T")

# As many as boto3 keeps connections.
_THREADS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """Where a content is kept. Made of ids of ours, never of what a caller wrote."""

    org_id: UUID
    file_id: UUID

    @property
    def path(self) -> str:
        """`<organisation>/<two digits>/<file>`, so that no folder grows beyond its 256th part.

        The last two digits of an id are chance; its first ones are the time.
        """
        name = self.file_id.hex
        return f"{self.org_id.hex}/{name[-2:]}/{name}"


class Storage(Protocol):
    """Keeps contents. Every verb can be repeated, and raises `Unavailable` if it was not done."""

    async def put(self, place: Place, content: bytes) -> None:
        """Keep `content`, whole or not at all; when this returns, it survives a power cut."""
        ...

    async def get(self, place: Place) -> bytes | None:
        """What is kept at `place`; None if nothing is."""
        ...

    async def delete(self, place: Place) -> None:
        """Forget what is kept at `place`, if anything is."""
        ...


class Threads:
    """Threads that wait for a disk or a bucket, and for nothing else.

    A store that takes its time for each answer would fill the threads that all of a process shares,
    and stop the comparison of names and the check of images with it.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="files")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` answers."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
