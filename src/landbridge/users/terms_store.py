"""Every statement on agreements."""

from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.users.model import Agreement

_ADD = """
insert into agreements
    (org_id, id, template_id, redirect_url, session_token, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (org_id, id) do nothing
"""

_GET = """
select org_id, id, template_id, redirect_url, session_token, created_at, expires_at, signed_at,
    signed_from
from agreements
where org_id = $1 and id = $2
"""

# No org_id in front: the hosted page knows the token, not the organisation.
_FIND_BY_SESSION = """
select org_id, id, template_id, redirect_url, session_token, created_at, expires_at, signed_at,
    signed_from
from agreements
where session_token = $1
"""

_SIGN = """
update agreements
set signed_at = $3, signed_from = $4
where org_id = $1 and id = $2 and signed_at is null and expires_at > $3
returning id
"""


async def add(tx: Tx, agreement: Agreement) -> None:
    """Store a link, unless its id has one."""
    await tx.execute(
        _ADD,
        agreement.org_id,
        agreement.id,
        agreement.template_id,
        agreement.redirect_url,
        agreement.session_token,
        agreement.created_at,
        agreement.expires_at,
    )


async def get(tx: Tx, org_id: UUID, agreement_id: UUID) -> Agreement | None:
    """A link."""
    row = await tx.fetchrow(_GET, org_id, agreement_id)
    return None if row is None else _agreement(row)


async def find_session(tx: Tx, session_token: str) -> Agreement | None:
    """The link that the hosted page was opened from."""
    row = await tx.fetchrow(_FIND_BY_SESSION, session_token)
    return None if row is None else _agreement(row)


async def sign(
    tx: Tx, org_id: UUID, agreement_id: UUID, *, at: datetime, signed_from: str | None
) -> bool:
    """Sign, once and in time; False if it is signed or expired."""
    return await tx.fetchval(_SIGN, org_id, agreement_id, at, signed_from) is not None


def _agreement(row: Row) -> Agreement:
    return Agreement(
        org_id=row["org_id"],
        id=row["id"],
        template_id=row["template_id"],
        redirect_url=row["redirect_url"],
        session_token=row["session_token"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        signed_at=row["signed_at"],
        signed_from=row["signed_from"],
    )
