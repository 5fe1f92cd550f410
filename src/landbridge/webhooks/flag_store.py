"""Statements on the flags of endpoints. Each that is told of counts the `version` up by one."""

from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx

_PUT_UP = """
update webhook_endpoints
set flagged_at = $3, flagged_reason = $4, given_up_at = $3, updated_at = $3,
    version = version + 1
where org_id = $1 and id = $2 and flagged_at is null and deleted_at is null
returning version
"""

_NOTE_GIVEN_UP = """
update webhook_endpoints
set given_up_at = $3
where org_id = $1 and id = $2 and flagged_at is not null
"""

_TAKE_DOWN = """
update webhook_endpoints
set flagged_at = null, flagged_reason = null, updated_at = $3, version = version + 1
where org_id = $1 and id = $2 and flagged_at is not null and deleted_at is null
    and given_up_at <= $4
returning version
"""

_NOTE_TOLD = """
update webhook_endpoints
set flag_told_at = $3
where org_id = $1 and id = $2 and (flag_told_at is null or flag_told_at <= $4)
"""


async def put_up(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, reason: str, at: datetime
) -> int | None:
    """Flag an endpoint; its version then, None if it is flagged already or gone."""
    return await tx.fetchval(_PUT_UP, org_id, endpoint_id, at, reason)


async def note_given_up(tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime) -> None:
    """Note that more was given up where there is a flag."""
    await tx.execute(_NOTE_GIVEN_UP, org_id, endpoint_id, at)


async def take_down(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime, last_until: datetime
) -> int | None:
    """Take a flag down if nothing was given up after then; the endpoint's version, or None."""
    return await tx.fetchval(_TAKE_DOWN, org_id, endpoint_id, at, last_until)


async def note_told(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, at: datetime, last_until: datetime
) -> bool:
    """Note that the admin is told now; whether the last time was until then, or never."""
    return await tx.execute(_NOTE_TOLD, org_id, endpoint_id, at, last_until) == "UPDATE 1"
