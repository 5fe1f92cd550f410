"""Makers of virtual accounts and settlement rules, by the routes that an integrator takes."""

from typing import Any
from uuid import uuid4

from landbridge.kyc.model import Rail
from tests.accounts.verified import make_verified
from tests.tenants import Tenant

RULES = "/v2/virtual-accounts/settlement-rules"
# Addresses of nobody here.
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
ELSEWHERE = "0xde709f2102306220921060314715629080e2fb77"


def at(user: str, account: str | None = None, verb: str | None = None) -> str:
    """The path of a user's virtual accounts, of one, or of a verb on it."""
    parts = [f"/v2/users/{user}/virtual-accounts", account, verb]
    return "/".join(part for part in parts if part is not None)


def account_body(chain: str | None = "POLYGON", **changes: Any) -> dict[str, Any]:
    """The body that creates a virtual account; None leaves a member out."""
    body = {
        "sourceCurrency": "usd",
        "destinationCurrency": "usdc",
        "destinationChain": chain,
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_receiver(org: Tenant, **changes: Any) -> str:
    """The id of a person who may have a virtual account."""
    return await make_verified(org, Rail.USD, **changes)


async def make_account(org: Tenant, user: str, **changes: Any) -> dict[str, Any]:
    """A virtual account of a user, as it was answered."""
    made = await org.post(at(user), account_body(**changes))
    info: dict[str, Any] = made["accountInfo"]
    return info


def percentage(value: Any, address: str = OUTSIDE) -> dict[str, Any]:
    """A part that is always the same fraction."""
    return {
        "type": "PERCENTAGE",
        "calculationModel": "FIXED",
        "value": value,
        "walletAddress": address,
    }


def fixed(value: Any, address: str = OUTSIDE) -> dict[str, Any]:
    """A part that is always as many coins."""
    return {**percentage(value, address), "type": "FIXED"}


def tiered(
    *tiers: tuple[str, str, Any],
    of: str = "PERCENTAGE",
    address: str = OUTSIDE,
) -> dict[str, Any]:
    """A part by tiers of (min, max, value)."""
    return {
        "type": of,
        "calculationModel": "TIERED",
        "tiers": [{"min": least, "max": below, "value": value} for least, below, value in tiers],
        "walletAddress": address,
    }


def rule_body(*parts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The body that creates a settlement rule."""
    return {
        "requestId": str(uuid4()),
        "chain": "POLYGON",
        "includeHIFIFee": False,
        "rules": list(parts) or [percentage(0.01)],
        **changes,
    }


async def make_rule(org: Tenant, *parts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A settlement rule, as it was answered."""
    made: dict[str, Any] = await org.post(RULES, rule_body(*parts, **changes))
    return made


async def make_updated_rule(org: Tenant) -> tuple[str, tuple[str, str]]:
    """The id of a settlement rule, and the request ids that made and updated it."""
    created, updated = rule_body(), rule_body(fixed(1))
    rule: str = (await org.post(RULES, created))["id"]
    await org.post(f"{RULES}/{rule}/update", updated)
    return rule, (created["requestId"], updated["requestId"])


async def apply(org: Tenant, user: str, account: str, rule: str) -> None:
    """Apply a rule to a virtual account."""
    await org.post(at(user, account, f"settlement-rules/{rule}"))


def deposit_body(amount: str, **changes: Any) -> dict[str, Any]:
    """The body that lets a deposit arrive on a virtual account."""
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
    """A good body for each route that takes one; `accounts` is the path of virtual accounts."""
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
