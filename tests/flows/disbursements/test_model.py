"""States, openings and journals of disbursements, computed only."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from uuid import UUID

import pytest

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.money import Money
from landbridge.flows.disbursements import moves
from landbridge.flows.disbursements.model import KIND, MOVES, WAITS, Status, as_disbursement
from landbridge.ledger.model import Opening, Role, Transfer, as_opened, check_journal
from landbridge.payments.disbursing import DisbursementRequest, Purpose
from landbridge.payments.waits import Party

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


def _request(purpose: Purpose, **changes: object) -> DisbursementRequest:
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


def _opening(request: DisbursementRequest) -> Opening:
    return moves.opening(request, UUID(int=7), actor="worker", at=NOW, due_at=NOW)


@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_only_these_moves_are_allowed(before: Status, after: Status) -> None:
    edges = {
        (Status.CREATED, Status.INITIATED),
        (Status.INITIATED, Status.INITIATED),
        (Status.INITIATED, Status.COMPLETED),
    }
    assert MOVES.is_path(before, (after,)) == ((before, after) in edges)
    assert MOVES.start == {Status.CREATED}


def test_each_status_that_is_no_end_waits_for_somebody_for_an_hour() -> None:
    found = {status: WAITS.of(status) for status in Status}
    assert found[Status.COMPLETED] is None
    parties = {Status.CREATED: Party.WORKER, Status.INITIATED: Party.CHAIN}
    for status, party in parties.items():
        wait = found[status]
        assert wait is not None
        assert wait.within is not None
        assert (wait.party, wait.within.total_seconds()) == (party, 3600)


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("account_id", [None, ACCOUNT])
def test_its_journals_move_the_coins_from_the_house_to_the_receiver(
    purpose: Purpose, account_id: UUID | None
) -> None:
    opening = _opening(_request(purpose, account_id=account_id))
    opening.check(MOVES)
    disbursement = as_disbursement(as_opened(opening))
    paid = moves.paid(disbursement)
    check_journal(paid)
    role = Role.PAYABLE if purpose is Purpose.FEE else Role.IN_TRANSIT
    assert [(each.account, each.available.units) for each in paid] == [
        (role, -5),
        (account_id or Role.OUTSIDE, 5),
    ]
    posted = [each for journal in opening.journals.values() for each in journal]
    arrived = [] if purpose is Purpose.FEE else [(Role.OUTSIDE, -5), (Role.IN_TRANSIT, 5)]
    assert [(each.account, each.available.units) for each in posted] == arrived


@pytest.mark.parametrize(("user_id", "owner"), [(BOB, BOB), (None, ADA)])
def test_it_is_the_receivers_record_or_else_the_payers(user_id: UUID | None, owner: UUID) -> None:
    opening = _opening(_request(Purpose.FEE, user_id=user_id))
    assert (opening.kind, opening.user_id) == (KIND, owner)


def test_purpose_and_reference_tell_those_of_one_payment_apart() -> None:
    requests = [
        _request(purpose, reference=reference)
        for purpose in Purpose
        for reference in ("0", "1", "usdc:POLYGON/0x1")
    ]
    assert len({each.id for each in requests}) == len(requests)
    # Where the coins go is no part of it: the same fee is never paid twice.
    assert _request(Purpose.FEE, address="elsewhere").id == requests[0].id


def test_facts_of_later_moves_take_the_place_of_details() -> None:
    record = as_opened(_opening(_request(Purpose.FEE, user_id=BOB, account_id=ACCOUNT)))
    moved = replace(record, facts={"address": "elsewhere", "account_id": None, "user_id": None})
    disbursement = as_disbursement(moved)
    assert disbursement.details.address == "elsewhere"
    assert disbursement.receiver is Role.OUTSIDE
    assert disbursement.checked_user_ids == ()
