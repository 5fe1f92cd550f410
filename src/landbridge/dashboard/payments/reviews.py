"""Review of a payment before it is created: the results of a dry run."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentReply
from landbridge.payments.engine.dry_run_schemas import (
    FindingReply,
    PlannedApprovalReply,
    PlannedJournalReply,
)
from landbridge.payments.limits.api import LimitRemainingReply

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

    details: PaymentDetails
    effects: Sequence[BalanceEffect]
    findings: Sequence[FindingReply]
    remaining_limits: Sequence[LimitRemainingReply]
    # Required approval; None if none is required.
    approval: PlannedApprovalReply | None


def review_of(reply: PaymentReply) -> PaymentReview | None:
    """Return the results of a dry run; None if the payment was already created."""
    dry_run = reply.dry_run
    if dry_run is None:
        return None
    return PaymentReview(
        details=reply.transfer_details,
        effects=_effects(dry_run.journals),
        findings=dry_run.limits.findings,
        remaining_limits=dry_run.limits.left,
        approval=dry_run.approval,
    )


def _effects(journals: Sequence[PlannedJournalReply]) -> Sequence[BalanceEffect]:
    """Users' wallets and our fees, all journals added up."""
    sums: dict[tuple[str, str | None, str | None, str, str], Decimal] = {}
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        for journal in journals:
            for each in journal.postings:
                key = each.account, each.user_id, each.wallet_address, each.chain, each.currency
                change = Decimal(each.available) + Decimal(each.held)
                sums[key] = sums.get(key, Decimal()) + change
    effects = [BalanceEffect(*key, change) for key, change in sums.items() if change]
    return [each for each in effects if each.account in {"WALLET", "FEES"}]
