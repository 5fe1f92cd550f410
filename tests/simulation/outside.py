"""What the sandbox's chains and banks hold: the other side of our books."""

from collections import Counter
from uuid import UUID

import msgspec

from landbridge.db.pool import Database
from landbridge.simulation.model import Ending, Part

_OF_ORG = """
select key, ordered, outcome from sandbox_operations
where org_id = $1 and part = $2
order by accepted_at, key
"""


async def orders(database: Database, org_id: UUID, part: Part) -> dict[UUID, dict[str, object]]:
    """Every order that was accepted, by its key."""
    rows = await database.rows(_OF_ORG, org_id, part.value)
    return {row["key"]: msgspec.json.decode(row["ordered"]) for row in rows}


async def paid_out(database: Database, org_id: UUID) -> Counter[str]:
    """Units that the bank paid, by asset code; also what it gave back."""
    paid: Counter[str] = Counter()
    for row in await database.rows(_OF_ORG, org_id, Part.BANK.value):
        if row["outcome"] == Ending.DONE:
            ordered = msgspec.json.decode(row["ordered"])
            paid[ordered["asset"]] += int(ordered["units"])
    return paid


async def carried(database: Database, org_id: UUID, action: str) -> Counter[str]:
    """Units that the chains carried by this action, by asset code."""
    sent: Counter[str] = Counter()
    for row in await database.rows(_OF_ORG, org_id, Part.CHAIN.value):
        ordered = msgspec.json.decode(row["ordered"])
        if row["outcome"] == Ending.DONE and ordered["action"] == action:
            for leg in ordered["legs"]:
                sent[leg["asset"]] += int(leg["units"])
    return sent
