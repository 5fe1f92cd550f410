"""The review before a payment is made: what a dry run found, as people read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Effect:
    """What an account has more, or less, once all went well."""

    account: str
    user_id: str | None
    wallet_address: str | None
    chain: str
    currency: str
    change: Decimal


@dataclass(frozen=True, slots=True)
class Review:
    """Of one payment that would be made."""

    details: Mapping[str, Any]
    effects: Sequence[Effect]
    findings: Sequence[Mapping[str, Any]]
    left: Sequence[Mapping[str, Any]]
    # Whom it would wait for; None if nobody has to approve it.
    approval: Mapping[str, Any] | None


def review_of(reply: Mapping[str, Any]) -> Review | None:
    """What a dry run answered; None if the request was answered before: the payment is there."""
    tried = reply.get("dryRun")
    if tried is None:
        return None
    return Review(
        details=reply["transferDetails"],
        effects=_effects(tried["journals"]),
        findings=tried["limits"]["findings"],
        left=tried["limits"]["left"],
        approval=tried["approval"],
    )


def _effects(journals: Sequence[Mapping[str, Any]]) -> Sequence[Effect]:
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
    shown = [Effect(*key, change) for key, change in sums.items() if change]
    return [each for each in shown if each.account in {"WALLET", "FEES"}]
