"""Outcomes of requests of every kind."""

from uuid import uuid4

import pytest

from tests.onramps import settle
from tests.payments.engine.dry_run_flows import FLOWS
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    at,
    deposit_body,
    make_account,
    make_receiver,
)
from tests.requests import CREATES
from tests.tenants import Tenant, good, make_user, run_due, transfer_body

REQUESTS = "/v2/requests"
NAMES = sorted(CREATES)


@pytest.mark.parametrize("name", NAMES)
async def test_a_created_resource_is_found_by_request_id(
    org: Tenant, other_org: Tenant, name: str
) -> None:
    kind, make = CREATES[name]
    create = await make(org)
    path = f"{REQUESTS}/{create.body[create.member]}"
    assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    await org.post(create.path, create.body)
    found = await org.get(path)
    assert found["kind"] == kind
    assert found["requestId"] == create.body[create.member]
    assert found["createdAt"] <= found["updatedAt"]
    assert found["outcomePlan"] is None
    shown = await org.get(found["href"])
    assert found["id"] in str(shown)
    assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("name", sorted(FLOWS))
async def test_an_outcome_is_final_once_the_payment_is(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    details = (await org.post(flow.path, body))["transferDetails"]
    created = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (created["id"], created["status"]) == (details["id"], details["status"])
    assert (created["createdAt"], created["updatedAt"]) == (
        details["createdAt"],
        details["updatedAt"],
    )
    assert not created["isFinal"]
    await flow.finish(org, flow, details)
    ended = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (ended["status"], ended["isFinal"]) == ("COMPLETED", True)


async def test_a_simulated_deposit_becomes_an_onramp(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    body = deposit_body("100")
    await org.post(at(user, account["id"], "simulate-deposit"), body)
    outcome = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (outcome["status"], outcome["isFinal"]) == ("NEW", False)
    assert outcome["href"] == at(user, account["id"])
    await settle(org)
    find = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (find["kind"], find["status"], find["isFinal"]) == ("ONRAMP", "COMPLETED", True)
    shown = await org.get(find["href"])
    assert shown["transferDetails"]["virtualAccountId"] == account["id"]


async def test_a_micro_deposit_stays_a_deposit(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    body = deposit_body("0.10")
    await org.post(at(user, account["id"], "simulate-deposit"), body)
    await settle(org)
    found = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (found["kind"], found["status"], found["isFinal"]) == (
        "SIMULATED_DEPOSIT",
        "MATCHED",
        True,
    )


async def test_a_deleted_rule_is_found(org: Tenant) -> None:
    create = await CREATES["rule"][1](org)
    rule = (await org.post(RULES, create.body))["id"]
    assert (await org.get(f"{REQUESTS}/{create.body['requestId']}"))["status"] is None
    assert (await org.send("DELETE", f"{RULES}/{rule}")).status_code < 300
    found = await org.get(f"{REQUESTS}/{create.body['requestId']}")
    assert (found["id"], found["status"], found["isFinal"]) == (rule, "DELETED", True)


async def test_a_refused_request_has_no_outcome(org: Tenant) -> None:
    body = transfer_body(await make_user(org), await make_user(org))
    assert await org.refused("POST", "/v2/wallets/transfers", body) == "400 INSUFFICIENT_BALANCE"
    path = f"{REQUESTS}/{body['requestId']}"
    assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


async def test_other_ids_find_nothing(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    deposits = await org.get(f"/v2/users/{user}/wallets/deposits", chain="POLYGON", currency="usdc")
    for other in (user, deposits["records"][0]["id"], str(uuid4()), "x", "x" * 500, "%00"):
        answer = await org.send("GET", f"{REQUESTS}/{other}")
        assert answer.status_code == 404, other


async def test_a_shared_request_id_returns_the_payment(org: Tenant) -> None:
    create = await CREATES["user"][1](org)
    await org.post(create.path, create.body)
    request_id = create.body["requestId"]
    assert (await org.get(f"{REQUESTS}/{request_id}"))["kind"] == "USER"
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await org.post("/v2/wallets/transfers", transfer_body(ada, bob, 1, request_id=request_id))
    assert (await org.get(f"{REQUESTS}/{request_id}"))["kind"] == "WALLET.TRANSFER"


async def test_scripted_outcomes_are_shown(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    body = transfer_body(ada, bob, 1)
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=reject"}
    good(await org.client.post("/v2/wallets/transfers", json=body, headers=headers))
    found = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert found["outcomePlan"] == "chain_send=reject"
    await run_due(org)
    ended = await org.get(f"{REQUESTS}/{body['requestId']}")
    assert (ended["status"], ended["isFinal"]) == ("FAILED", True)
