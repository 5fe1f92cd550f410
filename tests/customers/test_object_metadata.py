"""Metadata of users and bank accounts: at create, changed, found, in events and files, erased."""

import asyncio
import csv
import io
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.metadata.model import KEYS_MAX
from tests.change_log import placed
from tests.customers.bank_accounts.bodies import cases, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.dashboard.browsing import visit
from tests.developers.events.payload_checks import erase
from tests.payments.transactions.test_metadata_api import ONE_TOO_MANY, REFUSED
from tests.tenants import (
    SWAPS,
    Tenant,
    business,
    fund,
    individual,
    make_agreement,
    make_tenant,
    make_user,
    refusal,
    sentence,
    swap_body,
)

USERS = "/v2/users"
CUSTOMER = {"customerId": "1742", "shop": "Berlin: Mitte"}
ACCOUNT: dict[str, Any] = whole(next(iter(cases())))


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    return await make_tenant(container, client)


async def user_with(org: Tenant, metadata: dict[str, str] | None, **changes: Any) -> dict[str, Any]:
    body = individual(await make_agreement(org), metadata=metadata, **changes)
    return await org.post(USERS, body)


async def account_with(org: Tenant, user: str, metadata: dict[str, str]) -> str:
    added = await org.post(f"{USERS}/{user}/accounts", {**ACCOUNT, "metadata": metadata})
    return str(added["id"])


async def ids(org: Tenant, path: str, member: str, **query: str) -> list[str]:
    page = await org.get(path, **query)
    name = "accountId" if member == "banks" else "id"
    return [each[name] for each in page[member]]


async def test_user_shows_its_metadata_wherever_it_is_shown(org: Tenant) -> None:
    created = await user_with(org, CUSTOMER)
    (listed,) = (await org.get(USERS, limit=1))["users"]
    assert created["metadata"] == listed["metadata"] == CUSTOMER
    assert (await org.get(f"{USERS}/{created['id']}")) == created
    await placed(org.container.database)
    (event,) = (await org.get("/v2/events", objectId=created["id"]))["records"]
    assert event["data"] == created


async def test_business_has_metadata_too(org: Tenant) -> None:
    body = business(await make_agreement(org)) | {"metadata": CUSTOMER}
    assert (await org.post(USERS, body))["metadata"] == CUSTOMER


async def test_user_without_metadata_has_no_such_member(org: Tenant) -> None:
    empty: dict[str, str] = {}
    for metadata in (empty, None):
        assert "metadata" not in await user_with(org, metadata)


async def test_keys_of_a_user_are_set_and_removed_and_others_stay(org: Tenant) -> None:
    path = f"{USERS}/{(await user_with(org, CUSTOMER))['id']}"
    changed = await org.post(path, {"metadata": {"shop": None, "plan": "é"}})
    assert changed["metadata"] == {"customerId": "1742", "plan": "é"}
    assert await org.get(path) == changed
    renamed = await org.post(path, {"firstName": "Grace"})
    assert renamed["metadata"] == changed["metadata"]
    emptied = await org.post(path, {"metadata": {"customerId": None, "plan": None}})
    assert "metadata" not in emptied
    assert "metadata" not in await org.get(path)


async def test_request_id_creates_a_user_with_one_metadata(org: Tenant) -> None:
    agreement, request_id = await make_agreement(org), str(uuid4())
    body = individual(agreement, requestId=request_id, metadata=CUSTOMER)
    created = await org.post(USERS, body)
    again = {**body, "metadata": dict(reversed(CUSTOMER.items()))}
    assert await org.post(USERS, again) == created
    answer = await org.send("POST", USERS, {**body, "metadata": {"customerId": "2"}})
    assert answer.status_code == 409
    assert "metadata" in sentence(answer)


async def test_concurrent_changes_of_a_user_are_all_kept(org: Tenant) -> None:
    path = f"{USERS}/{(await user_with(org, {}))['id']}"
    changes = [{"metadata": {f"key{number}": str(number)}} for number in range(20)]
    await asyncio.gather(*(org.post(path, each) for each in changes))
    expected = {f"key{number}": str(number) for number in range(20)}
    assert (await org.get(path))["metadata"] == expected


@pytest.mark.parametrize(("metadata", "field", "reason"), REFUSED)
async def test_bounds_are_named_in_refusals(
    org: Tenant, metadata: dict[str, str], field: str, reason: str
) -> None:
    user = await make_verified(org)
    account = await account_with(org, user, {})
    bodies = {
        USERS: individual(await make_agreement(org), metadata=metadata),
        f"{USERS}/{user}": {"metadata": metadata},
        f"{USERS}/{user}/accounts": {**ACCOUNT, "metadata": metadata},
        f"{USERS}/{user}/accounts/{account}/metadata": {"metadata": metadata},
    }
    for path, body in bodies.items():
        answer = await org.send("POST", path, body)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert reason in sentence(answer)
        assert field in sentence(answer)
    assert "metadata" not in await org.get(f"{USERS}/{user}")


async def test_changes_keep_the_bound_together(org: Tenant) -> None:
    full = dict(list(ONE_TOO_MANY.items())[:KEYS_MAX])
    user = await make_verified(org)
    account = await account_with(org, user, full)
    paths = (
        f"{USERS}/{(await user_with(org, full))['id']}",
        f"{USERS}/{user}/accounts/{account}/metadata",
    )
    for path in paths:
        answer = await org.send("POST", path, {"metadata": {"one": "more"}})
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert "50 keys" in sentence(answer)
        swapped = await org.post(path, {"metadata": {"one": "more", "key0": None}})
        assert len(swapped["metadata"]) == KEYS_MAX


async def test_account_shows_its_metadata_wherever_it_is_shown(org: Tenant) -> None:
    user = await make_verified(org)
    account = await account_with(org, user, CUSTOMER)
    path = f"{USERS}/{user}/accounts"
    whole_account = await org.get(f"{path}/{account}")
    (listed,) = (await org.get(path))["banks"]
    assert whole_account["metadata"] == listed["metadata"] == CUSTOMER
    await placed(org.container.database)
    (event,) = (await org.get("/v2/events", objectId=account))["records"]
    assert event["data"]["metadata"] == CUSTOMER
    changed = await org.post(f"{path}/{account}/metadata", {"metadata": {"shop": None, "a": ""}})
    assert changed == {"metadata": {"a": "", "customerId": "1742"}}
    assert await org.get(f"{path}/{account}") == {**whole_account, **changed}
    deleted = await org.send("DELETE", f"{path}/{account}")
    assert deleted.status_code == 200
    assert (await org.get(f"{path}/{account}"))["metadata"] == changed["metadata"]


async def test_lists_find_objects_by_all_given_pairs(org: Tenant) -> None:
    customer = str(uuid4())
    shared = {"customerId": customer}
    first = (await user_with(org, {**shared, "part": "1:a"}, firstName="Grace"))["id"]
    second = (await user_with(org, {**shared, "part": "2"}))["id"]
    pair = f"customerId:{customer}"
    assert await ids(org, USERS, "users", metadata=pair) == [second, first]
    assert await ids(org, USERS, "users", metadata=pair, firstName="grac") == [first]
    assert await ids(org, USERS, "users", metadata=pair, type="business") == []
    both = f"{USERS}?metadata={pair}&metadata=part:1:a"
    assert await ids(org, both, "users") == [first]
    page = await org.get(USERS, metadata=pair, limit=1)
    rest = {"metadata": pair, "createdBefore": page["nextCursor"]}
    assert [each["id"] for each in page["users"]] == [second]
    assert await ids(org, USERS, "users", **rest) == [first]
    payee = await make_verified(org)
    account = await account_with(org, payee, {**shared, "part": "3"})
    await account_with(org, payee, {"customerId": "other"})
    path = f"{USERS}/{payee}/accounts"
    assert await ids(org, path, "banks", metadata=pair) == [account]
    assert await ids(org, f"{path}?metadata={pair}&metadata=part:4", "banks") == []
    for refused in (USERS, path):
        assert await org.refused("GET", refused, metadata="x") == "400 FIELD_VALIDATION_ERROR"


async def test_search_finds_users_and_accounts_by_a_value_and_by_a_pair(org: Tenant) -> None:
    value = str(uuid4())
    user = await make_verified(org)
    await org.post(f"{USERS}/{user}", {"metadata": {"crm": value}})
    account = await account_with(org, user, {"crm": value})
    for text in (value, f"crm:{value}"):
        found = (await org.get("/v2/search", q=text))["results"]
        assert {(each["type"], each["id"], each["userId"]) for each in found} == {
            ("user", user, user),
            ("bankAccount", account, user),
        }
    assert (await org.get("/v2/search", q=f"other:{value}"))["results"] == []


async def test_metadata_of_another_organisation_is_out_of_reach(
    org: Tenant, container: Container, client: httpx2.AsyncClient
) -> None:
    other = await make_tenant(container, client)
    theirs = await make_verified(other)
    account = await account_with(other, theirs, CUSTOMER)
    await other.post(f"{USERS}/{theirs}", {"metadata": {"mark": "theirs"}})
    mine = await make_user(org)
    body = {"metadata": {"a": "b"}}
    for user in (theirs, mine):
        path = f"{USERS}/{user}/accounts/{account}/metadata"
        assert await org.refused("POST", path, body) == "404 ACCOUNT_NOT_FOUND"
    assert await ids(org, USERS, "users", metadata="mark:theirs") == []
    assert (await org.get("/v2/search", q="mark:theirs"))["results"] == []


async def test_erasing_a_user_erases_its_metadata_for_good(org: Tenant) -> None:
    user = await make_verified(org)
    await org.post(f"{USERS}/{user}", {"metadata": {"name": "Ada"}})
    account = await account_with(org, user, {"name": "Ada"})
    await erase(org, user)
    assert "metadata" not in await org.get(f"{USERS}/{user}")
    path = f"{USERS}/{user}/accounts/{account}"
    assert "metadata" not in await org.get(path)
    body = {"metadata": {"name": "Ada"}}
    assert await org.refused("POST", f"{USERS}/{user}", body) == "403 USER_FROZEN"
    assert await org.refused("POST", f"{path}/metadata", body) == "409 INACTIVE_ACCOUNT"
    assert await ids(org, USERS, "users", metadata="name:Ada") == []


async def test_statement_lines_have_the_metadata_of_their_payment(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await org.post(SWAPS, {**swap_body(user), "metadata": {"b": "=1+1", "a": "x"}})
    await org.post(f"{SWAPS}/{swap['transferDetails']['id']}/accept")
    path = "/v2/reporting/statements"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    today = (await org.container.orgs.clock_offset(org.org_id)) + datetime.now(UTC)
    query = {"userId": user, "createdAfter": "2026-01-01", "createdBefore": str(today.date())}
    found = await org.get(path, format="json", **query)
    lines = [line for each in found["data"]["accounts"] for line in each["lines"]]
    assert [line.get("metadata") for line in lines if line["type"] == "WALLET.SWAP"] == [
        {"a": "x", "b": "=1+1"},
        {"a": "x", "b": "=1+1"},
    ]
    answer = await org.send("GET", path, format="csv", **query)
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    cells = [row["metadata"] for row in rows if row["type"] == "WALLET.SWAP"]
    assert cells == ['{"a":"x","b":"=1+1"}'] * 2
    assert {row["metadata"] for row in rows if row["type"] != "WALLET.SWAP"} == {""}


async def test_dashboard_shows_metadata_and_finds_objects_by_it(org: Tenant) -> None:
    value = str(uuid4())
    user = await make_verified(org)
    await org.post(f"{USERS}/{user}", {"metadata": {"crm": value}})
    account = await account_with(org, user, {"crm": value})
    await fund(org, user, "10")
    swap = (await org.post(SWAPS, {**swap_body(user, "1"), "metadata": {"crm": value}}))[
        "transferDetails"
    ]["id"]
    browser = await visit(org, MemberRole.ANALYST)
    pages = (f"users/{user}", f"users/{user}/accounts/{account}", f"transactions/{swap}")
    found = await browser.load(f"/dashboard/search?q={value}")
    for page in pages:
        assert value in (await browser.load(f"/dashboard/{page}")).tree.text_content()
        assert found.tree.xpath("//a[@href=$href]", href=f"/dashboard/{page}")
    plain = await make_user(org)
    assert "Metadata" not in (await browser.load(f"/dashboard/users/{plain}")).tree.text_content()
