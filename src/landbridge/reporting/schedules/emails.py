"""E-mails about runs of schedules.

Guarantees:
- an e-mail is queued in the transaction that stores its run, so each recipient gets one per run;
- a removed member gets no e-mail, and no new data key: recipients are locked until the e-mail is
  queued;
- an e-mail has totals and links, never rows or a file: those need a sign-in.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.customers.team.approval_emails import MemberEmails
from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.db.pool import Tx
from landbridge.reporting.schedules.model import ReportRun

_READY = """Hello {name},

the report "{report}" for {period} is ready:

{lines}

Download the file: {base}/dashboard/reports/runs/{run}/file
View all its files: {base}/dashboard/reports/schedules/{schedule}

The links require a sign-in. You receive this e-mail because you are a recipient of this report. To
change its recipients, open the second link.
"""

_FAILED = """Hello {name},

the report "{report}" for {period} could not be made:

    {reason}

View all its files: {base}/dashboard/reports/schedules/{schedule}

The link requires a sign-in. You receive this e-mail because you are a recipient of this report. To
change its recipients, open the link.
"""


@dataclass(frozen=True, slots=True)
class ReportEmails:
    """Puts e-mails about runs into the outbox."""

    members: MemberEmails
    base_url: str

    @property
    def can_send(self) -> bool:
        """Return whether this installation sends e-mails."""
        return self.members.can_send

    async def check(self, tx: Tx, org_id: UUID, member_ids: Collection[UUID]) -> None:
        """Raise `FieldsInvalid` unless all ids are of members who have accepted the invitation."""
        if not member_ids:
            return
        if not self.can_send:
            raise FieldsInvalid(
                {"recipientIds": "recipientIds: this installation sends no e-mails"}
            )
        found = {each.id for each in await self.members.recipients(tx, org_id, member_ids)}
        others = [str(each) for each in member_ids if each not in found]
        if others:
            reason = "no members of the organisation who have joined"
            raise FieldsInvalid({"recipientIds": f"recipientIds: {reason}: {', '.join(others)}"})

    async def put(
        self, tx: Tx, run: ReportRun, member_ids: Collection[UUID], summary: Sequence[str]
    ) -> None:
        """Queue an e-mail about a run for each of these members who was not removed."""
        if not (member_ids and self.can_send):
            return
        is_ready = run.failed_reason is None
        subject = f"{run.name}: {_period(run)}" if is_ready else f"No report: {run.name}"
        for each in await self.members.recipients(tx, run.org_id, member_ids):
            text = (_READY if is_ready else _FAILED).format(
                name=each.name,
                report=run.name,
                period=_period(run),
                lines="\n".join(f"    {line}" for line in summary),
                reason=run.failed_reason,
                base=self.base_url,
                run=run.id,
                schedule=run.schedule_id,
            )
            await self.members.put(tx, run.org_id, each, subject=subject, text=text)


def _period(run: ReportRun) -> str:
    """Return the period of a run as text, with its first and its last day."""
    last = run.until - timedelta(days=1)
    days = f"{run.period:%d %B %Y}"
    return days if last == run.period else f"{days} to {last:%d %B %Y}"
