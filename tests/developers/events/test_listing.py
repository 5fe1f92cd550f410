"""Events read from the log, and lists that match few of them."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.developers.events.listing import (
    EventFilters,
    EventListing,
    EventListPage,
    EventPosition,
    position,
)
from landbridge.developers.events.model import PARTS_MAX, Event, EventKey
from landbridge.developers.events.names import CATALOGUE
from landbridge.developers.events.service import Events
from landbridge.platform.changes.model import START, LogPosition
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from tests import make
from tests.change_log import placed
from tests.developers.events.changes import AT
from tests.make import TRANSITIONS
from tests.tenants import Tenant

NOW = AT + timedelta(hours=1)
KEPT = timedelta(days=30)


async def numbers(_org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
    """Portraits that show their event's number."""
    return [{"n": each.sequence} for each in events]


async def nothing(_org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
    """Payloads of deleted objects."""
    return [None for _ in events]


@pytest.fixture
def events(org: Tenant) -> Events:
    container = org.container
    return Events(
        database=container.database,
        clock=container.clock,
        deposits=container.wallet_deposits,
        payload_builders={"USER": numbers, "TOS_LINK": nothing},
        retention=KEPT,
    )


async def happen(org: Tenant, kinds: str) -> list[UUID]:
    """Write one transaction: a change of a user for each `u`, one without an event for each `-`.

    Returns the users.
    """
    created = sorted(new_id() for _ in kinds)  # the order of the log within a transaction

    async def work(tx: Tx) -> None:
        for object_id, kind in zip(created, kinds, strict=True):
            await append_change(
                tx,
                org_id=org.org_id,
                object_id=object_id,
                seq=1,
                kind="USER" if kind == "u" else "THING",
                change_type="create",
                actor="test",
                at=AT,
            )

    await org.container.database.transact(work)
    return [object_id for object_id, kind in zip(created, kinds, strict=True) if kind == "u"]


def objects(page: EventListPage) -> list[UUID]:
    return [each.change.object_id for each in page.events]


async def test_a_page_scans_a_bounded_stretch_and_returns_a_cursor(
    org: Tenant, events: Events
) -> None:
    (first,) = await happen(org, "-" * 450 + "u")
    (second,) = await happen(org, "-" * 950 + "u")
    await placed(org.container.database)
    listing = EventListing(events=events, changes_max=400)
    for find, expected in (
        (listing.oldest_first, [first, second]),
        (listing.newest_first, [second, first]),
    ):
        pages: list[EventListPage] = []
        at: EventPosition | None = None
        while len(pages) < 10:
            found = await find(org.org_id, EventFilters(), at, limit=10, now=NOW)
            pages.append(found)
            if found.end is None or found.end == at:
                break
            at = found.end
        assert [each for page in pages for each in objects(page)] == expected
        assert [] in [objects(page) for page in pages[:-1]]
        # 1,402 changes, four hundred at a time.
        assert len(pages) == (5 if expected[0] == first else 4)


async def test_events_of_one_object_are_found_however_much_else_happened(
    org: Tenant, events: Events
) -> None:
    await happen(org, "-" * 300)
    (user,) = await happen(org, "u")
    await happen(org, "-" * 300)
    await placed(org.container.database)
    listing = EventListing(events=events, changes_max=200)
    for find in (listing.oldest_first, listing.newest_first):
        found = await find(org.org_id, EventFilters(object_id=user), None, limit=10, now=NOW)
        assert objects(found) == [user]


@pytest.mark.parametrize("seed", range(3))
async def test_a_polling_client_sees_every_event_once_during_concurrent_writes(
    org: Tenant, events: Events, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311  the same story each time
    listing, is_over = EventListing(events=events), asyncio.Event()

    async def write(kinds: str, pause_s: float) -> list[UUID]:
        await asyncio.sleep(pause_s)
        return await happen(org, kinds)

    async def pull() -> list[UUID]:
        pulled: list[UUID] = []
        at: EventPosition | None = None
        while True:
            was_over = is_over.is_set()
            limit = chance.randint(1, 4)
            found = await listing.oldest_first(org.org_id, EventFilters(), at, limit=limit, now=NOW)
            pulled += objects(found)
            at = found.end
            assert at is not None
            if was_over and not found.events:
                return pulled

    pulling = asyncio.create_task(pull())
    runs = [("".join(chance.choices("u-", k=5)), chance.random() / 5) for _ in range(40)]
    written = await asyncio.gather(*(write(kinds, pause_s) for kinds, pause_s in runs))
    await placed(org.container.database)
    is_over.set()
    pulled = await pulling
    assert sorted(pulled) == sorted(each for users in written for each in users)


async def test_a_read_returns_the_next_position(org: Tenant, events: Events) -> None:
    await placed(org.container.database)
    # Earlier changes: the organisation and its key.
    begin = (await events.read(org.org_id, START, limit=10)).end
    empty = await events.read(org.org_id, begin, limit=10)
    assert (empty.events, empty.end, empty.is_end) == ([], begin, True)
    users = await happen(org, "u--u")
    await placed(org.container.database)
    first = await events.read(org.org_id, begin, limit=3)
    assert [each.change.object_id for each in first.events] == users[:1]
    assert not first.is_end
    second = await events.read(org.org_id, first.end, limit=3)
    assert [each.change.object_id for each in second.events] == users[1:]
    assert second.is_end
    end = await events.end(org.org_id)
    back = await events.read_back(org.org_id, end, limit=9)
    assert [each.change.object_id for each in back.events] == users[::-1]
    assert back.end <= begin
    assert back.is_end
    assert await events.position_at(org.org_id, AT) <= first.events[0].change.position
    assert await events.position_after(org.org_id, NOW) > second.end


async def test_events_are_found_by_their_ids(org: Tenant, events: Events) -> None:
    users = await happen(org, "uu")
    wallet_id = await make.make_wallet(org.container.database, org.org_id)
    account_id = await make.account_of(org.container.database, org.org_id, wallet_id)
    funding = make.funding(org.org_id, account_id, 5)
    funded = make.opened(await org.container.ledger.create(funding, TRANSITIONS))
    known = [*(EventKey(each, 1, 0) for each in users), EventKey(funded.id, 1, 0)]
    unknown = [EventKey(users[0], 1, 1), EventKey(users[0], 2, 0), EventKey(new_id(), 1, 0)]
    found = await events.find(org.org_id, [*known, *unknown])
    assert list(found) == known
    assert {key: each.key for key, each in found.items()} == {key: key for key in known}
    assert found[known[2]].type == "WALLET.TOKEN.BALANCE.UPDATE"
    assert await events.find(org.org_id, []) == {}
    assert await events.find(new_id(), known) == {}


async def test_payloads_are_returned_in_event_order(org: Tenant, events: Events) -> None:
    async def agree(tx: Tx) -> None:
        await append_change(
            tx,
            org_id=org.org_id,
            object_id=new_id(),
            seq=1,
            kind="TOS_LINK",
            change_type="update",
            actor="test",
            at=AT,
        )

    await happen(org, "uu")
    await org.container.database.transact(agree)
    await happen(org, "u")
    await placed(org.container.database)
    found = (await events.read(org.org_id, START, limit=10)).events
    assert await events.payloads(org.org_id, found) == [b'{"n":1}', b'{"n":1}', b"null", b'{"n":1}']
    assert await events.payloads(org.org_id, []) == []


async def test_an_event_without_a_payload_function_is_a_bug(org: Tenant, events: Events) -> None:
    (user,) = await happen(org, "u")
    key = EventKey(user, 1, 0)
    event = (await events.find(org.org_id, [key]))[key]
    blind = Events(
        database=events.database,
        clock=events.clock,
        deposits=events.deposits,
        payload_builders={},
        retention=KEPT,
    )
    with pytest.raises(InvariantBroken, match="USER"):
        await blind.payloads(org.org_id, [event])


def test_every_family_has_a_payload_function(org: Tenant) -> None:

    assert {each.kind for each in CATALOGUE} <= set(org.container.events.payload_builders)


@given(
    st.integers(0, (1 << 63) - 1),
    st.uuids(),
    st.integers(0, (1 << 31) - 2),
    st.integers(0, PARTS_MAX - 1),
)
def test_a_cursor_is_read_as_it_was_written(tx: int, object_id: UUID, seq: int, part: int) -> None:
    at = EventPosition(LogPosition(tx, object_id, seq), part)
    assert position(at.text, field="cursor") == at
    assert at.text.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=60) | st.binary(min_size=29, max_size=29).map(lambda raw: raw.hex()))
def test_other_texts_are_not_cursors(text: str) -> None:
    try:
        at = position(text, field="cursor")
    except FieldInvalid:
        return
    assert at.text == text


def test_a_cursor_beyond_the_database_range_is_refused() -> None:
    for log_position in (
        LogPosition(1 << 63, UUID(int=0), 1),
        LogPosition(1, UUID(int=0), (1 << 31) - 1),
    ):
        with pytest.raises(FieldInvalid):
            position(EventPosition(log_position, 0).text, field="cursor")
