"""Statements on webhook_endpoints and webhook_keys, except those of workers.

Every logged change of an endpoint increments its `version` under the lock of its row; the number of
the change is that version.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.developers.webhooks.model import Endpoint, PublicKey
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

# Endpoints of one organisation are created one at a time, so that they can be counted.
_LOCK_ORG = "select id from orgs where id = $1 for no key update"

_ADD = """
insert into webhook_endpoints (
    org_id, id, url, description, event_types, status, event_name_spelling, has_standard_headers,
    sealed_secret, version, created_at, updated_at, read_place, read_object_id, read_seq, starts_at,
    round
)
values (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
)
"""

_GET = """
select org_id, id, url, description, event_types, status, event_name_spelling, has_standard_headers,
    sealed_secret, sealed_previous_secret, previous_secret_until, version, created_at, updated_at,
    flagged_at, flagged_reason, starts_at, read_place, read_object_id, read_seq, round,
    retry_window_starts_at
from webhook_endpoints
where org_id = $1 and id = $2 and deleted_at is null
"""

_LOCK = """
select org_id, id, url, description, event_types, status, event_name_spelling, has_standard_headers,
    sealed_secret, sealed_previous_secret, previous_secret_until, version, created_at, updated_at,
    flagged_at, flagged_reason, starts_at, read_place, read_object_id, read_seq, round,
    retry_window_starts_at
from webhook_endpoints
where org_id = $1 and id = $2 and deleted_at is null
for no key update
"""

_PAGE = """
select org_id, id, url, description, event_types, status, event_name_spelling, has_standard_headers,
    sealed_secret, sealed_previous_secret, previous_secret_until, version, created_at, updated_at,
    flagged_at, flagged_reason, starts_at, read_place, read_object_id, read_seq, round,
    retry_window_starts_at
from webhook_endpoints
where org_id = $1 and deleted_at is null
order by created_at desc, id desc
"""

# No leading org_id: receivers know the endpoint alone.
_FIND_ORG = "select org_id from webhook_endpoints where id = $1 and deleted_at is null"

_UPDATE = """
update webhook_endpoints
set url = $3, description = $4, event_types = $5, status = $6, event_name_spelling = $7,
    has_standard_headers = $8, sealed_secret = $9, sealed_previous_secret = $10,
    previous_secret_until = $11, version = $12, updated_at = $13,
    retry_window_starts_at = case when status = 'PAUSED' and $6 = 'ACTIVE'
    then $13 else retry_window_starts_at end
where org_id = $1 and id = $2
"""

# The present worker must discard what it read before: its token is removed. Until it has, or its
# lease has expired, no other worker starts.
_SKIP = """
update webhook_endpoints
set read_place = $3, read_object_id = $4, read_seq = $5, starts_at = $6,
    leased_by = null
where org_id = $1 and id = $2
"""

_DELETE = """
update webhook_endpoints
set deleted_at = $3, updated_at = $3, version = version + 1, has_standard_headers = false,
    sealed_secret = null, sealed_previous_secret = null, previous_secret_until = null,
    leased_until = null, leased_by = null
where org_id = $1 and id = $2
"""

# At most some ten thousand rows: `PENDING_MAX`, and resent deliveries.
_END = """
update webhook_deliveries
set status = 'GIVEN_UP', due_at = null, updated_at = $3
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""

_ADD_KEY = """
insert into webhook_keys (
    org_id, id, endpoint_id, public_key, sealed_private_key, signs_from, created_at
)
values ($1, $2, $3, $4, $5, $6, $7)
"""

_KEYS = """
select id, endpoint_id, public_key, sealed_private_key, signs_from, shown_until
from webhook_keys
where org_id = $1 and endpoint_id = any($2::uuid[])
order by endpoint_id, signs_from, id
"""

_RETIRE_KEY = "update webhook_keys set shown_until = $3 where org_id = $1 and id = $2"

_DROP_KEYS = "delete from webhook_keys where org_id = $1 and id = any($2::uuid[])"

# All earlier events are delivered or given up at every endpoint.
_SETTLED_UP_TO = """
select least(
    (
        select min(e.read_place) from webhook_endpoints e
        where e.org_id = $1 and e.deleted_at is null
    ),
    (select min(d.place) from webhook_deliveries d where d.org_id = $1 and d.status = 'PENDING')
)
"""


@dataclass(frozen=True, slots=True)
class EndpointSecrets:
    """Sealed secrets of Standard Webhooks; the previous ones are valid until that time.

    `before` has them one after the other, the newest first.
    """

    current: bytes | None = None
    before: bytes | None = None
    before_until: datetime | None = None

    def good(self, now: datetime) -> tuple[bytes, ...]:
        """Return the sealed secrets that sign, the current one first."""
        is_overlap = self.before_until is not None and now < self.before_until
        return tuple(
            each for each in (self.current, self.before if is_overlap else None) if each is not None
        )

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the previous secrets expire; None if they have."""
        return self.before_until if len(self.good(now)) > 1 else None


@dataclass(frozen=True, slots=True)
class StoredEndpoint:
    """A row of webhook_endpoints."""

    endpoint: Endpoint
    secrets: EndpointSecrets


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A row of webhook_keys, with the sealed private key."""

    endpoint_id: UUID
    key: PublicKey
    sealed_private: bytes


async def lock_org(tx: Tx, org_id: UUID) -> None:
    """Block other creations of endpoints in the organisation until this transaction ends."""
    await tx.execute(_LOCK_ORG, org_id)


async def add(tx: Tx, stored: StoredEndpoint) -> None:
    """Store a new endpoint."""
    each = stored.endpoint
    await write_row(
        tx,
        _ADD,
        each,
        event_types=list(each.event_types),
        sealed_secret=stored.secrets.current,
        read_place=each.read_to.place,
        read_object_id=each.read_to.object_id,
        read_seq=each.read_to.seq,
    )


async def get(tx: Tx, org_id: UUID, endpoint_id: UUID) -> StoredEndpoint | None:
    """An endpoint that was not deleted."""
    row = await tx.fetchrow(_GET, org_id, endpoint_id)
    return None if row is None else _stored(row)


async def lock(tx: Tx, org_id: UUID, endpoint_id: UUID) -> StoredEndpoint | None:
    """Return an endpoint and lock it until this transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, endpoint_id)
    return None if row is None else _stored(row)


async def page(tx: Tx, org_id: UUID) -> Sequence[StoredEndpoint]:
    """Return all endpoints of an organisation, newest first."""
    return [_stored(row) for row in await tx.fetch(_PAGE, org_id)]


async def find_org(tx: Tx, endpoint_id: UUID) -> UUID | None:
    """Return the endpoint's organisation."""
    return await tx.fetchval(_FIND_ORG, endpoint_id)


async def update(tx: Tx, stored: StoredEndpoint) -> None:
    """Store the new values of a locked endpoint."""
    each, secrets = stored.endpoint, stored.secrets
    await write_row(
        tx,
        _UPDATE,
        each,
        event_types=list(each.event_types),
        sealed_secret=secrets.current,
        sealed_previous_secret=secrets.before,
        previous_secret_until=secrets.before_until,
    )


async def skip(
    tx: Tx, org_id: UUID, endpoint_id: UUID, position: LogPosition, *, starts_at: datetime
) -> None:
    """Make a locked endpoint skip to a position and time in the log.

    Pending deliveries stay pending.
    """
    await tx.execute(
        _SKIP, org_id, endpoint_id, position.place, position.object_id, position.seq, starts_at
    )


async def delete(tx: Tx, org_id: UUID, endpoint_id: UUID, at: datetime) -> None:
    """Delete a locked endpoint with its secrets, not its keys.

    Its pending deliveries are given up.
    """
    await tx.execute(_DELETE, org_id, endpoint_id, at)
    await tx.execute(_END, org_id, endpoint_id, at)


async def add_key(tx: Tx, org_id: UUID, stored: StoredKey, *, at: datetime) -> None:
    """Store a new key, which is published until it is retired."""
    key = stored.key
    await tx.execute(
        _ADD_KEY,
        org_id,
        key.id,
        stored.endpoint_id,
        key.pem,
        stored.sealed_private,
        key.signs_from,
        at,
    )


async def keys(tx: Tx, org_id: UUID, endpoint_ids: Collection[UUID]) -> Sequence[StoredKey]:
    """Return all keys of these endpoints, each endpoint's in the order in which they sign."""
    return [_key(row) for row in await tx.fetch(_KEYS, org_id, list(endpoint_ids))]


async def retire_key(tx: Tx, org_id: UUID, key_id: UUID, *, shown_until: datetime) -> None:
    """Set until when a key is published."""
    await tx.execute(_RETIRE_KEY, org_id, key_id, shown_until)


async def drop_keys(tx: Tx, org_id: UUID, key_ids: Collection[UUID]) -> None:
    """Delete keys, private and public."""
    await tx.execute(_DROP_KEYS, org_id, list(key_ids))


def _stored(row: Row) -> StoredEndpoint:
    secrets = EndpointSecrets(
        row["sealed_secret"], row["sealed_previous_secret"], row["previous_secret_until"]
    )
    return StoredEndpoint(endpoint_of(row), secrets)


def endpoint_of(row: Row) -> Endpoint:
    """Return the endpoint of a row with its columns."""
    position = LogPosition(row["read_place"], row["read_object_id"], row["read_seq"])
    return read_row(row, Endpoint, read_to=position)


def _key(row: Row) -> StoredKey:
    key = read_row(row, PublicKey, pem=row["public_key"])
    return StoredKey(row["endpoint_id"], key, row["sealed_private_key"])


async def done_below(tx: Tx, org_id: UUID) -> int | None:
    """Return the place below which no endpoint waits for events; None without endpoints."""
    return await tx.fetchval(_SETTLED_UP_TO, org_id)


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
