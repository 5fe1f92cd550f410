"""Accounts that the flow machine pays to and is paid by."""

from uuid import uuid4

from tests.properties import request_bodies
from tests.tenants import Tenant


async def bank_account(org: Tenant, user: str) -> str:
    """Create a user's bank account for payouts in dollars; return its id."""
    holder = {"type": "individual", "name": "Ada Approval", "address": request_bodies.ADDRESS}
    body = {"rail": "offramp", "type": "us", "accountHolder": holder, "us": request_bodies.US_BANK}
    return (await org.post(f"/v2/users/{user}/accounts", body))["id"]


async def virtual_account(org: Tenant, partner: str, user: str) -> str:
    """Return the path of a virtual account whose settlement rule gives the partner a share."""
    wallets = (await org.get(f"/v2/users/{partner}"))["wallets"]["INDIVIDUAL"]
    address = wallets["POLYGON"]["address"]
    share = {"type": "PERCENTAGE", "calculationModel": "FIXED", "value": 0.1}
    rule = {"requestId": str(uuid4()), "chain": "POLYGON", "includeHIFIFee": False}
    created = await org.post(
        "/v2/virtual-accounts/settlement-rules",
        {**rule, "rules": [{**share, "walletAddress": address}]},
    )
    path = f"/v2/users/{user}/virtual-accounts"
    currencies = {"sourceCurrency": "usd", "destinationCurrency": "usdc"}
    account = await org.post(path, {**currencies, "destinationChain": "POLYGON"})
    found = f"{path}/{account['accountInfo']['id']}"
    await org.post(f"{found}/settlement-rules/{created['id']}")
    return found
