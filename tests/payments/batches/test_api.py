"""Batches over HTTP: complete replies, refusals, and lists."""

import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from tests.payments.engine.outgoing_transfer_scenario import open_scenario
from tests.tenants import (
    BATCHES,
    TRANSFERS,
    Tenant,
    batch_body,
    fund,
    held,
    make_batch,
    make_transfer,
    make_user,
    refusal,
    register,
    run_due,
    sentence,
)

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_reply_matches_the_contract(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    await register(org, ada, OUTSIDE)
    items = [
        {"userId": bob, "amount": "1.50"},
        {"walletAddress": OUTSIDE, "amount": "2"},
        {"userId": bob, "amount": "0.000001"},
    ]
    body = batch_body(ada, *items)
    created = await org.post(BATCHES, body)
    details = created["transferDetails"]
    assert list(created) == ["transferType", "transferDetails"]
    assert created["transferType"] == "WALLET.TRANSFER.BATCH"
    assert UUID(details["id"])
    bobs = await _wallet(org, bob)
    assert details == {
        "id": details["id"],
        "requestId": body["requestId"],
        "createdAt": details["createdAt"],
        "updatedAt": details["createdAt"],
        "chain": "POLYGON",
        "currency": "usdc",
        "contractAddress": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        "status": "CREATED",
        "failedReason": None,
        "source": {
            "userId": ada,
            "walletAddress": await _wallet(org, ada),
            "walletType": "INDIVIDUAL",
        },
        "destination": {
            "batch": [
                {"amount": "1.5", "userId": bob, "walletAddress": bobs},
                {"amount": "2", "userId": ada, "walletAddress": OUTSIDE},
                {"amount": "0.000001", "userId": bob, "walletAddress": bobs},
            ]
        },
        "receipt": {"transactionHash": None, "userOpHash": None},
    }
    assert await org.get(f"{BATCHES}/{details['id']}") == created
    await run_due(org)
    done = (await org.get(f"{BATCHES}/{details['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    assert re.fullmatch("0x[0-9a-f]{64}", done["receipt"]["transactionHash"])
    changed = {"status", "updatedAt", "receipt"}
    assert {name for name, value in details.items() if done[name] != value} == changed
    assert (await held(org, ada), await held(org, bob)) == ("96.499999", "1.500001")
    container = await house_balances(org.container.database, org.org_id)
    assert container == {(HouseRole.OUTSIDE, "usdc:POLYGON"): -98 * 10**6}
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)


async def test_batch_reply_contains_the_approval(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    item = {"userId": bob, "amount": "1"}
    created = await make_batch(org, ada, item, requireApproval=True)
    assert created["status"] == "PENDING_APPROVAL"
    assert created["receipt"]["approval"] == {
        "id": created["receipt"]["approval"]["id"],
        "status": "PENDING",
        "createdAt": created["createdAt"],
        "updatedAt": created["createdAt"],
        "transferId": created["id"],
        "transferType": "WALLET.TRANSFER.BATCH",
        "fromDashboard": False,
        "initiatorProfileId": str(org.caller.key_id),
        "votes": [],
    }


async def test_fifty_are_paid_in_one_transaction(org: Tenant) -> None:
    async with open_scenario("batch", org.container.database) as scenario:
        tenant = scenario.org
        await register(tenant, scenario.ada, OUTSIDE)
        await fund(tenant, scenario.ada, "5")
        payees = [{"userId": scenario.bob}, {"walletAddress": OUTSIDE}]
        items = [{**payees[index % 2], "amount": f"0.{index + 1:02}"} for index in range(50)]
        created = await make_batch(tenant, scenario.ada, *items)
        assert [each["amount"] for each in created["destination"]["batch"]] == [
            f"{Decimal(each['amount']).normalize():f}" for each in items
        ]
        await scenario.work()
        (order,) = scenario.chains.orders
        assert len(order.legs) == 50
        assert [str(leg.money) for leg in order.legs] == [
            each["amount"] for each in created["destination"]["batch"]
        ]
        assert await scenario.carried() == 1
        assert await held(tenant, scenario.bob) == "6.25"
        assert await held(tenant, scenario.ada) == "2.25"
        await scenario.check_books()


@pytest.mark.parametrize("count", [0, 51])
async def test_fewer_than_one_and_more_than_fifty_are_refused(org: Tenant, count: int) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org)
    body = batch_body(ada, *[{"userId": bob, "amount": "1"}] * count)
    answer = await org.send("POST", BATCHES, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer).startswith("destination.batch")


async def test_any_coin_on_any_chain_can_be_sent(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    await fund(org, ada, "5", currency="usdg", chain="ETHEREUM")
    item = {"userId": bob, "amount": "5"}
    await org.post(f"/v2/users/{ada}/wallets/add", {"chains": ["ETHEREUM"]})
    created = await make_batch(org, ada, item, currency="usdg", chain="ETHEREUM")
    assert (created["chain"], created["currency"]) == ("ETHEREUM", "usdg")
    await run_due(org)
    assert await held(org, bob, "usdg", "ETHEREUM") == "5"


INVALID_RECIPIENTS: list[tuple[dict[str, Any], str, str]] = [
    ({"amount": "1"}, "400 FIELD_VALIDATION_ERROR", "destination.batch[1]"),
    ({"userId": MISSING, "amount": "1"}, "404 USER_NOT_FOUND", MISSING),
    ({"userId": "BOB"}, "400 FIELD_VALIDATION_ERROR", "[1].amount is required"),
    ({"userId": "BOB", "amount": 1}, "400 FIELD_VALIDATION_ERROR", "amount"),
    ({"userId": "BOB", "amount": "0"}, "400 FIELD_VALIDATION_ERROR", "[1].amount must be"),
    ({"userId": "BOB", "amount": "-1"}, "400 FIELD_VALIDATION_ERROR", "[1].amount must be"),
    ({"userId": "BOB", "amount": "1e2"}, "400 FIELD_VALIDATION_ERROR", "[1].amount is not"),
    ({"userId": "BOB", "amount": "0.0000001"}, "400 FIELD_VALIDATION_ERROR", "[1].amount"),
    ({"userId": "BOB", "amount": "9.5"}, "400 INSUFFICIENT_BALANCE", "less than the 10.5"),
    ({"userId": "ADA", "amount": "1"}, "400 INVALID_TRANSACTION_ROUTE", "[1]: this is the"),
    ({"userId": "FROZEN", "amount": "1"}, "403 USER_FROZEN", "frozen"),
    (
        {"userId": "BOB", "walletAddress": OUTSIDE, "amount": "1"},
        "400 FIELD_VALIDATION_ERROR",
        "destination.batch[1].userId and destination.batch[1].walletAddress exclude",
    ),
    (
        {"walletAddress": OUTSIDE, "amount": "1"},
        "404 WALLET_NOT_FOUND",
        "destination.batch[1].walletAddress",
    ),
]


async def test_one_invalid_recipient_refuses_the_batch(
    org: Tenant, subtests: pytest.Subtests
) -> None:
    users = {
        "ADA": await make_user(org, funds="10"),
        "BOB": await make_user(org),
        "FROZEN": await make_user(org),
    }
    await org.container.users.freeze(org.caller, UUID(users["FROZEN"]), reason=None)
    for item, refused, names in INVALID_RECIPIENTS:
        with subtests.test(item=item):
            recipient = {name: users.get(value, value) for name, value in item.items()}
            body = batch_body(users["ADA"], {"userId": users["BOB"], "amount": "1"}, recipient)
            answer = await org.send("POST", BATCHES, body)
            assert refusal(answer) == refused, answer.text
            assert names in sentence(answer)
            assert (await org.get(BATCHES))["count"] == 0
    # Nothing is held: the full balance can still be sent.
    await make_transfer(org, users["ADA"], users["BOB"], 10)


@pytest.mark.parametrize(
    ("changes", "refused", "names"),
    [
        ({"currency": None}, "400 FIELD_VALIDATION_ERROR", "currency is required"),
        ({"chain": None}, "400 FIELD_VALIDATION_ERROR", "chain is required"),
        ({"source": {}}, "400 FIELD_VALIDATION_ERROR", "source.userId is required"),
        ({"destination": {}}, "400 FIELD_VALIDATION_ERROR", "destination.batch is required"),
        ({"currency": "eur"}, "400 INVALID_TRANSACTION_ROUTE", "currency"),
        ({"chain": "SOLANA"}, "404 WALLET_NOT_FOUND", "chain: user"),
        ({"chain": "TRON"}, "400 FIELD_VALIDATION_ERROR", "chain"),
    ],
)
async def test_refused_batch_names_the_field(
    org: Tenant, changes: dict[str, Any], refused: str, names: str
) -> None:
    ada, bob = await make_user(org, funds="10", chains=["POLYGON"]), await make_user(org)
    body = batch_body(ada, {"userId": bob, "amount": "1"}, **changes)
    answer = await org.send("POST", BATCHES, body)
    assert refusal(answer) == refused, answer.text
    assert names in sentence(answer)


async def test_repeated_request_returns_the_same_batch(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="3"), await make_user(org)
    items = [{"userId": bob, "amount": "1"}, {"userId": bob, "amount": "2"}]
    body = batch_body(ada, *items)
    first = await org.post(BATCHES, body)
    await run_due(org)
    again = await org.post(BATCHES, body)
    assert again["transferDetails"]["id"] == first["transferDetails"]["id"]
    assert again["transferDetails"]["status"] == "COMPLETED"
    # Another order of recipients is another request.
    other = batch_body(ada, *items[::-1], request_id=body["requestId"])
    answer = await org.send("POST", BATCHES, other)
    assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert "destination.batch" in sentence(answer)
    assert await held(org, bob) == "3"


async def test_lists_are_newest_first_and_of_batches_only(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    item = {"userId": bob, "amount": "1"}
    created = [
        await make_batch(org, ada, item, requireApproval=needs_approval)
        for needs_approval in (False, True)
    ]
    await make_transfer(org, ada, bob)
    page = await org.get(BATCHES, userId=ada)
    assert list(page) == ["count", "records", "nextCursor"]
    assert [each["transferDetails"] for each in page["records"]] == created[::-1]
    assert (page["count"], page["nextCursor"]) == (2, created[0]["updatedAt"])
    assert (await org.get(BATCHES, userId=bob))["count"] == 0
    assert (await org.get(TRANSFERS))["count"] == 1


async def _wallet(org: Tenant, user: str, chain: str = "POLYGON") -> str:
    return (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"][chain]["address"]
