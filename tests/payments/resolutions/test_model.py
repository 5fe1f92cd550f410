"""A decision is executed only while its payment has been on hold for long enough."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.ledger.model import AdvanceTransfer, DueCheck, created_record
from landbridge.payments.engine.resolution_actions import ResolutionAction, ResolutionInstruction
from landbridge.payments.resolutions import model
from landbridge.payments.resolutions.model import (
    QUIET_PERIOD,
    TRANSITIONS,
    PaymentResolution,
    ResolutionDetails,
    ResolutionStatus,
    as_resolution,
    is_quiet,
    quiet_facts,
)
from tests.payments.reached_states import ACTOR, AT, reach
from tests.payments.record_factories import bridge_creation

PAYMENT = created_record(bridge_creation())
INSTRUCTION = ResolutionInstruction(action=ResolutionAction.CONFIRM)
DETAILS = ResolutionDetails(
    transfer_id=PAYMENT.id,
    transfer_kind=PAYMENT.kind,
    order="COMPLETED",
    instruction=INSTRUCTION,
    destination={},
    requested_by=str(UUID(int=1)),
)
CREATION = replace(
    bridge_creation(),
    kind=model.KIND,
    path=(ResolutionStatus.PENDING_APPROVAL,),
    details=msgspec.to_builtins(DETAILS),
)


def _approved(**facts: Any) -> PaymentResolution:
    record = replace(created_record(CREATION), status=ResolutionStatus.APPROVED, facts=facts)
    return as_resolution(record)


@given(st.integers(-(10**9), 10**9))
def test_payment_is_quiet_from_the_end_of_the_period_on(microseconds: int) -> None:
    at = AT + QUIET_PERIOD + timedelta(microseconds=microseconds)
    target = replace(PAYMENT, due_at=at + timedelta(microseconds=1))
    resolution = _approved(**quiet_facts(target, AT))
    assert is_quiet(resolution, target, at) == (microseconds >= 0)
    # Not after a change of the payment, nor once a step of it is due.
    assert not is_quiet(resolution, replace(target, version=target.version + 1), at)
    assert not is_quiet(resolution, replace(target, due_at=at), at)


@given(st.integers(-(10**9), 10**9))
def test_payment_that_is_never_due_is_quiet_at_once(microseconds: int) -> None:
    at = AT + timedelta(microseconds=microseconds)
    assert is_quiet(_approved(), replace(PAYMENT, due_at=None), at)
    assert not is_quiet(_approved(), replace(PAYMENT, due_at=at + QUIET_PERIOD), at)


def test_every_transition_is_made_and_moves_no_money() -> None:
    found = reach([CREATION], TRANSITIONS, lambda record: _moves(as_resolution(record)))
    assert found.edges == set(TRANSITIONS.edges())
    assert not any(state.sums for state in found.states)


def _moves(resolution: PaymentResolution) -> list[AdvanceTransfer]:
    match resolution.status:
        case ResolutionStatus.PENDING_APPROVAL:
            return [
                model.approved(resolution, ACTOR, AT),
                model.rejected(resolution, ACTOR, AT),
                model.expired(resolution, ACTOR, AT),
            ]
        case ResolutionStatus.APPROVED:
            return [
                model.completed(resolution, ACTOR, AT),
                model.voided(resolution, "no reason", ACTOR, AT),
            ]
        case _:
            return []


@pytest.mark.parametrize("action", ResolutionAction)
def test_every_action_states_its_evidence(action: ResolutionAction) -> None:
    assert model.evidence_required(action)


def test_only_an_expiry_waits_for_the_deadline() -> None:
    resolution = as_resolution(created_record(CREATION))
    overdue = [each for each in _moves(resolution) if each.timing is DueCheck.OVERDUE]
    assert [each.path for each in overdue] == [(ResolutionStatus.EXPIRED,)]
