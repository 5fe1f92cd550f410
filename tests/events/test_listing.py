"""Events read from the log, and lists of them where most of what happened is not wanted."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.changes.model import START, Place
from landbridge.changes.service import tell
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.events.listing import Filters, Listing, Page, Position, position
from landbridge.events.model import PARTS_MAX, Event, EventKey
from landbridge.events.names import CATALOGUE
from landbridge.events.service import Events
from tests import make
from tests.events.changes import AT
from tests.make import MOVES
from tests.settled import settled
from tests.tenants import Tenant

NOW = AT + timedelta(hours=1)
KEPT = timedelta(days=30)


async def numbers(_org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
    """Portraits that show their event's number."""
    return [{"n": each.sequence} for each in events]


async def nothing(_org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
    """Portraits of what is gone."""
    return [None for _ in events]


@pytest.fixture
def events(org: Tenant) -> Events:
    house = org.house
    return Events(
        database=house.database,
        clock=house.clock,
        deposits=house.deposits,
        portraits={"USER": numbers, "TOS_LINK": nothing},
        kept=KEPT,
    )


async def happen(org: Tenant, kinds: str) -> list[UUID]:
    """Changes of one transaction each thing: of a user for each `u`, without an event for each `-`.

    Answers the users.
    """
    made = sorted(new_id() for _ in kinds)  # the order of the log within a transaction

    async def work(tx: Tx) -> None:
        for thing, kind in zip(made, kinds, strict=True):
            await tell(
                tx,
                org_id=org.org_id,
                object_id=thing,
                seq=1,
                kind="USER" if kind == "u" else "THING",
                what="create",
                actor="test",
                at=AT,
            )

    await org.house.database.transact(work)
    return [thing for thing, kind in zip(made, kinds, strict=True) if kind == "u"]


def objects(page: Page) -> list[UUID]:
    return [each.change.object_id for each in page.events]


async def test_a_page_looks_through_so_much_and_leads_on(org: Tenant, events: Events) -> None:
    (first,) = await happen(org, "-" * 450 + "u")
    (second,) = await happen(org, "-" * 950 + "u")
    await settled(org.house.database)
    listing = Listing(events=events, changes_max=400)
    for find, expected in (
        (listing.oldest_first, [first, second]),
        (listing.newest_first, [second, first]),
    ):
        pages: list[Page] = []
        at: Position | None = None
        while len(pages) < 10:
            found = await find(org.org_id, Filters(), at, limit=10, now=NOW)
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
    await settled(org.house.database)
    listing = Listing(events=events, changes_max=200)
    for find in (listing.oldest_first, listing.newest_first):
        found = await find(org.org_id, Filters(object_id=user), None, limit=10, now=NOW)
        assert objects(found) == [user]


@pytest.mark.parametrize("seed", range(3))
async def test_a_puller_sees_every_event_once_while_many_write(
    org: Tenant, events: Events, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311  the same story each time
    listing, is_over = Listing(events=events), asyncio.Event()

    async def write(kinds: str, pause_s: float) -> list[UUID]:
        await asyncio.sleep(pause_s)
        return await happen(org, kinds)

    async def pull() -> list[UUID]:
        seen: list[UUID] = []
        at: Position | None = None
        while True:
            was_over = is_over.is_set()
            limit = chance.randint(1, 4)
            found = await listing.oldest_first(org.org_id, Filters(), at, limit=limit, now=NOW)
            seen += objects(found)
            at = found.end
            assert at is not None
            if was_over and not found.events:
                return seen

    pulling = asyncio.create_task(pull())
    stories = [("".join(chance.choices("u-", k=5)), chance.random() / 5) for _ in range(40)]
    written = await asyncio.gather(*(write(kinds, pause_s) for kinds, pause_s in stories))
    await settled(org.house.database)
    is_over.set()
    seen = await pulling
    assert sorted(seen) == sorted(each for users in written for each in users)


async def test_a_reading_tells_where_to_go_on(org: Tenant, events: Events) -> None:
    await settled(org.house.database)
    # What happened before: the organisation and its key.
    begin = (await events.read(org.org_id, START, limit=10)).end
    empty = await events.read(org.org_id, begin, limit=10)
    assert (empty.events, empty.end, empty.is_end) == ([], begin, True)
    users = await happen(org, "u--u")
    await settled(org.house.database)
    first = await events.read(org.org_id, begin, limit=3)
    assert [each.change.object_id for each in first.events] == users[:1]
    assert not first.is_end
    second = await events.read(org.org_id, first.end, limit=3)
    assert [each.change.object_id for each in second.events] == users[1:]
    assert second.is_end
    end = await events.end()
    back = await events.read_back(org.org_id, end, limit=9)
    assert [each.change.object_id for each in back.events] == users[::-1]
    assert back.end <= begin
    assert back.is_end
    assert await events.place_of(org.org_id, AT) <= first.events[0].change.place
    assert await events.place_behind(org.org_id, NOW) > second.end


async def test_events_are_found_by_their_ids(org: Tenant, events: Events) -> None:
    users = await happen(org, "uu")
    wallet_id = await make.make_wallet(org.house.database, org.org_id)
    account_id = await make.account_of(org.house.database, org.org_id, wallet_id)
    funding = make.funding(org.org_id, account_id, 5)
    funded = make.opened(await org.house.ledger.open(funding, MOVES))
    known = [*(EventKey(each, 1, 0) for each in users), EventKey(funded.id, 1, 0)]
    unknown = [EventKey(users[0], 1, 1), EventKey(users[0], 2, 0), EventKey(new_id(), 1, 0)]
    found = await events.find(org.org_id, [*known, *unknown])
    assert list(found) == known
    assert {key: each.key for key, each in found.items()} == {key: key for key in known}
    assert found[known[2]].type == "WALLET.TOKEN.BALANCE.UPDATE"
    assert await events.find(org.org_id, []) == {}
    assert await events.find(new_id(), known) == {}


async def test_what_events_show_comes_in_their_order(org: Tenant, events: Events) -> None:
    async def agree(tx: Tx) -> None:
        await tell(
            tx,
            org_id=org.org_id,
            object_id=new_id(),
            seq=1,
            kind="TOS_LINK",
            what="update",
            actor="test",
            at=AT,
        )

    await happen(org, "uu")
    await org.house.database.transact(agree)
    await happen(org, "u")
    await settled(org.house.database)
    found = (await events.read(org.org_id, START, limit=10)).events
    assert await events.shown(org.org_id, found) == [b'{"n":1}', b'{"n":1}', b"null", b'{"n":1}']
    assert await events.shown(org.org_id, []) == []


async def test_an_event_that_nobody_can_show_is_a_bug(org: Tenant, events: Events) -> None:
    (user,) = await happen(org, "u")
    key = EventKey(user, 1, 0)
    event = (await events.find(org.org_id, [key]))[key]
    blind = Events(
        database=events.database,
        clock=events.clock,
        deposits=events.deposits,
        portraits={},
        kept=KEPT,
    )
    with pytest.raises(Broken, match="USER"):
        await blind.shown(org.org_id, [event])


def test_every_family_has_portraits(org: Tenant) -> None:

    assert {each.kind for each in CATALOGUE} <= set(org.house.events.portraits)


@given(
    st.integers(0, (1 << 63) - 1),
    st.uuids(),
    st.integers(0, (1 << 31) - 2),
    st.integers(0, PARTS_MAX - 1),
)
def test_a_cursor_is_read_as_it_was_written(tx: int, object_id: UUID, seq: int, part: int) -> None:
    at = Position(Place(tx, object_id, seq), part)
    assert position(at.text, field="cursor") == at
    assert at.text.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=60) | st.binary(min_size=29, max_size=29).map(lambda raw: raw.hex()))
def test_whatever_else_is_no_cursor(text: str) -> None:
    try:
        at = position(text, field="cursor")
    except FieldInvalid:
        return
    assert at.text == text


def test_a_cursor_beyond_what_the_database_counts_is_refused() -> None:
    for place in (Place(1 << 63, UUID(int=0), 1), Place(1, UUID(int=0), (1 << 31) - 1)):
        with pytest.raises(FieldInvalid):
            position(Position(place, 0).text, field="cursor")
