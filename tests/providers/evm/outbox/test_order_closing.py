"""People close an order on a chain that can't go on: its payment ends, and it is never paid."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eth_account import Account

from landbridge.payments.resolutions.model import QUIET_PERIOD
from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.model import OutboxState, TransactionAttempt
from landbridge.providers.evm.outbox.plans import VALIDITY_S
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.customers.address_policies.test_payments import set_policy
from tests.payouts import check_books
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    check_nonces,
    make_due,
    make_resent,
    new_address,
    relayers,
    resume,
    run,
)
from tests.providers.evm.outbox.test_accidents import submit_as_another, thief_key
from tests.providers.evm.outbox.test_gas_costs import funded_wallet
from tests.resolution_team import RESOLUTIONS, body, make_approver
from tests.tenants import TRANSFERS, make_transfer, register, run_due

pytestmark = pytest.mark.long

ELSEWHERE = "0x" + "ab" * 32


@dataclass(frozen=True)
class StuckPayment:
    """Transfer to an outside address whose nonce was used by another party."""

    world: ChainWorld
    id: str
    recipient: str

    async def resolve(self, action: str, **changes: Any) -> dict[str, Any]:
        """Request, approve and execute a resolution; return it."""
        org = self.world.org
        created = await org.post(RESOLUTIONS, body(self.id, action, **changes))
        approver = await make_approver(org)
        await approver.post(f"/v2/transfer-approvals/{created['approvalId']}/approve", {})
        for _ in range(3):
            await run_due(org)
            seconds = int(QUIET_PERIOD.total_seconds()) + 1
            await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
        await run_due(org)
        return await org.get(f"{RESOLUTIONS}/{created['id']}")

    async def status(self) -> str:
        """Return the status of the transfer."""
        return (await self.world.org.get(f"{TRANSFERS}/{self.id}"))["transferDetails"]["status"]

    async def order(self) -> dict[str, Any]:
        """Return the transfer's order, as its page shows it."""
        (order,) = (await self.world.org.get(f"/v2/chains/orders/{self.id}"))["orders"]
        return order

    async def attempt(self) -> TransactionAttempt:
        """Return the transaction that was signed for it."""
        database, org_id = self.world.container.database, self.world.org.org_id
        key = UUID((await self.order())["id"])
        (found,) = await database.single(lambda tx: attempt_store.of_orders(tx, [(org_id, key)]))
        return found

    async def go_on(self) -> None:
        """Resume the stopped account, and let everything that is due happen."""
        for each in await relayers(self.world):
            await resume(self.world, each)
        for _ in range(2 * FINAL_DEPTH):
            await make_due(self.world)
            await make_resent(self.world)
            await run(self.world)
            self.world.mine()
            await run_due(self.world.org)


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database, replace_after_s=60) as world:
        yield world


@pytest.fixture
async def payment(world: ChainWorld) -> StuckPayment:
    user, _ = await funded_wallet(world)
    recipient = new_address()
    await register(world.org, user, recipient)
    created = await make_transfer(world.org, user, {"walletAddress": recipient}, 5)
    await run_due(world.org)
    await run(world)
    rows = await world.container.database.rows("select hash, nonce from chain_attempts")
    world.rpc.call("anvil_dropTransaction", rows[0]["hash"])
    stolen = Account.sign_transaction(
        {"chainId": 137, "nonce": rows[0]["nonce"], "to": new_address(), "value": 1, "gas": 21_000,
         "data": b"", "maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**11},
        await thief_key(world),
    )  # fmt: skip
    world.rpc.call("eth_sendRawTransaction", f"0x{bytes(stolen.raw_transaction).hex()}")
    for _ in range(FINAL_DEPTH + 4):
        world.mine()
        await run(world)
    (relayer,) = await relayers(world)
    assert relayer.stopped_at is not None
    return StuckPayment(world, created["id"], recipient)


def expire(world: ChainWorld) -> None:
    """Let the signed authorization expire, at the final block as well."""
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    world.mine(FINAL_DEPTH + 1)


async def check_unpaid(payment: StuckPayment) -> None:
    """Check that the recipient has nothing, and the books are right."""
    assert await payment.world.balance("usdc", payment.recipient) == 0
    await check_nonces(payment.world)
    await check_books(payment.world.org)


async def test_money_of_an_order_that_was_never_sent_returns_and_is_not_sent_later(
    payment: StuckPayment,
) -> None:
    world = payment.world
    expire(world)
    assert (await payment.resolve("FAIL"))["status"] == "COMPLETED"
    assert await payment.status() == "FAILED"
    order = await payment.order()
    assert (order["state"], order["reason"]) == (
        OutboxState.REJECTED.value,
        "people have found out that it was never sent",
    )
    await payment.go_on()
    assert (await payment.order())["state"] == OutboxState.REJECTED.value
    await check_unpaid(payment)


async def test_an_order_that_was_paid_elsewhere_is_not_sent_later(payment: StuckPayment) -> None:
    expire(payment.world)
    resolved = await payment.resolve("CONFIRM", transactionHash=ELSEWHERE)
    assert resolved["status"] == "COMPLETED"
    assert await payment.status() == "COMPLETED"
    order = await payment.order()
    assert (order["state"], order["transactionHash"]) == (OutboxState.FINAL.value, ELSEWHERE)
    await payment.go_on()
    await check_unpaid(payment)


@pytest.mark.parametrize("action", ["FAIL", "CONFIRM"])
async def test_an_order_that_anybody_can_still_submit_is_not_closed(
    payment: StuckPayment, action: str
) -> None:
    resolved = await payment.resolve(action)
    assert resolved["status"] == "VOID"
    assert resolved["failedReason"] == (
        "anybody can still submit its signed authorization: wait an hour"
    )
    assert await payment.status() not in {"COMPLETED", "FAILED"}
    await payment.go_on()
    assert await payment.status() == "COMPLETED"
    assert await payment.world.balance("usdc", payment.recipient) == 5 * COIN


async def test_an_order_that_the_chain_has_carried_out_does_not_fail(
    payment: StuckPayment,
) -> None:
    """Another party has submitted the authorization that is public since the order was sent."""
    world = payment.world
    submit_as_another(world, await payment.attempt())
    expire(world)
    resolved = await payment.resolve("FAIL")
    assert (resolved["status"], resolved["failedReason"]) == (
        "VOID",
        "the chain has carried it out",
    )
    await payment.go_on()
    assert await payment.status() == "COMPLETED"
    assert await world.balance("usdc", payment.recipient) == 5 * COIN


async def test_a_payment_that_the_chain_has_lost_for_good_is_closed_as_paid_elsewhere(
    world: ChainWorld,
) -> None:
    """It was reported as paid, and is refused now: people have paid the recipient otherwise."""
    user, _ = await funded_wallet(world)
    recipient = new_address()
    await register(world.org, user, recipient)
    created = await make_transfer(world.org, user, {"walletAddress": recipient}, 5)
    payment = StuckPayment(world, created["id"], recipient)
    await payment.go_on()
    assert await payment.status() == "COMPLETED"
    assert (await world.org.get(f"{RESOLUTIONS}/actions/{payment.id}"))["actions"] == []
    attempt = await payment.attempt()
    head = int(world.rpc.call("eth_blockNumber"), 16)
    world.reorganise(head - (attempt.block_number or 0) + 1)
    expire(world)
    await set_policy(world.org, blockedAddresses=[recipient])
    await payment.go_on()
    order = await payment.order()
    assert (order["state"], order["reason"]) == (
        OutboxState.CREATED.value,
        "waits for a person: the destination is on the organisation's block list",
    )
    resolved = await payment.resolve("CONFIRM", transactionHash=ELSEWHERE)
    assert (resolved["status"], await payment.status()) == ("COMPLETED", "COMPLETED")
    order = await payment.order()
    assert (order["state"], order["transactionHash"]) == (OutboxState.FINAL.value, ELSEWHERE)
    await set_policy(world.org, blockedAddresses=[])
    await payment.go_on()
    await check_unpaid(payment)
