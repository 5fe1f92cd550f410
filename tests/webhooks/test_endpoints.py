"""Endpoints over HTTP: made, looked at, changed, paused, tested and deleted."""

import asyncio
import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.changes.model import Change
from landbridge.changes.service import SPREAD, history
from landbridge.core.errors import RoleNotAllowed
from landbridge.db.pool import Tx
from landbridge.events.model import event_key
from landbridge.events.names import events_of
from landbridge.web.caller import Caller, Member, Role
from landbridge.webhooks.model import ENDPOINTS_MAX
from landbridge.webhooks.portraits import EndpointPortraits
from landbridge.webhooks.shapes import NewWebhook
from tests.tenants import URL as BASE_URL
from tests.tenants import Tenant, good, refusal, sentence
from tests.webhooks.endpoints import URL, WEBHOOKS, change_webhook, make_webhook


async def test_an_endpoint_is_made_with_a_key_of_its_own(org: Tenant) -> None:
    made = await make_webhook(org, description=" Books ")
    webhook = made["id"]
    assert list(made) == [
        *("id", "url", "description", "eventTypes", "status", "createEventSpelling"),
        *("standardWebhooks", "publicKey", "publicKeys", "jwksUrl", "flaggedAt"),
        *("flaggedReason", "createdAt", "updatedAt", "secret"),
    ]
    key = made["publicKeys"][0]
    assert made | {"publicKey": "", "publicKeys": [], "createdAt": "", "updatedAt": ""} == {
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
    assert made["publicKey"].startswith("-----BEGIN PUBLIC KEY-----\n")
    assert key == {
        "kid": key["kid"],
        "publicKey": made["publicKey"],
        "signsFrom": made["createdAt"],
        "shownUntil": None,
    }
    other = await make_webhook(org)
    assert other["publicKey"] != made["publicKey"]


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
    made = await make_webhook(
        org,
        eventTypes=["ONRAMP.TRANSACTION.CREATED", "ONRAMP.STATUS.*", "ONRAMP.STATUS.*"],
        createEventSpelling="CREATED",
    )
    assert made["eventTypes"] == ["ONRAMP.TRANSACTION.CREATE", "ONRAMP.STATUS.*"]
    assert made["createEventSpelling"] == "CREATED"


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
async def test_what_it_can_not_be_is_refused(
    org: Tenant, changes: dict[str, Any], field: str
) -> None:
    body = {"url": URL, **changes}
    body = {name: each for name, each in body.items() if each is not None}
    answer = await org.send("POST", WEBHOOKS, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)
    if field != "url" or "url" in body:
        made = await make_webhook(org)
        patched = await org.send("PATCH", f"{WEBHOOKS}/{made['id']}", changes)
        assert refusal(patched) == "400 FIELD_VALIDATION_ERROR"
        assert field in sentence(patched)


async def test_an_older_name_is_refused_with_the_one_that_came_after_it(org: Tenant) -> None:
    answer = await org.send("POST", WEBHOOKS, {"url": URL, "eventTypes": ["ONRAMP.CREATE"]})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "ONRAMP.TRANSACTION.CREATE" in sentence(answer)


async def test_a_sandbox_delivers_to_this_machine_too(org: Tenant) -> None:
    assert (await make_webhook(org, url="http://127.0.0.1:3000/"))[
        "url"
    ] == "http://127.0.0.1:3000/"


async def test_there_are_at_most_twenty_however_many_are_made_at_once(org: Tenant) -> None:
    asked = [org.send("POST", WEBHOOKS, {"url": URL}) for _ in range(ENDPOINTS_MAX + 3)]
    answers = await asyncio.gather(*asked)
    made = [each for each in answers if each.status_code == 200]
    assert len(made) == ENDPOINTS_MAX
    refused = {refusal(each) for each in answers if each.status_code != 200}
    assert refused == {"409 RESOURCE_CONFLICT"}
    good(await org.send("DELETE", f"{WEBHOOKS}/{made[0].json()['id']}"))
    await make_webhook(org)


async def test_it_begins_with_what_happens_from_then_on(org: Tenant) -> None:
    made = await make_webhook(org)
    endpoint = await org.house.endpoints.get(org.org_id, UUID(made["id"]))
    assert endpoint.begins_at == endpoint.created_at - SPREAD
    assert endpoint.read_to.tx > 0
    assert endpoint.round == 1
    assert await org.house.endpoints.page(org.org_id) == [endpoint]


async def test_what_is_left_out_of_a_change_stays(org: Tenant) -> None:
    made = await make_webhook(org, description="Books", eventTypes=["USER.*"])
    changed = await change_webhook(org, made["id"], url="https://other.example.com/")
    assert changed["updatedAt"] > made["updatedAt"]
    same = {"url": changed["url"], "updatedAt": changed["updatedAt"]}
    assert changed == made | same
    assert changed["url"] == "https://other.example.com/"
    emptied = await change_webhook(
        org,
        made["id"],
        description="",
        eventTypes=["*"],
        createEventSpelling="CREATED",
    )
    assert emptied["description"] is None
    assert emptied["eventTypes"] == ["*"]
    assert emptied["createEventSpelling"] == "CREATED"


async def test_a_change_that_changes_nothing_is_not_told(org: Tenant) -> None:
    made = await make_webhook(org)
    path = f"{WEBHOOKS}/{made['id']}"
    for body in ({}, {"url": URL, "status": "ACTIVE", "description": None}):
        assert good(await org.send("PATCH", path, body)) == made
    assert [each.what for each in await _history(org, made["id"])] == ["create"]


async def test_a_paused_one_keeps_its_place_in_the_log(org: Tenant) -> None:
    made = await make_webhook(org)
    endpoints, webhook = org.house.endpoints, UUID(made["id"])
    begun = await endpoints.get(org.org_id, webhook)
    assert (await change_webhook(org, made["id"], status="PAUSED"))["status"] == "PAUSED"
    await make_webhook(org)
    assert (await change_webhook(org, made["id"], status="ACTIVE"))["status"] == "ACTIVE"
    resumed = await endpoints.get(org.org_id, webhook)
    assert (resumed.read_to, resumed.begins_at) == (begun.read_to, begun.begins_at)
    assert [each.what for each in await _history(org, made["id"])] == ["create", "pause", "resume"]


async def test_what_it_missed_is_skipped_if_that_is_asked_for(org: Tenant) -> None:
    made = await make_webhook(org)
    endpoints, webhook = org.house.endpoints, UUID(made["id"])
    begun = await endpoints.get(org.org_id, webhook)
    await change_webhook(org, made["id"], status="PAUSED")
    await make_webhook(org)
    await change_webhook(org, made["id"], status="ACTIVE", skipMissed=True)
    resumed = await endpoints.get(org.org_id, webhook)
    assert resumed.read_to > begun.read_to
    assert resumed.begins_at == resumed.updated_at - SPREAD
    # Done again, it skips nothing that has happened since.
    await change_webhook(org, made["id"], status="ACTIVE", skipMissed=True)
    assert await endpoints.get(org.org_id, webhook) == resumed


@pytest.mark.parametrize("status", [None, "PAUSED"])
async def test_only_what_resumes_skips(org: Tenant, status: str | None) -> None:
    made = await make_webhook(org)
    body = {"skipMissed": True} | ({"status": status} if status else {})
    answer = await org.send("PATCH", f"{WEBHOOKS}/{made['id']}", body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "skipMissed" in sentence(answer)


async def test_the_secret_is_told_when_it_is_made_and_never_again(org: Tenant) -> None:
    made = await make_webhook(org)
    switched = await change_webhook(org, made["id"], standardWebhooks=True)
    assert switched["secret"].startswith("whsec_")
    assert (await change_webhook(org, made["id"], standardWebhooks=True))["secret"] is None
    assert (await change_webhook(org, made["id"], description="x"))["secret"] is None
    off = await change_webhook(org, made["id"], standardWebhooks=False)
    assert (off["secret"], off["standardWebhooks"]) == (None, False)
    again = await change_webhook(org, made["id"], standardWebhooks=True)
    assert again["secret"] not in {None, switched["secret"]}


async def test_a_test_event_shows_the_endpoint_as_it_was_then(org: Tenant) -> None:
    made = await make_webhook(org, eventTypes=["USER.*"], standardWebhooks=True)
    path = f"{WEBHOOKS}/{made['id']}"
    sent = await org.post(f"{path}/test")
    as_it_was = await org.get(path)
    await change_webhook(org, made["id"], url="https://other.example.com/", description="later")
    await org.post(f"{path}/rotate")
    assert sent["eventType"] == "WEBHOOK.TEST"
    key = event_key(sent["eventId"])
    assert key is not None
    change = next(each for each in await _history(org, made["id"]) if each.what == "test")
    (event,) = events_of(change)
    assert (event.key, event.type) == (key, "WEBHOOK.TEST")
    portraits = EndpointPortraits(org.house.database, org.house.vault)
    (shown,) = await portraits.families()["WEBHOOK"](org.org_id, [event])
    assert shown is not None
    (data,) = await org.house.events.shown(org.org_id, [event])
    assert json.loads(data) == as_it_was
    assert as_it_was["updatedAt"] == made["updatedAt"]
    assert (await org.post(f"{path}/test"))["eventId"] != sent["eventId"]


async def test_a_paused_one_is_not_tested(org: Tenant) -> None:
    made = await make_webhook(org)
    await change_webhook(org, made["id"], status="PAUSED")
    assert await org.refused("POST", f"{WEBHOOKS}/{made['id']}/test") == "409 RESOURCE_CONFLICT"


async def test_a_deleted_one_is_gone_with_its_keys(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    path = f"{WEBHOOKS}/{made['id']}"
    assert made["id"] in good(await org.send("DELETE", path))["message"]
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
    rows = await org.house.database.rows(
        "select sealed_secret from webhook_endpoints where org_id = $1", org.org_id
    )
    assert [row["sealed_secret"] for row in rows] == [None]
    kept = "select id from webhook_keys where org_id = $1"
    assert await org.house.database.rows(kept, org.org_id) == []


async def test_others_do_not_see_it(org: Tenant, other_org: Tenant) -> None:
    made = await make_webhook(org)
    path = f"{WEBHOOKS}/{made['id']}"
    assert await other_org.get(WEBHOOKS) == {"count": 0, "webhooks": []}
    for method, under in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/test")):
        body = "{}" if method == "PATCH" else None
        assert await other_org.refused(method, path + under, body) == "404 RESOURCE_NOT_FOUND"
    assert await other_org.refused("POST", f"{path}/rotate") == "404 RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("webhook", [str(UUID(int=1)), "nothing"])
async def test_one_that_was_never_there_is_not_found(org: Tenant, webhook: str) -> None:
    assert await org.refused("GET", f"{WEBHOOKS}/{webhook}") == "404 RESOURCE_NOT_FOUND"
    answer = await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


async def test_an_analyst_changes_nothing(org: Tenant) -> None:
    made = await make_webhook(org)
    analyst = Caller(org.org_id, None, timedelta(), member=Member(uuid4(), Role.ANALYST))
    endpoints, webhook = org.house.endpoints, UUID(made["id"])
    with pytest.raises(RoleNotAllowed):
        await endpoints.create(analyst, NewWebhook(url=URL))
    with pytest.raises(RoleNotAllowed):
        await endpoints.test(analyst, webhook)
    with pytest.raises(RoleNotAllowed):
        await endpoints.rotate(analyst, webhook, overlap=timedelta())
    with pytest.raises(RoleNotAllowed):
        await endpoints.delete(analyst, webhook)


async def test_what_repeats_itself_takes_no_idempotency_key(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "once"}
    answer = await org.client.post(WEBHOOKS, headers=headers, json={"url": URL})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_every_change_is_told_and_no_secret_with_it(org: Tenant) -> None:
    made = await make_webhook(org, url="https://hooks.example.com/t0ken", standardWebhooks=True)
    path = f"{WEBHOOKS}/{made['id']}"
    await change_webhook(org, made["id"], description="Ada", eventTypes=["*"])
    await org.post(f"{path}/rotate", {"overlapSeconds": 60})
    await org.post(f"{path}/test")
    good(await org.send("DELETE", path))
    told = await _history(org, made["id"])
    assert [each.what for each in told] == ["create", "update", "rotate", "test", "delete"]
    assert [each.seq for each in told] == [1, 2, 3, 4, 5]
    assert told[1].facts == {"changed": ["description"]}
    assert told[2].facts["overlap_seconds"] == 60
    text = repr([(each.facts, each.picture) for each in told])
    for secret in ("t0ken", made["secret"], "Ada"):
        assert secret not in text


async def _history(org: Tenant, webhook: str) -> list[Change]:
    async def read(tx: Tx) -> list[Change]:
        return list((await history(tx, org.org_id, [UUID(webhook)]))[UUID(webhook)])

    return await org.house.database.transact(read)
