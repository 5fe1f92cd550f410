"""The port to the banks that pay out, and give back what came in.

As with chains: an order has a key of ours, is carried out once, and can be asked about. What comes
in arrives at `receipts`, from whatever reads the bank's statements.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from landbridge.core.ids import derived_id
from landbridge.core.money import Money


class PaidState(StrEnum):
    """Where a payment stands at the bank."""

    PENDING = "pending"  # taken; waits for settlement
    SETTLED = "settled"  # final: the payee has it
    FAILED = "failed"  # final: refused, or returned to us


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """Fiat that leaves: a payout, or a deposit that is given back (`returns` is then its id).

    `record_id` is what it is of: a record, or a receipt that goes back; it may have several.
    `rail` is how, as in `ach` or `sepaInstant`. `payee` is the bank and holder, as stored with the
    account; it is personal, and an adapter keeps no copy beyond what the payment needs. `texts`
    are references by their names in the contract, as in `achReference`.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    money: Money
    rail: str
    is_same_day: bool
    payee: Mapping[str, Any]
    texts: Mapping[str, str]
    at: datetime
    returns: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracking:
    """By what a bank finds a payment again. Source: contract, lifecycles 8."""

    payment_rail: str
    trace_number: str | None = None
    fed_batch_id: str | None = None
    imad: str | None = None
    omad: str | None = None
    uetr: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """What the bank says of a payment.

    `expected_at` is when asking again is worth while (organisation time), None once final.
    `reason` is a sentence without personal data, of the adapter's own words: it is kept in clear,
    logged, and shown as `failedReason`. What the bank itself wrote may name people and accounts:
    an adapter maps it, and passes none of it on. The same goes for the text of a `Rejected`.
    """

    state: PaidState
    tracking: Tracking
    expected_at: datetime | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinates:
    """Where a payer sends fiat to us. Source: contract, interface/onramp (depositInfo).

    `rails` maps `ach`, `wire` and `rtp` to (routing number, account number), where they work.
    `instruction` is what else a payer must know, as in the number to pay where there are no such
    rails; None if there is nothing.
    """

    bank_name: str
    bank_address: str
    swift_code: str | None
    beneficiary_name: str
    beneficiary_address: str
    rails: Mapping[str, tuple[str, str]]
    instruction: str | None = None


def shared_seed(org_id: UUID, currency: str) -> UUID:
    """Seed of the one number on which deposits arrive that are told apart by their reference."""
    return derived_id(org_id, f"onramps/{currency}")


class Rails(Protocol):
    """Moves fiat; never called inside a database transaction."""

    @property
    def remembers(self) -> timedelta | None:
        """How long a payment is carried out once per key; None is for ever.

        A payment that was never confirmed is not given again after that: a person finds out.
        """
        ...

    async def pay(self, payment: Payment) -> Paid:
        """Carry a payment out, once per (organisation, key); answers how it stands.

        Raises `Rejected` (for good, nothing happened), `Unavailable` (not done, may be asked
        again) and `Unclear` (ask about the key).
        """
        ...

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        """How a payment stands at `at`; None if it never arrived.

        Raises `Unavailable`.
        """
        ...

    async def why_not(self, payment: Payment) -> str | None:
        """Why `pay` would refuse this for good, in a sentence without personal data; None if not.

        So that whoever asks for a payment is told before coins are taken for it.
        """
        ...

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        """Where to send `currency` so that it arrives on the organisation's account of this number.

        None where no bank of the organisation's takes this currency. Answers from memory or from
        our own database: it is asked for each record of a list.
        """
        ...

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """An account number on which the organisation takes `currency`, the same for the same seed.

        Raises `Unavailable` where no bank of the organisation's takes it.
        """
        ...
