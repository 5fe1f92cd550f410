"""Statements on idempotency_keys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.platform.idempotency.model import IdempotencyKey

# A concurrent request with the same key waits here until this transaction ends.
_ADD = """
insert into idempotency_keys (
    org_id, request_id, operation, request_hash, object_id, owner_id, result, created_at
)
values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8)
on conflict (org_id, request_id, operation) do nothing
returning 1
"""

# `created_at` is unique to the request (docs/decisions/0008-unique-timestamps.md).
_PROOF = """
select 1
from idempotency_keys
where org_id = $1 and request_id = $2 and operation = $3 and created_at = $4
"""

_FIND = """
select org_id, request_id, operation, request_hash, object_id, owner_id, result::text, created_at
from idempotency_keys
where org_id = $1 and request_id = $2 and ($3::text is null or operation = $3)
order by created_at
limit 1
"""

_SET_RESULT = """
update idempotency_keys
set result = $4::text::jsonb
where org_id = $1 and request_id = $2 and operation = $3
"""

# Stores the key even if the first request has removed it in the meantime.
_KEEP = """
insert into idempotency_keys (
    org_id, request_id, operation, request_hash, object_id, owner_id, result, created_at
)
values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8)
on conflict (org_id, request_id, operation) do update
set result = coalesce(idempotency_keys.result, '{}') || '{"isRepeated": true}'
where idempotency_keys.request_hash = excluded.request_hash
"""

_REMOVE = """
delete from idempotency_keys
where org_id = $1 and request_id = $2 and operation = $3 and created_at = $4
    and coalesce(result -> 'isRepeated', 'false') = 'false'
"""


async def add(tx: Tx, key: IdempotencyKey) -> bool:
    """Store a key as the proof of the transaction; return False if it exists already."""
    added = await tx.fetchval(_ADD, *_columns(key))
    if added is not None:
        register_commit_proof(_PROOF, key.org_id, key.request_id, key.operation, key.created_at)
    return added is not None


async def find(
    tx: Tx, org_id: UUID, request_id: UUID, operation: str | None = None
) -> IdempotencyKey | None:
    """Return the key of an operation; for `operation` None, the oldest with this request id."""
    row = await tx.fetchrow(_FIND, org_id, request_id, operation)
    return None if row is None else _key(row)


async def set_result(tx: Tx, key: IdempotencyKey, result: Mapping[str, Any]) -> None:
    """Replace the stored result of a key."""
    await tx.execute(_SET_RESULT, key.org_id, key.request_id, key.operation, _json(result))


async def keep(tx: Tx, key: IdempotencyKey) -> None:
    """Store a key permanently, because a repeated request has carried out the write."""
    repeated = replace(key, result={**key.result, "isRepeated": True})
    await tx.execute(_KEEP, *_columns(repeated))


async def remove(tx: Tx, key: IdempotencyKey) -> None:
    """Remove a key, unless another request has written or kept it since."""
    await tx.execute(_REMOVE, key.org_id, key.request_id, key.operation, key.created_at)


def _columns(key: IdempotencyKey) -> tuple[Any, ...]:
    return (
        key.org_id,
        key.request_id,
        key.operation,
        key.request_hash,
        key.object_id,
        key.owner_id,
        _json(key.result),
        key.created_at,
    )


def _json(result: Mapping[str, Any]) -> str | None:
    return msgspec.json.encode(result).decode() if result else None


def _key(row: Row) -> IdempotencyKey:
    return read_row(
        row,
        IdempotencyKey,
        result={} if row["result"] is None else msgspec.json.decode(row["result"]),
    )
