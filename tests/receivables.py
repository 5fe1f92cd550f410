"""Receivables for tests, created without a bank."""

from typing import Any
from uuid import UUID

from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from tests.tenants import Tenant


async def make_receivable(org: Tenant, onramp: dict[str, Any]) -> str:
    """Create a receivable of one cent for an onramp; return its id."""
    payment = await org.container.ledger.get(org.org_id, "ONRAMP", UUID(onramp["id"]))
    cent, now = Money(1, FIAT["usd"]), org.container.clock.now()
    created = await org.container.database.transact(
        lambda tx: org.container.receivables.create_in(
            tx, payment, cent, reason="a", actor="tests", at=now
        )
    )
    return str(created.id)
