"""Port to the banks that send payouts and return deposits.

As with chains, an order carries our idempotency key, is carried out once, and can be queried.
Incoming payments are recorded by the code that reads the bank's statements.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.errors import Busy, Unavailable
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money


class RailPaymentState(StrEnum):
    """Status of a payment at the bank."""

    PENDING = "pending"  # accepted; waits for settlement
    SETTLED = "settled"  # final: received by the payee
    FAILED = "failed"  # final: rejected, or returned to us


class PayeeMatch(StrEnum):
    """How a payee's name compares with the account holder's, by the payee's bank."""

    MATCH = "match"
    CLOSE_MATCH = "close_match"  # similar name; the bank has given the holder's name
    NO_MATCH = "no_match"
    UNAVAILABLE = "unavailable"  # no bank answered, which says nothing about the payee


@dataclass(frozen=True, slots=True, kw_only=True)
class PayeeVerification:
    """Result about a payee.

    `name` is the holder's (personal data), given only for a close match.
    """

    match: PayeeMatch
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutDestination:
    """Destination of a payout: `payee` is as in `RailPayment`, `currency` for example `usd`."""

    org_id: UUID
    rail: str
    currency: str
    payee: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RailPayment:
    """Outgoing fiat payment: a payout, or the return of a deposit (`returns` is its id).

    `record_id` is the transfer, or the incoming payment that is returned; it may have several
    payments. `rail` is the scheme, for example `ach` or `sepaInstant`. `payee` is the bank and
    account holder, as stored with the account; it is personal data, and an adapter stores no copy
    beyond what the payment needs. `texts` are references by their names in the contract, for
    example `achReference`. `account_id` is the payee's account, if it is one of ours by its type.
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
    account_id: UUID | None = None

    @property
    def destination(self) -> PayoutDestination:
        """Return the destination of the payment."""
        return PayoutDestination(
            org_id=self.org_id,
            rail=self.rail,
            currency=self.money.asset.currency,
            payee=self.payee,
        )

    @property
    def goes_to_sender(self) -> bool:
        """Return whether it returns a deposit to its sender, not to an account of ours by type."""
        return self.returns is not None and "type" not in self.payee


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTracking:
    """References that identify a payment at banks. Source: contract, lifecycles 8."""

    payment_rail: str
    trace_number: str | None = None
    fed_batch_id: str | None = None
    imad: str | None = None
    omad: str | None = None
    uetr: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RailPaymentStatus:
    """Status of a payment as the bank reports it.

    `expected_at` is the earliest useful time of the next query (organisation time), None once
    final. `reason` is a sentence of the adapter without personal data: it is stored in clear,
    logged, and shown as `failedReason`. Texts of the bank may name people and accounts: an adapter
    never forwards them, and uses its own sentences. The same holds for the text of a `Rejected`.
    """

    state: RailPaymentState
    tracking: PaymentTracking
    expected_at: datetime | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DepositCoordinates:
    """Account to which a payer sends fiat. Source: contract, interface/onramp (depositInfo).

    `rails` maps `ach`, `wire` and `rtp` to (routing number, account number), where they are
    supported. `instruction` is further information for the payer, for example the account number
    where those rails do not exist; None if there is none.
    """

    bank_name: str
    bank_address: str
    swift_code: str | None
    beneficiary_name: str
    beneficiary_address: str
    rails: Mapping[str, tuple[str, str]]
    instruction: str | None = None


def shared_seed(org_id: UUID, currency: str) -> UUID:
    """Return the seed of the shared account number, where deposits are matched by reference."""
    return derived_id(org_id, f"onramps/{currency}")


class Rails(Protocol):
    """Moves fiat; never called inside a database transaction."""

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return how long a key is idempotent; None means for ever.

        After that an unconfirmed payment is not sent again: an operator has to find out its result.
        """
        ...

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Submit a payment, once per (organisation, key), and return its status.

        Raises `Rejected` (final, nothing happened), `Unavailable` (not done, may be retried) and
        `Unclear` (query the key).
        """
        ...

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Return the status of a payment at `at`; None if it never arrived.

        Raises `Unavailable`.
        """
        ...

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return why `pay` would reject this for good, without personal data; None if it would not.

        Callers check this first, so that no coins are taken for a payment that can't be made.
        """
        ...

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return whether the payee's bank has the account under this name; moves no money.

        Returns `unavailable` if no bank answers, instead of raising.
        """
        ...

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return where to send `currency` so that it arrives on this account of the organisation.

        None if no bank of the organisation takes this currency. Answers from memory or from our own
        database: lists call it once per record.
        """
        ...

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return whether a bank of the organisation takes deposits in `currency`."""
        ...

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Return an account number for deposits in `currency`, the same for the same seed.

        Raises `Unavailable` if no bank of the organisation takes the currency.
        """
        ...


async def give_number(rails: Rails, org_id: UUID, currency: str, seed: UUID) -> str:
    """Return the account number of a seed, in a request; raises `Busy` while there is none."""
    try:
        return await rails.new_account_number(org_id, currency, seed)
    except Unavailable as error:
        raise Busy(f"no bank gives an account for {currency} now; try again later") from error
