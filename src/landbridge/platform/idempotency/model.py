"""Idempotency keys: a write with a key, and the stored result of a key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    """Write with an idempotency key; `content` is its path and body in canonical form."""

    org_id: UUID
    request_id: UUID
    operation: str
    content: bytes
    owner_id: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """Idempotency key that was used: the object created, and the rest of the response."""

    org_id: UUID
    request_id: UUID
    operation: str
    request_hash: bytes
    object_id: UUID
    owner_id: UUID | None
    result: Mapping[str, Any]
    created_at: datetime
    # True if an earlier request has written the key.
    is_replay: bool = False

    @property
    def effect_id(self) -> UUID:
        """Return the id for the effect of the write; always the same, so that it happens once."""
        return derived_id(self.org_id, f"{self.operation}/{self.request_id}")


class Claim(Protocol):
    """Function that writes a request's idempotency key, in the transaction of the write."""

    async def __call__(
        self, tx: Tx, object_id: UUID, result: Mapping[str, Any] | None = None, /
    ) -> None:
        """Write the key; raises to roll back the transaction if the key was used before."""
        ...


async def no_claim(_tx: Tx, _object_id: UUID, _result: Mapping[str, Any] | None = None, /) -> None:
    """Claim nothing: used for a request that sent no idempotency key."""
