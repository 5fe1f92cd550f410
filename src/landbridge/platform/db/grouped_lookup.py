"""Lookups of objects by id, combined for concurrent callers."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar
from uuid import UUID

from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx

T = TypeVar("T")


class GroupedLookup(Generic[T]):
    """Finds objects of an organisation by their ids.

    Concurrent calls for an organisation share one read (`GroupCommit`). It begins after the calls
    were made, so each call finds everything committed before it.
    """

    def __init__(
        self,
        database: Database,
        read: Callable[[Tx, UUID, Sequence[UUID]], Awaitable[Mapping[UUID, T]]],
    ) -> None:
        """`read` returns the existing objects of an organisation among these ids, by id."""
        self._database = database
        self._read = read
        self._calls = grouped(database, lambda: GroupCommit(self._run, concurrency=2))

    async def find(self, org_id: UUID, ids: Iterable[UUID]) -> dict[UUID, T]:
        """Return those of these objects that exist, by id, in the order of the ids."""
        distinct = tuple(dict.fromkeys(ids))
        return await self._calls.call((org_id, distinct)) if distinct else {}

    async def _run(self, calls: list[tuple[UUID, tuple[UUID, ...]]]) -> list[dict[UUID, T]]:
        wanted: dict[UUID, dict[UUID, None]] = {}
        for org_id, ids in calls:
            wanted.setdefault(org_id, {}).update(dict.fromkeys(ids))

        async def read(tx: Tx) -> dict[UUID, Mapping[UUID, T]]:
            return {
                org_id: await self._read(tx, org_id, list(ids)) for org_id, ids in wanted.items()
            }

        found = await self._database.read(read)
        return [
            {each: found[org_id][each] for each in ids if each in found[org_id]}
            for org_id, ids in calls
        ]
