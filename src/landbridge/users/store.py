"""Every statement on users."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.core.pages import Position
from landbridge.db.pool import Row, Tx
from landbridge.users.model import Profile, User, UserType

_ADD = """
insert into users (
    org_id, id, request_id, request, type, email, first_name, last_name, business_name, profile,
    agreement_id, version, created_at, updated_at
)
values ($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9, $10::text::jsonb, $11, $12, $13, $14)
on conflict (org_id, request_id) do nothing
returning id
"""

_UPDATE = """
update users
set email = $4, first_name = $5, last_name = $6, business_name = $7, profile = $8::text::jsonb,
    agreement_id = $10, version = version + 1, updated_at = $9
where org_id = $1 and id = $2 and version = $3
returning version
"""

_GET = """
select org_id, id, request_id, request, type, email, first_name, last_name, business_name, profile,
    agreement_id, version, created_at, updated_at
from users
where org_id = $1 and id = $2
"""

_FIND_REQUEST = """
select org_id, id, request_id, request, type, email, first_name, last_name, business_name, profile,
    agreement_id, version, created_at, updated_at
from users
where org_id = $1 and request_id = $2
"""

_EXIST = """
select u.org_id, u.id
from unnest($1::uuid[], $2::uuid[]) as i (org_id, id)
join users u on u.org_id = i.org_id and u.id = i.id
"""

_PAGE = """
select org_id, id, request_id, request, type, email, first_name, last_name, business_name, profile,
    agreement_id, version, created_at, updated_at
from users
where org_id = $1 and created_at >= $2 and (created_at, id) < ($3, $4)
    and ($6::text is null or type = $6)
    and ($7::text is null or first_name ilike $7)
    and ($8::text is null or last_name ilike $8)
    and ($9::text is null or business_name ilike $9)
    and ($10::text is null or email ilike $10)
order by created_at desc, id desc
limit $5
"""


async def add(tx: Tx, user: User) -> bool:
    """Store a user; False if its request id made one before."""
    added = await tx.fetchval(
        _ADD,
        user.org_id,
        user.id,
        user.request_id,
        msgspec.json.encode(user.request).decode(),
        user.type,
        user.email,
        user.first_name,
        user.last_name,
        user.business_name,
        msgspec.json.encode(user.profile).decode(),
        user.agreement_id,
        user.version,
        user.created_at,
        user.updated_at,
    )
    return added is not None


async def update(tx: Tx, user: User, at: datetime) -> bool:
    """Store what was changed; False if somebody else has changed the user since it was read."""
    updated = await tx.fetchval(
        _UPDATE,
        user.org_id,
        user.id,
        user.version,
        user.email,
        user.first_name,
        user.last_name,
        user.business_name,
        msgspec.json.encode(user.profile).decode(),
        at,
        user.agreement_id,
    )
    return updated is not None


async def get(tx: Tx, org_id: UUID, user_id: UUID) -> User | None:
    """A user."""
    row = await tx.fetchrow(_GET, org_id, user_id)
    return None if row is None else _user(row)


async def find_request(tx: Tx, org_id: UUID, request_id: UUID) -> User | None:
    """The user that this request id made."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    return None if row is None else _user(row)


async def which_exist(tx: Tx, wanted: Sequence[tuple[UUID, UUID]]) -> set[tuple[UUID, UUID]]:
    """Those of these users, each (organisation, id), that there are."""
    rows = await tx.fetch(
        _EXIST, [org_id for org_id, _ in wanted], [user_id for _, user_id in wanted]
    )
    return {(row["org_id"], row["id"]) for row in rows}


async def page(
    tx: Tx,
    org_id: UUID,
    *,
    after: datetime,
    before: Position,
    limit: int,
    like: Sequence[str | None],
) -> Sequence[User]:
    """A page, newest first; `like` is type, then patterns of first, last, business name, email."""
    rows = await tx.fetch(_PAGE, org_id, after, before.created_at, before.id, limit, *like)
    return [_user(row) for row in rows]


def _user(row: Row) -> User:
    return User(
        org_id=row["org_id"],
        id=row["id"],
        request_id=row["request_id"],
        request=msgspec.json.decode(row["request"]),
        type=UserType(row["type"]),
        email=row["email"],
        first_name=row["first_name"],
        last_name=row["last_name"],
        business_name=row["business_name"],
        profile=msgspec.json.decode(row["profile"], type=Profile),
        agreement_id=row["agreement_id"],
        version=row["version"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
