"""Orders, sending accounts and signed transactions as they are stored. Times are real time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.configuration import SponsorMethod
from landbridge.providers.evm.fees import GasFees


class OutboxState(StrEnum):
    """State of an order."""

    CREATED = "CREATED"  # waits for the signature of its (next) transaction
    SIGNED = "SIGNED"  # nonce and signed bytes are stored
    SENT = "SENT"  # a node has received the bytes
    MINED = "MINED"  # in a block; a reorganisation can return it to SENT
    CONFIRMED = "CONFIRMED"  # as deep as the chain's `confirmations` requires
    FINAL = "FINAL"  # can't be undone, except by a reorganisation below the chain's finality
    REVERTED = "REVERTED"  # final: only gas was paid, no coins
    REJECTED = "REJECTED"  # final: nothing was signed


FAILED_STATES = frozenset({OutboxState.REVERTED, OutboxState.REJECTED})
FINAL_STATES = FAILED_STATES | {OutboxState.FINAL}


class AttemptKind(StrEnum):
    """Kind of a signed transaction."""

    ORIGINAL = "original"
    REPLACEMENT = "replacement"  # same call and nonce with higher fees
    CANCELLATION = "cancellation"  # uses up the nonce without any effect


@dataclass(frozen=True, slots=True)
class PaymentLeg:
    """Units of the order's token for one address."""

    destination: str
    units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapTerms:
    """Terms of a swap: the currency bought, and the minimum of its units.

    `fee_units` are taken but not sold: they go to the address `fee_to`.
    """

    bought: str
    least_units: int
    fee_units: int
    fee_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxOrder:
    """Stored order. `source` pays; `wallet_id` is None for the organisation's own address.

    The single leg of a bridge's order is the recipient on the other chain. A burn names that chain
    in `into_chain`; a mint names its burn in `burn_key`, and has the nonce of its message once that
    is known.

    The single leg of a swap has the recipient of the coins bought, and the units taken from
    `source`. `received_units` is what the market gave, once that is final.

    `failed_at` is set on an order that was reopened after it was reported as failed. `confirmed_at`
    of such an order means that it has paid nevertheless.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    chain: str
    currency: str
    source: str
    wallet_id: UUID | None
    legs: tuple[PaymentLeg, ...]
    method: SponsorMethod | None
    step: int
    state: OutboxState
    reason: str | None
    transaction_hash: str | None
    confirmed_at: datetime | None
    created_at: datetime
    due_at: datetime
    is_refund: bool = False
    failed_at: datetime | None = None
    action: ChainAction = ChainAction.TRANSFER
    into_chain: str | None = None
    burn_key: UUID | None = None
    message_nonce: bytes | None = None
    swap: SwapTerms | None = None
    received_units: int | None = None

    @property
    def units_taken(self) -> int:
        """Return the units that leave the paying address."""
        takes = (ChainAction.TRANSFER, ChainAction.BURN, ChainAction.SWAP)
        return self.units if self.action in takes else 0

    @property
    def order_key(self) -> tuple[UUID, UUID]:
        """Return the organisation and the key, which identify the order."""
        return self.org_id, self.key

    @property
    def is_reported_as_failed(self) -> bool:
        """Return whether the order is reported to its payment as failed."""
        return self.failed_at is not None or self.state in FAILED_STATES

    @property
    def is_reported_as_paid(self) -> bool:
        """Return whether the order is reported to its payment as paid."""
        return self.confirmed_at is not None and self.failed_at is None

    @property
    def has_result(self) -> bool:
        """Return whether the order is reported as paid or as failed."""
        return self.is_reported_as_paid or self.is_reported_as_failed

    @property
    def units(self) -> int:
        """Return the sum of all legs, in units."""
        return sum(leg.units for leg in self.legs)

    @property
    def chain_key(self) -> bytes:
        """Return 32 bytes that a contract accepts once: the nonce of an authorization or batch."""
        return keccak256(b"landbridge.order" + self.org_id.bytes + self.key.bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionAttempt:
    """Signed transaction; `block_number` is None while it is in no block.

    `request` is the unsigned transaction, which a replacement signs again with other fees. Without
    `is_payment`, it prepares the payment, which is another transaction. `is_taken` is True if
    another party has used its nonce.
    """

    hash: str
    account: str
    nonce: int
    org_id: UUID
    key: UUID
    step: int
    kind: AttemptKind
    is_payment: bool
    raw: bytes
    request: bytes
    fees: GasFees
    created_at: datetime
    sent_at: datetime | None = None
    block_number: int | None = None
    block_hash: str | None = None
    is_success: bool | None = None
    gas_wei: int | None = None
    is_taken: bool = False

    @property
    def order_key(self) -> tuple[UUID, UUID]:
        """Return the organisation and the key of the order."""
        return self.org_id, self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingAccount:
    """Account that sends transactions; `relayer_index` is None for a wallet."""

    address: str
    relayer_index: int | None
    next_nonce: int
    stopped_at: datetime | None
    stopped_reason: str | None
    balance_wei: int | None


def check_interval(age: timedelta, *, shortest: timedelta, longest: timedelta) -> timedelta:
    """Return the wait until the next check of an order of this age: a tenth of its age."""
    return min(max(shortest, age // 10), longest)


def by_order(
    attempts: Sequence[TransactionAttempt],
) -> dict[tuple[UUID, UUID], list[TransactionAttempt]]:
    """Group attempts by their order."""
    found: dict[tuple[UUID, UUID], list[TransactionAttempt]] = {}
    for each in attempts:
        found.setdefault(each.order_key, []).append(each)
    return found
