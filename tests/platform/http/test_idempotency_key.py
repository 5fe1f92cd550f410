"""The header `Idempotency-Key`, and the response header that marks a replay."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from litestar.handlers import HTTPRouteHandler

from landbridge.app.container import wire
from landbridge.app.routes import ROUTES
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import derived_id
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.request_outcomes import KEYED_OPERATIONS
from tests.matrices import part_of
from tests.platform.db.test_lost_commits import Forgetful
from tests.requests import CREATES, Create
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    good,
    make_swap,
    make_user,
    refusal,
    sentence,
    served,
    swap_body,
)

NAMES = sorted(CREATES)
# Routes where the header is an id.
KEYED = {
    "/v2/onramps",
    "/v2/offramps",
    "/v2/reviews/resolutions",
    "/v2/tos-link",
    "/v2/users",
    "/v2/users/{userId}/accounts",
    "/v2/users/{userId}/virtual-accounts/{accountId}/simulate-deposit",
    "/v2/virtual-accounts/settlement-rules",
    "/v2/virtual-accounts/settlement-rules/{ruleId}/update",
    "/v2/wallets/bridges",
    "/v2/wallets/swaps",
    "/v2/wallets/transfers",
    "/v2/wallets/transfers/batches",
}
# Path endings of routes that are naturally idempotent, or refuse a repetition. There a repeated
# request has no effect, so the header is ignored. Every other write takes it.
VERBS = (
    *("/accept", "/refresh", "/renew", "/cancel", "/approve", "/reject", "/match", "/return"),
    # A repeated request shows the number again, and is a second entry of the audit log.
    *("/resolve", "/settle", "/lift", "/assign", "/closes", "/confirm", "/revealed-numbers"),
    "/payee-verification",
    # Another challenge replaces the one before; a proof uses it up.
    *("/challenge", "/prove"),
    *("/freeze", "/unfreeze", "/deactivate", "/reactivate", "/update", "/wallets/add"),
    *("/rfi", "/rfi/answer", "/rfi/close", "/kyc/submissions", "/kyc/submit", "/kyc"),
    # A submission, and a page that is another one each time.
    *("/kyc/shared-submissions", "/kyc/provider-links"),
    *("/latency", "/simulate", "/metadata"),
    *("/preview", "/preview/download", "/reporting/templates", "/{metricId}", "/{scheduleId}"),
    "/{name}",
    *(
        "/{userId}",
        "/{uboId}",
        "/{documentId}",
        "/{ruleId}",
        "/{accountId}",
        "/{caseId}",
        "/{name}",
    ),
)


async def send(org: Tenant, create: Create, key: str | None, **changes: Any) -> httpx2.Response:
    """Send a create without an id in its body, and with this header."""
    body = {name: value for name, value in create.body.items() if name != create.member}
    headers = org.headers if key is None else {**org.headers, "Idempotency-Key": key}
    return await org.client.post(create.path, json={**body, **changes}, headers=headers)


def is_replay(answer: httpx2.Response) -> bool:
    assert answer.headers.get("Idempotent-Replayed") in {None, "true"}
    return "Idempotent-Replayed" in answer.headers


@pytest.mark.parametrize("name", NAMES)
async def test_the_header_is_the_id_of_every_create(org: Tenant, name: str) -> None:
    create = await CREATES[name][1](org)
    key: str = create.body[create.member]
    first = await send(org, create, key)
    # Once in the header, once in the body, once in both, once in quotation marks.
    again = [
        await send(org, create, key),
        await org.send("POST", create.path, create.body),
        await send(org, create, key, **{create.member: key.upper()}),
        await send(org, create, f'"{key}"'),
        await send(org, create, key, **{create.member: None}),
    ]
    assert [good(each) for each in again] == [good(first)] * len(again)
    assert [is_replay(each) for each in (first, *again)] == [False, *([True] * len(again))]


@pytest.mark.parametrize("name", part_of(NAMES, 0, 4))
async def test_any_text_is_a_valid_key(org: Tenant, other_org: Tenant, name: str) -> None:
    create, outsider = await CREATES[name][1](org), await CREATES[name][1](other_org)
    key = f"order {uuid4()} of {name}: ~!"
    first = await send(org, create, key)
    again = await send(org, create, key)
    assert good(again) == good(first)
    assert (is_replay(first), is_replay(again)) == (False, True)
    derived = derived_id(org.org_id, f"idempotency-key/{key}")
    assert good(await org.send("GET", f"/v2/requests/{derived}"))["requestId"] == str(derived)
    # Another organisation's text is another id.
    assert not is_replay(await send(other_org, outsider, key))
    assert await other_org.refused("GET", f"/v2/requests/{derived}") == "404 RESOURCE_NOT_FOUND"


async def test_another_body_under_the_same_key_is_refused(org: Tenant) -> None:
    create = await CREATES["transfer"][1](org)
    assert not is_replay(await send(org, create, "order 1"))
    other = await send(org, create, "order 1", amount=11)
    assert refusal(other) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert not is_replay(other)


@pytest.mark.parametrize("name", part_of(NAMES, 1, 4))
async def test_header_and_body_must_not_differ(org: Tenant, name: str) -> None:
    create = await CREATES[name][1](org)
    for key in (str(uuid4()), "order 1"):
        answer = await send(org, create, key, **{create.member: str(uuid4())})
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert f"Idempotency-Key and {create.member}" in sentence(answer)


@pytest.mark.parametrize("key", ["", '""', "x" * 256, "a\tb", "naïve", '"half'])
async def test_a_key_is_bounded_and_printable(org: Tenant, key: str) -> None:
    body = swap_body(await make_user(org, funds="10"), "1")
    raw = {
        b"Authorization": f"Bearer {org.key}".encode(),
        b"Idempotency-Key": key.encode("latin-1"),
    }
    answer = await org.client.post(SWAPS, json=body, headers=raw)
    if key == '"half':
        # An unbalanced quotation mark is ordinary text; the body has another id.
        assert "are different ids" in sentence(answer)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "Idempotency-Key" in sentence(answer)


async def test_two_keys_are_refused(org: Tenant) -> None:
    body = swap_body(await make_user(org, funds="10"), "1")
    del body["requestId"]
    headers = [*org.headers.items(), ("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    answer = await org.client.post(SWAPS, json=body, headers=headers)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "given twice" in sentence(answer)


async def test_invalid_body_is_refused_for_its_error(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    for raw, why in (
        (b"", "the request body is missing"),
        (b"[]", "expected object, got array"),
        (b'{"requestId": 1}', "requestId"),
        (b'{"requestId": "x"}', "requestId"),
        (b"{}", "source is required"),
        (b'{"a": 1, "a": 2}', "given twice"),
        (b'{"a": "\\u0000"}', "NUL"),
    ):
        answer = await org.client.post(SWAPS, content=raw, headers=headers)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", raw
        assert why in sentence(answer), (raw, sentence(answer))


async def test_numbers_stay_as_written(org: Tenant) -> None:
    create = await CREATES["transfer"][1](org)
    body = {name: value for name, value in create.body.items() if name != "requestId"}
    body["amount"] = "HERE"
    raw = httpx2.Request("POST", "http://x", json=body).content.replace(b'"HERE"', b"1.000001")
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    created = good(await org.client.post(create.path, content=raw, headers=headers))
    assert created["transferDetails"]["amount"] == 1.000001


async def test_request_without_any_id_is_refused(org: Tenant) -> None:
    create = await CREATES["swap"][1](org)
    answer = await send(org, create, None)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer) == "requestId is required"


async def test_verbs_ignore_the_header(org: Tenant) -> None:
    swap = await make_swap(org, await make_user(org, funds="10"))
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    for _ in range(2):
        answer = await org.client.post(f"{SWAPS}/{swap['id']}/accept", headers=headers)
        assert not is_replay(answer)
        assert good(answer)["transferDetails"]["status"] == "COMPLETED"


def test_every_post_has_an_id_or_stores_the_key_or_is_a_verb() -> None:
    posts = {
        f"{routes.path}{path}".rstrip("/").replace(":str", ""): handler
        for routes in ROUTES
        for handler in vars(routes).values()
        if isinstance(handler, HTTPRouteHandler) and "POST" in handler.http_methods
        for path in handler.paths
        if not handler.opt.get("public")
    }
    stored = {path for path, handler in posts.items() if handler.opt.get("keyed")}
    rest = set(posts) - stored - KEYED
    assert {path for path in rest if not path.endswith(VERBS)} == set()
    assert stored & KEYED == set()
    assert set(posts) >= KEYED
    operations = {posts[path].operation_id for path in stored}
    assert operations == set(KEYED_OPERATIONS)


@pytest.mark.parametrize("name", part_of(NAMES, 2, 4))
async def test_one_of_many_concurrent_requests_is_no_replay(org: Tenant, name: str) -> None:
    create = await CREATES[name][1](org)
    answers = await asyncio.gather(*(send(org, create, "order 1") for _ in range(8)))
    assert [good(each) for each in answers] == [good(answers[0])] * len(answers)
    assert sum(not is_replay(each) for each in answers) == 1


async def test_a_replay_after_a_refusal_is_one(org: Tenant) -> None:
    create = await CREATES["transfer"][1](org)
    user = UUID(create.body["source"]["userId"])
    created = await org.send("POST", create.path, create.body)
    await org.post(f"/v2/users/{user}/freeze", {"reason": "a"})
    again = await org.send("POST", create.path, create.body)
    assert (good(again), is_replay(again)) == (good(created), True)


@pytest.mark.parametrize("name", part_of(NAMES, 3, 4))
async def test_request_repeated_after_a_lost_answer_is_no_replay(
    dsn: str, org: Tenant, name: str
) -> None:
    create = await CREATES[name][1](org)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    async with served(container) as client:
        doubtful = Tenant(container, client, org.caller, org.key)
        first = await doubtful.send("POST", create.path, create.body)
        again = await doubtful.send("POST", create.path, create.body)
        assert good(first) == good(again)
        assert (is_replay(first), is_replay(again)) == (False, True)
    await database.close()


async def test_openapi_documents_which_creates_accept_it(client: httpx2.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    offered = {
        path
        for path, item in document["paths"].items()
        for operation in item.values()
        if {"Idempotency-Key"} & {each["name"] for each in operation.get("parameters", [])}
    }
    stored = {
        path
        for path, item in document["paths"].items()
        if item.get("post", {}).get("operationId") in KEYED_OPERATIONS
    }
    assert offered == KEYED | stored
    for path in offered:
        answers = document["paths"][path]["post"]["responses"]
        answer = answers.get("200") or answers["201"]
        assert "Idempotent-Replayed" in answer["headers"]
