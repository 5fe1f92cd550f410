"""Requests that are repeated after the restore of a backup that lacks their payments.

The copy of the database is the backup. Chains and banks carry out one key once, so a payment is
not sent again if its orders have the keys of the lost one.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from landbridge.app.container import Container, wire
from landbridge.payments.engine import order_keys
from landbridge.payments.engine.order_keys import order_key
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.conftest import new_database
from tests.onramps import ONRAMPS, deposit, make_payer, onramp_body, receive, settle
from tests.order_keys import key_of
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OFFRAMPS, OUTSIDE, make_account, offramp_body
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SETTINGS,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    fund,
    make_tenant,
    make_user,
    served,
    swap_body,
    transfer_body,
)

_START = datetime(2026, 3, 2, 12, tzinfo=UTC)
MARK: str = vars(order_keys)["_KEYED_BY_REQUEST"]


@dataclass(frozen=True)
class Installation:
    """Organisation on one database, with its own chains and banks."""

    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    rails: FaultyRails

    @property
    def keys(self) -> set[UUID]:
        """Keys of all orders that chains and banks have received."""
        return {each.key for each in (*self.chains.orders, *self.rails.orders)}


@asynccontextmanager
async def installed(dsn: str, like: Tenant | None = None) -> AsyncGenerator[Installation]:
    """Serve a new organisation from this database, or the one that it contains."""
    database = await Database.connect(dsn, name="tests", size_max=8)
    clock = FrozenClock(_START, node=await take_node(database))
    plain = wire(SETTINGS, database, clock)
    chains, rails = FaultyChains(plain.chains), FaultyRails(plain.rails)
    container = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    try:
        async with served(container) as client:
            org = await _tenant(container, client, like)
            yield Installation(org, clock, chains, rails)
    finally:
        for each in (plain, container):
            await each.dispatcher.close()
            await each.egress.close()
        await database.close()


async def _tenant(container: Container, client: Any, like: Tenant | None) -> Tenant:
    if like is None:
        return await make_tenant(container, client)
    return replace(like, container=container, client=client)


async def _pay(at: Installation, path: str, body: Mapping[str, Any], accept: str | None) -> str:
    """Create a payment, accept its quote, deposit what it waits for, and settle it."""
    created = (await at.org.post(path, body))["transferDetails"]
    if accept is not None:
        await at.org.post(f"{path}/{created['id']}/{accept}")
    if path == ONRAMPS:
        await deposit(at.org, created, bank_reference="credit of the onramp")
    await settle(at.org)
    found = (await at.org.get(f"{path}/{created['id']}"))["transferDetails"]
    assert found["status"] == "COMPLETED"
    return str(created["id"])


async def test_a_repeated_request_has_the_keys_of_the_lost_payment(
    server_dsn: str, own_dsn: str
) -> None:
    async with installed(own_dsn) as first:
        org = first.org
        ada, bob = await make_payer(org), await make_user(org)
        await org.post(f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
        await fund(org, ada, "1000")
        account = await make_account(org, ada)
    outside = {"walletAddress": OUTSIDE}
    requests: list[tuple[str, Mapping[str, Any], str | None, tuple[str, ...]]] = [
        (SWAPS, swap_body(ada, destination=outside), "accept", ("collect", "send")),
        (TRANSFERS, transfer_body(ada, bob), None, ("send",)),
        (BATCHES, batch_body(ada, {"userId": bob, "amount": "1"}), None, ("send",)),
        (BRIDGES, bridge_body(ada, 10), "accept", ("approve", "burn", "mint")),
        (OFFRAMPS, offramp_body(ada, account, 10), "quote/accept", ("debit", "payout")),
        (ONRAMPS, onramp_body(ada, 10), "quote/accept", ("send",)),
    ]
    async with (
        new_database(server_dsn, copied=own_dsn) as restored_dsn,
        installed(own_dsn, org) as before,
        installed(restored_dsn, org) as restored,
    ):
        for path, body, accept, names in requests:
            lost = await _pay(before, path, body, accept)
            again = await _pay(restored, path, body, accept)
            assert again != lost
            for name in names:
                assert await key_of(restored.org, again, name) in before.keys
        assert restored.keys == before.keys


async def test_a_credit_that_is_reported_again_is_paid_out_under_the_same_key(
    server_dsn: str, own_dsn: str
) -> None:
    async with installed(own_dsn) as first:
        org = first.org
        account = await make_virtual_account(org, await make_payer(org))
    number = account["depositInstructions"]["wire"]["accountNumber"]
    credit = {"account_number": number, "amount": "5", "bank_reference": "once"}
    async with (
        new_database(server_dsn, copied=own_dsn) as restored_dsn,
        installed(own_dsn, org) as before,
        installed(restored_dsn, org) as restored,
    ):
        for each in (before, restored):
            await receive(each.org, **credit)
            await settle(each.org)
        assert len(before.keys) == 1
        assert restored.keys == before.keys


async def test_a_payment_of_release_0_1_0_keeps_the_keys_of_its_id(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    created = await org.post(TRANSFERS, transfer_body(ada, await make_user(org)))
    record = await org.container.ledger.find(org.org_id, UUID(created["transferDetails"]["id"]))
    assert record is not None
    root = derived_id(record.org_id, f"orders/{record.request_id}")
    # Changing it would pay what is under way twice.
    assert order_key(record, "send") == derived_id(root, "send")
    details = {name: value for name, value in record.details.items() if name != MARK}
    assert len(details) == len(record.details) - 1
    old = replace(record, details=details)
    assert order_key(old, "send") == derived_id(record.id, "send") != order_key(record, "send")
