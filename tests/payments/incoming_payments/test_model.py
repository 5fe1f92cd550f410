"""Decisions about deposits, by status: each refusal occurs, and nothing else is refused."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.incoming_payments.model import (
    MATCHED_WITHIN,
    IncomingPaymentStatus,
    decision_refusal,
    return_refusal,
    settlement_refusal,
)
from landbridge.platform.core.errors import Refused, ResourceConflict
from tests.payments.reached_states import AT
from tests.payments.record_factories import incoming_payment

DECISIONS = {
    IncomingPaymentStatus.SCREENING: "waits for its screening",
    IncomingPaymentStatus.UNMATCHED: None,
    IncomingPaymentStatus.NEW: "not processed yet",
    IncomingPaymentStatus.MATCHED: "matched already",
    IncomingPaymentStatus.RETURNING: "being returned",
    IncomingPaymentStatus.RETURNED: "being returned",
}


def _check(refusal: Refused | None, words: str | None) -> None:
    if words is None:
        assert refusal is None
    else:
        assert isinstance(refusal, ResourceConflict)
        assert words in refusal.message


@pytest.mark.parametrize("status", IncomingPaymentStatus)
def test_only_an_unmatched_deposit_waits_for_a_decision(status: IncomingPaymentStatus) -> None:
    _check(decision_refusal(incoming_payment(status=status)), DECISIONS[status])


@pytest.mark.parametrize("status", IncomingPaymentStatus)
def test_only_a_return_under_way_is_settled_outside(status: IncomingPaymentStatus) -> None:
    is_returning = status is IncomingPaymentStatus.RETURNING
    words = None if is_returning else "is not being returned"
    _check(settlement_refusal(incoming_payment(status=status)), words)


@pytest.mark.parametrize("status", IncomingPaymentStatus)
@given(microseconds=st.integers(-(10**10), 10**10))
def test_new_deposit_is_returned_only_after_an_hour(
    status: IncomingPaymentStatus, microseconds: int
) -> None:
    payment = incoming_payment(status=status)
    now = AT + MATCHED_WITHIN + timedelta(microseconds=microseconds)
    is_late = status is IncomingPaymentStatus.NEW and microseconds > 0
    _check(return_refusal(payment, now), None if is_late else DECISIONS[status])
