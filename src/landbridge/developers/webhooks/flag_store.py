"""Statements on the flags of endpoints. Each logged change increments the `version`."""

from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx

_SET_FLAG = """
update webhook_endpoints
set flagged_at = $3, flagged_reason = $4, given_up_at = $3, updated_at = $3,
    version = version + 1
where org_id = $1 and id = $2 and flagged_at is null and deleted_at is null
returning version
"""

_RECORD_EXHAUSTED = """
update webhook_endpoints
set given_up_at = $3
where org_id = $1 and id = $2 and flagged_at is not null
"""

_CLEAR_FLAG = """
update webhook_endpoints
set flagged_at = null, flagged_reason = null, updated_at = $3, version = version + 1
where org_id = $1 and id = $2 and flagged_at is not null and deleted_at is null
    and given_up_at <= $4
returning version
"""

_RECORD_NOTIFICATION = """
update webhook_endpoints
set flag_notified_at = $3
where org_id = $1 and id = $2 and (flag_notified_at is null or flag_notified_at <= $4)
"""


async def set_flag(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, reason: str, at: datetime
) -> int | None:
    """Flag an endpoint; return its version, None if it is already flagged or deleted."""
    return await tx.fetchval(_SET_FLAG, org_id, endpoint_id, at, reason)


async def record_exhausted(tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime) -> None:
    """Record another exhausted delivery of a flagged endpoint."""
    await tx.execute(_RECORD_EXHAUSTED, org_id, endpoint_id, at)


async def clear_flag(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime, last_until: datetime
) -> int | None:
    """Clear a flag without exhausted deliveries since then; return the version, or None."""
    return await tx.fetchval(_CLEAR_FLAG, org_id, endpoint_id, at, last_until)


async def record_notification(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime, last_until: datetime
) -> bool:
    """Record a notification now; return whether the last one was before then, or never."""
    return await tx.execute(_RECORD_NOTIFICATION, org_id, endpoint_id, at, last_until) == "UPDATE 1"
