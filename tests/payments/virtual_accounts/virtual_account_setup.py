"""Builders of virtual accounts and settlement rules, over the routes of an integrator."""

from typing import Any
from uuid import uuid4

from landbridge.customers.kyc.model import Rail
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import Tenant

RULES = "/v2/virtual-accounts/settlement-rules"
# Addresses without an owner here.
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
ELSEWHERE = "0xde709f2102306220921060314715629080e2fb77"


def at(user: str, account: str | None = None, verb: str | None = None) -> str:
    """Return the path of a user's virtual accounts, of one account, or of an action on it."""
    parts = [f"/v2/users/{user}/virtual-accounts", account, verb]
    return "/".join(part for part in parts if part is not None)


def account_body(chain: str | None = "POLYGON", **changes: Any) -> dict[str, Any]:
    """Build the body that creates a virtual account; None omits a member."""
    body = {
        "sourceCurrency": "usd",
        "destinationCurrency": "usdc",
        "destinationChain": chain,
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_receiver(org: Tenant, **changes: Any) -> str:
    """Create a person who may have a virtual account; return their id."""
    return await make_verified(org, Rail.USD, **changes)


async def make_account(org: Tenant, user: str, **changes: Any) -> dict[str, Any]:
    """Create a virtual account of a user; return the reply."""
    created = await org.post(at(user), account_body(**changes))
    info: dict[str, Any] = created["accountInfo"]
    return info


def percentage(value: Any, address: str = OUTSIDE) -> dict[str, Any]:
    """Build a part that is a constant fraction."""
    return {
        "type": "PERCENTAGE",
        "calculationModel": "FIXED",
        "value": value,
        "walletAddress": address,
    }


def fixed(value: Any, address: str = OUTSIDE) -> dict[str, Any]:
    """Build a part that is a constant number of coins."""
    return {**percentage(value, address), "type": "FIXED"}


def tiered(
    *tiers: tuple[str, str, Any],
    of: str = "PERCENTAGE",
    address: str = OUTSIDE,
) -> dict[str, Any]:
    """Build a part with tiers of (min, max, value)."""
    return {
        "type": of,
        "calculationModel": "TIERED",
        "tiers": [{"min": least, "max": below, "value": value} for least, below, value in tiers],
        "walletAddress": address,
    }


def rule_body(*parts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Build the body that creates a settlement rule."""
    return {
        "requestId": str(uuid4()),
        "chain": "POLYGON",
        "includeHIFIFee": False,
        "rules": list(parts) or [percentage(0.01)],
        **changes,
    }


async def make_rule(org: Tenant, *parts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Create a settlement rule; return the reply."""
    created: dict[str, Any] = await org.post(RULES, rule_body(*parts, **changes))
    return created


async def make_updated_rule(org: Tenant) -> tuple[str, tuple[str, str]]:
    """Create and update a settlement rule; return its id and both request ids."""
    created, updated = rule_body(), rule_body(fixed(1))
    rule: str = (await org.post(RULES, created))["id"]
    await org.post(f"{RULES}/{rule}/update", updated)
    return rule, (created["requestId"], updated["requestId"])


async def apply(org: Tenant, user: str, account: str, rule: str) -> None:
    """Apply a rule to a virtual account."""
    await org.post(at(user, account, f"settlement-rules/{rule}"))


def deposit_body(amount: str, **changes: Any) -> dict[str, Any]:
    """Build the body that simulates a deposit on a virtual account."""
    return {
        "amount": amount,
        "paymentRail": "ACH",
        "requestId": str(uuid4()),
        "source": {
            "routingNumber": "021000021",
            "accountNumber": "000123456789",
            "name": "Olive Payer",
            "bankName": "Example Bank",
        },
        **changes,
    }


def bodies(accounts: str) -> dict[str, Any]:
    """Return a valid body per route that takes one; `accounts` is the path of the accounts."""
    account = f"{accounts}/{{accountId}}"
    return {
        f"POST {accounts}": account_body(),
        f"POST {account}/update": account_body(),
        f"POST {account}/deactivate": {},
        f"POST {account}/reactivate": {},
        f"POST {account}/simulate-deposit": deposit_body("10"),
        f"POST {account}/settlement-rules/{{ruleId}}": {},
        f"DELETE {account}/settlement-rules": {},
        f"POST {RULES}": rule_body(),
        f"POST {RULES}/{{ruleId}}/update": rule_body(),
        f"DELETE {RULES}/{{ruleId}}": {},
    }
