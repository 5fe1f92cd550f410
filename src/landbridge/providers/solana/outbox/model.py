"""Signed transactions of Solana as stored. Times are real time."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class SolanaAttempt:
    """Signed transaction of one step of an order; `slot` and later fields are set once it is final.

    No block above the height `last_valid_height` can have it. `signed_slot` is a slot before it was
    signed. `unit_price` is in micro-lamports per compute unit.
    """

    org_id: UUID
    key: UUID
    step: int
    signature: str
    relayer: str
    raw: bytes
    last_valid_height: int
    signed_slot: int
    unit_price: int
    created_at: datetime
    sent_at: datetime | None = None
    slot: int | None = None
    is_success: bool | None = None
    paid_lamports: int | None = None

    @property
    def order_key(self) -> tuple[UUID, UUID]:
        """Return the organisation and the key of the order."""
        return self.org_id, self.key
