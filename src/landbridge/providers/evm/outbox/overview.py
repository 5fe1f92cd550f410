"""Orders and sending accounts for operators. Times are real time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.outbox.model import OutboxState


@dataclass(frozen=True, slots=True, kw_only=True)
class OldestOrder:
    """Order that has waited longest; `reason` is why it waits, None if unknown."""

    org_id: UUID
    record_id: UUID
    state: OutboxState
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OpenOrders:
    """Orders that are not final, by state, and the oldest order without its confirmations.

    `unpaid` counts orders that were reported as paid, but have lost their confirmations.
    """

    counts: Mapping[OutboxState, int]
    unpaid: int
    oldest: OldestOrder | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOverview:
    """Account that sends transactions; `relayer_index` is None for a wallet.

    `in_flight` counts nonces that are in no block. The balance was read at `checked_at`.
    """

    address: str
    relayer_index: int | None
    next_nonce: int
    stopped_at: datetime | None
    stopped_reason: str | None
    balance_wei: int | None
    checked_at: datetime | None
    in_flight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAttempt:
    """Signed transaction on Solana; `account` is the relayer, `block_number` its slot.

    `unit_price` is in micro-lamports for each compute unit.
    """

    hash: str
    account: str
    unit_price: int
    created_at: datetime
    sent_at: datetime | None
    block_number: int | None
    is_success: bool | None
    paid_lamports: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOverview:
    """Order of a record, with the number of its recipients and their units in total."""

    key: UUID
    chain: str
    currency: str
    source: str
    method: str | None
    state: OutboxState
    reason: str | None
    transaction_hash: str | None
    confirmed_at: datetime | None
    created_at: datetime
    due_at: datetime
    action: ChainAction
    recipients: int
    units: int
