"""All SQL statements on kyc_cases."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import CaseRecord, KycStatus, ListedCase
from landbridge.platform.core.pagination import PositionWindow, QueueWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row, write_row

_ADD = """
insert into kyc_cases (
    org_id, id, user_id, rail, status, version, round, sealed_snapshot, sealed_findings,
    submitted_at, due_at, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict do nothing
returning id
"""

_GET = """
select org_id, id, user_id, rail, status, version, round, claims, failures, reference,
    sealed_snapshot, sealed_findings, submitted_at, due_at, created_at, updated_at
from kyc_cases
where org_id = $1 and id = any($2::uuid[])
"""

_STATUSES = """
select k.org_id, k.id, k.status
from unnest($1::uuid[], $2::uuid[]) as i (org_id, id)
join kyc_cases k on k.org_id = i.org_id and k.id = i.id
"""

# Updates no row if the case has changed since it was read, so only one of two decisions counts.
_UPDATE = """
update kyc_cases
set status = $5, version = $6, round = $7, failures = $8, reference = $9, sealed_snapshot = $10,
    sealed_findings = $11, submitted_at = $12, due_at = $13, updated_at = $14
where org_id = $1 and id = $2 and version = $3 and claims = $4
returning id
"""

# Run again after an unacknowledged commit, this finds its own claim by the due time.
_CLAIM = """
update kyc_cases
set claims = $4 + 1, failures = $5 + 1, due_at = $6
where org_id = $1 and id = $2 and version = $3
    and (claims = $4 or claims = $4 + 1 and due_at = $6)
returning id
"""

_UNSCHEDULE = """
update kyc_cases set due_at = null where org_id = $1 and id = $2 and claims = $3
"""

# Also increments the claim, so that a result that was polled before the message is discarded.
_HURRY = """
update kyc_cases
set due_at = $4, claims = claims + 1
where org_id = $1 and id = $2 and round = $3 and status = 'PENDING' and reference is not null
returning id
"""

# Does the same by the reference of the application, in any round.
_HURRY_APPLICATION = """
update kyc_cases
set due_at = $4, claims = claims + 1
where org_id = $1 and id = $2 and reference = $3 and status = 'PENDING'
returning id
"""

_FORGET = """
update kyc_cases
set sealed_snapshot = null, sealed_findings = null, due_at = null, claims = claims + 1,
    updated_at = $3
where org_id = $1 and user_id = $2
returning id
"""

# Returns due cases by each organisation's own clock, alternating between organisations, without
# locks: a worker claims a case before it runs a step.
_DUE = """
select c.org_id, c.id, c.user_id, c.rail, c.status, c.version, c.round, c.claims, c.failures,
    c.reference, c.sealed_snapshot, c.sealed_findings, c.submitted_at, c.due_at, c.created_at,
    c.updated_at
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select org_id, id, user_id, rail, status, version, round, claims, failures, reference,
        sealed_snapshot, sealed_findings, submitted_at, due_at, created_at, updated_at,
        row_number() over (order by due_at) as place
    from kyc_cases
    where org_id = o.org_id and due_at <= o.now
    order by due_at
    limit $3
) c
order by c.place, c.due_at
limit $3
"""

# Detects claims: they count as failures until the result is recorded, and are not due yet.
_HAS_CLAIMED = """
select exists (
    select from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
    join kyc_cases c on c.org_id = o.org_id
    where c.due_at > o.now and c.failures > 0
)
"""

_PAGE = """
select org_id, id, user_id, rail, status, created_at, updated_at
from kyc_cases
where org_id = $1 and created_at >= $2 and (created_at, id) < ($3, $4)
    and ($6::uuid is null or user_id = $6)
    and ($7::text[] is null or rail = any($7))
    and ($8::text[] is null or status = any($8))
    and sealed_snapshot is not null
order by created_at desc, id desc
limit $5
"""

_QUEUE = """
select org_id, id, user_id, rail, status, version, round, claims, failures, reference,
    sealed_snapshot, sealed_findings, submitted_at, due_at, created_at, updated_at
from kyc_cases
where org_id = $1 and status = any($2::text[]) and (created_at, id) > ($3, $4)
    and created_at < $5 and sealed_snapshot is not null
order by created_at, id
limit $6
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedCase(CaseRecord):
    """Row of a case, with its encrypted parts."""

    sealed_snapshot: bytes | None = None
    sealed_findings: bytes | None = None


async def add(tx: Tx, case: SealedCase) -> bool:
    """Store a new case; False if the user has one for this rail."""
    added = await write_row(tx, _ADD, case)
    return added is not None


async def get(tx: Tx, org_id: UUID, case_ids: Collection[UUID]) -> dict[UUID, SealedCase]:
    """Return the existing cases among these ids."""
    return {
        row["id"]: read_row(row, SealedCase) for row in await tx.fetch(_GET, org_id, list(case_ids))
    }


async def statuses(
    tx: Tx, cases: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], KycStatus]:
    """Return the statuses of the existing cases among these, by organisation and id."""
    rows = await tx.fetch(_STATUSES, [org_id for org_id, _ in cases], [each for _, each in cases])
    return {(row["org_id"], row["id"]): KycStatus(row["status"]) for row in rows}


async def update(tx: Tx, before: SealedCase, after: SealedCase) -> bool:
    """Store a changed case; False if it has changed since `before` was read."""
    updated = await tx.fetchval(
        _UPDATE,
        before.org_id,
        before.id,
        before.version,
        before.claims,
        after.status,
        after.version,
        after.round,
        after.failures,
        after.reference,
        after.sealed_snapshot,
        after.sealed_findings,
        after.submitted_at,
        after.due_at,
        after.updated_at,
    )
    return updated is not None


async def claim(tx: Tx, case: SealedCase, until: datetime) -> bool:
    """Claim a case until `until`, when it is due again; False if another worker has it.

    `until` must differ from that of every other claim.
    """
    claimed = await tx.fetchval(
        _CLAIM, case.org_id, case.id, case.version, case.claims, case.failures, until
    )
    return claimed is not None


async def unschedule(tx: Tx, case: SealedCase) -> None:
    """Remove a case from the schedule, unless another worker has claimed it."""
    await tx.execute(_UNSCHEDULE, case.org_id, case.id, case.claims)


async def make_due(tx: Tx, org_id: UUID, case_id: UUID, number: int, at: datetime) -> bool:
    """Make a case due now, if it waits for the result of this round."""
    return await tx.fetchval(_HURRY, org_id, case_id, number, at) is not None


async def make_application_due(
    tx: Tx, org_id: UUID, case_id: UUID, reference: str, at: datetime
) -> bool:
    """Make a case due now, if it waits for the result of this application."""
    return await tx.fetchval(_HURRY_APPLICATION, org_id, case_id, reference, at) is not None


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> Sequence[UUID]:
    """Delete the submitted data and findings of a user; running steps can no longer write.

    Returns the ids of the cases.
    """
    return [row["id"] for row in await tx.fetch(_FORGET, org_id, user_id, at)]


async def due(tx: Tx, clocks: Mapping[UUID, datetime], *, limit: int) -> Sequence[SealedCase]:
    """Return due cases of these organisations, the longest due of each first."""
    rows = await tx.fetch(_DUE, list(clocks), list(clocks.values()), limit)
    return [read_row(row, SealedCase) for row in rows]


async def has_claimed(tx: Tx, clocks: Mapping[UUID, datetime]) -> bool:
    """Return whether a case of these organisations is claimed, or failed a moment ago."""
    return bool(await tx.fetchval(_HAS_CLAIMED, list(clocks), list(clocks.values())))


async def page(
    tx: Tx,
    org_id: UUID,
    window: PositionWindow,
    *,
    user_id: UUID | None,
    rails: Collection[Rail] | None,
    statuses: Collection[KycStatus] | None,
) -> Sequence[ListedCase]:
    """Return a page, newest first; None disables a filter."""
    rows = await tx.fetch(
        _PAGE,
        org_id,
        window.since,
        *window.bounds,
        user_id,
        None if rails is None else list(rails),
        None if statuses is None else list(statuses),
    )
    return [read_row(row, ListedCase) for row in rows]


async def queue(
    tx: Tx,
    org_id: UUID,
    statuses: Collection[KycStatus],
    window: QueueWindow,
) -> Sequence[SealedCase]:
    """Return cases in these statuses with content to review, oldest first."""
    rows = await tx.fetch(_QUEUE, org_id, list(statuses), *window.bounds)
    return [read_row(row, SealedCase) for row in rows]
