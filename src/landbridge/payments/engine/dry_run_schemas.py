"""Dry run in replies: planned journals, limits and approval."""

from typing import TypeVar

import msgspec

from landbridge.ledger.model import HouseRole, Posting
from landbridge.payments.engine.dry_run import DryRunResult
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.limits.api import LimitRemainingReply, remaining_reply
from landbridge.payments.limits.model import LimitAction
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import Moment, WireStruct, reply_of

_WALLET = "WALLET"


class PlannedPostingReply(WireStruct, frozen=True):
    """Line of a planned journal: the amount added to an account or, below zero, taken from it.

    `account` is `WALLET`, of the user beside it, or a house account: `LIQUIDITY`, `FEES`,
    `OUTSIDE`, `IN_TRANSIT`, `PAYABLE`. Amounts are decimal strings; `held` can't be spent.
    """

    account: str
    user_id: str | None
    wallet_address: str | None
    chain: str
    currency: str
    available: str
    held: str


class PlannedJournalReply(WireStruct, frozen=True):
    """Journal posted when the record reaches a status; sums to zero per currency and chain."""

    status: str
    postings: list[PlannedPostingReply]


class FindingReply(WireStruct, frozen=True):
    """Limit that the payment exceeds, and its action."""

    rule: str
    over: LimitAction
    reason: str


class PlannedLimitsReply(WireStruct, frozen=True):
    """Limits that the payment exceeds, and the remaining amounts of all limits after it."""

    findings: list[FindingReply]
    left: list[LimitRemainingReply]


class PlannedApprovalReply(WireStruct, frozen=True):
    """Approval it would wait for: the number of approvers, and its expiry.

    With `needsSecond` a key's vote does not count on its own requests.
    """

    threshold: int
    needs_second: bool
    expires_at: Moment


class DryRunReply(WireStruct, frozen=True):
    """Result of a dry run; nothing of it was written.

    `journals` are those from the creation to the end, if all goes well. `limits` is the evaluation
    of the organisation's limits. `approval` is null if no approval is needed.
    """

    journals: list[PlannedJournalReply]
    limits: PlannedLimitsReply
    approval: PlannedApprovalReply | None


class DryRunReplyMixin(WireStruct, frozen=True):
    """Reply that includes the dry run's result, if it is of one."""

    dry_run: DryRunReply | msgspec.UnsetType = msgspec.UNSET


R = TypeVar("R", bound=DryRunReplyMixin)


def with_dry_run(reply: R, options: RequestOptions) -> R:
    """Return the reply with the dry run's result; unchanged without one and for a replay."""
    dry_run = options.dry_run
    if dry_run is None or dry_run.steps is None:
        return reply
    result = DryRunReply(
        journals=[
            PlannedJournalReply(
                status=step.status, postings=[_posting(dry_run, each) for each in step.postings]
            )
            for step in dry_run.steps
        ],
        limits=PlannedLimitsReply(
            findings=[
                FindingReply(rule=each.rule, over=each.over, reason=each.sentence)
                for each in dry_run.verdict.findings
            ],
            left=[remaining_reply(each) for each in dry_run.verdict.left],
        ),
        approval=dry_run.approval and reply_of(dry_run.approval, PlannedApprovalReply),
    )
    return msgspec.structs.replace(reply, dry_run=result)


def _posting(dry_run: DryRunResult, posting: Posting) -> PlannedPostingReply:
    account, asset = posting.account, posting.available.asset
    wallet = None if isinstance(account, HouseRole) else dry_run.wallets[account]
    return PlannedPostingReply(
        account=account.upper() if isinstance(account, HouseRole) else _WALLET,
        user_id=None if wallet is None else str(wallet.user_id),
        wallet_address=None if wallet is None else wallet.address,
        chain=asset.chain,
        currency=asset.currency,
        available=str(posting.available),
        held=str(Money(posting.held_units, asset)),
    )
