"""Swaps over HTTP: complete replies, refusals, and lists."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.payments.swaps.model import SwapStatus
from tests.tenants import (
    SWAPS,
    Tenant,
    fund,
    held,
    make_swap,
    make_user,
    refusal,
    run_due,
    sentence,
    swap_body,
)

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")


async def _quote(org: Tenant, body: dict[str, Any]) -> dict[str, Any]:
    return (await org.post(SWAPS, body))["transferDetails"]


async def _wallet(org: Tenant, user: str, chain: str = "POLYGON") -> str:
    return (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"][chain]["address"]


async def _register(org: Tenant, user: str, address: str = OUTSIDE, **changes: str) -> str:
    body = {"address": address, "chain": "POLYGON", "name": "Bank", "referenceId": "r1", **changes}
    return (await org.post(f"/v2/users/{user}/wallets/external", body))["id"]


async def test_reply_matches_the_contract(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    body = swap_body(user, "10.5")
    created = await org.post(SWAPS, body)
    details = created["transferDetails"]
    quote = details["quoteInformation"]
    assert list(created) == ["transferType", "transferDetails"]
    assert created["transferType"] == "WALLET.SWAP"
    assert UUID(details["id"])
    for moment in (details["createdAt"], details["updatedAt"], quote["expiresAt"]):
        assert MOMENT.fullmatch(moment)
    (fee,) = details["billingInformation"]["fees"]
    assert UUID(fee["id"])
    assert details == {
        "id": details["id"],
        "requestId": body["requestId"],
        "status": "OPEN_QUOTE",
        "createdAt": details["createdAt"],
        "updatedAt": details["createdAt"],
        "source": {"currency": "usdc", "amount": 10.5, "chain": "POLYGON", "userId": user},
        "destination": {
            "currency": "usdt",
            "userId": user,
            "externalWalletId": None,
            "amount": None,
            "chain": "POLYGON",
            "walletAddress": await _wallet(org, user),
        },
        "error": None,
        "errorDetails": None,
        "quoteInformation": {
            "sendGross": {"amount": "10.5", "currency": "usdc"},
            "sendNet": {"amount": "10.4895", "currency": "usdc"},
            "receiveGross": {"amount": "10.4895", "currency": "usdt"},
            "receiveNet": {"amount": "10.4895", "currency": "usdt"},
            "rate": "1",
            "expiresAt": quote["expiresAt"],
        },
        "billingInformation": {
            "fees": [
                {
                    "id": fee["id"],
                    "amount": 0.0105,
                    "currency": "USD",
                    "type": "EXCHANGE_FEE",
                    "timing": "ON_TRANSACTION",
                }
            ]
        },
    }
    assert await org.get(f"{SWAPS}/{details['id']}") == created


async def test_amounts_are_exact_numbers_on_the_wire(org: Tenant) -> None:
    amount = "12345678901.123457"
    user = await make_user(org, funds=amount)
    answer = await org.send("POST", SWAPS, swap_body(user, amount))
    exact = msgspec.json.decode(answer.content, type=dict[str, Any])  # floats, as JavaScript has
    assert isinstance(exact["transferDetails"]["source"]["amount"], float)
    assert f'"amount":{amount}'.encode() in answer.content
    whole = await org.send("POST", SWAPS, swap_body(user, "10.00"))
    assert b'"amount":10,' in whole.content


async def test_a_quote_holds_for_thirty_seconds(still_org: Tenant) -> None:
    user = await make_user(still_org, funds="1")
    new = await make_swap(still_org, user)
    created = datetime.fromisoformat(new["createdAt"])
    expires = datetime.fromisoformat(new["quoteInformation"]["expiresAt"])
    assert expires - created == timedelta(seconds=30)


async def test_exact_out_quotes_both_amounts(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    created = await _quote(org, swap_body(user, None, destination={"amount": "25"}))
    assert created["destination"]["amount"] == 25
    assert created["quoteInformation"]["receiveNet"]["amount"] == "25"
    assert created["source"]["amount"] == 25.025026
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await held(org, user, "usdt") == "25"
    assert await held(org, user) == "74.974974"


@pytest.mark.parametrize("amount", ["0.000002", "0.001999", "1.000001", "3.333333", "99.999999"])
async def test_rounding_is_against_the_customer_by_less_than_a_unit(
    org: Tenant, amount: str
) -> None:
    user = await make_user(org, funds="100")
    created = await _quote(org, swap_body(user, amount))
    sent, got = Decimal(amount), Decimal(created["quoteInformation"]["receiveNet"]["amount"])
    fair = sent * Decimal("0.999")
    assert fair - Decimal("0.000001") < got <= fair


async def test_an_accepted_swap_is_completed_and_moves_the_money(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    created = await make_swap(org, user, "10")
    assert await held(org, user) == "100"
    accepted = await org.post(f"{SWAPS}/{created['id']}/accept")
    details = accepted["transferDetails"]
    assert details["status"] == "COMPLETED"
    assert details["createdAt"] == created["createdAt"]
    assert details["updatedAt"] > created["updatedAt"]
    unchanged = ("id", "requestId", "source", "destination", "quoteInformation", "error")
    assert {name: details[name] for name in unchanged} == {
        name: created[name] for name in unchanged
    }
    assert await held(org, user) == "90"
    assert await held(org, user, "usdt") == "9.99"
    assert await org.get(f"{SWAPS}/{created['id']}") == accepted


async def test_expired_swap_has_an_error(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    created = await make_swap(org, user, status=SwapStatus.QUOTE_FAILED)
    assert created["status"] == "QUOTE_FAILED"
    assert created["error"] == "INVALID_QUOTE"
    assert created["errorDetails"] == {
        "code": 400006,
        "message": "the quote expired before it was accepted",
    }


async def test_another_user_receives(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await _quote(org, swap_body(ada, "10", destination={"userId": bob}))
    assert created["source"]["userId"] == ada
    assert created["destination"]["userId"] == bob
    assert created["destination"]["walletAddress"] == await _wallet(org, bob)
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await held(org, ada, "usdt") == "0"
    assert await held(org, bob, "usdt") == "9.99"


async def test_a_registered_address_receives(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    external = await _register(org, user)
    created = await _quote(org, swap_body(user, "10", destination={"externalWalletId": external}))
    assert created["destination"]["externalWalletId"] == external
    assert created["destination"]["walletAddress"] == OUTSIDE
    assert created["destination"]["userId"] == user
    accepted = await org.post(f"{SWAPS}/{created['id']}/accept")
    assert accepted["transferDetails"]["status"] == "CREATED"
    await run_due(org)
    done = await org.get(f"{SWAPS}/{created['id']}")
    assert done["transferDetails"]["status"] == "COMPLETED"
    assert await held(org, user) == "0"
    assert await held(org, user, "usdt") == "0"


async def test_the_users_own_address_receives(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    address = await _wallet(org, user)
    created = await _quote(org, swap_body(user, destination={"walletAddress": address}))
    assert created["destination"]["userId"] == user
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await held(org, user, "usdt") == "9.99"


async def test_address_of_another_user_credits_that_user(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    address = (await _wallet(org, bob)).lower()
    created = await _quote(org, swap_body(ada, destination={"walletAddress": address}))
    assert created["destination"]["userId"] == bob
    assert created["destination"]["walletAddress"] == await _wallet(org, bob)
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await held(org, bob, "usdt") == "9.99"


async def test_external_address_is_normalised(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    created = await _quote(org, swap_body(user, destination={"walletAddress": OUTSIDE.lower()}))
    assert created["destination"] == {
        "currency": "usdt",
        "userId": user,
        "externalWalletId": None,
        "amount": None,
        "chain": "POLYGON",
        "walletAddress": OUTSIDE,
    }
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await held(org, user, "usdt") == "0"


async def test_swaps_work_on_solana_and_ethereum(org: Tenant) -> None:
    user = await make_user(org, chains=["SOLANA", "ETHEREUM"])
    for chain in ("SOLANA", "ETHEREUM"):
        await fund(org, user, "10", chain=chain, currency="usdg")
        ends = {"chain": chain, "currency": "usdg"}
        body = swap_body(user, source=ends, destination={"chain": chain, "currency": "usdc"})
        created = await _quote(org, body)
        await org.post(f"{SWAPS}/{created['id']}/accept")
        assert await held(org, user, "usdc", chain) == "9.99"


ROUTE, FIELD = "400 INVALID_TRANSACTION_ROUTE", "400 FIELD_VALIDATION_ERROR"
WALLET, USER = "404 WALLET_NOT_FOUND", "404 USER_NOT_FOUND"
SHORT = "400 INSUFFICIENT_BALANCE"
BASE = {"chain": "BASE"}
SOLANA = {"chain": "SOLANA"}
REFUSED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (ROUTE, "destination.currency", {}, {"currency": "usdc"}),
    (ROUTE, "destination.chain", {}, {"chain": "ETHEREUM"}),
    (ROUTE, "destination.currency", {}, {"currency": "usdg"}),
    (ROUTE, "destination.currency", {}, {"currency": "eur"}),
    (ROUTE, "destination.currency", {}, {"currency": ""}),
    (ROUTE, "destination.currency", {}, {"currency": "USDT"}),
    (ROUTE, "source.currency", {"currency": "dai"}, {}),
    (ROUTE, "source.currency", {"currency": "usdHifi"}, {}),
    (ROUTE, "source.currency", BASE, BASE),
    (FIELD, "source.chain", {"chain": "TRON"}, {}),
    (FIELD, "source.chain", {"chain": "polygon"}, {}),
    (FIELD, "source.amount", {}, {"amount": "1"}),
    (FIELD, "source.amount", {"amount": None}, {}),
    (FIELD, "source.amount", {"amount": "0"}, {}),
    (FIELD, "source.amount", {"amount": "0.000000"}, {}),
    (FIELD, "source.amount", {"amount": "-1"}, {}),
    (FIELD, "source.amount", {"amount": "-0"}, {}),
    (FIELD, "source.amount", {"amount": "1.0000001"}, {}),
    (FIELD, "source.amount", {"amount": "1e2"}, {}),
    (FIELD, "source.amount", {"amount": "1E-2"}, {}),
    (FIELD, "source.amount", {"amount": "+1"}, {}),
    (FIELD, "source.amount", {"amount": " 1"}, {}),
    (FIELD, "source.amount", {"amount": "1,5"}, {}),
    (FIELD, "source.amount", {"amount": "1_0"}, {}),
    (FIELD, "source.amount", {"amount": ".5"}, {}),
    (FIELD, "source.amount", {"amount": "5."}, {}),
    (FIELD, "source.amount", {"amount": ""}, {}),
    (FIELD, "source.amount", {"amount": "NaN"}, {}),
    (FIELD, "source.amount", {"amount": "Infinity"}, {}),
    (FIELD, "source.amount", {"amount": "\u0663"}, {}),
    (FIELD, "source.amount", {"amount": "9" * 33}, {}),
    (FIELD, "source.amount", {"amount": "9" * 5000}, {}),
    (FIELD, "source.amount", {"amount": "0.000001"}, {}),
    (FIELD, "source.amount", {"amount": 10}, {}),
    (FIELD, "destination.amount", {"amount": None}, {"amount": "0"}),
    (FIELD, "destination.amount", {"amount": None}, {"amount": "1e2"}),
    (FIELD, "destination.externalWalletId", {}, {"userId": MISSING, "externalWalletId": MISSING}),
    (FIELD, "destination.walletAddress", {}, {"userId": MISSING, "walletAddress": OUTSIDE}),
    (FIELD, "destination.walletAddress", {}, {"externalWalletId": MISSING, "walletAddress": "0x"}),
    (FIELD, "destination.walletAddress", {}, {"walletAddress": "0x12"}),
    (FIELD, "destination.walletAddress", {}, {"walletAddress": "0x" + "0" * 40}),
    (FIELD, "destination.walletAddress", {}, {"walletAddress": OUTSIDE.replace("bD4", "Bd4")}),
    (USER, MISSING, {"userId": MISSING}, {}),
    (USER, MISSING, {}, {"userId": MISSING}),
    (WALLET, MISSING, {}, {"externalWalletId": MISSING}),
    (WALLET, "source.chain", SOLANA, SOLANA),
    (SHORT, "11 usdc", {"amount": "11"}, {}),
    (SHORT, "10.000001 usdc", {"amount": "10.000001"}, {}),
    (SHORT, "usdc", {"amount": None}, {"amount": "10"}),
    (SHORT, "usdc", {"amount": None}, {"amount": "9" * 20}),
    (FIELD, "destination.amount", {"amount": None}, {"amount": "9" * 32}),
]


@pytest.mark.parametrize(("name", "says", "source", "destination"), REFUSED)
async def test_invalid_swap_is_refused_naming_the_field(
    org: Tenant, name: str, says: str, source: dict[str, Any], destination: dict[str, Any]
) -> None:
    user = await make_user(org, funds="10")
    body = swap_body(user, source=source, destination=destination)
    answer = await org.send("POST", SWAPS, body)
    assert refusal(answer) == name
    assert says in sentence(answer)
    assert len(sentence(answer)) < 300
    # Nothing was created, and the request id can be used again.
    assert (await org.get(SWAPS))["count"] == 0
    await _quote(org, swap_body(user, request_id=body["requestId"]))


async def test_all_of_a_balance_can_be_swapped(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    created = await make_swap(org, user, "10", status=SwapStatus.COMPLETED)
    assert created["status"] == "COMPLETED"
    assert await held(org, user) == "0"


async def test_a_registered_address_of_another_chain_is_no_destination(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    external = await _register(org, user, chain="ETHEREUM")
    answer = await org.send(
        "POST", SWAPS, swap_body(user, destination={"externalWalletId": external})
    )
    assert refusal(answer) == "404 WALLET_NOT_FOUND"
    assert "destination.externalWalletId" in sentence(answer)


@pytest.mark.parametrize("known", [MISSING, "x", "8d3a7cfe000040008000000000000000", "%00", "%FF"])
@pytest.mark.parametrize("verb", ["", "/accept"])
async def test_unknown_swap_is_not_found(org: Tenant, known: str, verb: str) -> None:
    method = "POST" if verb else "GET"
    assert await org.refused(method, f"{SWAPS}/{known}{verb}") == "404 TRANSACTION_NOT_FOUND"


async def test_a_deposit_is_no_swap(org: Tenant) -> None:
    user = await make_user(org)
    body = {"chain": "POLYGON", "currency": "usdc", "amount": "1"}
    deposit = await org.post(f"/v2/sandbox/users/{user}/wallets/fund", body)
    path = f"{SWAPS}/{deposit['id']}"
    assert await org.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"
    body = swap_body(user, request_id=deposit["id"])
    assert await org.refused("POST", SWAPS, body) in {
        "400 INSUFFICIENT_BALANCE",
        "409 TRANSACTION_REQUEST_ALREADY_EXISTS",
    }


async def test_accept_takes_no_body_and_ignores_one(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    for body in (b"", b"{}", b"no json", str(uuid4())):
        created = await make_swap(org, user)
        accepted = await org.post(f"{SWAPS}/{created['id']}/accept", body)
        assert accepted["transferDetails"]["status"] == "COMPLETED"


async def test_swap_to_a_user_without_a_wallet_is_refused(
    org: Tenant,
) -> None:
    ada = await make_user(org, funds="10")
    grace = await make_user(org, chains=["ETHEREUM"])
    wallets = (await org.get(f"/v2/users/{grace}"))["wallets"]["INDIVIDUAL"]
    address = wallets["ETHEREUM"]["address"]
    body = swap_body(ada, "1", destination={"walletAddress": address})
    assert await org.refused("POST", SWAPS, body) == "404 WALLET_NOT_FOUND"
    external = {"address": address, "chain": "POLYGON", "name": "Mine", "referenceId": "1"}
    path = f"/v2/users/{ada}/wallets/external"
    assert await org.refused("POST", path, external) == "404 WALLET_NOT_FOUND"
