"""Deposits in a user's wallets, over HTTP. Source: contract, users 7; interface/wallet."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import ASSETS, TRANSITIONS
from landbridge.ledger.corrections import correct
from landbridge.payments.swaps.model import SwapStatus
from tests.tenants import SWAPS, Tenant, fund, good, make_swap, make_user, swap_body

POLYGON = {"chain": "POLYGON", "currency": "usdc"}


async def listed(org: Tenant, user: str, **query: str | int) -> list[dict[str, Any]]:
    """Return the records of a page."""
    path = f"/v2/users/{user}/wallets/deposits"
    page = await org.get(path, **{**POLYGON, **query})
    assert page["count"] == len(page["records"])
    assert page["records"] == page["deposits"]
    records: list[dict[str, Any]] = page["records"]
    return records


async def amounts(org: Tenant, user: str, **query: str | int) -> list[str]:
    return [each["transaction"]["amount"] for each in await listed(org, user, **query)]


async def test_coins_from_outside_are_a_deposit_in_the_contracts_shape(org: Tenant) -> None:
    user = await make_user(org)
    body = {**POLYGON, "amount": "12.5"}
    funded = await org.post(f"/v2/sandbox/users/{user}/wallets/fund", body)
    (record,) = await listed(org, user)
    assert await org.get(f"/v2/users/{user}/wallets/deposits/{record['id']}") == record
    assert set(record) == {"id", "userId", "createdAt", "updatedAt", "wallet", "transaction"}
    assert record["id"] == funded["id"]
    assert record["userId"] == user
    assert record["createdAt"] == record["updatedAt"] == funded["createdAt"]
    wallet = record["wallet"]
    assert UUID(wallet.pop("id"))
    assert wallet == {
        "address": funded["walletAddress"],
        "chain": "POLYGON",
        "walletType": "INDIVIDUAL",
    }
    transaction = record["transaction"]
    assert transaction.pop("sourceAddress").startswith("0x")
    assert transaction.pop("contractAddress") == "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
    assert transaction == {
        "transactionHash": funded["transactionHash"],
        "chain": "POLYGON",
        "currency": "usdc",
        "status": "COMPLETED",
        "destinationAddress": funded["walletAddress"],
        "amount": "12.5",
        "unitAmount": "12500000",
    }


async def test_a_deposit_on_solana_comes_from_an_address_of_solana(org: Tenant) -> None:
    user = await make_user(org, chains=["SOLANA"])
    await fund(org, user, "1", chain="SOLANA")
    (record,) = await listed(org, user, chain="SOLANA")
    assert not record["transaction"]["sourceAddress"].startswith("0x")


async def test_coins_swapped_in_by_another_user_are_a_deposit(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    swap = await org.post(SWAPS, swap_body(ada, "4", destination={"userId": bob}))
    await org.post(f"{SWAPS}/{swap['transferDetails']['id']}/accept")
    (record,) = await listed(org, bob, currency="usdt")
    received = swap["transferDetails"]["quoteInformation"]["receiveNet"]["amount"]
    assert record["transaction"]["amount"] == received
    # A deposit has an id of its own, since one transfer may pay several wallets.
    assert record["id"] != swap["transferDetails"]["id"]
    assert await org.get(f"/v2/users/{bob}/wallets/deposits/{record['id']}") == record
    for user, id_ in ((ada, record["id"]), (bob, swap["transferDetails"]["id"])):
        path = f"/v2/users/{user}/wallets/deposits/{id_}"
        assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


async def test_a_users_own_swap_is_no_deposit(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await make_swap(org, user, "4", status=SwapStatus.COMPLETED)
    assert await amounts(org, user) == ["10"]
    assert await amounts(org, user, currency="usdt") == []


async def test_a_correction_is_no_deposit(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    swap = await org.post(SWAPS, swap_body(ada, "4", destination={"userId": bob}))
    await org.post(f"{SWAPS}/{swap['transferDetails']['id']}/accept")
    await correct(
        org.container.database,
        org.container.ledger,
        ASSETS,
        TRANSITIONS,
        org_id=org.org_id,
        transfer_id=UUID(swap["transferDetails"]["id"]),
        seqs=[4],
        reason="test",
        actor="test",
        at=org.container.clock.stamp(timedelta()),
    )
    assert await amounts(org, ada) == ["10"]


async def test_pages_go_on_where_the_last_one_ended(org: Tenant) -> None:
    user = await make_user(org)
    for amount in range(1, 8):
        await fund(org, user, str(amount))
    path = f"/v2/users/{user}/wallets/deposits"
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await org.get(path, **POLYGON, limit=3, **cursor)
        if not page["count"]:
            break
        seen += [each["transaction"]["amount"] for each in page["records"]]
        cursor = {"createdBefore": page["nextCursor"]}
    assert page.get("nextCursor") is None
    assert seen == ["7", "6", "5", "4", "3", "2", "1"]


async def test_bounds_of_time_are_inclusive_below_and_exclusive_above(org: Tenant) -> None:
    user = await make_user(org)
    for amount in ("1", "2", "3"):
        await fund(org, user, amount)
    middle = (await listed(org, user))[1]["createdAt"]
    assert await amounts(org, user, createdAfter=middle) == ["3", "2"]
    assert await amounts(org, user, createdBefore=middle) == ["1"]


async def test_the_smallest_amount_is_a_cent_by_default(org: Tenant) -> None:
    user = await make_user(org)
    for amount in ("0.009999", "0.01", "5"):
        await fund(org, user, amount)
    assert await amounts(org, user) == ["5", "0.01"]
    assert await amounts(org, user, minAmount="0") == ["5", "0.01", "0.009999"]
    assert await amounts(org, user, minAmount="5") == ["5"]
    assert await amounts(org, user, minAmount="5.000001") == []
    # Retrieving returns one deposit, however small.
    dust = (await listed(org, user, minAmount="0"))[-1]
    assert await org.get(f"/v2/users/{user}/wallets/deposits/{dust['id']}") == dust


async def test_every_ledger_entry_is_final(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    assert await amounts(org, user, status="COMPLETED") == ["1"]
    assert await amounts(org, user, status="CONFIRMED") == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"currency": "usdc"}, "chain"),
        ({"chain": "POLYGON"}, "currency"),
        ({"chain": "TRON", "currency": "usdc"}, "chain"),
        ({"chain": "BASE", "currency": "usdt"}, "currency"),
        ({**POLYGON, "status": "PENDING"}, "status"),
        ({**POLYGON, "minAmount": "-1"}, "minAmount"),
        ({**POLYGON, "minAmount": "much"}, "minAmount"),
        ({**POLYGON, "minAmount": "NaN"}, "minAmount"),
        ({**POLYGON, "limit": "101"}, "limit"),
        ({**POLYGON, "createdAfter": "soon"}, "createdAfter"),
    ],
)
async def test_a_bad_question_is_refused_by_its_name(
    org: Tenant, query: dict[str, str], name: str
) -> None:
    user = await make_user(org)
    answer = await org.send("GET", f"/v2/users/{user}/wallets/deposits", **query)
    assert answer.status_code == 400
    assert name in answer.json()["errorDetails"]


async def test_a_user_without_a_wallet_has_no_deposits(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(org, funds="1")
    (record,) = await listed(org, user)
    path = f"/v2/users/{user}/wallets/deposits"
    query = {"chain": "BASE", "currency": "usdc"}
    assert await org.refused("GET", path, **query) == "404 WALLET_NOT_FOUND"
    unknown = f"/v2/users/{uuid4()}/wallets/deposits"
    assert await org.refused("GET", unknown, **POLYGON) == "404 USER_NOT_FOUND"
    assert await org.refused("GET", f"{path}/{uuid4()}") == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("GET", f"{path}/x") == "404 RESOURCE_NOT_FOUND"
    for theirs in (f"{path}/{record['id']}", path):
        assert await other_org.refused("GET", theirs, **POLYGON) == "404 USER_NOT_FOUND"
    stranger = await make_user(org)
    answer = await org.send("GET", f"/v2/users/{stranger}/wallets/deposits/{record['id']}")
    assert answer.status_code == 404


async def test_an_empty_wallet_has_an_empty_page(org: Tenant) -> None:
    user = await make_user(org)
    page = good(await org.send("GET", f"/v2/users/{user}/wallets/deposits", **POLYGON))
    assert page == {"count": 0, "records": [], "deposits": []}
