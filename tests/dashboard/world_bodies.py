"""Bodies of the requests that make records for every page."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

from landbridge.sandbox.scenarios.client import ScenarioClient

# The link is e-mailed, so that the mailbox has an e-mail.
LINK = {"recipientEmail": "ada@example.com", "userType": "INDIVIDUAL", "rails": ["USD"]}
EXTERNAL = {
    "address": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    "chain": "POLYGON",
    "name": "Exchange",
    "referenceId": "exchange-1",
}
ROUTE = {
    "sourceCurrency": "usd",
    "destinationCurrency": "usdc",
    "destinationChain": "POLYGON",
}


async def rule_body(client: ScenarioClient, user: str) -> Mapping[str, Any]:
    """Return a settlement rule that sends a twentieth to this user."""
    wallets = (await client.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    share = {
        "type": "PERCENTAGE",
        "calculationModel": "FIXED",
        "walletAddress": wallets["POLYGON"]["address"],
        "value": 0.05,
    }
    return {
        "requestId": str(uuid4()),
        "chain": "POLYGON",
        "includeHIFIFee": False,
        "rules": [share],
    }


async def month_to_date(client: ScenarioClient) -> Mapping[str, Any]:
    clock = await client.post("/v2/sandbox/clock/advance", {"seconds": 0})
    day = date.fromisoformat(str(clock["now"])[:10])
    # On the first of a month: the month before, because a report covers whole days.
    month = (day - timedelta(days=1)).replace(day=1)
    return {
        "createdAfter": str(month),
        "createdBefore": str(day),
        "calculationInterval": "day",
    }
