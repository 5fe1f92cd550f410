"""Lookups by id that concurrent callers share."""

import asyncio
from collections.abc import Mapping, Sequence
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.grouped_lookup import GroupedLookup
from landbridge.platform.db.pool import Database, Tx

ONE, OTHER = new_id(), new_id()
A, B, C = new_id(), new_id(), new_id()
STORED = {ONE: {A: "a", B: "b"}, OTHER: {A: "another a"}}


class Reads:
    """Reads of `STORED`, and the ids of each."""

    def __init__(self) -> None:
        self.made: list[tuple[UUID, set[UUID]]] = []

    async def read(self, tx: Tx, org_id: UUID, ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """Return what is stored; fail for `C` of `OTHER`."""
        assert await tx.fetchval("select 1") == 1
        self.made.append((org_id, set(ids)))
        if org_id == OTHER and C in ids:
            raise ValueError("broken")
        return {each: STORED[org_id][each] for each in ids if each in STORED[org_id]}


async def test_concurrent_calls_share_a_read_for_each_organisation(database: Database) -> None:
    reads = Reads()
    lookup = GroupedLookup(database, reads.read)
    found = await asyncio.gather(
        lookup.find(ONE, [B, A]), lookup.find(ONE, [C, A]), lookup.find(OTHER, [A, B])
    )
    assert found == [{B: "b", A: "a"}, {A: "a"}, {A: "another a"}]
    assert list(found[0]) == [B, A]
    assert reads.made == [(ONE, {A, B, C}), (OTHER, {A, B})]


async def test_nothing_is_read_without_an_id(database: Database) -> None:
    reads = Reads()
    assert await GroupedLookup(database, reads.read).find(ONE, []) == {}
    assert reads.made == []


async def test_a_failed_read_affects_its_own_callers_alone(database: Database) -> None:
    reads = Reads()
    lookup = GroupedLookup(database, reads.read)
    failing = asyncio.ensure_future(lookup.find(OTHER, [C]))
    assert await lookup.find(ONE, [A]) == {A: "a"}
    with pytest.raises(ValueError, match="broken"):
        await failing
