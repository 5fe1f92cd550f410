"""Endpoints over HTTP: created, retrieved, changed, paused, tested and deleted."""

import asyncio
import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.developers.events.model import event_key
from landbridge.developers.events.names import events_of
from landbridge.developers.webhooks.model import ENDPOINTS_MAX
from landbridge.developers.webhooks.payloads import EndpointPayloads
from landbridge.developers.webhooks.schemas import NewWebhook
from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import SPREAD, history
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from tests.change_log import placed
from tests.developers.webhooks.endpoints import URL, WEBHOOKS, change_webhook, make_webhook
from tests.tenants import URL as BASE_URL
from tests.tenants import Tenant, good, refusal, sentence


async def test_an_endpoint_is_created_with_its_own_key(org: Tenant) -> None:
    created = await make_webhook(org, description=" Books ")
    webhook = created["id"]
    assert list(created) == [
        *("id", "url", "description", "eventTypes", "status", "createEventSpelling"),
        *("standardWebhooks", "publicKey", "publicKeys", "jwksUrl", "flaggedAt"),
        *("flaggedReason", "createdAt", "updatedAt", "secret"),
    ]
    key = created["publicKeys"][0]
    assert created | {"publicKey": "", "publicKeys": [], "createdAt": "", "updatedAt": ""} == {
        "id": webhook,
        "url": URL,
        "description": "Books",
        "eventTypes": ["*"],
        "status": "ACTIVE",
        "createEventSpelling": "CREATE",
        "standardWebhooks": False,
        "publicKey": "",
        "publicKeys": [],
        "jwksUrl": f"{BASE_URL}/v2/webhooks/{webhook}/jwks.json",
        "flaggedAt": None,
        "flaggedReason": None,
        "createdAt": "",
        "updatedAt": "",
        "secret": None,
    }
    assert created["publicKey"].startswith("-----BEGIN PUBLIC KEY-----\n")
    assert key == {
        "kid": key["kid"],
        "publicKey": created["publicKey"],
        "signsFrom": created["createdAt"],
        "shownUntil": None,
    }
    other = await make_webhook(org)
    assert other["publicKey"] != created["publicKey"]


async def test_it_is_retrieved_and_listed_without_its_secret(org: Tenant) -> None:
    first = await make_webhook(org, standardWebhooks=True)
    second = await make_webhook(org)
    assert first.pop("secret").startswith("whsec_")
    assert second.pop("secret") is None
    assert await org.get(f"{WEBHOOKS}/{first['id']}") == first
    assert await org.get(WEBHOOKS) == {"count": 2, "webhooks": [second, first]}


async def test_an_organisation_without_endpoints_has_an_empty_list(org: Tenant) -> None:
    assert await org.get(WEBHOOKS) == {"count": 0, "webhooks": []}


async def test_event_types_are_kept_in_the_spelling_of_the_catalogue(org: Tenant) -> None:
    created = await make_webhook(
        org,
        eventTypes=["ONRAMP.TRANSACTION.CREATED", "ONRAMP.STATUS.*", "ONRAMP.STATUS.*"],
        createEventSpelling="CREATED",
    )
    assert created["eventTypes"] == ["ONRAMP.TRANSACTION.CREATE", "ONRAMP.STATUS.*"]
    assert created["createEventSpelling"] == "CREATED"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": None}, "url"),
        ({"url": "http://example.com/"}, "url"),
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "https://ada:secret@example.com/"}, "url"),
        ({"url": "hooks"}, "url"),
        ({"eventTypes": []}, "eventTypes"),
        ({"eventTypes": ["ONRAMP.NOTHING"]}, "eventTypes"),
        ({"eventTypes": ["*"] * 101}, "eventTypes"),
        ({"eventTypes": "*"}, "eventTypes"),
        ({"createEventSpelling": "CREATING"}, "createEventSpelling"),
        ({"standardWebhooks": "yes"}, "standardWebhooks"),
        ({"description": "x" * 201}, "description"),
        ({"description": "two\nlines"}, "description"),
    ],
    ids=str,
)
async def test_invalid_endpoints_are_refused(
    org: Tenant, changes: dict[str, Any], field: str
) -> None:
    body = {"url": URL, **changes}
    body = {name: each for name, each in body.items() if each is not None}
    answer = await org.send("POST", WEBHOOKS, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)
    if field != "url" or "url" in body:
        created = await make_webhook(org)
        patched = await org.send("PATCH", f"{WEBHOOKS}/{created['id']}", changes)
        assert refusal(patched) == "400 FIELD_VALIDATION_ERROR"
        assert field in sentence(patched)


async def test_an_older_name_is_refused_with_the_one_that_came_after_it(org: Tenant) -> None:
    answer = await org.send("POST", WEBHOOKS, {"url": URL, "eventTypes": ["SWAP.CREATE"]})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "WALLET.SWAP.TRANSACTION.CREATE" in sentence(answer)


async def test_a_sandbox_delivers_to_this_machine_too(org: Tenant) -> None:
    assert (await make_webhook(org, url="http://127.0.0.1:3000/"))[
        "url"
    ] == "http://127.0.0.1:3000/"


async def test_concurrent_creates_make_at_most_twenty_endpoints(org: Tenant) -> None:
    requests = [org.send("POST", WEBHOOKS, {"url": URL}) for _ in range(ENDPOINTS_MAX + 3)]
    answers = await asyncio.gather(*requests)
    created = [each for each in answers if each.status_code == 200]
    assert len(created) == ENDPOINTS_MAX
    refused = {refusal(each) for each in answers if each.status_code != 200}
    assert refused == {"409 RESOURCE_CONFLICT"}
    good(await org.send("DELETE", f"{WEBHOOKS}/{created[0].json()['id']}"))
    await make_webhook(org)


async def test_an_endpoint_starts_with_new_events(org: Tenant) -> None:
    created = await make_webhook(org)
    endpoint = await org.container.endpoints.get(org.org_id, UUID(created["id"]))
    assert endpoint.starts_at == endpoint.created_at - SPREAD
    assert endpoint.read_to.place > 0
    assert endpoint.round == 1
    assert await org.container.endpoints.page(org.org_id) == [endpoint]


async def test_omitted_fields_of_a_change_are_kept(org: Tenant) -> None:
    created = await make_webhook(org, description="Books", eventTypes=["USER.*"])
    changed = await change_webhook(org, created["id"], url="https://other.example.com/")
    assert changed["updatedAt"] > created["updatedAt"]
    same = {"url": changed["url"], "updatedAt": changed["updatedAt"]}
    assert changed == created | same
    assert changed["url"] == "https://other.example.com/"
    emptied = await change_webhook(
        org,
        created["id"],
        description="",
        eventTypes=["*"],
        createEventSpelling="CREATED",
    )
    assert emptied["description"] is None
    assert emptied["eventTypes"] == ["*"]
    assert emptied["createEventSpelling"] == "CREATED"


async def test_a_change_without_effect_is_not_logged(org: Tenant) -> None:
    created = await make_webhook(org)
    path = f"{WEBHOOKS}/{created['id']}"
    for body in ({}, {"url": URL, "status": "ACTIVE", "description": None}):
        assert good(await org.send("PATCH", path, body)) == created
    assert [each.change_type for each in await _history(org, created["id"])] == ["create"]


async def test_a_paused_one_keeps_its_place_in_the_log(org: Tenant) -> None:
    created = await make_webhook(org)
    endpoints, webhook = org.container.endpoints, UUID(created["id"])
    before = await endpoints.get(org.org_id, webhook)
    assert (await change_webhook(org, created["id"], status="PAUSED"))["status"] == "PAUSED"
    await make_webhook(org)
    assert (await change_webhook(org, created["id"], status="ACTIVE"))["status"] == "ACTIVE"
    resumed = await endpoints.get(org.org_id, webhook)
    assert (resumed.read_to, resumed.starts_at) == (before.read_to, before.starts_at)
    assert [each.change_type for each in await _history(org, created["id"])] == [
        "create",
        "pause",
        "resume",
    ]


async def test_missed_events_are_skipped_on_request(org: Tenant) -> None:
    created = await make_webhook(org)
    endpoints, webhook = org.container.endpoints, UUID(created["id"])
    before = await endpoints.get(org.org_id, webhook)
    await change_webhook(org, created["id"], status="PAUSED")
    await make_webhook(org)
    await placed(org.container.database)
    await change_webhook(org, created["id"], status="ACTIVE", skipMissed=True)
    resumed = await endpoints.get(org.org_id, webhook)
    assert resumed.read_to > before.read_to
    assert resumed.starts_at == resumed.updated_at - SPREAD
    # Repeated, it skips nothing that has happened since.
    await change_webhook(org, created["id"], status="ACTIVE", skipMissed=True)
    assert await endpoints.get(org.org_id, webhook) == resumed


@pytest.mark.parametrize("status", [None, "PAUSED"])
async def test_only_resuming_skips_events(org: Tenant, status: str | None) -> None:
    created = await make_webhook(org)
    body = {"skipMissed": True} | ({"status": status} if status else {})
    answer = await org.send("PATCH", f"{WEBHOOKS}/{created['id']}", body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "skipMissed" in sentence(answer)


async def test_the_secret_is_returned_at_creation_only(org: Tenant) -> None:
    created = await make_webhook(org)
    switched = await change_webhook(org, created["id"], standardWebhooks=True)
    assert switched["secret"].startswith("whsec_")
    assert (await change_webhook(org, created["id"], standardWebhooks=True))["secret"] is None
    assert (await change_webhook(org, created["id"], description="x"))["secret"] is None
    off = await change_webhook(org, created["id"], standardWebhooks=False)
    assert (off["secret"], off["standardWebhooks"]) == (None, False)
    again = await change_webhook(org, created["id"], standardWebhooks=True)
    assert again["secret"] not in {None, switched["secret"]}


async def test_a_test_event_shows_the_endpoint_as_it_was_then(org: Tenant) -> None:
    created = await make_webhook(org, eventTypes=["USER.*"], standardWebhooks=True)
    path = f"{WEBHOOKS}/{created['id']}"
    sent = await org.post(f"{path}/test")
    as_it_was = await org.get(path)
    await change_webhook(org, created["id"], url="https://other.example.com/", description="later")
    await org.post(f"{path}/rotate")
    assert sent["eventType"] == "WEBHOOK.TEST"
    key = event_key(sent["eventId"])
    assert key is not None
    change = next(each for each in await _history(org, created["id"]) if each.change_type == "test")
    (event,) = events_of(change)
    assert (event.key, event.type) == (key, "WEBHOOK.TEST")
    payload_builders = EndpointPayloads(org.container.database, org.container.vault)
    (shown,) = await payload_builders.families()["WEBHOOK"](org.org_id, [event])
    assert shown is not None
    (data,) = await org.container.events.payloads(org.org_id, [event])
    assert json.loads(data) == as_it_was
    assert as_it_was["updatedAt"] == created["updatedAt"]
    assert (await org.post(f"{path}/test"))["eventId"] != sent["eventId"]


async def test_a_paused_one_is_not_tested(org: Tenant) -> None:
    created = await make_webhook(org)
    await change_webhook(org, created["id"], status="PAUSED")
    assert await org.refused("POST", f"{WEBHOOKS}/{created['id']}/test") == "409 RESOURCE_CONFLICT"


async def test_deletion_removes_the_endpoint_and_its_keys(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    path = f"{WEBHOOKS}/{created['id']}"
    assert created["id"] in good(await org.send("DELETE", path))["message"]
    for method, under in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/test"),
        ("POST", "/rotate"),
        ("GET", "/jwks.json"),
    ):
        body = "{}" if method == "PATCH" else None
        assert await org.refused(method, path + under, body) == "404 RESOURCE_NOT_FOUND"
    assert await org.get(WEBHOOKS) == {"count": 0, "webhooks": []}
    rows = await org.container.database.rows(
        "select sealed_secret from webhook_endpoints where org_id = $1", org.org_id
    )
    assert [row["sealed_secret"] for row in rows] == [None]
    key_ids = "select id from webhook_keys where org_id = $1"
    assert await org.container.database.rows(key_ids, org.org_id) == []


async def test_others_do_not_see_it(org: Tenant, other_org: Tenant) -> None:
    created = await make_webhook(org)
    path = f"{WEBHOOKS}/{created['id']}"
    assert await other_org.get(WEBHOOKS) == {"count": 0, "webhooks": []}
    for method, under in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/test")):
        body = "{}" if method == "PATCH" else None
        assert await other_org.refused(method, path + under, body) == "404 RESOURCE_NOT_FOUND"
    assert await other_org.refused("POST", f"{path}/rotate") == "404 RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("webhook", [str(UUID(int=1)), "nothing"])
async def test_a_missing_delivery_is_not_found(org: Tenant, webhook: str) -> None:
    assert await org.refused("GET", f"{WEBHOOKS}/{webhook}") == "404 RESOURCE_NOT_FOUND"
    answer = await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


async def test_an_analyst_changes_nothing(org: Tenant) -> None:
    created = await make_webhook(org)
    analyst = Caller(
        org.org_id, None, timedelta(), member=SignedInMember(uuid4(), MemberRole.ANALYST)
    )
    endpoints, webhook = org.container.endpoints, UUID(created["id"])
    with pytest.raises(RoleNotAllowed):
        await endpoints.create(analyst, NewWebhook(url=URL))
    with pytest.raises(RoleNotAllowed):
        await endpoints.test(analyst, webhook)
    with pytest.raises(RoleNotAllowed):
        await endpoints.rotate(analyst, webhook, overlap=timedelta())
    with pytest.raises(RoleNotAllowed):
        await endpoints.delete(analyst, webhook)


async def test_every_change_is_logged_without_secrets(org: Tenant) -> None:
    created = await make_webhook(org, url="https://hooks.example.com/t0ken", standardWebhooks=True)
    path = f"{WEBHOOKS}/{created['id']}"
    await change_webhook(org, created["id"], description="Ada", eventTypes=["*"])
    await org.post(f"{path}/rotate", {"overlapSeconds": 60})
    await org.post(f"{path}/test")
    good(await org.send("DELETE", path))
    changes = await _history(org, created["id"])
    assert [each.change_type for each in changes] == [
        "create",
        "update",
        "rotate",
        "test",
        "delete",
    ]
    assert [each.seq for each in changes] == [1, 2, 3, 4, 5]
    assert changes[1].facts == {"changed": ["description"]}
    assert changes[2].facts["overlap_seconds"] == 60
    text = repr([(each.facts, each.snapshot) for each in changes])
    for secret in ("t0ken", created["secret"], "Ada"):
        assert secret not in text


async def _history(org: Tenant, webhook: str) -> list[Change]:
    async def read(tx: Tx) -> list[Change]:
        return list((await history(tx, org.org_id, [UUID(webhook)]))[UUID(webhook)])

    return await org.container.database.transact(read)
