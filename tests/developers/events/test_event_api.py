"""Events pulled over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from landbridge.developers.events.listing import position
from landbridge.developers.events.names import CATALOGUE
from landbridge.platform.core.clock import FrozenClock
from tests.change_log import placed
from tests.customers.wallets.test_deposits import listed
from tests.tenants import (
    SWAPS,
    SwapStatus,
    Tenant,
    good,
    make_agreement,
    make_swap,
    make_user,
    sentence,
)

EVENTS = "/v2/events"
TYPES = {each.type for each in CATALOGUE}


async def page(org: Tenant, **query: str | int) -> Any:
    """Return a page of the events settled so far."""
    await placed(org.container.database)
    found = await org.get(EVENTS, **query)
    assert found["count"] == len(found["records"])
    return found


async def pull(org: Tenant, **query: str | int) -> list[Any]:
    """Return all pages from the first to the last, or to an empty one."""
    found = await page(org, **query)
    records: list[Any] = []
    while found["records"]:
        records += found["records"]
        if found.get("nextCursor") is None:
            break
        found = await page(org, **query, cursor=found["nextCursor"])
    return records


def types(records: list[Any]) -> list[str]:
    return [each["eventType"] for each in records]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def test_events_are_listed_in_order(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, "1", status=SwapStatus.COMPLETED)
    records = await pull(org)
    assert types(records) == [
        "TOS_LINK.UPDATE",
        "USER.CREATE",
        "WALLET.TOKEN.BALANCE.UPDATE",
        "WALLET.SWAP.TRANSACTION.CREATE",
        "WALLET.SWAP.STATUS.OPEN_QUOTE",
        "WALLET.SWAP.STATUS.CREATED",
        "WALLET.SWAP.STATUS.PENDING",
        "WALLET.SWAP.STATUS.COMPLETED",
    ]
    of_swap = [each for each in records if each["objectId"] == swap["id"]]
    sequences = [each["sequence"] for each in of_swap]
    assert sequences == sorted(set(sequences))
    assert of_swap[-1]["data"] == await org.get(f"{SWAPS}/{swap['id']}")
    assert records[1]["data"] == await org.get(f"/v2/users/{user}")
    (deposit,) = await listed(org, user)
    assert records[2]["data"] == deposit
    assert {each["version"] for each in records} == {"v2"}
    assert len({each["eventId"] for each in records}) == len(records)


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_pages_of_any_size_list_the_same_events_in_both_directions(
    org: Tenant, limit: int
) -> None:
    user = await make_user(org, funds="10")
    for status in (SwapStatus.OPEN_QUOTE, SwapStatus.COMPLETED):
        await make_swap(org, user, "1", status=status)
    event_ids = [each["eventId"] for each in await pull(org)]
    assert len(event_ids) == 10
    forwards = await pull(org, limit=limit)
    assert [each["eventId"] for each in forwards] == event_ids
    backwards = await pull(org, limit=limit, order="desc")
    assert [each["eventId"] for each in backwards] == event_ids[::-1]


async def test_a_client_at_the_end_continues_with_new_events(org: Tenant) -> None:
    first = await page(org)
    assert (first["count"], first["records"]) == (0, [])
    user = await make_user(org)
    second = await page(org, cursor=first["nextCursor"])
    assert types(second["records"]) == ["TOS_LINK.UPDATE", "USER.CREATE"]
    third = await page(org, cursor=second["nextCursor"])
    assert third["records"] == []
    await org.post(f"/v2/users/{user}/freeze", {})
    last = await page(org, cursor=third["nextCursor"])
    assert types(last["records"]) == ["USER.UPDATE"]
    # From the newest on: empty at first, then the new events.
    newest = await page(org, order="desc", limit=1)
    assert newest["records"][0]["eventId"] == last["records"][0]["eventId"]
    assert (await page(org, cursor=newest["nextCursor"]))["records"] == []
    await make_agreement(org)
    after = await page(org, cursor=newest["nextCursor"])
    assert types(after["records"]) == ["TOS_LINK.UPDATE"]


async def test_the_newest_first_have_an_end(org: Tenant) -> None:
    assert await page(org, order="desc") == {"count": 0, "records": []}
    await make_user(org)
    found = await page(org, order="desc")
    assert types(found["records"]) == ["USER.CREATE", "TOS_LINK.UPDATE"]
    assert found.get("nextCursor") is None


async def test_filters_by_type_and_object(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, "1", status=SwapStatus.COMPLETED)
    other = await make_swap(org, user, "1")
    of_swap = await pull(org, objectId=swap["id"], limit=2)
    assert [each["objectId"] for each in of_swap] == [swap["id"]] * 5
    back = await pull(org, objectId=swap["id"], limit=2, order="desc")
    assert [each["eventId"] for each in back] == [each["eventId"] for each in of_swap][::-1]
    quotes = await pull(org, eventType="*.STATUS.OPEN_QUOTE")
    assert [each["objectId"] for each in quotes] == [swap["id"], other["id"]]
    some = await pull(org, eventType="USER.CREATE, WALLET.TOKEN.*", limit=1)
    assert types(some) == ["USER.CREATE", "WALLET.TOKEN.BALANCE.UPDATE"]
    both = await pull(org, objectId=other["id"], eventType="WALLET.SWAP.STATUS.*")
    assert types(both) == ["WALLET.SWAP.STATUS.OPEN_QUOTE"]
    assert await pull(org, objectId=str(uuid4())) == []
    repeated = await org.client.get(
        EVENTS,
        params=[("eventType", "USER.CREATE"), ("eventType", "TOS_LINK.*")],
        headers=org.headers,
    )
    assert types(good(repeated)["records"]) == ["TOS_LINK.UPDATE", "USER.CREATE"]


async def test_filters_by_time(still_org: Tenant, still_clock: FrozenClock) -> None:
    # Envelopes have milliseconds; other tests may have left parts of one.
    still_clock.at = still_clock.at.replace(microsecond=0) + timedelta(seconds=1)
    org, begin = still_org, still_clock.at
    moments: list[datetime] = []
    for _ in range(3):
        still_clock.at += timedelta(minutes=10)
        moments.append(still_clock.at)
        await make_agreement(org)
    all_ = await pull(org)
    assert len(all_) == 3
    for since in (begin, *moments):
        for until in (*moments, still_clock.at + timedelta(hours=1)):
            expected = [each for each in all_ if since <= moment(each["createdAt"]) < until]
            query = {"createdAfter": since.isoformat(), "createdBefore": until.isoformat()}
            ids = [each["eventId"] for each in expected]
            assert [each["eventId"] for each in await pull(org, **query, limit=1)] == ids
            found = await pull(org, **query, limit=1, order="desc")
            assert [each["eventId"] for each in found] == ids[::-1]


async def test_a_list_up_to_a_time_that_is_over_ends(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    await make_agreement(org)
    still_clock.at += timedelta(minutes=10)
    until = still_clock.at.isoformat()
    found = await page(org, createdBefore=until)
    # The page ends at the current time, so later events might still belong to it.
    assert found["count"] == 1
    assert found.get("nextCursor") is not None
    still_clock.at += timedelta(minutes=2)
    assert (await page(org, createdBefore=until)).get("nextCursor") is None
    await make_agreement(org)
    assert (await page(org, createdBefore=until)).get("nextCursor") is None
    assert (await page(org)).get("nextCursor") is not None


async def test_times_are_the_organisations(org: Tenant) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    await make_agreement(org)
    (record,) = await pull(org)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    for name in ("createdAt", "timestamp"):
        assert abs(moment(record[name]) - tomorrow) < timedelta(minutes=5)
        assert record[name].endswith("Z")
    assert record["createdAt"] <= record["timestamp"]
    since = (tomorrow - timedelta(hours=1)).isoformat()
    assert types(await pull(org, createdAfter=since)) == ["TOS_LINK.UPDATE"]


async def test_old_log_lines_are_neither_listed_nor_found(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    await make_agreement(org)
    begin = await page(org)
    (old,) = begin["records"]
    assert (await org.get(f"{EVENTS}/{old['eventId']}"))["eventId"] == old["eventId"]
    still_clock.at += org.container.events.retention + timedelta(minutes=5)
    assert await pull(org) == []
    assert await pull(org, order="desc") == []
    assert await pull(org, objectId=old["objectId"]) == []
    assert await org.refused("GET", f"{EVENTS}/{old['eventId']}") == "404 RESOURCE_NOT_FOUND"
    await make_agreement(org)
    (new,) = await pull(org)
    assert [each["eventId"] for each in await pull(org, order="desc")] == [new["eventId"]]
    # An old cursor leads on to it.
    (found,) = (await page(org, cursor=begin["nextCursor"]))["records"]
    assert found["eventId"] == new["eventId"]


async def test_one_event_has_its_deliveries(org: Tenant) -> None:
    await make_user(org)
    for record in await pull(org):
        found = await org.get(f"{EVENTS}/{record['eventId']}")
        assert found.pop("deliveries") == []
        assert found["timestamp"] >= record["timestamp"]
        assert {**found, "timestamp": None} == {**record, "timestamp": None}


async def test_an_unknown_event_is_not_found(org: Tenant, other_org: Tenant) -> None:
    await make_user(org)
    (record, _) = await pull(org)
    known = record["eventId"]
    beyond = known[:-2] + "09"
    for event_id in ("evt_", "x", known[:-1], known.upper(), beyond, f"evt_{'0' * 42}"):
        assert await org.refused("GET", f"{EVENTS}/{event_id}") == "404 RESOURCE_NOT_FOUND"
    assert await other_org.refused("GET", f"{EVENTS}/{known}") == "404 RESOURCE_NOT_FOUND"
    assert await pull(other_org) == []
    assert await pull(other_org, objectId=record["objectId"]) == []
    mine = await page(org)
    answer = await other_org.send("GET", EVENTS, cursor=mine["nextCursor"])
    assert answer.status_code == 400 or answer.json()["records"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cursor", "x"),
        ("cursor", "é" * 39),
        ("cursor", "_" * 39),
        ("cursor", "2026-01-01"),
        ("order", "up"),
        ("limit", "101"),
        ("limit", "0"),
        ("objectId", "x"),
        ("createdAfter", "yesterday"),
        ("createdBefore", "2026-13-01"),
        ("eventType", "user.create"),
        ("eventType", ""),
        ("eventType", "USER.CREATE,"),
    ],
)
async def test_invalid_parameters_are_refused(org: Tenant, name: str, value: str) -> None:
    answer = await org.send("GET", EVENTS, **{name: value})
    assert answer.status_code == 400
    assert name in sentence(answer)


async def test_a_cursor_that_the_log_has_not_reached_is_refused(org: Tenant) -> None:
    # After the restore of an older backup: it would skip what happens next.
    await make_user(org)
    last = position((await page(org))["nextCursor"], field="cursor")
    ahead = last._replace(
        log_position=last.log_position._replace(place=last.log_position.place + 2)
    )
    answer = await org.send("GET", EVENTS, cursor=ahead.text)
    assert answer.status_code == 400
    assert "begin with createdAfter" in sentence(answer)
    # In descending order there are events before it.
    assert (await page(org, cursor=ahead.text, order="desc"))["records"]
    assert (await page(org, cursor=last.text))["records"] == []


async def test_an_older_name_is_refused_with_the_newer(org: Tenant) -> None:
    answer = await org.send("GET", EVENTS, eventType="OFFRAMP.UPDATE")
    assert answer.status_code == 400
    assert "use OFFRAMP.STATUS.*" in sentence(answer)


async def test_every_type_of_the_catalogue_is_a_valid_filter(org: Tenant) -> None:
    some = sorted(TYPES)
    for part in (some[:40], some[40:]):
        assert await pull(org, eventType=",".join(part)) == []


@pytest.mark.parametrize("name", ["createdBefore", "createdAfter"])
@pytest.mark.parametrize("bound", ["9999-12-31T23:59:59.999999Z", "0001-01-01", "9999-12-31"])
async def test_bounds_may_be_the_ends_of_time(org: Tenant, name: str, bound: str) -> None:
    for query in ({}, {"eventType": "KYC.*"}, {"objectId": str(uuid4())}, {"order": "desc"}):
        assert (await page(org, **{name: bound}, **query))["records"] == []
    await make_user(org)
    is_all = (name == "createdBefore") == (bound[0] == "9")
    for order in ("asc", "desc"):
        found = await page(org, **{name: bound}, order=order)
        assert bool(found["records"]) is is_all
        assert (await page(org, **{name: bound}, order=order, eventType="KYC.*"))["records"] == []
