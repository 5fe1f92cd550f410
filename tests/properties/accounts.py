"""Accounts that the flow machine pays to and is paid by."""

from uuid import uuid4

from tests.properties import asks
from tests.tenants import Tenant


async def bank_account(org: Tenant, user: str) -> str:
    """The id of a user's bank account for payouts in dollars."""
    holder = {"type": "individual", "name": "Ada Approval", "address": asks.ADDRESS}
    body = {"rail": "offramp", "type": "us", "accountHolder": holder, "us": asks.US_BANK}
    return (await org.post(f"/v2/users/{user}/accounts", body))["id"]


async def virtual_account(org: Tenant, partner: str, user: str) -> str:
    """The path of a user's virtual account; its settlement rule gives the partner a share."""
    wallets = (await org.get(f"/v2/users/{partner}"))["wallets"]["INDIVIDUAL"]
    address = wallets["POLYGON"]["address"]
    share = {"type": "PERCENTAGE", "calculationModel": "FIXED", "value": 0.1}
    rule = {"requestId": str(uuid4()), "chain": "POLYGON", "includeHIFIFee": False}
    made = await org.post(
        "/v2/virtual-accounts/settlement-rules",
        {**rule, "rules": [{**share, "walletAddress": address}]},
    )
    path = f"/v2/users/{user}/virtual-accounts"
    wanted = {"sourceCurrency": "usd", "destinationCurrency": "usdc"}
    account = await org.post(path, {**wanted, "destinationChain": "POLYGON"})
    found = f"{path}/{account['accountInfo']['id']}"
    await org.post(f"{found}/settlement-rules/{made['id']}")
    return found
