"""Wallet transfers over HTTP: complete replies, refusals, and lists."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.providers.chains.tokens import Chain
from tests.payments.engine.outgoing_transfer_scenario import open_scenario
from tests.tenants import (
    SETTINGS,
    TRANSFERS,
    Tenant,
    fund,
    held,
    make_tenant,
    make_transfer,
    make_user,
    refusal,
    register,
    run_due,
    sentence,
    served,
    transfer_body,
)

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
SOLANA = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
USDC = "usdc:POLYGON"


async def test_reply_matches_the_contract(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    bob = await make_user(org, firstName="Bob", email="bob@example.com")
    body = transfer_body(ada, bob, 10.5)
    created = await org.post(TRANSFERS, body)
    details = created["transferDetails"]
    assert list(created) == ["transferType", "transferDetails"]
    assert created["transferType"] == "WALLET.TRANSFER"
    assert UUID(details["id"])
    assert MOMENT.fullmatch(details["createdAt"])
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
            "user": _person("Ada", "ada@example.com"),
        },
        "destination": {
            "userId": bob,
            "walletAddress": await _wallet(org, bob),
            "walletType": "INDIVIDUAL",
            "user": _person("Bob", "bob@example.com"),
        },
        "amount": 10.5,
        "amountIncludeDeveloperFee": 10.5,
        "receipt": {"userOpHash": None},
        "developerFee": None,
    }
    assert await org.get(f"{TRANSFERS}/{details['id']}") == created
    await run_due(org)
    done = (await org.get(f"{TRANSFERS}/{details['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    assert re.fullmatch("0x[0-9a-f]{64}", done["receipt"]["transactionHash"])
    assert re.fullmatch("0x[0-9a-f]{64}", done["receipt"]["userOpHash"])
    changed = {"status", "updatedAt", "receipt"}
    assert {name for name, value in details.items() if done[name] != value} == changed
    assert (await held(org, ada), await held(org, bob)) == ("89.5", "10.5")


async def test_approval_reply_matches_the_contract(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    created = await make_transfer(org, ada, bob, requireApproval=True)
    assert created["status"] == "PENDING_APPROVAL"
    assert created["approval"] == {
        "id": created["approval"]["id"],
        "status": "PENDING",
        "createdAt": created["createdAt"],
        "updatedAt": created["createdAt"],
        "transferId": created["id"],
        "transferType": "WALLET.TRANSFER",
        "fromDashboard": False,
        "initiatorProfileId": str(org.caller.key_id),
        "votes": [],
    }


@pytest.mark.parametrize(
    ("text", "printed"),
    [("12345678901.123457", "12345678901.123457"), ("10.00", "10"), ('"2.5"', "2.5")],
)
async def test_amounts_are_exact_numbers_on_the_wire(org: Tenant, text: str, printed: str) -> None:
    ada, bob = await make_user(org, funds="12345678901.123457"), await make_user(org)
    raw = json.dumps(transfer_body(ada, bob, "AMOUNT")).replace('"AMOUNT"', text)
    answer = await org.send("POST", TRANSFERS, raw)
    assert f'"amount":{printed},'.encode() in answer.content


@pytest.mark.parametrize(
    ("fee", "fee_amount", "percent"),
    [
        ({"type": "FIX", "value": 0.25}, "0.25", None),
        ({"type": "FIX", "value": 3.333333}, "3.333333", None),
        ({"type": "PERCENT", "value": 0.01}, "0.033334", 0.01),
        ({"type": "PERCENT", "value": 1}, "3.333333", 1),
        ({"type": "PERCENT", "value": "0.000001"}, "0.000004", 0.000001),
    ],
)
async def test_fee_is_added_and_goes_to_the_organisation(
    org: Tenant, fee: dict[str, Any], fee_amount: str, percent: float | None
) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await make_transfer(org, ada, bob, 3.333333, fee=fee)
    gross = Decimal("3.333333") + Decimal(fee_amount)
    assert created["amount"] == 3.333333
    assert Decimal(str(created["amountIncludeDeveloperFee"])) == gross
    assert created["developerFee"] == {
        "feeId": created["developerFee"]["feeId"],
        "feeType": fee["type"],
        "feeAmount": float(fee_amount),
        "feePercent": percent,
        "status": "CREATED",
        "failedReason": None,
    }
    await run_due(org)
    done = (await org.get(f"{TRANSFERS}/{created['id']}"))["transferDetails"]
    assert done["developerFee"]["status"] == "COMPLETED"
    assert done["developerFee"]["transactionHash"] == done["receipt"]["transactionHash"]
    assert done["developerFee"]["feeId"] == created["developerFee"]["feeId"]
    assert Decimal(await held(org, ada)) == 10 - gross
    assert await held(org, bob) == "3.333333"
    container = await house_balances(org.container.database, org.org_id)
    assert container[HouseRole.FEES, USDC] == int(Decimal(fee_amount) * 10**6)
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)


async def test_zero_fee_is_omitted(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await make_transfer(org, ada, bob, fee={"type": "PERCENT", "value": 0})
    assert (created["developerFee"], created["amountIncludeDeveloperFee"]) == (None, 1)


async def test_amount_and_fee_go_out_in_one_transaction(org: Tenant) -> None:
    async with open_scenario("transfer", org.container.database) as scenario:
        created = await scenario.make("3", fee={"type": "FIX", "value": "0.5"})
        await scenario.work()
        (order,) = scenario.chains.orders
        container = await scenario.container.wallets.treasury_address(
            scenario.org.org_id, Chain.POLYGON
        )
        found = await scenario.get(created)
        assert order.source == found["source"]["walletAddress"]
        assert [(leg.address, str(leg.money)) for leg in order.legs] == [
            (found["destination"]["walletAddress"], "3"),
            (container, "0.5"),
        ]


async def test_a_registered_address_receives(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    await register(org, ada, OUTSIDE)
    created = await make_transfer(org, ada, {"walletAddress": OUTSIDE.lower()}, 4)
    assert created["destination"] == {
        "userId": ada,
        "walletAddress": OUTSIDE,
        "walletType": None,
        "user": _person("Ada", "ada@example.com"),
    }
    await run_due(org)
    assert await held(org, ada) == "6"
    container = await house_balances(org.container.database, org.org_id)
    assert container[HouseRole.OUTSIDE, USDC] == -6 * 10**6


async def test_transfer_on_solana(org: Tenant) -> None:
    ada = await make_user(org, chains=["SOLANA"])
    await fund(org, ada, "5", currency="usdt", chain="SOLANA")
    await register(org, ada, SOLANA, chain="SOLANA")
    there = {"walletAddress": SOLANA}
    created = await make_transfer(org, ada, there, 5, currency="usdt", chain="SOLANA")
    assert created["contractAddress"] == "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
    await run_due(org)
    assert await held(org, ada, "usdt", "SOLANA") == "0"


@pytest.mark.parametrize("currency", ["usdt", "usdHifi"])
async def test_every_coin_of_the_chain_can_be_sent(org: Tenant, currency: str) -> None:
    ada, bob = await make_user(org), await make_user(org)
    await fund(org, ada, "5", currency=currency)
    await make_transfer(org, ada, bob, 5, currency=currency)
    await run_due(org)
    assert await held(org, bob, currency) == "5"


async def test_internal_address_resolves_to_its_user(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    address = (await _wallet(org, bob)).lower()
    created = await make_transfer(org, ada, {"walletAddress": address}, 4)
    assert created["destination"]["userId"] == bob
    await run_due(org)
    assert (await held(org, ada), await held(org, bob)) == ("6", "4")


@pytest.mark.parametrize(
    ("changes", "refused", "names"),
    [
        ({"amount": None}, "400 FIELD_VALIDATION_ERROR", "amount is required"),
        ({"currency": None}, "400 FIELD_VALIDATION_ERROR", "currency is required"),
        ({"chain": None}, "400 FIELD_VALIDATION_ERROR", "chain is required"),
        ({"requestId": None}, "400 FIELD_VALIDATION_ERROR", "requestId is required"),
        ({"requestId": "1"}, "400 FIELD_VALIDATION_ERROR", "requestId"),
        ({"source": {}}, "400 FIELD_VALIDATION_ERROR", "source.userId is required"),
        ({"source": {"userId": "x"}}, "400 FIELD_VALIDATION_ERROR", "source.userId"),
        ({"source": {"userId": MISSING}}, "404 USER_NOT_FOUND", MISSING),
        ({"destination": {}}, "400 FIELD_VALIDATION_ERROR", "destination: give userId"),
        ({"destination": {"userId": MISSING}}, "404 USER_NOT_FOUND", MISSING),
        ({"destination": {"walletAddress": ""}}, "400 FIELD_VALIDATION_ERROR", "walletAddress"),
        ({"destination": {"walletAddress": "0x12"}}, "400 FIELD_VALIDATION_ERROR", "wallet"),
        ({"destination": {"walletAddress": SOLANA}}, "400 FIELD_VALIDATION_ERROR", "wallet"),
        (
            {"destination": {"walletAddress": OUTSIDE}},
            "404 WALLET_NOT_FOUND",
            f"destination.walletAddress: {OUTSIDE} is not registered on POLYGON; register it",
        ),
        ({"amount": 0}, "400 FIELD_VALIDATION_ERROR", "amount must be above zero"),
        ({"amount": -1}, "400 FIELD_VALIDATION_ERROR", "amount must be above zero"),
        ({"amount": 1.0000001}, "400 FIELD_VALIDATION_ERROR", "amount has more than 6 decimals"),
        ({"amount": 10**31}, "400 FIELD_VALIDATION_ERROR", "amount is too large"),
        ({"amount": "1e400"}, "400 FIELD_VALIDATION_ERROR", "amount"),
        ({"amount": "NaN"}, "400 FIELD_VALIDATION_ERROR", "amount"),
        ({"amount": "much"}, "400 FIELD_VALIDATION_ERROR", "amount"),
        ({"amount": [1]}, "400 FIELD_VALIDATION_ERROR", "amount"),
        ({"amount": 11}, "400 INSUFFICIENT_BALANCE", "less than the 11 usdc"),
        ({"currency": "usdg"}, "400 INVALID_TRANSACTION_ROUTE", "currency: there is no usdg"),
        ({"currency": "eur"}, "400 INVALID_TRANSACTION_ROUTE", "currency: there is no eur"),
        ({"chain": "TRON"}, "400 FIELD_VALIDATION_ERROR", "chain"),
        ({"chain": "SOLANA"}, "404 WALLET_NOT_FOUND", "chain: user"),
        ({"requireApproval": "yes"}, "400 FIELD_VALIDATION_ERROR", "requireApproval"),
        ({"fee": {"type": "FLAT", "value": 1}}, "400 FIELD_VALIDATION_ERROR", "fee.type"),
        ({"fee": {"type": "FIX"}}, "400 FIELD_VALIDATION_ERROR", "fee.value is required"),
        ({"fee": {"type": "FIX", "value": -1}}, "400 FIELD_VALIDATION_ERROR", "fee.value"),
        ({"fee": {"type": "FIX", "value": 1.5}}, "400 FIELD_VALIDATION_ERROR", "more than the"),
        ({"fee": {"type": "FIX", "value": "1e-9"}}, "400 FIELD_VALIDATION_ERROR", "fee.value"),
        ({"fee": {"type": "PERCENT", "value": 1.1}}, "400 FIELD_VALIDATION_ERROR", "fee.value"),
        ({"fee": {"type": "PERCENT", "value": -0.1}}, "400 FIELD_VALIDATION_ERROR", "fee.value"),
        ({"fee": {"type": "PERCENT", "value": "NaN"}}, "400 FIELD_VALIDATION_ERROR", "fee.value"),
        (
            {"fee": {"type": "PERCENT", "value": "1e-400"}},
            "400 FIELD_VALIDATION_ERROR",
            "fee.value",
        ),
        ({"amount": 9.5, "fee": {"type": "FIX", "value": 1}}, "400 INSUFFICIENT_BALANCE", "10.5"),
    ],
)
async def test_refused_transfer_names_the_field_and_holds_nothing(
    org: Tenant, changes: dict[str, Any], refused: str, names: str
) -> None:
    ada = await make_user(org, funds="10", chains=["POLYGON"])
    bob = await make_user(org)
    body = transfer_body(ada, bob, 1) | changes
    body = {name: value for name, value in body.items() if value is not None}
    answer = await org.send("POST", TRANSFERS, body)
    assert refusal(answer) == refused, answer.text
    assert names in sentence(answer)
    assert (await org.get(TRANSFERS))["count"] == 0
    # A refused request does not consume its id.
    good = transfer_body(ada, bob, 10, request_id=body.get("requestId"))
    if refused != "400 FIELD_VALIDATION_ERROR":
        assert (await org.post(TRANSFERS, good))["transferDetails"]["amount"] == 10


async def test_user_and_address_exclude_each_other(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    both = {"userId": bob, "walletAddress": OUTSIDE}
    answer = await org.send("POST", TRANSFERS, transfer_body(ada, both))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "exclude each other" in sentence(answer)


async def test_transfer_to_the_paying_wallet_is_refused(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    for to in (ada, {"walletAddress": await _wallet(org, ada)}):
        answer = await org.send("POST", TRANSFERS, transfer_body(ada, to))
        assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
        assert sentence(answer) == "destination: this is the paying wallet"


async def test_another_users_registration_does_not_count(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await register(org, bob, OUTSIDE)
    body = transfer_body(ada, {"walletAddress": OUTSIDE})
    assert await org.refused("POST", TRANSFERS, body) == "404 WALLET_NOT_FOUND"


async def test_registration_can_be_switched_off(org: Tenant) -> None:
    settings = msgspec.structs.replace(SETTINGS, require_registered_wallets=False)
    container = wire(settings, org.container.database, org.container.clock)
    async with served(container) as client:
        tenant = await make_tenant(container, client)
        ada = await make_user(tenant, funds="10")
        created = await make_transfer(tenant, ada, {"walletAddress": OUTSIDE}, 4)
        assert (created["destination"]["userId"], created["destination"]["user"]) == (None, None)
        await run_due(tenant)
        assert await held(tenant, ada) == "6"


@pytest.mark.parametrize("party", ["ada", "bob"])
async def test_frozen_users_neither_send_nor_receive(org: Tenant, party: str) -> None:
    users = {"ada": await make_user(org, funds="10"), "bob": await make_user(org)}
    await org.container.users.freeze(org.caller, UUID(users[party]), reason=None)
    body = transfer_body(users["ada"], users["bob"], 1)
    assert await org.refused("POST", TRANSFERS, body) == "403 USER_FROZEN"


async def test_frozen_organisation_can_read_but_not_send(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await make_transfer(org, ada, bob)
    await org.container.orgs.freeze(org.org_id)
    body = transfer_body(ada, bob, 1)
    assert await org.refused("POST", TRANSFERS, body) == "403 PROFILE_FROZEN"
    assert (await org.get(f"{TRANSFERS}/{created['id']}"))["transferDetails"] == created


async def test_worker_uses_the_organisations_clock(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    created = await make_transfer(org, ada, bob, requireApproval=True)
    week_s = int(timedelta(weeks=1).total_seconds())
    await org.post("/v2/sandbox/clock/advance", {"seconds": week_s + 1})
    found = (await org.get(f"{TRANSFERS}/{created['id']}"))["transferDetails"]
    assert (found["status"], found["approval"]["status"]) == ("EXPIRED", "EXPIRED")
    assert await held(org, ada) == "1"


def _person(first: str, email: str) -> dict[str, str | None]:
    return {"email": email, "lastName": "Example", "firstName": first, "businessName": None}


async def _wallet(org: Tenant, user: str, chain: str = "POLYGON") -> str:
    return (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"][chain]["address"]
