"""What a user owes, made without a bank."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT
from tests.tenants import Tenant


async def make_receivable(org: Tenant, onramp: dict[str, Any]) -> str:
    """The id of the receivable of an onramp: a cent of its fiat is owed."""
    payment = await org.house.ledger.get(org.org_id, "ONRAMP", UUID(onramp["id"]))
    cent, now = Money(1, FIAT["usd"]), datetime.now(UTC)
    made = await org.house.database.transact(
        lambda tx: org.house.receivables.open_in(
            tx, payment, cent, reason="a", actor="tests", at=now
        )
    )
    return str(made.id)
