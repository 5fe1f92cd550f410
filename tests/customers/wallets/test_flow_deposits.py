"""Payments into a user's wallet are deposits; refunds are not."""

from typing import Any

from tests.customers.wallets.test_deposits import amounts, listed
from tests.onramps import make_onramp, make_payer, settle
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import Tenant, make_batch, make_bridge, make_transfer, make_user, run_due

REPORTED = ("transactionHash", "sourceAddress", "destinationAddress")


async def address(org: Tenant, user: str, chain: str = "POLYGON") -> str:
    return str((await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"][chain]["address"])


async def deposit_transaction(org: Tenant, record: dict[str, Any]) -> tuple[str | None, ...]:
    """Hash, sender and receiver; the deposit is found again by its id."""
    path = f"/v2/users/{record['userId']}/wallets/deposits/{record['id']}"
    assert await org.get(path) == record
    return tuple(record["transaction"].get(name) for name in REPORTED)


async def test_a_transfer_is_a_deposit_of_its_payee_once_it_has_arrived(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    made = await make_transfer(org, ada, bob, 4)
    assert await amounts(org, bob) == []
    await run_due(org)
    done = (await org.get(f"/v2/wallets/transfers/{made['id']}"))["transferDetails"]
    (record,) = await listed(org, bob)
    assert await deposit_transaction(org, record) == (
        done["receipt"]["transactionHash"],
        await address(org, ada),
        await address(org, bob),
    )
    assert await amounts(org, ada) == ["10"]


async def test_a_batch_is_a_deposit_of_each_payee_with_an_id_of_its_own(org: Tenant) -> None:
    ada, bob, eve = await make_user(org, funds="10"), await make_user(org), await make_user(org)
    items = [{"userId": bob, "amount": "1"}, {"userId": eve, "amount": "2"}]
    # Paid twice by one record, which is one deposit of the sum.
    await make_batch(org, ada, *items, {"userId": bob, "amount": "3"})
    await run_due(org)
    (of_bob,), (of_eve,) = await listed(org, bob), await listed(org, eve)
    assert [each["transaction"]["amount"] for each in (of_bob, of_eve)] == ["4", "2"]
    assert of_bob["id"] != of_eve["id"]
    assert (
        (await deposit_transaction(org, of_bob))[0]
        == (await deposit_transaction(org, of_eve))[0]
        is not None
    )
    assert (
        await org.send("GET", f"/v2/users/{bob}/wallets/deposits/{of_eve['id']}")
    ).status_code == 404


async def test_a_bridge_is_a_deposit_where_it_arrives(org: Tenant) -> None:
    ada = await make_user(org, funds="10", chains=["POLYGON", "BASE"])
    made = await make_bridge(org, ada, ada, 4)
    await org.post(f"/v2/wallets/bridges/{made['id']}/accept")
    await run_due(org)
    done = (await org.get(f"/v2/wallets/bridges/{made['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    (record,) = await listed(org, ada, chain="BASE")
    assert (await deposit_transaction(org, record))[0] == done["receipt"]["operations"]["mint"][
        "transactionHash"
    ]
    assert await amounts(org, ada) == ["10"]


async def test_coins_delivered_by_an_onramp_are_a_deposit(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, 100, destination={"userId": user})
    await org.post(f"/v2/sandbox/onramps/{onramp['id']}/deposit", {})
    await settle(org)
    done = (await org.get(f"/v2/onramps/{onramp['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    (record,) = await listed(org, user)
    assert (await deposit_transaction(org, record))[0] == done["receipt"]["transactionHash"]


async def test_a_payout_under_way_or_held_is_no_deposit(org: Tenant) -> None:
    user = await make_payee(org, funds="200")
    made = await make_offramp(org, user, await make_account(org, user), 100)
    await org.post(f"/v2/offramps/{made['id']}/quote/accept")
    await run_due(org)
    assert await amounts(org, user) == ["200"]
