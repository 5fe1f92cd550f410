"""Approval rows of seeded records: requested at creation, decided by the same key."""

from datetime import datetime, timedelta

from landbridge.payments.approvals.model import KIND, ApprovalStatus, VoteChoice
from landbridge.sandbox.seeding.row_templates import ScenarioRun


def add_approval(
    run: ScenarioRun, *, lifetime: timedelta, ends: ApprovalStatus, ended_at: datetime
) -> None:
    """Add the approval of a record and the change that requested it.

    The approval reaches the status `ends` by one vote; `decided` names the change of the decision.
    """
    opening, placeholders = run.opening, run.placeholders
    approval, key = placeholders.id("approval"), placeholders.id("key")
    expires_at, digest = opening.at + lifetime, placeholders.text("digest")
    stored = placeholders.text("digest_bytea")
    run.put(
        "approvals",
        *(approval, opening.id, opening.kind, opening.user_id, ends, stored),
        *(1, False, key, False, expires_at, 2, opening.at, ended_at),
    )
    run.record_change(
        *(KIND, approval, 1),
        change_type="ask",
        actor=opening.actor,
        at=opening.at,
        transferId=str(opening.id),
        transferType=opening.kind,
        status=ApprovalStatus.PENDING,
        threshold=1,
        needsSecond=False,
        initiatorId=str(key),
        expiresAt=expires_at.isoformat(),
        digest=digest,
    )
    subject = {"transferId": str(opening.id), "transferType": opening.kind, "status": ends}
    if ends is ApprovalStatus.EXPIRED:
        run.record_change(
            KIND, approval, 2, change_type="expire", actor="worker", at=ended_at, **subject
        )
        return
    choice = VoteChoice.APPROVE if ends is ApprovalStatus.APPROVED else VoteChoice.REJECT
    run.put("approval_votes", approval, key, choice, None, ended_at)
    voted = {"approverId": str(key), "vote": choice}
    run.record_change(
        *(KIND, approval, 2),
        change_type=choice.lower(),
        actor=opening.actor,
        at=ended_at,
        **{**subject, **voted},
    )
