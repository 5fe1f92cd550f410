"""Stores and reads votes: which of them count, and the sealing of comments.

Guarantees:
- A comment is sealed: it may contain personal data of the paying user.
- While an approval is pending, votes of members who are not admins any more, and of keys that were
  revoked or have expired, are left out. A member and the keys that they created have one vote. A
  decided approval has all votes.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from landbridge.payments.approvals import store
from landbridge.payments.approvals.model import Approval, ApprovalStatus, Vote
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.orgs.key_creators import former_deciders, key_creators


async def with_votes(
    tx: Tx, vault: Vault, clock: Clock, approvals: Sequence[Approval]
) -> list[Approval]:
    """Return these approvals, all of one organisation, with their votes.

    An approval that was carried over from an earlier quote has the votes of the earlier approval.
    """
    if not approvals:
        return []
    org_id = approvals[0].org_id
    granted_ids = {each.id: each.carried_from or each.id for each in approvals}
    rows = await store.votes(tx, org_id, list(granted_ids.values()))
    pending = {each.id for each in approvals if each.status is ApprovalStatus.PENDING}
    rows = await _counted(tx, org_id, rows, pending, clock=clock)
    if not rows:
        return list(approvals)
    commented_ids = {row.approval_id for row in rows if row.sealed_comment is not None}
    owners = {each.user_id for each in approvals if granted_ids[each.id] in commented_ids}
    keys = await vault.find_many(tx, org_id, owners) if owners else {}
    return [
        replace(
            approval,
            votes=tuple(
                _opened(row, keys.get(approval.user_id))
                for row in rows
                if row.approval_id == granted_ids[approval.id]
            ),
        )
        for approval in approvals
    ]


async def add_vote(tx: Tx, vault: Vault, approval: Approval, vote: Vote) -> None:
    """Store a vote; its comment is dropped once the user was erased."""
    sealed = None
    if vote.comment is not None:
        key = await vault.find(tx, approval.org_id, approval.user_id)
        if key is not None:
            sealed = key.seal(vote.comment, context=_context(approval.id, vote.approver_id))
    row = store.SealedVote(approval.id, vote.approver_id, vote.choice, sealed, vote.occurred_at)
    await store.add_vote(tx, approval.org_id, row)


async def _counted(
    tx: Tx,
    org_id: UUID,
    rows: Sequence[store.SealedVote],
    pending: Collection[UUID],
    *,
    clock: Clock,
) -> Sequence[store.SealedVote]:
    """Return the votes, without those on pending approvals that do not count."""
    voters = {each.approver_id for each in rows if each.approval_id in pending}
    if not voters:
        return rows
    former = await former_deciders(tx, org_id, voters, clock)
    creators = await key_creators(tx, org_id, voters)
    counted: list[store.SealedVote] = []
    # A member who is an admin again has a vote again, even if a key of theirs has voted since.
    people: set[tuple[UUID, UUID]] = set()
    for each in rows:
        if each.approval_id in pending:
            person = each.approval_id, creators.get(each.approver_id, each.approver_id)
            if each.approver_id in former or person in people:
                continue
            people.add(person)
        counted.append(each)
    return counted


def _opened(row: store.SealedVote, key: DataKey | None) -> Vote:
    comment = None
    if key is not None and row.sealed_comment is not None:
        context = _context(row.approval_id, row.approver_id)
        comment = key.open(row.sealed_comment, context=context, type=str)
    return Vote(row.approver_id, row.choice, comment, row.at)


def _context(approval_id: UUID, approver_id: UUID) -> str:
    return f"approval_votes.comment:{approval_id}:{approver_id}"
