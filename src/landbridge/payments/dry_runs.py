"""What a dry run answers beside the record that would be made."""

from typing import TypeVar

import msgspec

from landbridge.approvals.model import Approval
from landbridge.core.money import Money
from landbridge.ledger.model import Posting, Role
from landbridge.limits.api import LeftReply, left_reply
from landbridge.limits.model import Finding, Over, Verdict
from landbridge.payments.manner import Manner
from landbridge.payments.rehearsal import Rehearsal, Station
from landbridge.web.reply import Moment, WireStruct, moment

_WALLET = "WALLET"


class PlannedPostingReply(WireStruct, frozen=True):
    """One line of a journal: what an account gets or, below zero, what is taken from it.

    `account` is `WALLET`, of the user beside it, or one of the house: `LIQUIDITY`, `FEES`,
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
    """What is posted when the record gets to a status; sums to zero per currency and chain."""

    status: str
    postings: list[PlannedPostingReply]


class FindingReply(WireStruct, frozen=True):
    """A rule that the payment meets, and what it makes of it."""

    rule: str
    over: Over
    reason: str


class PlannedLimitsReply(WireStruct, frozen=True):
    """The rules that the payment meets, and what the rules that count leave after it."""

    findings: list[FindingReply]
    left: list[LeftReply]


class PlannedApprovalReply(WireStruct, frozen=True):
    """Whom it would wait for: so many approvers, until then.

    With `needsSecond` a key does not count on what it asked for itself.
    """

    threshold: int
    needs_second: bool
    expires_at: Moment


class DryRunReply(WireStruct, frozen=True):
    """What would become of the record; nothing of it was written.

    `journals` are those from the create to the end, if all goes well; `limits` is what the rules of
    the organisation say of it; `approval` is null if nobody has to approve it.
    """

    journals: list[PlannedJournalReply]
    limits: PlannedLimitsReply
    approval: PlannedApprovalReply | None


class Rehearsable(WireStruct, frozen=True):
    """A reply that says what a dry run found out, if it is of one."""

    dry_run: DryRunReply | msgspec.UnsetType = msgspec.UNSET


R = TypeVar("R", bound=Rehearsable)


def with_dry_run(reply: R, manner: Manner) -> R:
    """The reply, with what was rehearsed; as it is if nothing was, or if it is of a replay."""
    rehearsal = manner.rehearsal
    if rehearsal is None or rehearsal.stations is None:
        return reply
    told = DryRunReply(
        journals=[_journal(rehearsal, each) for each in rehearsal.stations],
        limits=_limits(rehearsal.verdict),
        approval=None if rehearsal.approval is None else _approval(rehearsal.approval),
    )
    return msgspec.structs.replace(reply, dry_run=told)


def _journal(rehearsal: Rehearsal, station: Station) -> PlannedJournalReply:
    return PlannedJournalReply(
        status=station.status,
        postings=[_posting(rehearsal, each) for each in station.postings],
    )


def _posting(rehearsal: Rehearsal, posting: Posting) -> PlannedPostingReply:
    account, asset = posting.account, posting.available.asset
    wallet = None if isinstance(account, Role) else rehearsal.wallets[account]
    return PlannedPostingReply(
        account=account.upper() if isinstance(account, Role) else _WALLET,
        user_id=None if wallet is None else str(wallet.user_id),
        wallet_address=None if wallet is None else wallet.address,
        chain=asset.chain,
        currency=asset.currency,
        available=str(posting.available),
        held=str(Money(posting.held_units, asset)),
    )


def _limits(verdict: Verdict) -> PlannedLimitsReply:
    return PlannedLimitsReply(
        findings=[_finding(each) for each in verdict.findings],
        left=[left_reply(each) for each in verdict.left],
    )


def _finding(found: Finding) -> FindingReply:
    return FindingReply(rule=found.rule, over=found.over, reason=found.sentence)


def _approval(approval: Approval) -> PlannedApprovalReply:
    return PlannedApprovalReply(
        threshold=approval.threshold,
        needs_second=approval.needs_second,
        expires_at=moment(approval.expires_at),
    )
