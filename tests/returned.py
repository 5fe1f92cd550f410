"""Makers of payments that came back after they were settled, whatever the rails are."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.core.errors import Refused
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.flows.offramps.model import Offramp
from landbridge.flows.onramps.model import Onramp
from landbridge.rails.currencies import FIAT
from tests.tenants import Tenant

REASON = "the bank returned it: AC04, the account is closed"


async def return_payout(
    org: Tenant, offramp: Mapping[str, Any], amount: str = "100", currency: str = "usd"
) -> Offramp:
    """An offramp that is reopened: so much of its payout came back."""
    house = org.house
    offset = await house.orgs.clock_offset(org.org_id)
    received, at = Money.parse(amount, FIAT[currency]), house.clock.stamp(offset)

    async def work(tx: Tx) -> Offramp:
        return await house.payout_returns.payout_returned_in(
            *(tx, org.org_id, UUID(str(offramp["id"]))),
            received=received,
            reason=REASON,
            actor="test",
            at=at,
        )

    return await house.database.transact(work)


async def return_deposit(org: Tenant, onramp: Mapping[str, Any], amount: str) -> Onramp:
    """An onramp that is reopened: so many dollars of the deposit that it returned came back."""
    house = org.house
    offset = await house.orgs.clock_offset(org.org_id)
    received, at = Money.parse(amount, FIAT["usd"]), house.clock.stamp(offset)

    async def work(tx: Tx) -> Onramp:
        return await house.deposit_returns.return_came_back_in(
            *(tx, org.org_id, UUID(str(onramp["id"]))), received=received, actor="test", at=at
        )

    return await house.database.transact(work)


async def reverse_deposit(org: Tenant, onramp: Mapping[str, Any], amount: str = "100") -> Onramp:
    """An onramp of which the bank took the deposit back, so many dollars."""
    house = org.house
    offset = await house.orgs.clock_offset(org.org_id)
    money, at = Money.parse(amount, FIAT["usd"]), house.clock.stamp(offset)

    async def work(tx: Tx) -> Onramp:
        return await house.deposit_reversals.reverse_in(
            *(tx, org.org_id, UUID(str(onramp["id"]))), money=money, actor="test", at=at
        )

    return await house.database.transact(work)


async def undo(org: Tenant, record: Mapping[str, Any], part: str) -> bool:
    """Have the bank give back a part of what a ramp has paid, or take its deposit; if it may."""
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
    """Let time pass for an organisation; what falls due is done."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})
