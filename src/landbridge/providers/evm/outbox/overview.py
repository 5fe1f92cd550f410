"""Orders and sending accounts as operators see them. Times are real time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.outbox.model import OutboxState


@dataclass(frozen=True, slots=True, kw_only=True)
class OldestOrder:
    """The order that has waited longest; `reason` is what it waits for, if that is known."""

    org_id: UUID
    record_id: UUID
    state: OutboxState
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OpenOrders:
    """Orders that are not final, by state, and the oldest of those without confirmations.

    `unpaid` counts those that were reported as paid, and have no confirmations now.
    """

    counts: Mapping[OutboxState, int]
    unpaid: int
    oldest: OldestOrder | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOverview:
    """Account that sends transactions; `relayer_index` is None for a wallet.

    `in_flight` counts nonces that no block has yet. The balance is that of `checked_at`.
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
    """Signed transaction of Solana; `account` is the relayer, `block` the slot that has it.

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
    """Order of a record: how many recipients get how many units of the currency in all."""

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
