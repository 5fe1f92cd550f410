"""State of the sandbox's chains and banks: the counterpart of our ledger."""

from collections import Counter
from uuid import UUID

import msgspec

from landbridge.platform.db.pool import Database
from landbridge.providers.simulation.model import OrderResult, SimulatedSystem

_OF_ORG = """
select key, request, outcome from sandbox_orders
where org_id = $1 and system = $2
order by accepted_at, key
"""


async def orders(
    database: Database, org_id: UUID, part: SimulatedSystem
) -> dict[UUID, dict[str, object]]:
    """Return every accepted order, by key."""
    rows = await database.rows(_OF_ORG, org_id, part.value)
    return {row["key"]: msgspec.json.decode(row["request"]) for row in rows}


async def paid_out(database: Database, org_id: UUID) -> Counter[str]:
    """Return the units that the bank paid, including returns, by asset code."""
    paid: Counter[str] = Counter()
    for row in await database.rows(_OF_ORG, org_id, SimulatedSystem.BANK.value):
        if row["outcome"] == OrderResult.DONE:
            ordered = msgspec.json.decode(row["request"])
            paid[ordered["asset"]] += int(ordered["units"])
    return paid


async def carried(database: Database, org_id: UUID, action: str) -> Counter[str]:
    """Return the units that the chains moved by this action, by asset code."""
    sent: Counter[str] = Counter()
    for row in await database.rows(_OF_ORG, org_id, SimulatedSystem.CHAIN.value):
        ordered = msgspec.json.decode(row["request"])
        if row["outcome"] == OrderResult.DONE and ordered["action"] == action:
            for leg in ordered["legs"]:
                sent[leg["asset"]] += int(leg["units"])
    return sent
