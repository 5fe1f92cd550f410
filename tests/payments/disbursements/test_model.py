"""States, openings and journals of disbursements, computed only."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from uuid import UUID

import pytest

from landbridge.ledger.model import (
    CreateTransfer,
    HouseRole,
    Transfer,
    check_journal,
    created_record,
)
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import (
    KIND,
    TRANSITIONS,
    WAITS,
    DisbursementStatus,
    as_disbursement,
)
from landbridge.payments.engine.disbursement_requests import (
    DisbursementPurpose,
    DisbursementRequest,
)
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
USDC = TOKENS[Chain.POLYGON, "usdc"].asset
COINS = Money(5, USDC)
ACCOUNT, BOB, ADA = UUID(int=1), UUID(int=2), UUID(int=3)
PAYMENT = Transfer(
    org_id=UUID(int=4),
    id=UUID(int=5),
    kind="OFFRAMP",
    user_id=ADA,
    request_id=UUID(int=6),
    request={},
    status="AWAITING_FUNDS",
    version=1,
    source_asset=USDC.code,
    source_units=5,
    destination_asset="usd:BANK",
    destination_units=1,
    details={},
    facts={},
    due_at=None,
    created_at=NOW,
    updated_at=NOW,
)


def _request(purpose: DisbursementPurpose, **changes: object) -> DisbursementRequest:
    request = DisbursementRequest(
        payment=PAYMENT,
        purpose=purpose,
        reference="0",
        money=COINS,
        source_address="ours",
        address="theirs",
        account_id=None,
        user_id=None,
    )
    return replace(request, **changes)


def _opening(request: DisbursementRequest) -> CreateTransfer:
    return transitions.build_creation(request, UUID(int=7), actor="worker", at=NOW, due_at=NOW)


@pytest.mark.parametrize(("before", "after"), list(product(DisbursementStatus, DisbursementStatus)))
def test_only_these_transitions_are_allowed(
    before: DisbursementStatus, after: DisbursementStatus
) -> None:
    edges = {
        (DisbursementStatus.CREATED, DisbursementStatus.INITIATED),
        (DisbursementStatus.INITIATED, DisbursementStatus.INITIATED),
        (DisbursementStatus.INITIATED, DisbursementStatus.COMPLETED),
    }
    assert TRANSITIONS.is_path(before, (after,)) == ((before, after) in edges)
    assert TRANSITIONS.start == {DisbursementStatus.CREATED}


def test_each_non_terminal_status_waits_for_at_most_an_hour() -> None:
    found = {status: WAITS.of(status) for status in DisbursementStatus}
    assert found[DisbursementStatus.COMPLETED] is None
    parties = {
        DisbursementStatus.CREATED: WaitParty.WORKER,
        DisbursementStatus.INITIATED: WaitParty.CHAIN,
    }
    for status, party in parties.items():
        wait = found[status]
        assert wait is not None
        assert wait.within is not None
        assert (wait.party, wait.within.total_seconds()) == (party, 3600)


@pytest.mark.parametrize("purpose", DisbursementPurpose)
@pytest.mark.parametrize("account_id", [None, ACCOUNT])
def test_journals_move_the_coins_to_the_recipient(
    purpose: DisbursementPurpose, account_id: UUID | None
) -> None:
    opening = _opening(_request(purpose, account_id=account_id))
    opening.check(TRANSITIONS)
    disbursement = as_disbursement(created_record(opening))
    paid = transitions.paid(disbursement)
    check_journal(paid)
    role = HouseRole.PAYABLE if purpose is DisbursementPurpose.FEE else HouseRole.IN_TRANSIT
    assert [(each.account, each.available.units) for each in paid] == [
        (role, -5),
        (account_id or HouseRole.OUTSIDE, 5),
    ]
    posted = [each for journal in opening.journals.values() for each in journal]
    arrived = (
        []
        if purpose is DisbursementPurpose.FEE
        else [(HouseRole.OUTSIDE, -5), (HouseRole.IN_TRANSIT, 5)]
    )
    assert [(each.account, each.available.units) for each in posted] == arrived


@pytest.mark.parametrize(("user_id", "owner"), [(BOB, BOB), (None, ADA)])
def test_record_belongs_to_the_recipient_or_else_the_payer(
    user_id: UUID | None, owner: UUID
) -> None:
    opening = _opening(_request(DisbursementPurpose.FEE, user_id=user_id))
    assert (opening.kind, opening.user_id) == (KIND, owner)


def test_purpose_and_reference_identify_a_disbursement() -> None:
    requests = [
        _request(purpose, reference=reference)
        for purpose in DisbursementPurpose
        for reference in ("0", "1", "usdc:POLYGON/0x1")
    ]
    assert len({each.id for each in requests}) == len(requests)
    # The address is not part of the id: the same fee is never paid twice.
    assert _request(DisbursementPurpose.FEE, address="elsewhere").id == requests[0].id


def test_facts_override_details() -> None:
    record = created_record(
        _opening(_request(DisbursementPurpose.FEE, user_id=BOB, account_id=ACCOUNT))
    )
    moved = replace(record, facts={"address": "elsewhere", "account_id": None, "user_id": None})
    disbursement = as_disbursement(moved)
    assert disbursement.details.address == "elsewhere"
    assert disbursement.receiver is HouseRole.OUTSIDE
    assert disbursement.checked_user_ids == ()
