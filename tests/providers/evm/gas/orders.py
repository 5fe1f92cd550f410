"""Final orders with gas, written through the outbox's stores, for tests that book it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.model import (
    AttemptKind,
    OutboxOrder,
    OutboxState,
    PaymentLeg,
    TransactionAttempt,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def new_order(org_id: UUID, record_id: UUID, chain: str = "POLYGON") -> OutboxOrder:
    """Return an order that is not stored."""
    return OutboxOrder(
        org_id=org_id,
        key=new_id(),
        record_id=record_id,
        chain=chain,
        currency="usdc",
        source=BOB,
        wallet_id=None,
        legs=(PaymentLeg(BOB, 1),),
        method=None,
        step=0,
        state=OutboxState.CREATED,
        reason=None,
        transaction_hash=None,
        confirmed_at=None,
        created_at=AT,
        due_at=AT,
    )


async def add_order(
    database: Database, order: OutboxOrder, state: OutboxState, wei: int | None
) -> None:
    """Store an order in this state, with a transaction of this gas; None: in no block."""

    async def work(tx: Tx) -> None:
        await order_store.add(tx, [order])
        await _add(tx, order, [wei], first=0)
        await order_store.move(tx, [(order, replace(order, state=state))], AT)

    await database.transact(work)


async def add_attempts(
    database: Database, order: OutboxOrder, costs: Sequence[int | None], *, first: int = 0
) -> None:
    """Store transactions of an order with their gas, from a nonce on; None: in no block."""
    await database.transact(lambda tx: _add(tx, order, costs, first=first))


async def _add(tx: Tx, order: OutboxOrder, costs: Sequence[int | None], *, first: int) -> None:
    account = f"0x{order.key.hex:0<40}"
    attempts = [
        TransactionAttempt(
            hash=f"0x{order.key.hex}{nonce + first:032x}",
            account=account,
            nonce=nonce + first,
            org_id=order.org_id,
            key=order.key,
            step=nonce,
            kind=AttemptKind.ORIGINAL,
            is_payment=False,
            raw=b"",
            request=b"",
            fees=GasFees(max_fee_wei=1, tip_wei=1),
            created_at=AT,
            block_number=None if wei is None else 7,
            block_hash=None if wei is None else "0x07",
            is_success=None if wei is None else True,
            gas_wei=wei,
        )
        for nonce, wei in enumerate(costs)
    ]
    await attempt_store.add_account(
        tx, order.chain, account, relayer_index=None, next_nonce=len(costs)
    )
    await attempt_store.add(tx, order.chain, attempts)
    await attempt_store.set_mined(tx, attempts)


async def native_units(database: Database, org_id: UUID) -> dict[tuple[HouseRole, str], int]:
    """Return the house balances in native coins, in wei."""
    found = await house_balances(database, org_id)
    return {
        (role, code): units
        for (role, code), units in found.items()
        if code.startswith(("pol:", "eth:"))
    }
