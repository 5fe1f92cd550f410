"""Approvals beside records that are played: asked with the opening, decided by the same key."""

from datetime import datetime, timedelta

from landbridge.approvals.model import KIND, Choice, Status
from landbridge.seeding.stencils import Play


def asked(play: Play, *, lifetime: timedelta, ends: Status, ended_at: datetime) -> None:
    """Put the approval of a record beside it, and that it was asked for.

    It `ends` so, one vote deciding; what `decided` tells comes with it.
    """
    opening, marks = play.opening, play.marks
    approval, key = marks.id("approval"), marks.id("key")
    expires_at, digest = opening.at + lifetime, marks.text("digest")
    stored = marks.text("digest_bytea")
    play.put(
        "approvals",
        *(approval, opening.id, opening.kind, opening.user_id, ends, stored),
        *(1, False, key, False, expires_at, 2, opening.at, ended_at),
    )
    play.tell(
        *(KIND, approval, 1),
        what="ask",
        actor=opening.actor,
        at=opening.at,
        transferId=str(opening.id),
        transferType=opening.kind,
        status=Status.PENDING,
        threshold=1,
        needsSecond=False,
        initiatorId=str(key),
        expiresAt=expires_at.isoformat(),
        digest=digest,
    )
    about = {"transferId": str(opening.id), "transferType": opening.kind, "status": ends}
    if ends is Status.EXPIRED:
        play.tell(KIND, approval, 2, what="expire", actor="worker", at=ended_at, **about)
        return
    choice = Choice.APPROVE if ends is Status.APPROVED else Choice.REJECT
    play.put("votes", approval, key, choice, None, ended_at)
    voted = {"approverId": str(key), "vote": choice}
    play.tell(
        *(KIND, approval, 2),
        what=choice.lower(),
        actor=opening.actor,
        at=ended_at,
        **{**about, **voted},
    )
