"""All SQL statements on agreements."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.users.model import Agreement
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

_ADD = """
insert into agreements
    (org_id, id, template_id, sealed_redirect_url, session_token, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (org_id, id) do nothing
"""

_GET = """
select org_id, id, template_id, sealed_redirect_url, session_token, created_at, expires_at,
    signed_at, sealed_signed_from, terms_version
from agreements
where org_id = $1 and id = $2
"""

_FIND_MANY = """
select org_id, id, template_id, sealed_redirect_url, session_token, created_at, expires_at,
    signed_at, sealed_signed_from, terms_version
from agreements
where org_id = $1 and id = any($2::uuid[])
"""

# Has no condition on org_id: the hosted page knows only the token.
_FIND_BY_SESSION = """
select org_id, id, template_id, sealed_redirect_url, session_token, created_at, expires_at,
    signed_at, sealed_signed_from, terms_version
from agreements
where session_token = $1
"""

_SIGN = """
update agreements
set signed_at = $3, sealed_signed_from = $4, terms_version = $5
where org_id = $1 and id = $2 and signed_at is null and expires_at > $3
returning id
"""

_FORGET = """
update agreements
set sealed_redirect_url = null, sealed_signed_from = null
where org_id = $1 and id = any($2::uuid[])
"""


@dataclass(frozen=True, slots=True)
class StoredAgreement:
    """Link without its encrypted content, and the encrypted content."""

    agreement: Agreement
    sealed_redirect_url: bytes | None
    sealed_signed_from: bytes | None

    @property
    def has_sealed(self) -> bool:
        """Return whether a key is needed to read the whole link."""
        return self.sealed_redirect_url is not None or self.sealed_signed_from is not None


async def add(tx: Tx, agreement: Agreement, sealed_redirect_url: bytes | None) -> None:
    """Store a link, unless one with this id exists."""
    await write_row(tx, _ADD, agreement, sealed_redirect_url=sealed_redirect_url)


async def get(tx: Tx, org_id: UUID, agreement_id: UUID) -> StoredAgreement | None:
    """Return a link; None if there is none."""
    row = await tx.fetchrow(_GET, org_id, agreement_id)
    return None if row is None else _agreement(row)


async def find_many(tx: Tx, org_id: UUID, agreement_ids: Collection[UUID]) -> list[StoredAgreement]:
    """Return the existing links among these."""
    return [_agreement(row) for row in await tx.fetch(_FIND_MANY, org_id, list(agreement_ids))]


async def find_session(tx: Tx, session_token: str) -> StoredAgreement | None:
    """Return the link with this session token of the hosted page; None if there is none."""
    row = await tx.fetchrow(_FIND_BY_SESSION, session_token)
    return None if row is None else _agreement(row)


async def sign(
    tx: Tx,
    org_id: UUID,
    agreement_id: UUID,
    *,
    at: datetime,
    sealed_signed_from: bytes | None,
    version: str,
) -> bool:
    """Mark a link as signed; False if it is already signed or has expired."""
    signed = await tx.fetchval(_SIGN, org_id, agreement_id, at, sealed_signed_from, version)
    return signed is not None


async def forget(tx: Tx, org_id: UUID, agreement_ids: Collection[UUID]) -> None:
    """Blank the encrypted content of these agreements."""
    await tx.execute(_FORGET, org_id, list(agreement_ids))


def _agreement(row: Row) -> StoredAgreement:
    agreement = read_row(
        row, Agreement, redirect_url=None, signed_from=None, version=row["terms_version"]
    )
    return StoredAgreement(agreement, row["sealed_redirect_url"], row["sealed_signed_from"])
