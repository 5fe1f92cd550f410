"""Review of a payment before it is created: the results of a dry run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True)
class BalanceEffect:
    """Change of an account's balance if the payment completes."""

    account: str
    user_id: str | None
    wallet_address: str | None
    chain: str
    currency: str
    change: Decimal


@dataclass(frozen=True, slots=True)
class PaymentReview:
    """Results of a dry run of one payment."""

    details: Mapping[str, Any]
    effects: Sequence[BalanceEffect]
    findings: Sequence[Mapping[str, Any]]
    remaining_limits: Sequence[Mapping[str, Any]]
    # Required approval; None if none is required.
    approval: Mapping[str, Any] | None


def review_of(reply: Mapping[str, Any]) -> PaymentReview | None:
    """Return the results of a dry run; None if the payment was already created."""
    dry_run = reply.get("dryRun")
    if dry_run is None:
        return None
    return PaymentReview(
        details=reply["transferDetails"],
        effects=_effects(dry_run["journals"]),
        findings=dry_run["limits"]["findings"],
        remaining_limits=dry_run["limits"]["left"],
        approval=dry_run["approval"],
    )


def _effects(journals: Sequence[Mapping[str, Any]]) -> Sequence[BalanceEffect]:
    """Users' wallets and our fees, all journals added up."""
    sums: dict[tuple[str, str | None, str | None, str, str], Decimal] = {}
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        for journal in journals:
            for each in journal["postings"]:
                key = (
                    each["account"],
                    each["userId"],
                    each["walletAddress"],
                    each["chain"],
                    each["currency"],
                )
                sums[key] = (
                    sums.get(key, Decimal()) + Decimal(each["available"]) + Decimal(each["held"])
                )
    effects = [BalanceEffect(*key, change) for key, change in sums.items() if change]
    return [each for each in effects if each.account in {"WALLET", "FEES"}]
