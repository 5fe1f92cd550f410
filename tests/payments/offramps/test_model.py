"""Every pair of status and verb, by table."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.ledger.model import AdvanceTransfer, HouseRole, Transfer
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import (
    KIND,
    TRANSITIONS,
    Offramp,
    OfframpDetails,
    OfframpStatus,
    accept_refusal,
    as_offramp,
    cancel_refusal,
    review_refusal,
)
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.money import Money

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WALLET = UUID(int=7)
ENDS = {each for each in OfframpStatus if TRANSITIONS.is_terminal(each)}


def record(
    status: OfframpStatus, *, is_external: bool = False, due_at: datetime | None = AT, **facts: Any
) -> Transfer:
    """An offramp of 100 usdc into 100 usd at this status."""
    details = OfframpDetails(
        source_address="0xa",
        destination_address="0xb",
        source_wallet_id=None if is_external else UUID(int=6),
        source_account_id=None if is_external else WALLET,
        external_wallet_id=UUID(int=8) if is_external else None,
        return_address="0xa",
        return_account_id=None if is_external else WALLET,
        destination_user_id=UUID(int=3),
        account_id=UUID(int=4),
        payment_rail="wire",
        corridor=None,
        is_same_day=False,
        is_exact_out=False,
        needs_approval=False,
        fees=(),
        amount_units=100_000_000,
        exchange_fee_units=0,
        rate=Decimal(1),
        quote_expires_at=AT,
    )
    return Transfer(
        org_id=UUID(int=1),
        id=UUID(int=2),
        kind=KIND,
        user_id=UUID(int=3),
        request_id=UUID(int=5),
        request={},
        status=status,
        version=3,
        source_asset="usdc:POLYGON",
        source_units=100_000_000,
        destination_asset="usd:BANK",
        destination_units=10_000,
        details=msgspec.to_builtins(details),
        facts=facts,
        due_at=due_at,
        created_at=AT,
        updated_at=AT,
    )


def offramp(status: OfframpStatus, **fields: Any) -> Offramp:
    return as_offramp(record(status, **fields))


def name(refusal: Refused | None) -> str | None:
    return None if refusal is None else refusal.name


ACCEPT = {
    OfframpStatus.CREATED: "QUOTE_NOT_FOUND",
    OfframpStatus.PENDING_APPROVAL: "QUOTE_NOT_FOUND",
    OfframpStatus.NOT_INITIATED: "INVALID_QUOTE",
    OfframpStatus.OPEN_QUOTE: None,
    OfframpStatus.QUOTE_FAILED: "INVALID_QUOTE",
    OfframpStatus.IN_REVIEW: "RESOURCE_CONFLICT",
    OfframpStatus.AWAITING_FUNDS: None,
    OfframpStatus.CRYPTO_INITIATED: None,
    OfframpStatus.CRYPTO_PENDING: None,
    OfframpStatus.CRYPTO_PROCESSED: None,
    OfframpStatus.CRYPTO_FAILED: "INVALID_QUOTE",
    OfframpStatus.FIAT_INITIATED: None,
    OfframpStatus.FIAT_PENDING: None,
    OfframpStatus.FIAT_FAILED: "INVALID_QUOTE",
    OfframpStatus.CRYPTO_RETURNED: "INVALID_QUOTE",
    OfframpStatus.COMPLETED: None,
    OfframpStatus.REJECTED: "INVALID_QUOTE",
    OfframpStatus.EXPIRED: "INVALID_QUOTE",
}


@pytest.mark.parametrize("status", list(OfframpStatus))
def test_accept(status: OfframpStatus) -> None:
    assert name(accept_refusal(offramp(status))) == ACCEPT[status]


def test_accept_after_an_accepted_offramp_entered_review() -> None:
    found = offramp(
        OfframpStatus.IN_REVIEW, accepted_at=AT.isoformat(), reviewed_from="CRYPTO_PROCESSED"
    )
    assert accept_refusal(found) is None
    found = offramp(
        OfframpStatus.IN_REVIEW, accepted_at=AT.isoformat(), reviewed_from="FIAT_FAILED"
    )
    assert name(accept_refusal(found)) == "INVALID_QUOTE"


# The status before a review, and whether it can be cancelled there.
CANCEL = {
    OfframpStatus.PENDING_APPROVAL: None,
    OfframpStatus.OPEN_QUOTE: None,
    OfframpStatus.AWAITING_FUNDS: None,
    OfframpStatus.CRYPTO_INITIATED: None,
    OfframpStatus.CRYPTO_PENDING: "RESOURCE_CONFLICT",
    OfframpStatus.CRYPTO_PROCESSED: None,
    OfframpStatus.FIAT_INITIATED: "RESOURCE_CONFLICT",
    OfframpStatus.FIAT_PENDING: "RESOURCE_CONFLICT",
    OfframpStatus.FIAT_FAILED: "RESOURCE_CONFLICT",
}


@pytest.mark.parametrize("status", list(OfframpStatus))
def test_cancel_outside_of_a_review(status: OfframpStatus) -> None:
    if status is not OfframpStatus.IN_REVIEW:
        assert name(cancel_refusal(offramp(status))) == "RESOURCE_CONFLICT"
        assert cancel_refusal(offramp(status, is_cancelled=True)) is None


@pytest.mark.parametrize(("status", "refusal"), CANCEL.items())
def test_cancel_in_a_review(status: OfframpStatus, refusal: str | None) -> None:
    found = offramp(OfframpStatus.IN_REVIEW, reviewed_from=status)
    assert name(cancel_refusal(found)) == refusal


def test_review_starts_at_every_status_it_can_return_to() -> None:
    back = {each for each, after in TRANSITIONS.table.items() if OfframpStatus.IN_REVIEW in after}
    assert back == CANCEL.keys()
    assert back <= TRANSITIONS.table[OfframpStatus.IN_REVIEW]
    assert TRANSITIONS.table[OfframpStatus.IN_REVIEW] - back <= ENDS


@pytest.mark.parametrize("status", list(OfframpStatus))
def test_review(status: OfframpStatus) -> None:
    refusal = review_refusal(offramp(status))
    assert (refusal is None) == (status in CANCEL)
    assert refusal is None or isinstance(refusal, ResourceConflict)


@pytest.mark.parametrize("status", list(CANCEL))
def test_into_a_review_and_back(status: OfframpStatus) -> None:
    due_at = AT + timedelta(minutes=5)
    before = record(status, due_at=due_at)
    into = transitions.into_review(as_offramp(before), actor="a", at=AT)
    into.check(TRANSITIONS)
    keeps_time = status in {
        OfframpStatus.PENDING_APPROVAL,
        OfframpStatus.OPEN_QUOTE,
        OfframpStatus.AWAITING_FUNDS,
    }
    assert into.due_at == (due_at if keeps_time else None)
    assert not into.journals
    there = as_offramp(record(OfframpStatus.IN_REVIEW, due_at=into.due_at, **into.facts))
    assert there.state is status
    later = AT + timedelta(minutes=1)
    out = transitions.out_of_review(there, actor="a", at=later)
    out.check(TRANSITIONS)
    assert out.path == (status,)
    has_time = keeps_time or status is OfframpStatus.FIAT_PENDING
    assert out.due_at == (due_at if has_time else later)
    assert as_offramp(record(status, **{**into.facts, **out.facts})).state is status


def _held(move: AdvanceTransfer) -> int:
    """Return the change of the held amount by a transition."""
    return sum(each.held_units for postings in move.journals.values() for each in postings)


@pytest.mark.parametrize("status", [each for each, refusal in CANCEL.items() if refusal is None])
@pytest.mark.parametrize("is_external", [False, True])
def test_cancel_releases_or_refunds(status: OfframpStatus, *, is_external: bool) -> None:
    facts: dict[str, Any] = {"reviewed_from": status}
    has_coins = status is OfframpStatus.CRYPTO_PROCESSED
    if has_coins:
        facts["is_processed"] = True
    elif not is_external:
        facts["held_units"] = 100_000_000
    elif status is OfframpStatus.CRYPTO_INITIATED:
        facts["received_units"] = 100_000_000
        has_coins = True
    found = offramp(OfframpStatus.IN_REVIEW, is_external=is_external, **facts)
    move = transitions.cancelled(found, actor="a", at=AT)
    move.check(TRANSITIONS)
    assert move.path == (OfframpStatus.FIAT_FAILED if has_coins else OfframpStatus.NOT_INITIATED,)
    is_held = not is_external and not has_coins
    assert _held(move) == (-100_000_000 if is_held else 0)


@pytest.mark.parametrize("held_units", [0, 60_000_000, 100_000_000, 130_000_000])
def test_accept_holds_unheld_funds(held_units: int) -> None:
    found = offramp(OfframpStatus.OPEN_QUOTE, held_units=held_units)
    move = transitions.accepted(found, actor="a", at=AT, is_reviewed=False)
    move.check(TRANSITIONS)
    assert _held(move) == 100_000_000 - held_units
    assert move.facts["held_units"] == 100_000_000


def test_external_coins_are_not_held() -> None:
    found = offramp(OfframpStatus.OPEN_QUOTE, is_external=True)
    move = transitions.accepted(found, actor="a", at=AT, is_reviewed=True)
    assert (move.path, move.due_at, dict(move.journals)) == (
        (OfframpStatus.AWAITING_FUNDS,),
        AT,
        {},
    )


@pytest.mark.parametrize("is_in_review", [False, True])
@pytest.mark.parametrize("must_review", [False, True])
@pytest.mark.parametrize("is_exact", [False, True])
def test_arriving_coins_are_booked(
    *, is_in_review: bool, must_review: bool, is_exact: bool
) -> None:
    status = OfframpStatus.IN_REVIEW if is_in_review else OfframpStatus.AWAITING_FUNDS
    facts = {"reviewed_from": OfframpStatus.AWAITING_FUNDS} if is_in_review else {}
    found = offramp(status, is_external=True, **facts)
    money = Money(100_000_000 if is_exact else 99_999_999, found.gross.asset)
    move = transitions.arrived(found, money, "0x1", actor="a", at=AT, is_reviewed=must_review)
    move.check(TRANSITIONS)
    waits = is_in_review or (must_review and is_exact)
    goes_on = OfframpStatus.CRYPTO_INITIATED if is_exact else OfframpStatus.FIAT_FAILED
    assert move.path[-1] is (OfframpStatus.IN_REVIEW if waits else goes_on)
    assert move.facts.get("reviewed_from") == (goes_on if waits else None)
    assert move.due_at == (None if waits else AT)
    assert ("failed_reason" in move.facts) is not is_exact
    (postings,) = move.journals.values()
    assert [each.account for each in postings] == [HouseRole.OUTSIDE, HouseRole.IN_TRANSIT]


def test_refund_equals_what_was_taken() -> None:
    processed = offramp(OfframpStatus.FIAT_FAILED, is_processed=True)
    assert [(each.account, each.available.units) for each in transitions.returned(processed)] == [
        (HouseRole.LIQUIDITY, -100_000_000),
        (WALLET, 100_000_000),
    ]
    wrong = offramp(OfframpStatus.FIAT_FAILED, is_external=True, received_units=5)
    assert [(each.account, each.available.units) for each in transitions.returned(wrong)] == [
        (HouseRole.IN_TRANSIT, -5),
        (HouseRole.OUTSIDE, 5),
    ]


def test_every_status_of_the_contract_is_there() -> None:
    published = (
        "NOT_INITIATED CREATED OPEN_QUOTE CRYPTO_INITIATED AWAITING_FUNDS CRYPTO_PENDING "
        "CRYPTO_PROCESSED FIAT_INITIATED FIAT_PENDING COMPLETED FIAT_FAILED CRYPTO_RETURNED "
        "CRYPTO_FAILED QUOTE_FAILED IN_REVIEW"
    )
    assert set(OfframpStatus) - set(published.split()) == {
        "PENDING_APPROVAL",
        "REJECTED",
        "EXPIRED",
    }
    assert set(published.split()) <= set(OfframpStatus)
