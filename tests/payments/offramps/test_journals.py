"""Journals of offramps, on every path that their transitions allow."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hypothesis import given, settings

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    HouseRole,
    Transfer,
    created_record,
)
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.fee_disbursements import fee_requests
from landbridge.payments.offramps.fees import total
from landbridge.payments.offramps.model import (
    TRANSITIONS,
    Offramp,
    OfframpStatus,
    as_offramp,
    cancel_refusal,
    review_refusal,
)
from landbridge.payments.offramps.orders import OfframpOrders
from landbridge.payments.offramps.planned_steps import planned_steps
from landbridge.payments.offramps.quote import OfframpQuoteTerms
from landbridge.payments.offramps.returns import return_refusal
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from tests.payments.reached_states import (
    ACTOR,
    AT,
    NO_PROVIDER,
    ReachedState,
    find_order_moves,
    find_refund_moves,
    planned_sums,
    reach,
)
from tests.payments.record_factories import PARTNER, PAYER, USDC, offramp_creations

RUNS = settings(max_examples=25)
Generated = tuple[list[CreateTransfer], OfframpQuoteTerms]
NO_OFFSET = timedelta()
DESTINATIONS = (
    {"return_address": "0xc", "return_account_id": str(PARTNER)},
    {"return_address": "0xd", "return_account_id": None},
)


ORDERS = OfframpOrders(
    chains=NO_PROVIDER,
    rails=NO_PROVIDER,
    accounts=NO_PROVIDER,
    archive=NO_PROVIDER,
    clock=FrozenClock(AT),
)


@dataclass(frozen=True)
class _OfframpMoves:
    """Transitions of an offramp; `later` is the quote that an approval makes."""

    later: OfframpQuoteTerms

    def find(self, record: Transfer) -> Iterator[AdvanceTransfer]:
        """Build every transition that services, steps and people make at this status."""
        offramp = as_offramp(record)
        if review_refusal(offramp) is None:
            yield transitions.into_review(offramp, actor=ACTOR, at=AT)
        match offramp.status:
            case (
                OfframpStatus.PENDING_APPROVAL
                | OfframpStatus.OPEN_QUOTE
                | OfframpStatus.AWAITING_FUNDS
            ):
                yield from self._before_acceptance(offramp)
            case OfframpStatus.IN_REVIEW:
                yield from _in_review(offramp)
            case OfframpStatus.CRYPTO_INITIATED:
                yield from _after_acceptance(offramp)
            case OfframpStatus.CRYPTO_PROCESSED:
                journal = transitions.payout_claimed(offramp)
                yield _move(record, OfframpStatus.FIAT_INITIATED, journal=journal)
                yield _failed(offramp)
            case OfframpStatus.COMPLETED:
                yield from _returned_payouts(offramp)
            case _:
                yield from _find_order_moves(offramp)

    def _before_acceptance(self, offramp: Offramp) -> Iterator[AdvanceTransfer]:
        if offramp.status is OfframpStatus.PENDING_APPROVAL:
            yield transitions.quoted(offramp, self.later, AT, actor=ACTOR, at=AT)
            yield _ended(offramp, OfframpStatus.REJECTED)
        if offramp.status is OfframpStatus.OPEN_QUOTE:
            for is_reviewed in (False, True):
                yield transitions.accepted(offramp, actor=ACTOR, at=AT, is_reviewed=is_reviewed)
        yield from _expired_or_arrived(offramp)


def _expired_or_arrived(offramp: Offramp) -> Iterator[AdvanceTransfer]:
    """Build what time and senders cause before the coins are here, also during a review."""
    match offramp.state:
        case OfframpStatus.PENDING_APPROVAL:
            yield _ended(offramp, OfframpStatus.EXPIRED)
            yield _ended(offramp, OfframpStatus.QUOTE_FAILED)
        case OfframpStatus.OPEN_QUOTE:
            yield _ended(offramp, OfframpStatus.QUOTE_FAILED)
        case OfframpStatus.AWAITING_FUNDS:
            yield _ended(offramp, OfframpStatus.QUOTE_FAILED)
            for units in (offramp.gross.units, offramp.gross.units + 1):
                money = Money(units, offramp.gross.asset)
                for is_reviewed in (False, True):
                    yield transitions.arrived(
                        offramp, money, "0x1", actor=ACTOR, at=AT, is_reviewed=is_reviewed
                    )
        case _:
            pass


def _in_review(offramp: Offramp) -> Iterator[AdvanceTransfer]:
    yield transitions.out_of_review(offramp, actor=ACTOR, at=AT)
    if cancel_refusal(offramp) is None:
        yield transitions.cancelled(offramp, actor=ACTOR, at=AT)
    yield from _expired_or_arrived(offramp)


def _after_acceptance(offramp: Offramp) -> Iterator[AdvanceTransfer]:
    if offramp.is_external:
        yield transitions.external_coins_booked(offramp, actor=ACTOR, at=AT)
        yield _failed(offramp)
    else:
        yield _move(offramp.record, OfframpStatus.CRYPTO_PENDING)
        yield _ended(offramp, OfframpStatus.NOT_INITIATED)


def _find_order_moves(offramp: Offramp) -> Iterator[AdvanceTransfer]:
    record = offramp.record
    match offramp.status:
        case OfframpStatus.CRYPTO_PENDING:
            yield from find_order_moves(record, ORDERS.debit(offramp, NO_OFFSET))
        case OfframpStatus.FIAT_INITIATED | OfframpStatus.FIAT_PENDING:
            yield from find_order_moves(record, ORDERS.payout(offramp, NO_OFFSET))
        case OfframpStatus.FIAT_FAILED:
            order = ORDERS.refund(offramp, NO_OFFSET)
            yield from find_order_moves(record, order)
            yield from find_refund_moves(record, order, DESTINATIONS)
        case _:
            pass


def _returned_payouts(offramp: Offramp) -> Iterator[AdvanceTransfer]:
    for units in {1, offramp.receive.units}:
        received = Money(units, offramp.receive.asset)
        assert return_refusal(offramp, received) is None
        yield transitions.payout_returned(offramp, received, reason="no reason", actor=ACTOR, at=AT)


def _move(record: Transfer, status: OfframpStatus, **fields: Any) -> AdvanceTransfer:
    return build_move(record, TRANSITIONS, status, at=AT, **fields)


def _ended(offramp: Offramp, status: OfframpStatus) -> AdvanceTransfer:
    return transitions.ended(
        offramp, status, change_type="end", reason="no reason", actor=ACTOR, at=AT
    )


def _failed(offramp: Offramp) -> AdvanceTransfer:
    return transitions.failed(offramp, change_type="fail", reason="no reason", actor=ACTOR, at=AT)


# Ends without coins: what was held is released.
RELEASED = frozenset(
    {
        OfframpStatus.NOT_INITIATED,
        OfframpStatus.QUOTE_FAILED,
        OfframpStatus.CRYPTO_FAILED,
        OfframpStatus.REJECTED,
        OfframpStatus.EXPIRED,
    }
)


def _check(state: ReachedState) -> None:
    """Check what a reached state holds, has taken and has paid."""
    offramp = as_offramp(state.record)
    coin = offramp.gross.asset
    held = {(PAYER, coin.code): offramp.held.units} if offramp.held.units else {}
    assert state.held() == held
    is_reviewed = offramp.status is OfframpStatus.IN_REVIEW
    assert (offramp.details.reviewed_from is not None) == is_reviewed
    if TRANSITIONS.is_terminal(offramp.status):
        assert not held
        for asset in (coin, offramp.receive.asset):
            assert not state.available(HouseRole.IN_TRANSIT, asset)
    if offramp.status in RELEASED:
        assert not state.sums
    elif offramp.status is OfframpStatus.COMPLETED:
        _check_fiat(state, offramp, paid=offramp.receive.units, lost=0)
        _check_taken(state, offramp)
    elif offramp.status is OfframpStatus.CRYPTO_RETURNED:
        units = offramp.details.payout_returned_units
        lost = 0 if units is None else offramp.receive.units - units
        _check_fiat(state, offramp, paid=lost, lost=lost)
        _check_refunded(state, offramp)


def _check_fiat(state: ReachedState, offramp: Offramp, *, paid: int, lost: int) -> None:
    """Check that the organisation has paid so much fiat, of which so much is lost."""
    fiat = offramp.receive.asset
    assert state.available(HouseRole.OUTSIDE, fiat) == paid
    assert state.available(HouseRole.WRITE_OFFS, fiat) == -lost
    assert state.available(HouseRole.LIQUIDITY, fiat) == lost - paid


def _check_taken(state: ReachedState, offramp: Offramp) -> None:
    """Check that the coins are ours, without the fees of the organisation's beneficiaries."""
    coin, fee = offramp.gross.asset, offramp.exchange_fee
    assert state.available(HouseRole.LIQUIDITY, coin) == (offramp.amount - fee).units
    assert state.available(HouseRole.FEES, coin) == fee.units
    fees = total(offramp.fees, coin).units
    if offramp.is_external:
        assert state.available(HouseRole.PAYABLE, coin) == fees
        assert state.available(HouseRole.OUTSIDE, coin) == -offramp.gross.units
        assert not state.of_wallets()
    else:
        assert state.available(PAYER, coin) == _fees_to(offramp, PAYER) - offramp.gross.units
        assert state.available(PARTNER, coin) == _fees_to(offramp, PARTNER)
        assert state.available(HouseRole.OUTSIDE, coin) == _fees_to(offramp, None)


def _check_refunded(state: ReachedState, offramp: Offramp) -> None:
    """Check that the coins went back: all that arrived, or all except the paid fees."""
    coin, has_coins = offramp.gross.asset, OfframpStatus.CRYPTO_PROCESSED in state.path
    assert not state.available(HouseRole.LIQUIDITY, coin)
    assert not state.available(HouseRole.FEES, coin)
    back = offramp.amount.units if has_coins else offramp.received.units
    owner = HouseRole.OUTSIDE if offramp.details.is_settled_outside else offramp.returns_to
    fees = total(offramp.fees, coin).units
    assert state.available(HouseRole.PAYABLE, coin) == (
        fees if has_coins and offramp.is_external else 0
    )
    gained: dict[Any, int] = {owner: back}
    if offramp.is_external:
        deducted = offramp.gross.units if has_coins else offramp.received.units
        gained[HouseRole.OUTSIDE] = gained.get(HouseRole.OUTSIDE, 0) - deducted
    else:
        gained[PAYER] = gained.get(PAYER, 0) - offramp.gross.units
        for account in (PAYER, PARTNER, None):
            key = account or HouseRole.OUTSIDE
            gained[key] = gained.get(key, 0) + _fees_to(offramp, account)
    for account, units in gained.items():
        assert state.available(account, coin) == units
    wallets = {account for account, _ in state.of_wallets()}
    assert wallets <= gained.keys()


def _fees_to(offramp: Offramp, account: Any) -> int:
    return sum(each.money.units for each in offramp.fees if each.line.account_id == account)


@RUNS
@given(offramp_creations(is_external=False))
def test_offramp_from_a_wallet_pays_or_releases_or_refunds(generated: Generated) -> None:
    creations, later = generated
    found = reach(creations, TRANSITIONS, _OfframpMoves(later).find)
    for state in found.states:
        _check(state)
    sums = planned_sums(creations[0], TRANSITIONS, planned_steps(created_record(creations[0])))
    for done in found.at(OfframpStatus.COMPLETED):
        # An approval makes a quote of its own.
        assert done.sums == sums or OfframpStatus.PENDING_APPROVAL in done.path


@RUNS
@given(offramp_creations(is_external=True))
def test_offramp_from_outside_pays_or_refunds(generated: Generated) -> None:
    creations, later = generated
    found = reach(creations, TRANSITIONS, _OfframpMoves(later).find)
    for state in found.states:
        _check(state)
    record = created_record(creations[0])
    sums = planned_sums(creations[0], TRANSITIONS, planned_steps(record))
    owed = sum(each.money.units for each in fee_requests(as_offramp(record)))
    for done in found.at(OfframpStatus.COMPLETED):
        assert done.sums == sums
        # The disbursements of the fees leave nothing payable.
        assert done.available(HouseRole.PAYABLE, USDC) == owed


@settings(max_examples=1)
@given(offramp_creations(is_external=False), offramp_creations(is_external=True))
def test_every_allowed_transition_but_one_is_made(wallet: Generated, outside: Generated) -> None:
    created: set[tuple[str, str]] = set()
    for creations, later in (wallet, outside):
        created |= reach(creations, TRANSITIONS, _OfframpMoves(later).find).edges
    # A payment in review takes no votes.
    assert set(TRANSITIONS.edges()) - created == {(OfframpStatus.IN_REVIEW, OfframpStatus.REJECTED)}
