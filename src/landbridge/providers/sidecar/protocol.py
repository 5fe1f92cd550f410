"""Messages of the provider protocol, version 1, as they are on the wire.

Source: docs/reference/provider-protocol.md; docs/reference/provider-openapi.json says the same.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.providers.kyt.port import RiskCategory, ScreenedKind, ScreeningDirection
from landbridge.providers.rails.port import PayeeMatch
from landbridge.providers.sidecar.requested_outcomes import RequestedTravel, RequestedVerification

PAYOUTS_PATH = "/v1/payouts"
QUERY_PATH = "/v1/payouts/query"
DESCRIBE_PATH = "/v1/describe"
ACCOUNTS_PATH = "/v1/accounts"
CREDITS_PATH = "/v1/credits/query"
TEST_CREDITS_PATH = "/v1/test/credits"
SCREENINGS_PATH = "/v1/screenings"
SCREENING_QUERY_PATH = "/v1/screenings/query"

# Maximum of one day: a payment in progress is queried at least once a day.
EXPECTED_IN_S_MAX = 86_400
# Credits of one page, which locks rows for some milliseconds.
CREDITS_MAX = 50
# Reference of a bank: letters, digits and a few signs, so that it can't contain a sentence or a
# name. `$` would also match before a final line break.
ProviderReference = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:/-]{1,64}\Z")]
_Amount = Annotated[str, Meta(pattern=r"^[0-9]{1,30}(\.[0-9]{1,18})?\Z")]
_Currency = Annotated[str, Meta(pattern=r"^[a-z]{3}\Z")]
PricedCurrency = Annotated[str, Meta(pattern=r"^[a-z]{3,8}\Z")]
_AccountNumber = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,64}\Z")]
_Cursor = Annotated[str, Meta(pattern=r"^[!-~]{1,200}\Z")]
# Text from a bank, without control characters.
BankText = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,500}\Z")]


class PayoutState(StrEnum):
    """State of a payout at the provider."""

    PENDING = "pending"  # accepted, not final
    SETTLED = "settled"  # the payee has it
    FAILED = "failed"  # the payee does not get it
    RETURNED = "returned"  # the payee's bank sent it back, also after it was settled


class FailureCode(StrEnum):
    """Why a payout was refused, or failed. Each has a sentence of ours: no text of a bank is."""

    ACCOUNT_CLOSED = "account_closed"
    ACCOUNT_INVALID = "account_invalid"
    NAME_MISMATCH = "name_mismatch"
    BANK_UNREACHABLE = "bank_unreachable"
    LIMIT_EXCEEDED = "limit_exceeded"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    COMPLIANCE = "compliance"
    UNSUPPORTED = "unsupported"
    CREDIT_GONE = "credit_gone"
    OTHER = "other"


class RequestedOutcome(StrEnum):
    """What a sidecar under test is asked to do with a payout."""

    SETTLE = "settle"  # pending, then settled
    REFUSE = "refuse"  # refused for good
    FAIL = "fail"  # pending, then failed
    RETURN = "return"  # pending, settled, then returned
    SILENCE = "silence"  # accepted, and the first call is never answered
    NOT_DONE = "not_done"  # the first call is answered with `not_done`, the next one accepts it


class RequestedScreening(StrEnum):
    """What a sidecar under test is asked to answer about a deposit or payment."""

    CLEAR = "clear"  # clear at once
    HIT = "hit"  # a hit at once
    LATE = "late"  # pending, then clear
    SILENCE = "silence"  # the first call is never answered, later ones are clear


class ErrorCode(StrEnum):
    """Errors of a sidecar that are not about the payee."""

    UNKNOWN_KEY = "unknown_key"
    KEY_CONFLICT = "key_conflict"
    NOT_DONE = "not_done"


FAILURES = {
    FailureCode.ACCOUNT_CLOSED: "the payee's account is closed",
    FailureCode.ACCOUNT_INVALID: "the payee's account does not exist",
    FailureCode.NAME_MISMATCH: "the payee's name does not match the account",
    FailureCode.BANK_UNREACHABLE: "the payee's bank can't be reached by this rail",
    FailureCode.LIMIT_EXCEEDED: "the amount is above a limit of the provider or the payee's bank",
    FailureCode.INSUFFICIENT_FUNDS: "the organisation's account at the provider lacks the money",
    FailureCode.COMPLIANCE: "the provider refused it for reasons of compliance",
    FailureCode.UNSUPPORTED: "the provider does not carry such payments",
    FailureCode.CREDIT_GONE: "the credit was returned or reversed before",
    FailureCode.OTHER: "the provider refused it",
}


class SidecarMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of all messages. Unknown members of an answer are ignored, so that sidecars can grow."""


class PayoutRequest(SidecarMessage, frozen=True):
    """Order of a payout. `key` is ours, and the same for every attempt of the same payout.

    `payee` and `texts` are as the account and the payment have them in the API. The return of a
    credit to its sender has its id as `returns`, and no payee. `testOutcome` is sent by `landbridge
    adapters test` only; a sidecar that moves real money refuses it.
    """

    key: UUID
    org_id: UUID
    amount: str
    currency: str
    rail: str
    is_same_day: bool
    texts: dict[str, str]
    payee: dict[str, Any] | None = None
    returns: ProviderReference | None = None
    test_outcome: RequestedOutcome | None = None


class PayoutQuery(SidecarMessage, frozen=True):
    """Question about a payout."""

    key: UUID


class PayoutReferences(SidecarMessage, frozen=True):
    """References that identify a payout at banks."""

    trace_number: ProviderReference | None = None
    imad: ProviderReference | None = None
    omad: ProviderReference | None = None
    uetr: ProviderReference | None = None


class PayoutAnswer(SidecarMessage, frozen=True):
    """State of a payout. Amount and currency are those that the provider pays.

    `expectedInSeconds` is when the next change is expected, from now.
    """

    key: UUID
    state: PayoutState
    amount: _Amount
    currency: _Currency
    provider_reference: ProviderReference
    expected_in_seconds: Annotated[int, Meta(ge=0, le=EXPECTED_IN_S_MAX)] | None = None
    failure_code: FailureCode | None = None
    references: PayoutReferences = PayoutReferences()


class PayoutRefusal(SidecarMessage, frozen=True):
    """Refusal of a payout, for good: nothing was paid under this key, and nothing will be."""

    key: UUID
    failure_code: FailureCode


class SidecarError(SidecarMessage, frozen=True):
    """Error of a call."""

    code: ErrorCode


class ScreenedSender(SidecarMessage, frozen=True):
    """Sender of a deposit of fiat, as its bank says; a routing number may be a BIC or a sort code.

    Personal data. Not limited in form, as it comes from banks.
    """

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


class ScreeningRequest(SidecarMessage, frozen=True):
    """Deposit from outside, or payment to outside, to screen. `key` is ours, and never changes.

    Coins have `chain` and addresses, and deposits of coins `transactionHash`. Fiat has `rail`; a
    deposit has `sender` if the bank reports one, a payment has `payee` as in `PayoutRequest`.
    `testOutcome` is sent by `landbridge adapters test` only.
    """

    key: UUID
    org_id: UUID
    amount: str
    currency: str
    direction: ScreeningDirection = ScreeningDirection.DEPOSIT
    chain: str | None = None
    transaction_hash: str | None = None
    source_address: str | None = None
    destination_address: str | None = None
    rail: str | None = None
    sender: ScreenedSender | None = None
    payee: dict[str, Any] | None = None
    test_outcome: RequestedScreening | None = None


class ScreeningQuery(SidecarMessage, frozen=True):
    """Question about what was submitted before."""

    key: UUID


class ScreeningState(StrEnum):
    """What the provider says about a deposit or payment."""

    PENDING = "pending"  # not decided yet
    CLEAR = "clear"  # final: nothing speaks against it
    HIT = "hit"  # final: it is held for people to decide


class ScreeningAnswer(SidecarMessage, frozen=True):
    """State of a screening. `categories` say what a hit is about."""

    key: UUID
    state: ScreeningState
    provider_reference: ProviderReference
    categories: Annotated[tuple[RiskCategory, ...], Meta(max_length=20)] = ()
    expected_in_seconds: Annotated[int, Meta(ge=1, le=EXPECTED_IN_S_MAX)] | None = None


class DescribeRequest(SidecarMessage, frozen=True):
    """Question who answers. Empty."""


class SidecarDescription(SidecarMessage, frozen=True):
    """What a sidecar says about itself.

    `testOutcomes` (of payouts) and the other outcomes are those that `landbridge adapters test` can
    ask for; none where it moves real money. It takes `deposits` and has `rates` of these
    currencies. `neverRunLive`: built from documentation, and has moved no real money.
    """

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    protocol: Annotated[int, Meta(ge=1, le=1)]
    test_outcomes: Annotated[tuple[RequestedOutcome, ...], Meta(max_length=20)] = ()
    deposits: Annotated[tuple[_Currency, ...], Meta(max_length=50)] = ()
    screening_outcomes: Annotated[tuple[RequestedScreening, ...], Meta(max_length=20)] = ()
    screens: Annotated[tuple[ScreenedKind, ...], Meta(min_length=1)] = tuple(ScreenedKind)
    payee_outcomes: Annotated[tuple[PayeeMatch, ...], Meta(max_length=20)] = ()
    identity_outcomes: Annotated[tuple[RequestedVerification, ...], Meta(max_length=20)] = ()
    rates: Annotated[tuple[PricedCurrency, ...], Meta(max_length=100)] = ()
    travel_outcomes: Annotated[tuple[RequestedTravel, ...], Meta(max_length=20)] = ()
    never_run_live: bool = False


class SidecarWebhook(SidecarMessage, frozen=True):
    """News: what has `key` changed, or there are new `credits`. Says never how: we query."""

    key: UUID | None = None
    credits: bool = False


class CreditRail(StrEnum):
    """Rail by which a credit came."""

    ACH = "ach"
    WIRE = "wire"
    RTP = "rtp"
    SWIFT = "swift"
    SEPA = "sepa"
    SEPA_INSTANT = "sepaInstant"
    PIX = "pix"
    SPEI = "spei"
    BANK = "bank"
    MOMO = "momo"


class DepositAccountRequest(SidecarMessage, frozen=True):
    """Request of an account for deposits: the same key is answered with the same one, for ever."""

    key: UUID
    org_id: UUID
    currency: _Currency


class DepositNumbers(SidecarMessage, frozen=True):
    """Numbers by which payers in the USA reach an account."""

    routing_number: _AccountNumber
    account_number: _AccountNumber


class DepositRails(SidecarMessage, frozen=True):
    """Numbers by rail, where the account is reached by it."""

    ach: DepositNumbers | None = None
    wire: DepositNumbers | None = None
    rtp: DepositNumbers | None = None


class DepositAccountAnswer(SidecarMessage, frozen=True):
    """Account for deposits, and what payers need to know.

    `accountNumber` names it in credits, and belongs to no other account of the provider.
    `instruction` is for payers elsewhere, for example an IBAN.
    """

    key: UUID
    currency: _Currency
    account_number: _AccountNumber
    bank_name: BankText
    bank_address: BankText
    beneficiary_name: BankText
    beneficiary_address: BankText
    swift_code: BankText | None = None
    rails: DepositRails = DepositRails()
    instruction: BankText | None = None


class CreditsQuery(SidecarMessage, frozen=True):
    """Question about the credits after a cursor; from the first one without a cursor."""

    limit: Annotated[int, Meta(ge=1, le=CREDITS_MAX)]
    after: _Cursor | None = None


class ProviderCreditSender(SidecarMessage, frozen=True):
    """The sender, as the bank says; the routing number may be a BIC or a sort code."""

    name: BankText | None = None
    bank_name: BankText | None = None
    routing_number: BankText | None = None
    account_number: BankText | None = None


class CreditId(SidecarMessage, frozen=True):
    """The id of a credit."""

    id: ProviderReference


class ProviderCredit(CreditId, frozen=True):
    """Money that has arrived, for good. `id` is the provider's own, and names nothing else, ever.

    `reference` is the sender's message.
    """

    account_number: _AccountNumber
    amount: _Amount
    currency: _Currency
    rail: CreditRail
    received_at: Annotated[datetime, Meta(tz=True)]
    reference: BankText | None = None
    description: BankText | None = None
    sender: ProviderCreditSender | None = None


class CreditsAnswer(SidecarMessage, frozen=True):
    """Credits in the order of the provider, at most as many as the limit.

    `reversed` are ids of credits that the bank has taken back. `next` is the cursor behind them; if
    it is not there, or the one that was sent, there are no more.
    """

    credits: Annotated[tuple[ProviderCredit, ...], Meta(max_length=CREDITS_MAX)]
    reversed: Annotated[tuple[ProviderReference, ...], Meta(max_length=CREDITS_MAX)] = ()
    next: _Cursor | None = None


class RawCreditsAnswer(SidecarMessage, frozen=True):
    """`CreditsAnswer` with undecoded credits, so that an invalid one does not hide the others."""

    credits: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=CREDITS_MAX)]
    reversed: Annotated[tuple[ProviderReference, ...], Meta(max_length=CREDITS_MAX)] = ()
    next: _Cursor | None = None


class RequestedCredit(SidecarMessage, frozen=True):
    """Credit that a sidecar under test is asked to make up; `isReversed` reverses one.

    A sidecar that moves real money does not know this call.
    """

    credit: ProviderCredit
    is_reversed: bool = False
