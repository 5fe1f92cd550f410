"""Looking at deliveries: lists, filters, pages, attempts."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.events.model import EventKey
from landbridge.events.names import CATALOGUE
from landbridge.web.reply import moment
from landbridge.webhooks.model import (
    ATTEMPTS_KEPT,
    DeliveryFilters,
    DeliveryPosition,
    DeliveryStatus,
)
from tests.tenants import Tenant, make_user, sentence

from .rows import SECOND, URL, add, make_endpoint, row, tried

PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP


async def pages(org: Tenant, hook: str, **query: str | int) -> list[list[str]]:
    """The ids of every page, to the end."""
    found: list[list[str]] = []
    page = await org.get(f"/v2/webhooks/{hook}/deliveries", **query)
    while True:
        assert page["count"] == len(page["deliveries"])
        found.append([each["id"] for each in page["deliveries"]])
        if page["nextCursor"] is None:
            return found
        cursor = {"cursor": page["nextCursor"]}
        page = await org.get(f"/v2/webhooks/{hook}/deliveries", **{**query, **cursor})


async def ids(org: Tenant, hook: str, **query: str | int) -> list[str]:
    return [each for page in await pages(org, hook, **query) for each in page]


async def test_newest_come_first_also_of_the_same_moment(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    rows = [row(org, hook, created_at=at - SECOND * (place // 4)) for place in range(10)]
    await add(org, hook, rows)
    await add(org, await make_endpoint(org), [row(org, hook)])
    newest = sorted(rows, key=lambda each: (each.created_at, each.id), reverse=True)
    wanted = [str(each.id) for each in newest]
    assert await pages(org, hook, limit=3) == [wanted[:3], wanted[3:6], wanted[6:9], wanted[9:]]
    assert await ids(org, hook, limit=100) == wanted


async def test_what_a_delivery_tells(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    due = at + 30 * SECOND
    attempts = (tried(at, status=503, answer="busy"), tried(at + SECOND, status=None))
    made = row(
        *(org, hook),
        status=PENDING,
        due_at=due,
        attempt_count=41,
        attempts=attempts,
        event_type="ONRAMP.STATUS.COMPLETED",
        created_at=at,
    )
    await add(org, hook, [made])
    told = {
        "id": str(made.id),
        "webhookId": hook,
        "eventId": made.key.text,
        "eventType": "ONRAMP.STATUS.COMPLETED",
        "objectId": str(made.key.object_id),
        "status": "PENDING",
        "attemptCount": 41,
        "lastAttempt": attempt(at + SECOND, None, "no answer", "ok"),
        "nextAttemptAt": moment(due),
        "givesUpAt": moment(made.gives_up_at),
        "createdAt": moment(at),
        "updatedAt": moment(at),
    }
    page = await org.get(f"/v2/webhooks/{hook}/deliveries")
    assert page == {"count": 1, "deliveries": [told], "nextCursor": None}
    whole = [attempt(at, 503, None, "busy"), told["lastAttempt"]]
    path = f"/v2/webhooks/{hook}/deliveries/{made.id}"
    assert await org.get(path) == {**told, "attempts": whole}


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
    made = row(org, hook, status=REFUSED, attempts=(), attempt_count=0)
    await add(org, hook, [made])
    found = await org.get(f"/v2/webhooks/{hook}/deliveries/{made.id}")
    assert (found["nextAttemptAt"], found["givesUpAt"], found["lastAttempt"]) == (None, None, None)
    assert found["attempts"] == []


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("PENDING", {PENDING}),
        ("REFUSED,GIVEN_UP", {REFUSED, GIVEN_UP}),
        ("DELIVERED", {DELIVERED}),
        ("DELIVERED,PENDING", {DELIVERED, PENDING}),
        ("REPLACED", set[DeliveryStatus]()),
    ],
)
async def test_only_a_status(org: Tenant, asked: str, wanted: set[DeliveryStatus]) -> None:
    hook = await make_endpoint(org)
    rows = {each: row(org, hook, status=each) for each in (PENDING, DELIVERED, REFUSED, GIVEN_UP)}
    await add(org, hook, list(rows.values()))
    found = await ids(org, hook, status=asked, limit=1)
    assert set(found) == {str(rows[each].id) for each in wanted}
    assert len(found) == len(wanted)


async def test_only_types_of_events_in_either_spelling(org: Tenant) -> None:
    hook = await make_endpoint(org, createEventSpelling="CREATED")
    types = [each.type for each in CATALOGUE] + ["ONRAMP.TRANSACTION.CREATED"]
    rows = {each: row(org, hook, event_type=each) for each in types}
    await add(org, hook, list(rows.values()))

    async def found(asked: str) -> set[str]:
        wanted = set(await ids(org, hook, eventType=asked, limit=100))
        return {each for each in types if str(rows[each].id) in wanted}

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
    events = await org.house.database.rows(
        "select object_id, seq, tx::text as tx from changes where org_id = $1 and kind = 'USER'"
        " and object_id = $2::text::uuid and seq = 1",
        org.org_id,
        user,
    )
    key, tx = EventKey(events[0]["object_id"], 1, 0), int(events[0]["tx"])
    rows = [row(org, hook, key=key, tx=tx, round=place + 1) for place in range(3)]
    elsewhere = row(org, other, key=key, tx=tx)
    await add(org, hook, [*rows, row(org, hook)])
    await add(org, other, [elsewhere])
    newest = [str(each.id) for each in sorted(rows, key=lambda each: each.created_at, reverse=True)]
    assert await pages(org, hook, eventId=key.text, limit=2) == [newest[:2], newest[2:]]
    assert await ids(org, hook, eventId=key.text, status="REFUSED") == []
    assert await ids(org, hook, eventId=key.text, eventType="KYC.*") == []
    assert await ids(org, hook, eventId=EventKey(new_id(), 1, 0).text) == []

    event = (await org.house.events.find(org.org_id, [key]))[key]
    found = await org.house.deliveries.of_event(org.org_id, event)
    assert {each.id for each in found} == {each.id for each in [*rows, elsewhere]}


async def test_only_a_time(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    rows = [row(org, hook, created_at=at - SECOND * place) for place in range(5)]
    await add(org, hook, rows)
    after, before = moment(at - SECOND * 3), moment(at - SECOND)
    found = await ids(org, hook, createdAfter=after, createdBefore=before)
    assert found == [str(rows[2].id), str(rows[3].id)]
    assert await ids(org, hook, createdAfter=moment(at + SECOND)) == []


async def test_a_search_through_very_many_ends_a_page_early(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    rows = [
        row(
            *(org, hook),
            created_at=at - SECOND * place,
            event_type="USER.UPDATE" if place % 5 == 4 else "USER.CREATE",
            status=(DELIVERED, PENDING)[place % 2],
        )
        for place in range(20)
    ]
    await add(org, hook, rows)
    deliveries = replace(org.house.deliveries, looked_at_max=4)
    for statuses in (None, frozenset([PENDING])):
        filters = DeliveryFilters(statuses=statuses, event_types=frozenset(["USER.UPDATE"]))
        found: list[str] = []
        after: DeliveryPosition | None = None
        for _ in range(10):
            page = await deliveries.page(
                *(org.caller, rows[0].endpoint_id, filters, Window(10, None, None), after)
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


async def test_what_is_older_than_events_are_kept_is_gone(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    kept = org.house.events.kept
    old = row(org, hook, created_at=at - kept - timedelta(minutes=1))
    young = row(org, hook, created_at=at - kept + timedelta(minutes=1))
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
async def test_what_makes_no_sense_is_refused(
    org: Tenant, query: dict[str, str], named: str
) -> None:
    hook = await make_endpoint(org)
    answer = await org.send("GET", f"/v2/webhooks/{hook}/deliveries", None, **query)
    assert answer.status_code == 400
    assert named in sentence(answer)


async def test_strangers_and_other_endpoints_find_nothing(org: Tenant, other_org: Tenant) -> None:
    hook, other = await make_endpoint(org), await make_endpoint(org)
    made = row(org, hook)
    await add(org, hook, [made])
    mine = f"/v2/webhooks/{hook}/deliveries/{made.id}"
    for who, path in (
        (other_org, mine),
        (other_org, f"/v2/webhooks/{hook}/deliveries"),
        (org, f"/v2/webhooks/{other}/deliveries/{made.id}"),
        (org, f"/v2/webhooks/{hook}/deliveries/{new_id()}"),
        (org, f"/v2/webhooks/{hook}/deliveries/nothing"),
        (org, f"/v2/webhooks/nothing/deliveries/{made.id}"),
    ):
        assert await who.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await other_org.refused("POST", f"{mine}/resend") == "404 RESOURCE_NOT_FOUND"
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    assert await org.refused("GET", mine) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("POST", f"{mine}/resend") == "404 RESOURCE_NOT_FOUND"


async def test_no_more_attempts_are_told_than_are_kept(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    attempts = tuple(tried(at + SECOND * place) for place in range(ATTEMPTS_KEPT))
    made = row(org, hook, attempts=attempts, attempt_count=99)
    await add(org, hook, [made])
    found = await org.get(f"/v2/webhooks/{hook}/deliveries/{made.id}")
    assert (len(found["attempts"]), found["attemptCount"]) == (ATTEMPTS_KEPT, 99)
    assert URL not in str(found)
