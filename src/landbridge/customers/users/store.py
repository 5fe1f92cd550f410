"""All SQL statements on users and user_agreements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.customers.users.model import User, UserType
from landbridge.customers.users.sealed_records import SealedUser, StoredCard, StoredUser
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.metadata.model import decoded

_ADD = """
insert into users (
    org_id, id, request_id, type, agreement_id, version, created_at, updated_at, sealed_summary,
    sealed_profile, sealed_request, search_trigrams
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::integer[])
on conflict (org_id, request_id) do nothing
returning id
"""

_UPDATE = """
update users
set agreement_id = $3, version = $4, updated_at = $5, sealed_summary = $6, sealed_profile = $7,
    search_trigrams = $8::integer[]
where org_id = $1 and id = $2
"""

_GET = """
select org_id, id, request_id, type, agreement_id, version, created_at, updated_at, frozen_at,
    erased_at, sealed_summary, sealed_profile,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from users
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, request_id, type, agreement_id, version, created_at, updated_at, frozen_at,
    erased_at, sealed_summary, sealed_profile,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from users
where org_id = $1 and id = $2
for update
"""

_FIND_REQUEST = """
select org_id, id, request_id, type, agreement_id, version, created_at, updated_at, frozen_at,
    erased_at, sealed_summary, sealed_profile, sealed_request,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from users
where org_id = $1 and request_id = $2
"""

# Returns false for a user who may move money, true for one who is frozen or erased.
_FROZEN = """
select u.org_id, u.id, u.frozen_at is not null as is_frozen
from unnest($1::uuid[], $2::uuid[]) as i (org_id, id)
join users u on u.org_id = i.org_id and u.id = i.id
"""

_CARDS = """
select org_id, id, type, agreement_id, version, created_at, updated_at, frozen_at, erased_at,
    sealed_summary,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from users
where org_id = $1 and id = any($2::uuid[])
"""

_PAGE = """
select org_id, id, type, agreement_id, version, created_at, updated_at, frozen_at, erased_at,
    sealed_summary,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from users
where org_id = $1 and created_at >= $2 and (created_at, id) < ($3, $4)
    and ($5::text is null or type = $5)
    and ($7::integer[] is null or search_trigrams @> $7)
order by created_at desc, id desc
limit $6
"""

# Selects by metadata first, because an index finds the users with all these keys and values.
_PAGE_WITH_METADATA = """
select users.org_id, users.id, users.type, users.agreement_id, users.version, users.created_at,
    users.updated_at, users.frozen_at, users.erased_at, users.sealed_summary,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = users.org_id and m.object_id = users.id
    ) as metadata
from (
    select m.object_id
    from metadata m
    join unnest($7::text[], $8::text[]) as p (key, value)
        on p.key = m.key and p.value = m.value
    where m.org_id = $1
    group by m.object_id
    having count(*) = cardinality($7::text[])
) f
join users on users.org_id = $1 and users.id = f.object_id
where users.created_at >= $2 and (users.created_at, users.id) < ($3, $4)
    and ($5::text is null or users.type = $5)
order by users.created_at desc, users.id desc
limit $6
"""

_IDS = """
select id
from users
where org_id = $1 and created_at >= $2
order by created_at, id
offset $3
limit $4
"""

# The frequency of a trigram decides between the trigram and the time index. Only a custom plan,
# made for the actual trigrams, takes it into account.
_PLAN_FOR_VALUES = "set local plan_cache_mode = force_custom_plan"

_FREEZE = """
update users
set frozen_at = $3, sealed_freeze_reason = $4, version = version + 1, updated_at = $5
where org_id = $1 and id = $2
"""

_FREEZE_REASON = "select sealed_freeze_reason from users where org_id = $1 and id = $2"

_ERASE = """
update users
set sealed_summary = null, sealed_profile = null, sealed_request = null,
    sealed_freeze_reason = null,
    search_trigrams = '{}', erased_at = $3, updated_at = $3, version = version + 1
where org_id = $1 and id = $2
"""

_ADD_AGREEMENT = """
insert into user_agreements (org_id, user_id, agreement_id, created_at) values ($1, $2, $3, $4)
on conflict (org_id, user_id, agreement_id) do nothing
"""

# Until the transaction ends, these locks prevent that a user is created with one of the agreements,
# or that another user with one of them is erased.
_LOCK_AGREEMENTS = """
select id from agreements
where org_id = $1
    and id in (select agreement_id from user_agreements where org_id = $1 and user_id = $2)
order by id
for update
"""

# Returns agreements that no other user has, except erased ones.
_OWN_AGREEMENTS = """
select a.agreement_id
from user_agreements a
where a.org_id = $1 and a.user_id = $2
    and not exists (
        select from user_agreements o
        join users u on u.org_id = o.org_id and u.id = o.user_id
        where o.org_id = a.org_id and o.agreement_id = a.agreement_id and o.user_id <> a.user_id
            and u.erased_at is null
    )
"""


async def add(tx: Tx, user: User, sealed: SealedUser, sealed_request: bytes) -> bool:
    """Store a user; False if its request id created one before."""
    added = await write_row(
        tx,
        _ADD,
        user,
        sealed_summary=sealed.card,
        sealed_profile=sealed.profile,
        sealed_request=sealed_request,
        search_trigrams=sealed.search_trigrams,
    )
    return added is not None


async def update(tx: Tx, user: User, sealed: SealedUser) -> None:
    """Store the changes of a locked user."""
    await write_row(
        tx,
        _UPDATE,
        user,
        sealed_summary=sealed.card,
        sealed_profile=sealed.profile,
        search_trigrams=sealed.search_trigrams,
    )


async def get(tx: Tx, org_id: UUID, user_id: UUID) -> StoredUser | None:
    """Return a user; None if the organisation has none with this id."""
    row = await tx.fetchrow(_GET, org_id, user_id)
    return None if row is None else _user(row)


async def lock(tx: Tx, org_id: UUID, user_id: UUID) -> StoredUser | None:
    """Lock a user until this transaction ends, and return it."""
    row = await tx.fetchrow(_LOCK, org_id, user_id)
    return None if row is None else _user(row)


async def find_request(
    tx: Tx, org_id: UUID, request_id: UUID
) -> tuple[StoredUser, bytes | None] | None:
    """Return the user that this request id created, and the request, None after erasure."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    return None if row is None else (_user(row), row["sealed_request"])


async def which_frozen(
    tx: Tx, user_ids: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], bool]:
    """Return the freeze state of the existing users among these (organisation, id) pairs."""
    rows = await tx.fetch(
        _FROZEN, [org_id for org_id, _ in user_ids], [user_id for _, user_id in user_ids]
    )
    return {(row["org_id"], row["id"]): row["is_frozen"] for row in rows}


async def cards(tx: Tx, org_id: UUID, user_ids: Sequence[UUID]) -> Sequence[StoredCard]:
    """Return the existing users among these."""
    return [_card(row) for row in await tx.fetch(_CARDS, org_id, user_ids)]


async def page(
    tx: Tx,
    org_id: UUID,
    window: PositionWindow,
    *,
    type_: UserType | None,
    search_trigrams: Sequence[int],
    metadata: Mapping[str, str] | None,
) -> Sequence[StoredCard]:
    """Return users that have all this metadata, else all these trigrams, newest first."""
    before = window.before
    bounds = (org_id, window.since, before.created_at, before.id, type_, window.limit)
    if metadata is not None:
        pairs = list(metadata.keys()), list(metadata.values())
        return [_card(row) for row in await tx.fetch(_PAGE_WITH_METADATA, *bounds, *pairs)]
    if search_trigrams:
        await tx.execute(_PLAN_FOR_VALUES)
    return [_card(row) for row in await tx.fetch(_PAGE, *bounds, search_trigrams or None)]


async def ids(tx: Tx, org_id: UUID, *, since: datetime, offset: int, limit: int) -> list[UUID]:
    """Return ids of users created at `since` or later, oldest first."""
    return [row["id"] for row in await tx.fetch(_IDS, org_id, since, offset, limit)]


async def freeze(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    *,
    frozen_at: datetime | None,
    sealed_reason: bytes | None,
    at: datetime,
) -> None:
    """Freeze a user; unfreeze if `frozen_at` is None."""
    await tx.execute(_FREEZE, org_id, user_id, frozen_at, sealed_reason, at)


async def freeze_reason(tx: Tx, org_id: UUID, user_id: UUID) -> bytes | None:
    """Return the encrypted reason for a freeze; None if none was given."""
    return await tx.fetchval(_FREEZE_REASON, org_id, user_id)


async def erase(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank all personal data of a user."""
    await tx.execute(_ERASE, org_id, user_id, at)


async def add_agreement(
    tx: Tx, org_id: UUID, *, user_id: UUID, agreement_id: UUID, at: datetime
) -> None:
    """Record the agreement with which a user was created or changed."""
    await tx.execute(_ADD_AGREEMENT, org_id, user_id, agreement_id, at)


async def own_agreements(tx: Tx, org_id: UUID, user_id: UUID) -> list[UUID]:
    """Return and lock the agreements used by this user only, until this transaction ends."""
    await tx.fetch(_LOCK_AGREEMENTS, org_id, user_id)
    return [row["agreement_id"] for row in await tx.fetch(_OWN_AGREEMENTS, org_id, user_id)]


def _user(row: Row) -> StoredUser:
    return StoredUser(_card(row), row["request_id"], row["sealed_profile"])


def _card(row: Row) -> StoredCard:
    return read_row(row, StoredCard, metadata=decoded(row["metadata"]))
