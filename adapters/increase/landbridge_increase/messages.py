"""What Increase answers, and what it means: a table of states for each network, and of reasons.

Sources: increase.com/documentation/api, pages named at each table.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import msgspec

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    FailureCode,
    PayoutAnswer,
    PayoutReferences,
    PayoutState,
)

_CENTS = 100
_REFERENCE = re.compile(r"[A-Za-z0-9._:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class IncreaseNetwork:
    """A network, as Increase serves it. A status that is not in `states` is no answer.

    `pending_s` is when a pending transfer is queried again; webhooks come before.
    """

    path: str
    type: str
    states: Mapping[str, PayoutState]
    pending_s: int


# Networks by the names that the settings and the rails of payouts use.
NETWORKS = {
    # api/ach-transfers. `submitted` stays the status once it has settled: see `transfer_state`.
    "ach": IncreaseNetwork(
        "/ach_transfers",
        "ach_transfer",
        {
            "pending_approval": PayoutState.PENDING,
            "pending_transfer_session_confirmation": PayoutState.PENDING,
            "pending_reviewing": PayoutState.PENDING,
            "pending_submission": PayoutState.PENDING,
            "requires_attention": PayoutState.PENDING,
            "submitted": PayoutState.PENDING,
            "canceled": PayoutState.FAILED,
            "rejected": PayoutState.FAILED,
            "returned": PayoutState.RETURNED,
        },
        pending_s=900,
    ),
    # api/wire-transfers.
    "wire": IncreaseNetwork(
        "/wire_transfers",
        "wire_transfer",
        {
            "pending_approval": PayoutState.PENDING,
            "pending_reviewing": PayoutState.PENDING,
            "pending_creating": PayoutState.PENDING,
            "requires_attention": PayoutState.PENDING,
            "submitted": PayoutState.PENDING,
            "complete": PayoutState.SETTLED,
            "canceled": PayoutState.FAILED,
            "rejected": PayoutState.FAILED,
            "reversed": PayoutState.RETURNED,
        },
        pending_s=120,
    ),
    # api/real-time-payments-transfers.
    "rtp": IncreaseNetwork(
        "/real_time_payments_transfers",
        "real_time_payments_transfer",
        {
            "pending_approval": PayoutState.PENDING,
            "pending_reviewing": PayoutState.PENDING,
            "pending_submission": PayoutState.PENDING,
            "requires_attention": PayoutState.PENDING,
            "submitted": PayoutState.PENDING,
            "complete": PayoutState.SETTLED,
            "canceled": PayoutState.FAILED,
            "rejected": PayoutState.FAILED,
        },
        pending_s=20,
    ),
    # api/fednow-transfers.
    "fednow": IncreaseNetwork(
        "/fednow_transfers",
        "fednow_transfer",
        {
            "pending_approval": PayoutState.PENDING,
            "pending_reviewing": PayoutState.PENDING,
            "pending_submitting": PayoutState.PENDING,
            "pending_response": PayoutState.PENDING,
            "requires_attention": PayoutState.PENDING,
            "complete": PayoutState.SETTLED,
            "canceled": PayoutState.FAILED,
            "reviewing_rejected": PayoutState.FAILED,
            "rejected": PayoutState.FAILED,
        },
        pending_s=20,
    ),
}
NETWORK_OF_TYPE = {network.type: network for network in NETWORKS.values()}

# api/ach-transfers, `return.return_reason_code`. Others are `other`.
RETURN_REASONS = {
    "account_closed": FailureCode.ACCOUNT_CLOSED,
    "no_account": FailureCode.ACCOUNT_INVALID,
    "invalid_account_number_structure": FailureCode.ACCOUNT_INVALID,
    "routing_number_check_digit_error": FailureCode.ACCOUNT_INVALID,
    "invalid_ach_routing_number": FailureCode.ACCOUNT_INVALID,
    "non_transaction_account": FailureCode.UNSUPPORTED,
    "limited_participation_dfi": FailureCode.BANK_UNREACHABLE,
    "enr_invalid_individual_name": FailureCode.NAME_MISMATCH,
}
# api/real-time-payments-transfers and api/fednow-transfers, `rejection.reject_reason_code`. Others
# are `other`.
REJECT_REASONS = {
    "account_closed": FailureCode.ACCOUNT_CLOSED,
    "invalid_creditor_account_number": FailureCode.ACCOUNT_INVALID,
    "invalid_creditor_financial_institution_identifier": FailureCode.ACCOUNT_INVALID,
    "invalid_creditor_account_type": FailureCode.BANK_UNREACHABLE,
    "transaction_forbidden": FailureCode.BANK_UNREACHABLE,
    "transaction_type_not_supported": FailureCode.BANK_UNREACHABLE,
    "unsupported_message_for_recipient": FailureCode.BANK_UNREACHABLE,
    "recipient_connection_not_available": FailureCode.BANK_UNREACHABLE,
    "real_time_payments_suspended": FailureCode.BANK_UNREACHABLE,
    "instructed_agent_signed_off": FailureCode.BANK_UNREACHABLE,
    "amount_exceeds_bank_limits": FailureCode.LIMIT_EXCEEDED,
}


class IncreaseSettlement(msgspec.Struct, frozen=True):
    """When an ACH transfer has settled at the Federal Reserve."""

    settled_at: str


class IncreaseSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """How a transfer was submitted: each network has its own number."""

    trace_number: str | None = None
    input_message_accountability_data: str | None = None
    transaction_identification: str | None = None


class IncreaseReturn(msgspec.Struct, frozen=True, kw_only=True):
    """Return of an ACH transfer."""

    return_reason_code: str | None = None


class IncreaseReversal(msgspec.Struct, frozen=True):
    """Reversal of a wire."""

    amount: int


class IncreaseRejection(msgspec.Struct, frozen=True, kw_only=True):
    """Rejection by the network or the payee's bank."""

    reject_reason_code: str | None = None


class IncreaseMessage(msgspec.Struct, frozen=True):
    """Text that goes with a wire."""

    message: str


class IncreaseRemittance(msgspec.Struct, frozen=True, kw_only=True):
    """What goes with a wire."""

    unstructured: IncreaseMessage | None = None


class IncreaseTransfer(msgspec.Struct, frozen=True, kw_only=True, rename={"returned": "return"}):
    """Transfer of one of the networks; each has some of the optional members."""

    id: str
    type: str
    status: str
    amount: int
    currency: str
    account_number: str
    routing_number: str
    idempotency_key: str | None
    submission: IncreaseSubmission | None = None
    settlement: IncreaseSettlement | None = None
    returned: IncreaseReturn | None = None
    reversal: IncreaseReversal | None = None
    rejection: IncreaseRejection | None = None
    unique_end_to_end_transaction_reference: str | None = None
    statement_descriptor: str | None = None
    remittance: IncreaseRemittance | None = None
    unstructured_remittance_information: str | None = None


def payout_answer(key: UUID, transfer: IncreaseTransfer) -> PayoutAnswer:
    """Return the state of the payout of a key; raises `NoAnswer` if it is not clear."""
    state = transfer_state(transfer)
    if transfer.idempotency_key != str(key):
        raise NoAnswer("the answer is about another key")
    pending_s = NETWORK_OF_TYPE[transfer.type].pending_s
    return PayoutAnswer(
        key=key,
        state=state,
        amount=dollars(transfer.amount),
        currency=transfer.currency.lower(),
        provider_reference=transfer.id,
        expected_in_seconds=pending_s if state is PayoutState.PENDING else None,
        failure_code=_failure(transfer, state),
        references=_references(transfer),
    )


def dollars(cents: int) -> str:
    """Return an amount in dollars; raises `NoAnswer` if it is not positive."""
    if cents <= 0:
        raise NoAnswer("the amount is not positive")
    return f"{cents // _CENTS}.{cents % _CENTS:02}"


def transfer_state(transfer: IncreaseTransfer) -> PayoutState:
    """Return the state of a transfer; raises `NoAnswer` if it is not in the tables."""
    network = NETWORK_OF_TYPE.get(transfer.type)
    state = None if network is None else network.states.get(transfer.status)
    if state is None:
        raise NoAnswer("the status is not known")
    if transfer.type == "ach_transfer" and transfer.status == "submitted" and transfer.settlement:
        return PayoutState.SETTLED
    if transfer.type == "wire_transfer" and state is PayoutState.RETURNED:
        reversal = transfer.reversal
        if reversal is None or reversal.amount != transfer.amount:
            raise NoAnswer("the wire was not reversed as a whole")
    return state


def _failure(transfer: IncreaseTransfer, state: PayoutState) -> FailureCode | None:
    if state not in {PayoutState.FAILED, PayoutState.RETURNED}:
        return None
    found: FailureCode | None = None
    if transfer.returned is not None:
        found = RETURN_REASONS.get(transfer.returned.return_reason_code or "")
    if transfer.rejection is not None:
        found = REJECT_REASONS.get(transfer.rejection.reject_reason_code or "")
    return found or FailureCode.OTHER


def _references(transfer: IncreaseTransfer) -> PayoutReferences:
    submission = transfer.submission or IncreaseSubmission()
    return PayoutReferences(
        trace_number=_number(submission.trace_number or submission.transaction_identification),
        imad=_number(submission.input_message_accountability_data),
        uetr=_number(transfer.unique_end_to_end_transaction_reference),
    )


def _number(text: str | None) -> str | None:
    """Return a reference if it is one: a text of another form would spoil the answer."""
    return text if _REFERENCE.fullmatch(text or "") else None
