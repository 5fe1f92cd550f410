"""Metadata of payments: at create, changed, found, in events, and erased."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.metadata.model import KEYS_MAX
from tests.developers.events.payload_checks import erase
from tests.onramps import ONRAMPS, make_payer, onramp_body
from tests.payments.engine.test_replays import FLOWS, NAMES
from tests.tenants import (
    SWAPS,
    Tenant,
    good,
    make_tenant,
    make_user,
    refusal,
    run_due,
    sentence,
    swap_body,
)

ORDER = {"orderId": "17", "note": "first: of two"}
ONE_TOO_MANY = {f"key{number}": "" for number in range(KEYS_MAX + 1)}
REFUSED = [
    (ONE_TOO_MANY, "metadata", "metadata may have 50 keys, not 51"),
    ({"": "x"}, "metadata", "a key must have 1 to 40 letters, digits"),
    ({"a b": "x"}, "metadata", "unlike 'a b'"),
    ({"k" * 41: "x"}, "metadata", "a key must have 1 to 40"),
    ({"k": "v" * 501}, "metadata.k", "metadata.k must have at most 500 characters, not 501"),
    (dict.fromkeys("abcdefgh", "é" * 500), "metadata", "metadata may have 8,000 bytes as JSON"),
]


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    return await make_tenant(container, client)


async def swap_with(org: Tenant, metadata: Mapping[str, str], *, user: str = "") -> dict[str, Any]:
    owner = user or await make_user(org, funds="100")
    return await org.post(SWAPS, {**swap_body(owner), "metadata": metadata})


def id_of(reply: Mapping[str, Any]) -> str:
    return reply["transferDetails"]["id"]


async def listed(org: Tenant, **query: str) -> list[str]:
    return [each["id"] for each in (await org.get("/v2/transactions", **query))["data"]]


async def test_payment_shows_its_metadata_wherever_it_is_shown(org: Tenant) -> None:
    created = await swap_with(org, ORDER)
    swap = id_of(created)
    (in_list,) = [each for each in (await org.get(SWAPS))["data"] if id_of(each) == swap]
    (of_all,) = [each for each in (await org.get("/v2/transactions"))["data"] if each["id"] == swap]
    assert created["metadata"] == in_list["metadata"] == of_all["metadata"] == ORDER
    assert (await org.get(f"{SWAPS}/{swap}"))["metadata"] == ORDER
    assert (await org.get(f"/v2/transactions/{swap}"))["metadata"] == ORDER
    assert (await org.post(f"{SWAPS}/{swap}/accept"))["transferDetails"]["status"] == "COMPLETED"
    events = (await org.get("/v2/events", objectId=swap))["records"]
    assert len(events) > 1
    assert [each["data"]["metadata"] for each in events] == [ORDER] * len(events)


async def test_payment_without_metadata_has_no_such_member(org: Tenant) -> None:
    empty: dict[str, str] = {}
    for metadata in (empty, None):
        body = {**swap_body(await make_user(org, funds="100")), "metadata": metadata}
        created = await org.post(SWAPS, body)
        assert "metadata" not in created
        assert "metadata" not in await org.get(f"{SWAPS}/{id_of(created)}")
        assert await org.post(SWAPS, {**body, "metadata": None}) == created


@pytest.mark.parametrize("name", NAMES)
async def test_every_flow_stores_metadata_once_per_request_id(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = {**await flow.body(org), "metadata": ORDER}
    created = await org.post(flow.path, body)
    assert created["metadata"] == ORDER
    reordered = {**body, "metadata": dict(reversed(ORDER.items()))}
    assert await org.post(flow.path, reordered) == created
    for other in ({"orderId": "18"}, None):
        answer = await org.send("POST", flow.path, {**body, "metadata": other})
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
        assert "metadata" in sentence(answer)


async def test_dry_run_shows_metadata_and_stores_none(org: Tenant) -> None:
    body = {**swap_body(await make_user(org, funds="100")), "metadata": {"dry": "run"}}
    answer = await org.send("POST", SWAPS, body, dryRun="true")
    assert answer.json()["metadata"] == {"dry": "run"}
    assert await listed(org, metadata="dry:run") == []


async def test_scripted_payment_keeps_its_metadata(org: Tenant) -> None:
    body = {**swap_body(await make_user(org, funds="100")), "metadata": ORDER}
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=reject"}
    created = good(await org.client.post(SWAPS, json=body, headers=headers))
    assert (await org.get(f"{SWAPS}/{id_of(created)}"))["metadata"] == ORDER
    failed = await org.post(f"{SWAPS}/{id_of(created)}/accept")
    assert (failed["transferDetails"]["status"], failed["metadata"]) == ("FAILED", ORDER)


async def test_keys_are_set_and_removed_and_others_stay(org: Tenant) -> None:
    swap = id_of(await swap_with(org, ORDER))
    before = await org.get(f"{SWAPS}/{swap}")
    path = f"/v2/transactions/{swap}/metadata"
    changed = await org.post(path, {"metadata": {"note": None, "orderId": "18", "batch": "é"}})
    assert changed == {"metadata": {"batch": "é", "orderId": "18"}}
    assert await org.get(f"{SWAPS}/{swap}") == {**before, **changed}
    assert await org.post(path, {"metadata": {}}) == changed
    assert await org.post(path, {"metadata": {"batch": None, "orderId": None}}) == {"metadata": {}}
    assert "metadata" not in await org.get(f"{SWAPS}/{swap}")


@pytest.mark.parametrize(("metadata", "field", "reason"), REFUSED)
async def test_bounds_are_named_in_refusals(
    org: Tenant, metadata: dict[str, str], field: str, reason: str
) -> None:
    swap = id_of(await swap_with(org, {}))
    bodies = {
        SWAPS: {**swap_body(await make_user(org, funds="100")), "metadata": metadata},
        f"/v2/transactions/{swap}/metadata": {"metadata": metadata},
    }
    for path, body in bodies.items():
        answer = await org.send("POST", path, body)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert reason in sentence(answer)
        assert field in sentence(answer)


@pytest.mark.parametrize("value", [17, True, {"a": "b"}, ["x"], 1.5])
async def test_only_texts_are_values(org: Tenant, value: Any) -> None:
    body = {**swap_body(await make_user(org, funds="100")), "metadata": {"k": value}}
    answer = await org.send("POST", SWAPS, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "metadata" in sentence(answer)


async def test_changes_keep_the_bound_together(org: Tenant) -> None:
    swap = id_of(await swap_with(org, dict(list(ONE_TOO_MANY.items())[:KEYS_MAX])))
    path = f"/v2/transactions/{swap}/metadata"
    answer = await org.send("POST", path, {"metadata": {"one": "more"}})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "50 keys" in sentence(answer)
    swapped = await org.post(path, {"metadata": {"one": "more", "key0": None}})
    assert len(swapped["metadata"]) == KEYS_MAX


async def test_changes_keep_the_size_together(org: Tenant) -> None:
    swap = id_of(await swap_with(org, dict.fromkeys("abcdefghijklmno", "x" * 500)))
    path = f"/v2/transactions/{swap}/metadata"
    answer = await org.send("POST", path, {"metadata": {"p": "x" * 500}})
    assert "8,000 bytes" in sentence(answer)
    swapped = await org.post(path, {"metadata": {"a": None, "p": "x" * 500}})
    assert len(swapped["metadata"]) == 15


async def test_list_finds_payments_by_all_given_pairs(org: Tenant) -> None:
    user, shared = await make_user(org, funds="100"), {"customer": str(uuid4())}
    first = id_of(await swap_with(org, {**shared, "part": "1:a,b"}, user=user))
    second = id_of(await swap_with(org, {**shared, "part": "2"}, user=user))
    both = f"customer:{shared['customer']}"
    assert await listed(org, metadata=both) == [second, first]
    assert await listed(org, metadata=both, userId=user, type="WALLET.SWAP") == [second, first]
    assert await listed(org, metadata=both, type="ONRAMP") == []
    assert await listed(org, metadata=both, userId=str(uuid4())) == []
    path = f"/v2/transactions?metadata={both}&metadata=part:1:a,b"
    assert [each["id"] for each in (await org.get(path))["data"]] == [first]
    page = await org.get("/v2/transactions", metadata=both, limit=1)
    assert [each["id"] for each in page["data"]] == [second]
    assert await listed(org, metadata=both, cursor=page["nextCursor"]) == [first]


async def test_search_finds_payments_by_a_value_and_by_a_pair(org: Tenant) -> None:
    value = str(uuid4())
    swap = id_of(await swap_with(org, {"invoice": value}))
    for text in (value, f"invoice:{value}"):
        (found,) = (await org.get("/v2/search", q=text))["results"]
        assert (found["type"], found["id"]) == ("transaction", swap)
    assert (await org.get("/v2/search", q=f"other:{value}"))["results"] == []


@pytest.mark.parametrize("pair", ["orderId", "", "a b:c", ":x"])
async def test_filter_that_is_no_pair_is_refused(org: Tenant, pair: str) -> None:
    assert await org.refused("GET", "/v2/transactions", metadata=pair) == (
        "400 FIELD_VALIDATION_ERROR"
    )


async def test_filter_with_two_values_of_a_key_is_refused(org: Tenant) -> None:
    path = "/v2/transactions?metadata=a:1&metadata=a:2"
    assert await org.refused("GET", path) == "400 FIELD_VALIDATION_ERROR"


async def test_metadata_of_another_organisation_is_out_of_reach(
    org: Tenant, container: Container, client: httpx2.AsyncClient
) -> None:
    other = await make_tenant(container, client)
    swap = id_of(await swap_with(other, ORDER))
    path, body = f"/v2/transactions/{swap}/metadata", {"metadata": {"a": "b"}}
    assert await org.refused("POST", path, body) == "404 TRANSACTION_NOT_FOUND"
    assert swap not in await listed(org, metadata="orderId:17")


async def test_erasing_a_user_erases_the_metadata_of_their_payments(org: Tenant) -> None:
    user = await make_payer(org)
    created = await org.post(ONRAMPS, {**onramp_body(user), "metadata": {"name": "Ada"}})
    path = f"{ONRAMPS}/{id_of(created)}"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 100_000})
    await run_due(org)
    assert (await org.get(path))["metadata"] == {"name": "Ada"}
    await erase(org, user)
    assert "metadata" not in await org.get(path)
    assert await listed(org, metadata="name:Ada") == []
