"""Event and request pages: filters, details and links."""

import shlex
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from landbridge.dashboard.developers.event_objects import object_link
from landbridge.dashboard.developers.request_pages import curl
from landbridge.developers.events.envelopes import Envelope
from landbridge.developers.events.names import CATALOGUE
from landbridge.developers.request_log.api import LoggedBodies
from landbridge.platform.http.caller import MemberRole
from tests.change_log import placed
from tests.dashboard.browsing import visit
from tests.developers.webhooks.endpoints import make_webhook
from tests.tenants import URL, Tenant, individual, make_agreement, make_transfer, make_user

EVENTS, REQUESTS = "/dashboard/events", "/dashboard/requests"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("role", list(MemberRole))
async def test_events_link_to_their_objects(org: Tenant, role: MemberRole) -> None:
    user, to = await make_user(org, funds="5"), await make_user(org)
    payment = await make_transfer(org, user, to)
    visitor = await visit(org, role)
    await placed(org.container.database)
    page = await visitor.load(EVENTS)
    assert f"/dashboard/users/{user}" in page.links()
    assert f"/dashboard/transactions/{payment['id']}" in page.links()
    found = (await org.get("/v2/events", objectId=user))["records"]
    event = await visitor.load(f"{EVENTS}/{found[0]['eventId']}")
    assert "No endpoint is subscribed to this event" in event.text
    assert f"{EVENTS}?objectId={user}" in event.links()


async def test_user_text_is_escaped(org: Tenant) -> None:
    webhook = await make_webhook(org, description=HOSTILE)
    sent = await org.post(f"/v2/webhooks/{webhook['id']}/test")
    await placed(org.container.database)
    event = await (await visit(org)).load(f"{EVENTS}/{sent['eventId']}")
    assert HOSTILE in event.text
    assert HOSTILE not in event.response.text
    assert f"/dashboard/webhooks/{webhook['id']}" in event.links()


async def test_events_are_filtered_by_type_and_object(org: Tenant) -> None:
    user, other = await make_user(org), await make_user(org)
    await placed(org.container.database)
    admin = await visit(org)
    page = await admin.load(EVENTS, objectId=user)
    assert len(page.tree.xpath("//tbody/tr")) == 1
    assert other not in page.response.text
    page = await admin.load(EVENTS, eventType="USER.*")
    assert len(page.tree.xpath("//tbody/tr")) == 2
    assert "No events found" in (await admin.load(EVENTS, eventType="REPORT.READY")).text
    for query in ({"objectId": "odd"}, {"eventType": "odd"}, {"cursor": "odd"}):
        refused = await admin.open(EVENTS, **query)
        assert (refused.status, bool(refused.tree.xpath('//*[@class="problem"]'))) == (422, True)


async def test_event_id_leads_to_the_event(org: Tenant) -> None:
    user = await make_user(org)
    await placed(org.container.database)
    (event,) = (await org.get("/v2/events", objectId=user))["records"]
    response = (await (await visit(org)).open(EVENTS, objectId=event["eventId"])).response
    assert response.headers["location"] == f"{EVENTS}/{event['eventId']}"


async def test_events_are_paged(org: Tenant) -> None:
    for _ in range(14):
        await make_user(org)
    await placed(org.container.database)
    admin = await visit(org)
    (older,) = (await admin.load(EVENTS)).tree.xpath('//a[@rel="next"]/@href')
    assert len((await admin.load(older)).tree.xpath("//tbody/tr")) == 3


async def test_empty_logs_say_what_to_do(org: Tenant) -> None:
    admin = await visit(org)
    assert "No events yet" in (await admin.load(EVENTS)).text
    assert "No requests yet" in (await admin.load(REQUESTS)).text


async def test_events_and_requests_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant
) -> None:
    user = await make_user(other_org)
    await placed(org.container.database)
    (event,) = (await other_org.get("/v2/events", objectId=user))["records"]
    response = await other_org.send("GET", "/v2/ping")
    await org.container.request_log.flush()
    admin = await visit(org)
    for each in (event["eventId"], "evt_1", "nonsense"):
        assert (await admin.open(f"{EVENTS}/{each}")).status == 404
    for each in (response.headers["x-request-id"], str(uuid4()), "%20", "a" * 65):
        assert (await admin.open(f"{REQUESTS}/{each}")).status == 404
    assert "No requests yet" in (await admin.load(REQUESTS)).text


def test_every_event_type_links_to_its_object_or_nothing() -> None:
    payloads: list[dict[str, Any] | None] = [
        None,
        {"userId": None},
        {"userId": "u"},
        {"transferDetails": {"id": "p"}},
    ]
    for each in CATALOGUE:
        for data in payloads:
            link = object_link(_event(each.type, data))
            assert link is None or "No lines" not in link[0]


def _event(type_: str, data: dict[str, Any] | None) -> Envelope:
    at = "2026-01-01T00:00:00.000Z"
    return Envelope(
        event_id="evt",
        event_category="",
        event_type=type_,
        event_action="",
        data=data,
        created_at=at,
        timestamp=at,
        version="v2",
        object_id=UUID(int=1),
        sequence=1,
    )


@pytest.mark.parametrize("role", list(MemberRole))
async def test_request_shows_both_bodies(org: Tenant, role: MemberRole) -> None:
    body = individual(await make_agreement(org), firstName=HOSTILE, type=HOSTILE)
    response = await org.send("POST", "/v2/users", body)
    assert response.status_code == 400
    await org.container.request_log.flush()
    visitor = await visit(org, role)
    path = f"{REQUESTS}/{response.headers['x-request-id']}"
    assert path in (await visitor.load(REQUESTS, status="4xx")).links()
    page = await visitor.load(path)
    assert "FIELD_VALIDATION_ERROR" in page.text
    assert "test key" in page.text
    assert '"firstName": "[redacted]"' in page.text
    assert "curl -sS -X POST http://landbridge.test/v2/users" in page.text
    assert '"Authorization: Bearer $LANDBRIDGE_API_KEY"' in page.text
    for secret in (HOSTILE, org.key):
        assert secret not in page.response.text


async def test_requests_are_filtered(org: Tenant) -> None:
    user, once = await make_user(org), str(uuid4())
    response = await org.send("POST", "/v2/wallets/transfers", {"requestId": once})
    await org.get("/v2/users")
    await org.container.request_log.flush()
    admin = await visit(org)
    for query, count in (
        ({"method": "GET"}, 1),
        ({"status": "400"}, 1),
        ({"path": "/v2/users"}, 2),
        ({"requestId": once}, 1),
        ({"xRequestId": response.headers["x-request-id"]}, 1),
        ({"path": f"/v2/users/{user}"}, 0),
    ):
        page = await admin.load(f"{REQUESTS}?{urlencode(query)}")
        assert len(page.tree.xpath("//tbody/tr")) == count, query
    for query in ({"method": "odd"}, {"status": "odd"}, {"requestId": "odd"}, {"cursor": "odd"}):
        refused = await admin.open(REQUESTS, **query)
        assert (refused.status, bool(refused.tree.xpath('//*[@class="problem"]'))) == (422, True)


def test_curl_command_repeats_the_request_quoted() -> None:
    logged = LoggedBodies(
        x_request_id="",
        request_id=None,
        at="2026-01-01T00:00:00+00:00",
        method="POST",
        route="",
        path="/v2/users/[redacted]",
        query={"a": ["1", "it's"]},
        status=200,
        milliseconds=Decimal(1),
        key_id=None,
        left_out_after=0,
        request_body={"text": "it's $HOME `id`"},
        answer_body=None,
    )
    words = shlex.split(curl(logged, URL).replace("\\\n", " "))
    assert words == [
        *("curl", "-sS", "--globoff", "-X", "POST"),
        f"{URL}/v2/users/[redacted]?a=1&a=it%27s",
        *("-H", "Authorization: Bearer $LANDBRIDGE_API_KEY"),
        *("-H", "Content-Type: application/json"),
        *("-d", '{"text":"it\'s $HOME `id`"}'),
    ]
    plain = replace(logged, method="GET", path="/v2/ping", query={}, request_body=None)
    assert curl(plain, URL).startswith(f"curl -sS {URL}/v2/ping \\\n")
