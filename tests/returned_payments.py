"""Returned and reversed payments, independent of the rails."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.payments.offramps.model import Offramp
from landbridge.payments.onramps.model import Onramp
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.currencies import FIAT
from tests.tenants import Tenant

REASON = "the bank returned it: AC04, the account is closed"


async def return_payout(
    org: Tenant, offramp: Mapping[str, Any], amount: str = "100", currency: str = "usd"
) -> Offramp:
    """Return this much of an offramp's payout, which reopens it."""
    container = org.container
    offset = await container.orgs.clock_offset(org.org_id)
    received, at = Money.parse(amount, FIAT[currency]), container.clock.stamp(offset)

    async def work(tx: Tx) -> Offramp:
        return await container.payout_returns.payout_returned_in(
            *(tx, org.org_id, UUID(str(offramp["id"]))),
            received=received,
            reason=REASON,
            actor="test",
            at=at,
        )

    return await container.database.transact(work)


async def return_deposit(org: Tenant, onramp: Mapping[str, Any], amount: str) -> Onramp:
    """Bounce the return of an onramp's deposit by this many dollars, which reopens it."""
    container = org.container
    offset = await container.orgs.clock_offset(org.org_id)
    received, at = Money.parse(amount, FIAT["usd"]), container.clock.stamp(offset)

    async def work(tx: Tx) -> Onramp:
        return await container.deposit_returns.return_again_in(
            *(tx, org.org_id, UUID(str(onramp["id"]))), received=received, actor="test", at=at
        )

    return await container.database.transact(work)


async def reverse_deposit(org: Tenant, onramp: Mapping[str, Any], amount: str = "100") -> Onramp:
    """Reverse this many dollars of an onramp's deposit by the bank."""
    container = org.container
    offset = await container.orgs.clock_offset(org.org_id)
    money, at = Money.parse(amount, FIAT["usd"]), container.clock.stamp(offset)

    async def work(tx: Tx) -> Onramp:
        return await container.deposit_reversals.reverse_in(
            *(tx, org.org_id, UUID(str(onramp["id"]))), money=money, actor="test", at=at
        )

    return await container.database.transact(work)


async def undo(org: Tenant, record: Mapping[str, Any], part: str) -> bool:
    """Return a part of a ramp's payout, or reverse its deposit, if that is possible."""
    is_payout, is_returned = record["kind"] == "OFFRAMP", record["status"] == "FIAT_RETURNED"
    end = record["destination" if is_payout else "source"]
    amount = f"{Decimal(str(end['amount'])) * Decimal(part):.2f}"
    verb = return_payout if is_payout else return_deposit if is_returned else reverse_deposit
    try:
        await verb(org, record, amount)
    except Refused:
        return False
    return True


async def advance(org: Tenant, by: timedelta) -> None:
    """Advance an organisation's clock and run due steps."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})
