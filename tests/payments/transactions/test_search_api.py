"""Search for users, wallets and payments."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from landbridge.platform.core.ids import short_id
from landbridge.platform.db.pool import Database
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario
from tests.payouts import shown
from tests.tenants import (
    Tenant,
    business,
    make_agreement,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    register,
    run_due,
)

PATH = "/v2/search"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(database) as scenario:
        yield scenario


async def _found(org: Tenant, text: str) -> list[tuple[str, str]]:
    answer: dict[str, Any] = await org.get(PATH, q=text)
    assert answer["count"] == len(answer["results"])
    return [(each["type"], each["id"]) for each in answer["results"]]


async def test_users_are_found_by_id_email_and_name(org: Tenant) -> None:
    ada = await make_user(org, firstName="Ada", lastName="Lovelace", email="ada.l@example.com")
    bob = await make_user(org, firstName="Bob", lastName="Mac Adam", email="bob@example.com")
    shop = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    assert await _found(org, f" {ada} ") == [("user", ada)]
    assert await _found(org, "ADA.L@example.com") == [("user", ada)]
    assert await _found(org, "Bob Mac Adam") == [("user", bob)]
    assert await _found(org, "ada") == [("user", bob), ("user", ada)]
    assert await _found(org, "xample l") == [("user", shop)]
    assert await _found(org, "lo") == [("user", ada)]
    assert await _found(org, "nobody") == []
    other = await make_tenant(org.container, org.client, name="Other")
    assert await _found(other, "ada") == []
    assert await _found(other, ada) == []


async def test_wallets_are_found_by_address(org: Tenant) -> None:
    ada = await make_user(org, chains=["POLYGON", "SOLANA"])
    wallets = (await org.get(f"/v2/users/{ada}"))["wallets"]["INDIVIDUAL"]
    address = wallets["POLYGON"]["address"]
    (result,) = (await org.get(PATH, q=address.lower()))["results"]
    assert (result["type"], result["userId"], result["detail"]) == ("wallet", ada, address)
    assert result["label"] == "Ada Example · POLYGON"
    external = await register(org, ada, OUTSIDE)
    assert await _found(org, OUTSIDE) == [("externalWallet", external)]
    assert await _found(org, OUTSIDE.lower()) == [("externalWallet", external)]
    assert await _found(org, "0x" + "12" * 20) == []


async def test_payments_are_found_by_id_request_id_and_hash(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    created = await make_transfer(org, ada, bob, 2)
    await run_due(org)
    done = (await org.get(f"/v2/wallets/transfers/{created['id']}"))["transferDetails"]
    changes = (await org.get(f"/v2/transactions/{created['id']}"))["history"]
    (chain_hash,) = [each["facts"]["transactionHash"] for each in changes if each["facts"]]
    assert done["id"] == created["id"]
    for text in (
        created["id"],
        created["requestId"],
        chain_hash,
        chain_hash.upper().replace("X", "x"),
    ):
        assert await _found(org, text) == [("transaction", created["id"])]
    (result,) = (await org.get(PATH, q=created["id"]))["results"]
    assert result["label"] == "WALLET.TRANSFER · 2 usdc · POLYGON"
    other = await make_tenant(org.container, org.client, name="Other")
    assert await _found(other, chain_hash) == []
    assert await _found(other, created["requestId"]) == []


async def test_payments_are_found_by_short_id_and_user_operation(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    transfer_id = (await make_transfer(org, ada, bob, 2))["id"]
    await run_due(org)
    changes = (await org.get(f"/v2/transactions/{transfer_id}"))["history"]
    (operation,) = [each["facts"]["userOpHash"] for each in changes if each["facts"]]
    other = await make_tenant(org.container, org.client, name="Other")
    for text in (short_id(transfer_id), short_id(transfer_id).upper(), operation):
        assert await _found(org, text) == [("transaction", transfer_id)]
        assert await _found(other, text) == []
    assert len(short_id(transfer_id)) == 12


async def test_payments_are_found_by_amount(org: Tenant) -> None:
    ada = await make_user(org, funds="1000")
    bob = await make_user(org, firstName="Bob")
    ended = (await make_transfer(org, ada, bob, 12.34))["id"]
    await run_due(org)
    swap = await make_swap(org, ada, "846.35")
    under_way = (await make_transfer(org, ada, bob, 12.34))["id"]
    transfers = {("transaction", ended), ("transaction", under_way)}
    for text in ("12.34", "12.340", "12.34 usdc", "12.34  USDC"):
        assert transfers <= set(await _found(org, text))
    assert await _found(org, "846.35") == [("transaction", swap["id"])]
    received = (await org.get(f"/v2/transactions/{swap['id']}"))["destination"]["amount"]
    assert received != "846.35"
    assert await _found(org, received) == [("transaction", swap["id"])]
    for text in ("12.3", "12.34 usd", "0", "1" * 30, "0.1234567890123456789"):
        assert await _found(org, text) == []


async def test_onramps_are_found_by_references(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    reference = onramp["depositInfo"]["reference"]
    for text in (reference, reference.lower(), f"{reference[:4]} {reference[4:]}"):
        assert await _found(org, text) == [("transaction", onramp["id"])]
    credit = await deposit(org, onramp, bank_reference="2026-11/WIRE-000417")
    assert await _found(org, credit.bank_reference) == []
    await settle(org)
    assert await _found(org, credit.bank_reference) == [("transaction", onramp["id"])]


async def test_payouts_are_found_by_references_of_the_bank(scenario: OfframpScenario) -> None:
    offramp = await scenario.accepted(100)
    await scenario.run()
    tracking = (await shown(scenario.org, offramp))["receipt"]["paymentTracking"]
    references = [tracking["imad"], tracking["omad"]]
    for text in references:
        assert await _found(scenario.org, text) == [("transaction", offramp["id"])]
    other = await make_tenant(scenario.org.container, scenario.org.client, name="Other")
    assert await _found(other, references[0]) == []


async def test_invalid_search_is_refused(org: Tenant) -> None:
    assert await org.refused("GET", PATH) == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", PATH, q="  ") == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", PATH, q="x" * 201) == "400 FIELD_VALIDATION_ERROR"
    assert await _found(org, "%' or 1=1 --") == []
