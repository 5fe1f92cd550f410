"""Events and requests on their pages: found by filters, looked at, and where they lead."""

import shlex
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from landbridge.dashboard.developers.curl import curl
from landbridge.dashboard.developers.event_objects import object_link
from landbridge.events.names import CATALOGUE
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.settled import settled
from tests.tenants import URL, Tenant, individual, make_agreement, make_transfer, make_user
from tests.webhooks.endpoints import make_webhook

EVENTS, REQUESTS = "/dashboard/events", "/dashboard/requests"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(Role))
async def test_events_lead_to_their_objects(org: Tenant, role: Role) -> None:
    user, to = await make_user(org, funds="5"), await make_user(org)
    payment = await make_transfer(org, user, to)
    somebody = await visit(org, role)
    await settled(org.house.database)
    page = await somebody.see(EVENTS)
    assert f"/dashboard/users/{user}" in page.links()
    assert f"/dashboard/transactions/{payment['id']}" in page.links()
    found = (await org.get("/v2/events", objectId=user))["records"]
    event = await somebody.see(f"{EVENTS}/{found[0]['eventId']}")
    assert "No endpoint was told of it" in event.text
    assert f"{EVENTS}?objectId={user}" in event.links()


async def test_what_people_typed_is_only_text(org: Tenant) -> None:
    webhook = await make_webhook(org, description=HOSTILE)
    sent = await org.post(f"/v2/webhooks/{webhook['id']}/test")
    await settled(org.house.database)
    event = await (await visit(org)).see(f"{EVENTS}/{sent['eventId']}")
    assert HOSTILE in event.text
    assert HOSTILE not in event.answer.text
    assert f"/dashboard/webhooks/{webhook['id']}" in event.links()


async def test_events_are_found_by_type_and_object(org: Tenant) -> None:
    user, other = await make_user(org), await make_user(org)
    await settled(org.house.database)
    admin = await visit(org)
    page = await admin.see(EVENTS, objectId=user)
    assert len(page.tree.xpath("//tbody/tr")) == 1
    assert other not in page.answer.text
    page = await admin.see(EVENTS, eventType="USER.*")
    assert len(page.tree.xpath("//tbody/tr")) == 2
    assert "No such events" in (await admin.see(EVENTS, eventType="REPORT.READY")).text
    for query in ({"objectId": "odd"}, {"eventType": "odd"}, {"cursor": "odd"}):
        refused = await admin.open(EVENTS, **query)
        assert (refused.status, bool(refused.tree.xpath('//*[@class="problem"]'))) == (422, True)


async def test_the_id_of_an_event_leads_to_it(org: Tenant) -> None:
    user = await make_user(org)
    await settled(org.house.database)
    (event,) = (await org.get("/v2/events", objectId=user))["records"]
    answer = (await (await visit(org)).open(EVENTS, objectId=event["eventId"])).answer
    assert answer.headers["location"] == f"{EVENTS}/{event['eventId']}"


async def test_pages_of_events_lead_on(org: Tenant) -> None:
    for _ in range(14):
        await make_user(org)
    await settled(org.house.database)
    admin = await visit(org)
    (older,) = (await admin.see(EVENTS)).tree.xpath('//a[@rel="next"]/@href')
    assert len((await admin.see(older)).tree.xpath("//tbody/tr")) == 3


async def test_without_events_and_requests_it_says_what_to_do(org: Tenant) -> None:
    admin = await visit(org)
    assert "No events yet" in (await admin.see(EVENTS)).text
    assert "No requests yet" in (await admin.see(REQUESTS)).text


async def test_events_and_requests_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(other_org)
    await settled(org.house.database)
    (event,) = (await other_org.get("/v2/events", objectId=user))["records"]
    answer = await other_org.send("GET", "/v2/ping")
    await org.house.request_log.flush()
    admin = await visit(org)
    for each in (event["eventId"], "evt_1", "nonsense"):
        assert (await admin.open(f"{EVENTS}/{each}")).status == 404
    for each in (answer.headers["x-request-id"], str(uuid4()), "%20", "a" * 65):
        assert (await admin.open(f"{REQUESTS}/{each}")).status == 404
    assert "No requests yet" in (await admin.see(REQUESTS)).text


def test_every_event_leads_somewhere_or_nowhere() -> None:
    told: list[dict[str, Any] | None] = [
        None,
        {"userId": None},
        {"userId": "u"},
        {"transferDetails": {"id": "p"}},
    ]
    for each in CATALOGUE:
        for data in told:
            link = object_link({"eventType": each.type, "objectId": "o", "data": data})
            assert link is None or "None" not in link[0]


@pytest.mark.parametrize("role", list(Role))
async def test_a_request_is_shown_with_both_bodies(org: Tenant, role: Role) -> None:
    body = individual(await make_agreement(org), firstName=HOSTILE, type=HOSTILE)
    answer = await org.send("POST", "/v2/users", body)
    assert answer.status_code == 400
    await org.house.request_log.flush()
    somebody = await visit(org, role)
    at = f"{REQUESTS}/{answer.headers['x-request-id']}"
    assert at in (await somebody.see(REQUESTS, status="4xx")).links()
    page = await somebody.see(at)
    assert "FIELD_VALIDATION_ERROR" in page.text
    assert "test key" in page.text
    assert '"firstName": "[redacted]"' in page.text
    assert "curl -sS -X POST http://landbridge.test/v2/users" in page.text
    assert '"Authorization: Bearer $LANDBRIDGE_API_KEY"' in page.text
    for secret in (HOSTILE, org.key):
        assert secret not in page.answer.text


async def test_requests_are_found_by_what_they_were(org: Tenant) -> None:
    user, once = await make_user(org), str(uuid4())
    answer = await org.send("POST", "/v2/wallets/transfers", {"requestId": once})
    await org.get("/v2/users")
    await org.house.request_log.flush()
    admin = await visit(org)
    for query, count in (
        ({"method": "GET"}, 2),
        ({"status": "400"}, 1),
        ({"path": "/v2/users"}, 2),
        ({"requestId": once}, 1),
        ({"xRequestId": answer.headers["x-request-id"]}, 1),
        ({"path": f"/v2/users/{user}"}, 0),
    ):
        page = await admin.see(f"{REQUESTS}?{urlencode(query)}")
        assert len(page.tree.xpath("//tbody/tr")) == count, query
    for query in ({"method": "odd"}, {"status": "odd"}, {"requestId": "odd"}, {"cursor": "odd"}):
        refused = await admin.open(REQUESTS, **query)
        assert (refused.status, bool(refused.tree.xpath('//*[@class="problem"]'))) == (422, True)


def test_a_command_says_what_was_asked_and_quotes_it() -> None:
    logged = {
        "method": "POST",
        "path": "/v2/users/[redacted]",
        "query": {"a": ["1", "it's"]},
        "requestBody": {"text": "it's $HOME `id`"},
    }
    words = shlex.split(curl(logged, URL).replace("\\\n", " "))
    assert words == [
        *("curl", "-sS", "--globoff", "-X", "POST"),
        f"{URL}/v2/users/[redacted]?a=1&a=it%27s",
        *("-H", "Authorization: Bearer $LANDBRIDGE_API_KEY"),
        *("-H", "Content-Type: application/json"),
        *("-d", '{"text":"it\'s $HOME `id`"}'),
    ]
    plain: dict[str, Any] = {"method": "GET", "path": "/v2/ping", "query": {}, "requestBody": None}
    assert curl(plain, URL).startswith(f"curl -sS {URL}/v2/ping \\\n")
