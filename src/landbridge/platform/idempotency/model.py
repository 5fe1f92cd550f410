"""Writes with an idempotency key, and what a key has done."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    """A write with an idempotency key; `content` is its path and body in one spelling."""

    org_id: UUID
    request_id: UUID
    operation: str
    content: bytes
    owner_id: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A key that was used: the object of the write, and the rest of its response."""

    org_id: UUID
    request_id: UUID
    operation: str
    request_hash: bytes
    object_id: UUID
    owner_id: UUID | None
    result: Mapping[str, Any]
    created_at: datetime
    # Whether an earlier request has written it.
    is_replay: bool = False

    @property
    def effect_id(self) -> UUID:
        """Return the id of the write's effect, always the same: it is carried out once."""
        return derived_id(self.org_id, f"{self.operation}/{self.request_id}")


class Claim(Protocol):
    """Writes the key of a request, in the transaction of what it writes."""

    async def __call__(
        self, tx: Tx, object_id: UUID, result: Mapping[str, Any] | None = None, /
    ) -> None:
        """Write the key; raises to undo the transaction if the key was used before."""
        ...


async def no_claim(_tx: Tx, _object_id: UUID, _result: Mapping[str, Any] | None = None, /) -> None:
    """Write nothing: the claim of a request without a key."""
