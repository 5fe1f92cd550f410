"""Test outcomes in Increase's sandbox, where nothing moves before it is simulated.

Source: increase.com/documentation/api, simulations of each network. What an order is to become is
the text that its payee would see, so that a copy that starts later knows it too.
"""

from collections.abc import Mapping
from typing import Any

from landbridge.providers.packages.http_client import path_segment
from landbridge.providers.packages.interface import (
    FailureCode,
    PayoutRefused,
    PayoutRequest,
    PayoutState,
    RequestedOutcome,
)
from landbridge_increase.client import IncreaseApi, IncreaseRefusal
from landbridge_increase.messages import NETWORK_OF_TYPE, IncreaseTransfer, transfer_state
from landbridge_increase.settings import IncreaseOptions

_TEXTS = {
    RequestedOutcome.SETTLE: "testsettle",
    RequestedOutcome.RETURN: "testreturn",
    RequestedOutcome.FAIL: "testfail",
}
_TEXT_NAMES = ("achReference", "wireMessage", "paymentReference")
_REJECTION = {"rejection": {"reject_reason_code": "account_closed"}}
_SETTLES = {
    "ach_transfer": "settle",
    "wire_transfer": "submit",
    "real_time_payments_transfer": "complete",
    "fednow_transfer": "complete",
}
_RETURNS = {"ach_transfer": "return", "wire_transfer": "reverse"}


def test_texts(request: PayoutRequest, options: IncreaseOptions) -> Mapping[str, str]:
    """Return the texts of an order; refuses a test outcome where there is none."""
    outcome = request.test_outcome
    if outcome is None:
        return request.texts
    if not options.sandbox or outcome not in options.test_outcomes:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    return dict.fromkeys(_TEXT_NAMES, _TEXTS[outcome])


async def advance(api: IncreaseApi, transfer: IncreaseTransfer) -> IncreaseTransfer:
    """Have the sandbox do the next thing with a test order, and return it as it is then."""
    outcome = _outcome(transfer)
    state = transfer_state(transfer)
    name: str | None = None
    if outcome is not None and state is PayoutState.PENDING:
        name = _SETTLES[transfer.type]
    elif outcome is RequestedOutcome.RETURN and state is PayoutState.SETTLED:
        name = _RETURNS.get(transfer.type)
    if name is None:
        return transfer
    body: Mapping[str, Any] = _REJECTION if outcome is RequestedOutcome.FAIL else {}
    path = NETWORK_OF_TYPE[transfer.type].path
    identifier = path_segment(transfer.id)
    try:
        return await api.act(f"/simulations{path}/{identifier}/{name}", body, IncreaseTransfer)
    except IncreaseRefusal:
        # Another copy was faster: as it is now.
        return await api.get(f"{path}/{identifier}", IncreaseTransfer)


def _outcome(transfer: IncreaseTransfer) -> RequestedOutcome | None:
    remittance = transfer.remittance
    message = None if remittance is None else remittance.unstructured
    shown = (
        transfer.statement_descriptor,
        transfer.unstructured_remittance_information,
        None if message is None else message.message,
    )
    return next((outcome for outcome, text in _TEXTS.items() if text in shown), None)
