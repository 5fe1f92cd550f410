"""Journals of disbursements, on every path that their transitions allow."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.ledger.model import AdvanceTransfer, HouseRole, Transfer, created_record
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import (
    TRANSITIONS,
    DisbursementStatus,
    as_disbursement,
)
from landbridge.payments.disbursements.steps import DisbursementSteps
from landbridge.payments.engine.disbursement_requests import (
    DisbursementPurpose,
    DisbursementRequest,
)
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from tests.payments.reached_states import (
    ACTOR,
    AT,
    NO_PROVIDER,
    Account,
    find_order_moves,
    find_refund_moves,
    reach,
    result_of,
)
from tests.payments.record_factories import (
    OTHER_USER,
    PARTNER,
    PAYEES,
    UNITS,
    USDC,
    bridge_creation,
)

DESTINATIONS = (
    {"address": "0xc", "account_id": str(PARTNER)},
    {"address": "0xd", "account_id": None},
)


STEPS = DisbursementSteps(NO_PROVIDER, NO_PROVIDER, NO_PROVIDER, NO_PROVIDER, FrozenClock(AT))


def _find_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    """Build every transition that steps and people make at this status."""
    if record.status == DisbursementStatus.CREATED:
        yield build_move(record, TRANSITIONS, DisbursementStatus.INITIATED, at=AT)
    order = result_of(STEPS.find_order(record, timedelta()))
    if order is not None:
        yield from find_order_moves(record, order)
        yield from find_refund_moves(record, order, DESTINATIONS)


@given(st.sampled_from(DisbursementPurpose), UNITS, PAYEES)
def test_disbursement_empties_the_paying_account(
    purpose: DisbursementPurpose, units: int, account_id: UUID | None
) -> None:
    request = DisbursementRequest(
        payment=created_record(bridge_creation()),
        purpose=purpose,
        reference="0",
        money=Money(units, USDC),
        source_address="0xa",
        address="0xb",
        account_id=account_id,
        user_id=OTHER_USER,
    )
    creation = transitions.build_creation(request, UUID(int=1), actor=ACTOR, at=AT, due_at=AT)
    found = reach([creation], TRANSITIONS, _find_moves)
    assert found.edges == set(TRANSITIONS.edges())
    # Fees were posted to PAYABLE with their payment; surplus coins come from outside.
    is_fee = purpose is DisbursementPurpose.FEE
    origin = HouseRole.PAYABLE if is_fee else HouseRole.OUTSIDE
    holder: Account = HouseRole.PAYABLE if is_fee else HouseRole.IN_TRANSIT
    for state in found.states:
        disbursement = as_disbursement(state.record)
        if disbursement.status is DisbursementStatus.COMPLETED:
            is_outside = disbursement.details.is_settled_outside
            holder_now: Account = HouseRole.OUTSIDE if is_outside else disbursement.receiver
        else:
            holder_now = holder
        expected: dict[Account, int] = {origin: -units}
        expected[holder_now] = expected.get(holder_now, 0) + units
        assert state.sums == {
            (account, USDC.code): (available, 0)
            for account, available in expected.items()
            if available
        }
