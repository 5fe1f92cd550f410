"""SQL statements on approvals, votes and policies."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.payments.approvals.model import Approval, ApprovalPolicy, ApprovalStatus, VoteChoice
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row, write_row

_ADD = """
insert into approvals (
    org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
"""

_GET = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and id = $2
for update
"""

_LOCK_TRANSFER = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and transfer_id = $2
for update
"""

_OF = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and transfer_id = any($2::uuid[])
"""

_PENDING = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and status = 'PENDING'
order by created_at desc, id desc
limit $2 offset $3
"""

_LISTED = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and status = any($2::text[]) and created_at >= $3 and created_at < $4
order by created_at desc, id desc
limit $5
"""

_LISTED_OF = """
select org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at, carried_from
from approvals
where org_id = $1 and initiator_id = $6 and status = any($2::text[]) and created_at >= $3
    and created_at < $4
order by created_at desc, id desc
limit $5
"""

_SETTLE = """
update approvals
set status = $3, version = version + 1, updated_at = $4
where org_id = $1 and id = $2 and status = 'PENDING'
returning version
"""

_VOTES = """
select approval_id, approver_id, choice, sealed_comment, occurred_at
from approval_votes
where org_id = $1 and approval_id = any($2::uuid[])
order by occurred_at, approver_id
"""

_ADD_VOTE = """
insert into approval_votes (org_id, approval_id, approver_id, choice, sealed_comment, occurred_at)
values ($1, $2, $3, $4, $5, $6)
"""

_ERASE = """
update approval_votes v
set sealed_comment = null
from approvals a
where v.org_id = $1 and v.sealed_comment is not null
    and a.org_id = v.org_id and a.id = v.approval_id and a.user_id = $2
"""

_IS_POLICY_CHANGED = """
select exists (select from approval_policies where org_id = $1 and updated_at > $2)
"""

_POLICY = "select threshold, needs_second from approval_policies where org_id = $1"

# Returns no row if the policy is unchanged.
_SET_POLICY = """
insert into approval_policies (org_id, threshold, needs_second, version, updated_at)
values ($1, $2, $3, 1, $4)
on conflict (org_id) do update
set threshold = excluded.threshold, needs_second = excluded.needs_second,
    version = approval_policies.version + 1, updated_at = excluded.updated_at
where (approval_policies.threshold, approval_policies.needs_second)
    <> (excluded.threshold, excluded.needs_second)
returning version
"""


@dataclass(frozen=True, slots=True)
class SealedVote:
    """Row of `approval_votes`; `sealed_comment` is None without a comment, and once erased."""

    approval_id: UUID
    approver_id: UUID
    choice: VoteChoice
    sealed_comment: bytes | None
    at: datetime


async def add(tx: Tx, approval: Approval) -> None:
    """Store a new approval; raises if its record has one already."""
    await write_row(tx, _ADD, approval)


async def get(tx: Tx, org_id: UUID, approval_id: UUID) -> Approval | None:
    """Return the approval with this id, without its votes; None if there is none."""
    return read_optional_row(await tx.fetchrow(_GET, org_id, approval_id), Approval)


async def lock(tx: Tx, org_id: UUID, approval_id: UUID) -> Approval | None:
    """Return an approval without its votes, locked against other decisions; None if none."""
    return read_optional_row(await tx.fetchrow(_LOCK, org_id, approval_id), Approval)


async def lock_transfer(tx: Tx, org_id: UUID, transfer_id: UUID) -> Approval | None:
    """Return the approval of a record without its votes, locked; None if there is none."""
    return read_optional_row(await tx.fetchrow(_LOCK_TRANSFER, org_id, transfer_id), Approval)


async def of(tx: Tx, org_id: UUID, transfer_ids: Collection[UUID]) -> list[Approval]:
    """Return the approvals of these records, without their votes."""
    return [read_row(row, Approval) for row in await tx.fetch(_OF, org_id, list(transfer_ids))]


async def pending(tx: Tx, org_id: UUID, *, limit: int, offset: int) -> list[Approval]:
    """List pending approvals, newest first, without their votes."""
    return [read_row(row, Approval) for row in await tx.fetch(_PENDING, org_id, limit, offset)]


async def listed(
    tx: Tx,
    org_id: UUID,
    statuses: Collection[ApprovalStatus],
    window: PageWindow,
    *,
    initiator_id: UUID | None = None,
) -> list[Approval]:
    """List approvals by status and optionally requester, newest first, without their votes."""
    args = (list(statuses), window.since, window.position.created_at, window.limit)
    if initiator_id is None:
        rows = await tx.fetch(_LISTED, org_id, *args)
    else:
        rows = await tx.fetch(_LISTED_OF, org_id, *args, initiator_id)
    return [read_row(row, Approval) for row in rows]


async def settle(tx: Tx, approval: Approval, status: ApprovalStatus, at: datetime) -> None:
    """Store the end of an approval; the caller has locked it and checked that it is pending."""
    if await tx.fetchval(_SETTLE, approval.org_id, approval.id, status, at) is None:
        raise InvariantBroken(f"approval {approval.id} was decided while locked")


async def votes(tx: Tx, org_id: UUID, approval_ids: Collection[UUID]) -> Sequence[SealedVote]:
    """List the votes on these approvals, in the order of casting."""
    rows = await tx.fetch(_VOTES, org_id, list(approval_ids))
    return [read_row(row, SealedVote, at=row["occurred_at"]) for row in rows]


async def add_vote(tx: Tx, org_id: UUID, vote: SealedVote) -> None:
    """Store a vote; the caller holds the lock of the approval."""
    await write_row(tx, _ADD_VOTE, vote, org_id=org_id, occurred_at=vote.at)


async def erase(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the comments on a user's payments."""
    await tx.execute(_ERASE, org_id, user_id)


async def policy(tx: Tx, org_id: UUID) -> ApprovalPolicy:
    """Return the organisation's policy, or the default."""
    row = await tx.fetchrow(_POLICY, org_id)
    if row is None:
        return ApprovalPolicy()
    return ApprovalPolicy(threshold=row["threshold"], needs_second=row["needs_second"])


async def is_policy_changed(tx: Tx, org_id: UUID, since: datetime) -> bool:
    """Return whether the policy was changed after this time on the organisation's clock."""
    return bool(await tx.fetchval(_IS_POLICY_CHANGED, org_id, since))


async def set_policy(tx: Tx, org_id: UUID, policy: ApprovalPolicy, at: datetime) -> int | None:
    """Store the policy and return its version; None if it is unchanged."""
    return await tx.fetchval(_SET_POLICY, org_id, policy.threshold, policy.needs_second, at)
