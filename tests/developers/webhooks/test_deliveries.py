"""Deliveries over the API: lists, filters, pages, attempts."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from landbridge.developers.events.model import EventKey
from landbridge.developers.events.names import CATALOGUE
from landbridge.developers.webhooks.model import (
    ATTEMPTS_STORED,
    DeliveryFilters,
    DeliveryStatus,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PagePosition, PageWindow
from landbridge.platform.http.responses import moment
from tests.change_log import placed
from tests.developers.webhooks.rows import SECOND, URL, add, make_endpoint, row, tried
from tests.tenants import Tenant, make_user, sentence

PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP


async def pages(org: Tenant, hook: str, **query: str | int) -> list[list[str]]:
    """Return the ids of every page."""
    found: list[list[str]] = []
    page = await org.get(f"/v2/webhooks/{hook}/deliveries", **query)
    while True:
        assert page["count"] == len(page["deliveries"])
        found.append([each["id"] for each in page["deliveries"]])
        if page.get("nextCursor") is None:
            return found
        cursor = {"cursor": page["nextCursor"]}
        page = await org.get(f"/v2/webhooks/{hook}/deliveries", **{**query, **cursor})


async def ids(org: Tenant, hook: str, **query: str | int) -> list[str]:
    return [each for page in await pages(org, hook, **query) for each in page]


async def test_newest_come_first_also_of_the_same_moment(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    rows = [row(org, hook, created_at=at - SECOND * (index // 4)) for index in range(10)]
    await add(org, hook, rows)
    await add(org, await make_endpoint(org), [row(org, hook)])
    newest = sorted(rows, key=lambda each: (each.created_at, each.id), reverse=True)
    expected = [str(each.id) for each in newest]
    assert await pages(org, hook, limit=3) == [
        expected[:3],
        expected[3:6],
        expected[6:9],
        expected[9:],
    ]
    assert await ids(org, hook, limit=100) == expected


async def test_a_delivery_has_all_its_fields(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    due = at + 30 * SECOND
    attempts = (tried(at, status=503, answer="busy"), tried(at + SECOND, status=None))
    created = row(
        *(org, hook),
        status=PENDING,
        due_at=due,
        attempt_count=41,
        attempts=attempts,
        event_type="ONRAMP.STATUS.COMPLETED",
        created_at=at,
    )
    await add(org, hook, [created])
    fields = {
        "id": str(created.id),
        "webhookId": hook,
        "eventId": created.key.text,
        "eventType": "ONRAMP.STATUS.COMPLETED",
        "objectId": str(created.key.object_id),
        "status": "PENDING",
        "attemptCount": 41,
        "lastAttempt": attempt(at + SECOND, None, "no answer", "ok"),
        "nextAttemptAt": moment(due),
        "givesUpAt": moment(created.deadline_at),
        "createdAt": moment(at),
        "updatedAt": moment(at),
    }
    page = await org.get(f"/v2/webhooks/{hook}/deliveries")
    assert page == {"count": 1, "deliveries": [fields]}
    whole = [attempt(at, 503, None, "busy"), fields["lastAttempt"]]
    path = f"/v2/webhooks/{hook}/deliveries/{created.id}"
    assert await org.get(path) == {**fields, "attempts": whole}


def attempt(at: datetime, status: int | None, error: str | None, answer: str) -> dict[str, Any]:
    return {
        "at": moment(at),
        "milliseconds": 7,
        "status": status,
        "error": error,
        "answer": answer,
    }


async def test_one_that_is_done_has_no_next_attempt(org: Tenant) -> None:
    hook = await make_endpoint(org)
    created = row(org, hook, status=REFUSED, attempts=(), attempt_count=0)
    await add(org, hook, [created])
    found = await org.get(f"/v2/webhooks/{hook}/deliveries/{created.id}")
    assert (found["nextAttemptAt"], found["givesUpAt"], found["lastAttempt"]) == (None, None, None)
    assert found["attempts"] == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("PENDING", {PENDING}),
        ("REFUSED,GIVEN_UP", {REFUSED, GIVEN_UP}),
        ("DELIVERED", {DELIVERED}),
        ("DELIVERED,PENDING", {DELIVERED, PENDING}),
        ("REPLACED", set[DeliveryStatus]()),
    ],
)
async def test_only_a_status(org: Tenant, status: str, expected: set[DeliveryStatus]) -> None:
    hook = await make_endpoint(org)
    rows = {each: row(org, hook, status=each) for each in (PENDING, DELIVERED, REFUSED, GIVEN_UP)}
    await add(org, hook, list(rows.values()))
    found = await ids(org, hook, status=status, limit=1)
    assert set(found) == {str(rows[each].id) for each in expected}
    assert len(found) == len(expected)


async def test_only_types_of_events_in_either_spelling(org: Tenant) -> None:
    hook = await make_endpoint(org, createEventSpelling="CREATED")
    types = [each.type for each in CATALOGUE] + ["ONRAMP.TRANSACTION.CREATED"]
    rows = {each: row(org, hook, event_type=each) for each in types}
    await add(org, hook, list(rows.values()))

    async def found(event_type: str) -> set[str]:
        expected = set(await ids(org, hook, eventType=event_type, limit=100))
        return {each for each in types if str(rows[each].id) in expected}

    both = {"ONRAMP.TRANSACTION.CREATE", "ONRAMP.TRANSACTION.CREATED"}
    assert await found("ONRAMP.TRANSACTION.CREATE") == both
    assert await found("ONRAMP.TRANSACTION.CREATED") == both
    assert await found("USER.CREATE,KYC_LINK.*") == {
        "USER.CREATE",
        "KYC_LINK.CREATE",
        "KYC_LINK.UPDATE",
    }
    assert await found("*") == set(types)


async def test_only_an_event(org: Tenant) -> None:
    hook, other = await make_endpoint(org), await make_endpoint(org)
    user = await make_user(org)
    await placed(org.container.database)
    events = await org.container.database.rows(
        "select c.object_id, b.place from changes c join change_batches b on b.org_id = c.org_id"
        " and b.number = c.batch where c.org_id = $1 and c.kind = 'USER'"
        " and c.object_id = $2::text::uuid and c.seq = 1",
        org.org_id,
        user,
    )
    key, place = EventKey(events[0]["object_id"], 1, 0), events[0]["place"]
    rows = [row(org, hook, key=key, place=place, round=index + 1) for index in range(3)]
    elsewhere = row(org, other, key=key, place=place)
    await add(org, hook, [*rows, row(org, hook)])
    await add(org, other, [elsewhere])
    newest = [str(each.id) for each in sorted(rows, key=lambda each: each.created_at, reverse=True)]
    assert await pages(org, hook, eventId=key.text, limit=2) == [newest[:2], newest[2:]]
    assert await ids(org, hook, eventId=key.text, status="REFUSED") == []
    assert await ids(org, hook, eventId=key.text, eventType="KYC.*") == []
    assert await ids(org, hook, eventId=EventKey(new_id(), 1, 0).text) == []

    event = (await org.container.events.find(org.org_id, [key]))[key]
    found = await org.container.deliveries.of_event(org.org_id, event)
    assert {each.id for each in found} == {each.id for each in [*rows, elsewhere]}


async def test_only_a_time(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    rows = [row(org, hook, created_at=at - SECOND * index) for index in range(5)]
    await add(org, hook, rows)
    after, before = moment(at - SECOND * 3), moment(at - SECOND)
    found = await ids(org, hook, createdAfter=after, createdBefore=before)
    assert found == [str(rows[2].id), str(rows[3].id)]
    assert await ids(org, hook, createdAfter=moment(at + SECOND)) == []


async def test_a_search_through_very_many_ends_a_page_early(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    rows = [
        row(
            *(org, hook),
            created_at=at - SECOND * index,
            event_type="USER.UPDATE" if index % 5 == 4 else "USER.CREATE",
            status=(DELIVERED, PENDING)[index % 2],
        )
        for index in range(20)
    ]
    await add(org, hook, rows)
    deliveries = replace(org.container.deliveries, scan_max=4)
    for statuses in (None, frozenset([PENDING])):
        filters = DeliveryFilters(statuses=statuses, event_types=frozenset(["USER.UPDATE"]))
        found: list[str] = []
        after: PagePosition | None = None
        for _ in range(10):
            page = await deliveries.page(
                *(org.caller, rows[0].endpoint_id, filters, PageWindow(10, None, None), after)
            )
            assert len(page.deliveries) <= 4
            found += [str(each.id) for each in page.deliveries]
            if page.next is None:
                break
            after = page.next
        assert found == [
            str(each.id)
            for each in rows
            if each.event_type == "USER.UPDATE" and (not statuses or each.status in statuses)
        ]


async def test_events_past_their_retention_are_not_found(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    retention = org.container.events.retention
    old = row(org, hook, created_at=at - retention - timedelta(minutes=1))
    young = row(org, hook, created_at=at - retention + timedelta(minutes=1))
    await add(org, hook, [old, young])
    assert await ids(org, hook) == [str(young.id)]
    path = f"/v2/webhooks/{hook}/deliveries/{old.id}"
    assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("POST", f"{path}/resend") == "404 RESOURCE_NOT_FOUND"


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"status": "SENT"}, "status"),
        ({"eventType": "ONRAMP.CREATE"}, "ONRAMP.TRANSACTION.CREATE"),
        ({"eventId": "evt_12"}, "eventId"),
        ({"cursor": "zz"}, "cursor"),
        ({"cursor": "f" * 48}, "cursor"),
        ({"limit": "0"}, "limit"),
        ({"createdAfter": "yesterday"}, "createdAfter"),
    ],
)
async def test_contradictory_parameters_are_refused(
    org: Tenant, query: dict[str, str], named: str
) -> None:
    hook = await make_endpoint(org)
    answer = await org.send("GET", f"/v2/webhooks/{hook}/deliveries", None, **query)
    assert answer.status_code == 400
    assert named in sentence(answer)


async def test_strangers_and_other_endpoints_find_nothing(org: Tenant, other_org: Tenant) -> None:
    hook, other = await make_endpoint(org), await make_endpoint(org)
    created = row(org, hook)
    await add(org, hook, [created])
    mine = f"/v2/webhooks/{hook}/deliveries/{created.id}"
    for reader, path in (
        (other_org, mine),
        (other_org, f"/v2/webhooks/{hook}/deliveries"),
        (org, f"/v2/webhooks/{other}/deliveries/{created.id}"),
        (org, f"/v2/webhooks/{hook}/deliveries/{new_id()}"),
        (org, f"/v2/webhooks/{hook}/deliveries/nothing"),
        (org, f"/v2/webhooks/nothing/deliveries/{created.id}"),
    ):
        assert await reader.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await other_org.refused("POST", f"{mine}/resend") == "404 RESOURCE_NOT_FOUND"
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    assert await org.refused("GET", mine) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("POST", f"{mine}/resend") == "404 RESOURCE_NOT_FOUND"


async def test_no_more_attempts_are_returned_than_are_retained(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    attempts = tuple(tried(at + SECOND * index) for index in range(ATTEMPTS_STORED))
    created = row(org, hook, attempts=attempts, attempt_count=99)
    await add(org, hook, [created])
    found = await org.get(f"/v2/webhooks/{hook}/deliveries/{created.id}")
    assert (len(found["attempts"]), found["attemptCount"]) == (ATTEMPTS_STORED, 99)
    assert URL not in str(found)
