"""Bodies of payments, without request ids; None omits a member."""

from collections.abc import Mapping, Sequence
from typing import Any

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
ADDRESS = {
    "addressLine1": "1 Main Street",
    "city": "Springfield",
    "stateProvinceRegion": "IL",
    "postalCode": "62701",
    "country": "USA",
}
US_BANK = {
    "transferType": "wire",
    "accountType": "Checking",
    "accountNumber": "000123456789",
    "routingNumber": "021000021",
    "bankName": "Test Bank",
    "currency": "usd",
}


def transfer(user: str, payee: Mapping[str, str], amount: str, *, approval: bool) -> dict[str, Any]:
    """Build a transfer on POLYGON; one that requires approval has a fee as well."""
    return {
        "amount": amount,
        "currency": "usdc",
        "chain": "POLYGON",
        "source": {"userId": user},
        "destination": payee,
        "fee": {"type": "PERCENT", "value": 0.01} if approval else None,
        "requireApproval": approval,
    }


def batch(
    user: str, payee: Mapping[str, str], amounts: Sequence[str], *, approval: bool
) -> dict[str, Any]:
    """Several amounts for one payee."""
    return {
        "currency": "usdc",
        "chain": "POLYGON",
        "source": {"userId": user},
        "destination": {"batch": [{**payee, "amount": amount} for amount in amounts]},
        "requireApproval": approval,
    }


def bridge(user: str, payee: str, amount: str, *, approval: bool) -> dict[str, Any]:
    """Build a bridge from POLYGON to BASE."""
    return {
        "amount": amount,
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc"},
        "destination": {"userId": payee, "chain": "BASE", "currency": "usdc"},
        "requireApproval": approval,
    }


def offramp(
    user: str, account: str, amount: str, *, approval: bool, beneficiary: str | None
) -> dict[str, Any]:
    """Dollars to a bank account; the beneficiary gets half a coin on top."""
    fees = [{"type": "FLAT", "value": "0.5", "walletAddress": beneficiary}]
    return {
        "source": {"userId": user, "amount": amount, "currency": "usdc", "chain": "POLYGON"},
        "destination": {"userId": user, "currency": "usd", "accountId": account},
        "developerFee": {"fees": fees} if beneficiary else None,
        "requireApproval": approval,
    }


def offramp_from_outside(
    wallet: str, user: str, account: str, amount: str, *, beneficiary: str | None
) -> dict[str, Any]:
    """Build an offramp from a registered external wallet; otherwise as above."""
    body = offramp(user, account, amount, approval=False, beneficiary=beneficiary)
    source = {name: value for name, value in body["source"].items() if name != "userId"}
    return {**body, "source": {**source, "externalWalletId": wallet}}


def onramp(user: str, amount: str, *, fee: str | None) -> dict[str, Any]:
    """Dollars by wire."""
    return {
        "source": {"userId": user, "amount": amount, "currency": "usd", "transferType": "wire"},
        "destination": {"userId": user, "currency": "usdc", "chain": "POLYGON"},
        "fee": {"type": "FIX", "value": fee} if fee else None,
    }


def wire(amount: str) -> dict[str, Any]:
    """Build a wire to a virtual account."""
    bank = {"routingNumber": "021000021", "bankName": "B"}
    source = {**bank, "accountNumber": "12345", "name": "A"}
    return {"amount": amount, "paymentRail": "WIRE", "source": source}
