"""What EBANX answers, and what it means: one table each for statuses, refusals and reasons.

Sources: docs.ebanx.com, pages named at each table.
"""

import re
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

import msgspec

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import FailureCode, PayoutAnswer, PayoutState

# docs/payout/general/notification and cancel-payout: open, in progress, paid, cancelled.
OPEN_STATUS = "OP"
STATES = {
    OPEN_STATUS: PayoutState.PENDING,
    "PE": PayoutState.PENDING,
    "PA": PayoutState.SETTLED,
    "CA": PayoutState.FAILED,
}
# docs/payout/createPayout/payoutErrorCodes. A code that is not here is no answer.
DUPLICATE_CODE = "HP-CM-03"
REFUSALS = {
    "HP-BR-02": FailureCode.ACCOUNT_INVALID,  # no PIX key
    "HP-BR-03": FailureCode.ACCOUNT_INVALID,  # PIX key not valid
    "HP-BR-07": FailureCode.ACCOUNT_INVALID,  # PIX key of a kind that is not known
    "HP-BR-08": FailureCode.ACCOUNT_INVALID,  # ISPB number not valid
    "HP-CF-01": FailureCode.COMPLIANCE,  # tax number blocked
}
# docs/payout/createPayout/canceledErrors, general and Brazil. Others are `other`.
REASONS = {
    "ACCOUNT_DOESNT_EXISTS": FailureCode.ACCOUNT_INVALID,
    "BANK_INFO": FailureCode.ACCOUNT_INVALID,
    "INCORRECT_ACCOUNT_TYPE": FailureCode.ACCOUNT_INVALID,
    "INCORRECT_CUSTOMER_DATA": FailureCode.ACCOUNT_INVALID,
    "SERVICE_UNAVAILABLE": FailureCode.BANK_UNREACHABLE,
    "TAX_ID_MISMATCH": FailureCode.NAME_MISMATCH,
    "UNSUPPORTED_TRANSACTION": FailureCode.UNSUPPORTED,
}
# When a payout is asked about again; EBANX notifies before, if it is set up.
_PENDING_S = 20
_DEPTH_MAX = 8
# An exponent could make a billion digits of a few.
_AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,8})?")


class EbanxPayout(msgspec.Struct, frozen=True, kw_only=True):
    """Payout as `/ws/payout/retrieve` has it. Source: docs/payout/general/consultPayout."""

    uid: str
    external_reference: str
    status: str
    request_amount: str
    request_currency: str
    paid_date: str | None = None


class EbanxAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of EBANX: `type` is `success`, or a kind of error with its `code`."""

    type: str
    code: str | None = None
    payout: msgspec.Raw = msgspec.Raw(b"null")

    def read_payout(self) -> tuple[EbanxPayout, FailureCode]:
        """Return the payout, and why it was cancelled if it was; raises `NoAnswer`."""
        try:
            payout = msgspec.json.decode(self.payout, type=EbanxPayout)
            reason = _reason(msgspec.json.decode(self.payout), _DEPTH_MAX)
        except (msgspec.MsgspecError, RecursionError):
            raise NoAnswer("an answer without a valid payout") from None
        return payout, REASONS.get(reason or "", FailureCode.OTHER)


def payout_answer(key: UUID, payout: EbanxPayout, reason: FailureCode) -> PayoutAnswer:
    """Return the state of the payout of a key; raises `NoAnswer` if it is not clear."""
    if payout.external_reference != str(key):
        raise NoAnswer("the answer is about another reference")
    state = STATES.get(payout.status)
    if state is None:
        raise NoAnswer("the status is not known")
    if state is PayoutState.FAILED and payout.paid_date:
        state = PayoutState.RETURNED
    return PayoutAnswer(
        key=key,
        state=state,
        amount=f"{exact_amount(payout):f}",
        currency=payout.request_currency.lower(),
        provider_reference=payout.uid,
        expected_in_seconds=_PENDING_S if state is PayoutState.PENDING else None,
        failure_code=reason if state in {PayoutState.FAILED, PayoutState.RETURNED} else None,
    )


def exact_amount(payout: EbanxPayout) -> Decimal:
    """Return the amount in units of the currency; raises `NoAnswer`."""
    text = payout.request_amount
    amount = Decimal(text) if _AMOUNT.fullmatch(text) else Decimal(0)
    if not amount:
        raise NoAnswer("the amount is no positive number")
    return amount


def _reason(value: object, depth: int) -> str | None:
    """Return the code of the error object, which has `gateway_details`.

    The documentation has the object, and not its place in the payout.
    """
    if depth == 0:
        return None
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        code = members.get("code")
        if isinstance(code, str) and "gateway_details" in members:
            return code
        inner: list[object] = list(members.values())
    elif isinstance(value, list):
        inner = cast("list[object]", value)
    else:
        return None
    return next((found for each in inner if (found := _reason(each, depth - 1))), None)
