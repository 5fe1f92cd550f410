"""Every pair of status and verb, by table."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.core.errors import Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import (
    KIND,
    MOVES,
    Details,
    Offramp,
    Status,
    as_offramp,
    why_not_accept,
    why_not_cancel,
    why_not_review,
)
from landbridge.ledger.model import Move, Role, Transfer

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WALLET = UUID(int=7)
ENDS = {each for each in Status if MOVES.is_terminal(each)}


def record(
    status: Status, *, is_external: bool = False, due_at: datetime | None = AT, **facts: Any
) -> Transfer:
    """An offramp of 100 usdc into 100 usd at this status."""
    details = Details(
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


def offramp(status: Status, **told: Any) -> Offramp:
    return as_offramp(record(status, **told))


def name(refusal: Refused | None) -> str | None:
    return None if refusal is None else refusal.name


ACCEPT = {
    Status.CREATED: "QUOTE_NOT_FOUND",
    Status.PENDING_APPROVAL: "QUOTE_NOT_FOUND",
    Status.NOT_INITIATED: "INVALID_QUOTE",
    Status.OPEN_QUOTE: None,
    Status.QUOTE_FAILED: "INVALID_QUOTE",
    Status.IN_REVIEW: "RESOURCE_CONFLICT",
    Status.AWAITING_FUNDS: None,
    Status.CRYPTO_INITIATED: None,
    Status.CRYPTO_PENDING: None,
    Status.CRYPTO_PROCESSED: None,
    Status.CRYPTO_FAILED: "INVALID_QUOTE",
    Status.FIAT_INITIATED: None,
    Status.FIAT_PENDING: None,
    Status.FIAT_FAILED: "INVALID_QUOTE",
    Status.CRYPTO_RETURNED: "INVALID_QUOTE",
    Status.COMPLETED: None,
    Status.REJECTED: "INVALID_QUOTE",
    Status.EXPIRED: "INVALID_QUOTE",
}


@pytest.mark.parametrize("status", list(Status))
def test_accept(status: Status) -> None:
    assert name(why_not_accept(offramp(status))) == ACCEPT[status]


def test_accept_of_what_is_reviewed_after_it_was_accepted() -> None:
    found = offramp(Status.IN_REVIEW, accepted_at=AT.isoformat(), reviewed_from="CRYPTO_PROCESSED")
    assert why_not_accept(found) is None
    found = offramp(Status.IN_REVIEW, accepted_at=AT.isoformat(), reviewed_from="FIAT_FAILED")
    assert name(why_not_accept(found)) == "INVALID_QUOTE"


# Where a review came from, and whether it can be cancelled there.
CANCEL = {
    Status.PENDING_APPROVAL: None,
    Status.OPEN_QUOTE: None,
    Status.AWAITING_FUNDS: None,
    Status.CRYPTO_INITIATED: None,
    Status.CRYPTO_PENDING: "RESOURCE_CONFLICT",
    Status.CRYPTO_PROCESSED: None,
    Status.FIAT_INITIATED: "RESOURCE_CONFLICT",
    Status.FIAT_PENDING: "RESOURCE_CONFLICT",
    Status.FIAT_FAILED: "RESOURCE_CONFLICT",
}


@pytest.mark.parametrize("status", list(Status))
def test_cancel_outside_of_a_review(status: Status) -> None:
    if status is not Status.IN_REVIEW:
        assert name(why_not_cancel(offramp(status))) == "RESOURCE_CONFLICT"
        assert why_not_cancel(offramp(status, is_cancelled=True)) is None


@pytest.mark.parametrize(("status", "refusal"), CANCEL.items())
def test_cancel_in_a_review(status: Status, refusal: str | None) -> None:
    found = offramp(Status.IN_REVIEW, reviewed_from=status)
    assert name(why_not_cancel(found)) == refusal


def test_a_review_can_come_from_wherever_it_can_go_back_to() -> None:
    back = {each for each, after in MOVES.table.items() if Status.IN_REVIEW in after}
    assert back == CANCEL.keys()
    assert back <= MOVES.table[Status.IN_REVIEW]
    assert MOVES.table[Status.IN_REVIEW] - back <= ENDS


@pytest.mark.parametrize("status", list(Status))
def test_review(status: Status) -> None:
    refusal = why_not_review(offramp(status))
    assert (refusal is None) == (status in CANCEL)
    assert refusal is None or isinstance(refusal, ResourceConflict)


@pytest.mark.parametrize("status", list(CANCEL))
def test_into_a_review_and_back(status: Status) -> None:
    due_at = AT + timedelta(minutes=5)
    before = record(status, due_at=due_at)
    into = moves.into_review(as_offramp(before), actor="a", at=AT)
    into.check(MOVES)
    keeps_time = status in {Status.PENDING_APPROVAL, Status.OPEN_QUOTE, Status.AWAITING_FUNDS}
    assert into.due_at == (due_at if keeps_time else None)
    assert not into.journals
    there = as_offramp(record(Status.IN_REVIEW, due_at=into.due_at, **into.facts))
    assert there.standing is status
    later = AT + timedelta(minutes=1)
    out = moves.out_of_review(there, actor="a", at=later)
    out.check(MOVES)
    assert out.path == (status,)
    has_time = keeps_time or status is Status.FIAT_PENDING
    assert out.due_at == (due_at if has_time else later)
    assert as_offramp(record(status, **{**into.facts, **out.facts})).standing is status


def _held(move: Move) -> int:
    """What the move does to what is held."""
    return sum(each.held_units for postings in move.journals.values() for each in postings)


@pytest.mark.parametrize("status", [each for each, refusal in CANCEL.items() if refusal is None])
@pytest.mark.parametrize("is_external", [False, True])
def test_a_cancel_lets_go_or_gives_back(status: Status, *, is_external: bool) -> None:
    facts: dict[str, Any] = {"reviewed_from": status}
    has_coins = status is Status.CRYPTO_PROCESSED
    if has_coins:
        facts["is_processed"] = True
    elif not is_external:
        facts["held_units"] = 100_000_000
    elif status is Status.CRYPTO_INITIATED:
        facts["received_units"] = 100_000_000
        has_coins = True
    found = offramp(Status.IN_REVIEW, is_external=is_external, **facts)
    move = moves.cancelled(found, actor="a", at=AT)
    move.check(MOVES)
    assert move.path == (Status.FIAT_FAILED if has_coins else Status.NOT_INITIATED,)
    is_held = not is_external and not has_coins
    assert _held(move) == (-100_000_000 if is_held else 0)


@pytest.mark.parametrize("held_units", [0, 60_000_000, 100_000_000, 130_000_000])
def test_an_accept_holds_what_is_not_held_yet(held_units: int) -> None:
    found = offramp(Status.OPEN_QUOTE, held_units=held_units)
    move = moves.accepted(found, actor="a", at=AT, is_reviewed=False)
    move.check(MOVES)
    assert _held(move) == 100_000_000 - held_units
    assert move.facts["held_units"] == 100_000_000


def test_what_comes_from_outside_is_not_held() -> None:
    found = offramp(Status.OPEN_QUOTE, is_external=True)
    move = moves.accepted(found, actor="a", at=AT, is_reviewed=True)
    assert (move.path, move.due_at, dict(move.journals)) == ((Status.AWAITING_FUNDS,), AT, {})


@pytest.mark.parametrize("is_in_review", [False, True])
@pytest.mark.parametrize("must_review", [False, True])
@pytest.mark.parametrize("is_exact", [False, True])
def test_coins_that_arrive(*, is_in_review: bool, must_review: bool, is_exact: bool) -> None:
    status = Status.IN_REVIEW if is_in_review else Status.AWAITING_FUNDS
    facts = {"reviewed_from": Status.AWAITING_FUNDS} if is_in_review else {}
    found = offramp(status, is_external=True, **facts)
    money = Money(100_000_000 if is_exact else 99_999_999, found.gross.asset)
    move = moves.arrived(found, money, "0x1", actor="a", at=AT, is_reviewed=must_review)
    move.check(MOVES)
    waits = is_in_review or (must_review and is_exact)
    goes_on = Status.CRYPTO_INITIATED if is_exact else Status.FIAT_FAILED
    assert move.path[-1] is (Status.IN_REVIEW if waits else goes_on)
    assert move.facts.get("reviewed_from") == (goes_on if waits else None)
    assert move.due_at == (None if waits else AT)
    assert ("failed_reason" in move.facts) is not is_exact
    (postings,) = move.journals.values()
    assert [each.account for each in postings] == [Role.OUTSIDE, Role.IN_TRANSIT]


def test_what_goes_back_is_what_was_taken() -> None:
    processed = offramp(Status.FIAT_FAILED, is_processed=True)
    assert [(each.account, each.available.units) for each in moves.returned(processed)] == [
        (Role.LIQUIDITY, -100_000_000),
        (WALLET, 100_000_000),
    ]
    wrong = offramp(Status.FIAT_FAILED, is_external=True, received_units=5)
    assert [(each.account, each.available.units) for each in moves.returned(wrong)] == [
        (Role.IN_TRANSIT, -5),
        (Role.OUTSIDE, 5),
    ]


def test_every_status_of_the_contract_is_there() -> None:
    published = (
        "NOT_INITIATED CREATED OPEN_QUOTE CRYPTO_INITIATED AWAITING_FUNDS CRYPTO_PENDING "
        "CRYPTO_PROCESSED FIAT_INITIATED FIAT_PENDING COMPLETED FIAT_FAILED CRYPTO_RETURNED "
        "CRYPTO_FAILED QUOTE_FAILED IN_REVIEW"
    )
    assert set(Status) - set(published.split()) == {"PENDING_APPROVAL", "REJECTED", "EXPIRED"}
    assert set(published.split()) <= set(Status)
