"""Journals of onramps, on every path that their transitions allow."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from hypothesis import given, settings

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    HouseRole,
    Transfer,
    created_record,
)
from landbridge.payments.onramps import transitions
from landbridge.payments.onramps.model import (
    EXPIRING,
    TRANSITIONS,
    Onramp,
    OnrampStatus,
    as_onramp,
    cancel_refusal,
    review_refusal,
)
from landbridge.payments.onramps.returns import return_refusal
from landbridge.payments.onramps.reversals import reversal_refusal
from landbridge.payments.onramps.steps import OnrampSteps
from landbridge.payments.quotes.pricing import Quote
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money, Rate
from landbridge.providers.rates.port import Price
from tests.payments.reached_states import (
    ACTOR,
    AT,
    NO_PROVIDER,
    ReachedState,
    find_order_moves,
    find_refund_moves,
    planned_sums,
    reach,
    result_of,
)
from tests.payments.record_factories import onramp_creations

RUNS = settings(max_examples=12)
DEPOSIT = UUID(int=30)
DESTINATIONS = ({"return_account_id": str(UUID(int=31))},)


STEPS = OnrampSteps(
    onramps=NO_PROVIDER,
    order_sender=NO_PROVIDER,
    incoming_payments=NO_PROVIDER,
    chains=NO_PROVIDER,
    rails=NO_PROVIDER,
    clock=FrozenClock(AT),
)


def _find_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    """Build every transition that services, steps and people make at this status."""
    onramp = as_onramp(record)
    if review_refusal(onramp.status) is None:
        yield transitions.into_review(onramp, actor=ACTOR, at=AT)
    if onramp.state in EXPIRING:
        yield transitions.expired(onramp, actor=ACTOR, at=AT)
    if onramp.state is OnrampStatus.AWAITING_FUNDS:
        yield from _deposits(onramp)
    is_final = TRANSITIONS.is_terminal(onramp.status)
    if not is_final and reversal_refusal(onramp, onramp.deposit) is None:
        yield transitions.reversed_undelivered(onramp, actor=ACTOR, at=AT)
    match onramp.status:
        case OnrampStatus.OPEN_QUOTE:
            yield _refreshed(onramp)
            yield transitions.accepted(
                onramp, reference="1", account_number="2", actor=ACTOR, at=AT
            )
        case OnrampStatus.IN_REVIEW:
            yield transitions.out_of_review(onramp, actor=ACTOR, at=AT)
            if cancel_refusal(onramp) is None:
                yield transitions.cancelled(onramp, actor=ACTOR, at=AT)
        case OnrampStatus.FIAT_PENDING:
            yield transitions.claimed(onramp, actor=ACTOR, at=AT)
            yield transitions.failed(onramp, reason="no reason", actor=ACTOR, at=AT)
        case OnrampStatus.FIAT_RETURNED:
            yield from _returned_deposits(onramp)
        case _:
            yield from _find_order_moves(record)


def _deposits(onramp: Onramp) -> Iterator[AdvanceTransfer]:
    """Build the deposit of the awaited amount, and of another one."""
    for units in (onramp.source.units, onramp.source.units + 1):
        money = Money(units, onramp.source.asset)
        for is_large in (False, True):
            match = transitions.match_deposit(
                onramp, money, incoming_payment_id=DEPOSIT, clears_at=AT, is_large=is_large
            )
            yield transitions.deposited(onramp, match, money, actor=ACTOR, at=AT)


def _refreshed(onramp: Onramp) -> AdvanceTransfer:
    """Build a refresh with a slightly larger quote, which a further refresh repeats."""
    details = onramp.details
    if details.worth_usd is not None:
        quote = _quote(onramp.source, onramp.fee, onramp.destination)
    else:
        more = Money(1, onramp.source.asset)
        coin = Money(1, onramp.destination.asset)
        quote = _quote(onramp.source + more, onramp.fee + more, onramp.destination + coin)
    return transitions.refreshed(onramp, quote, worth_usd=Decimal(1), actor=ACTOR, at=AT)


def _quote(source: Money, fee: Money, destination: Money) -> Quote:
    return Quote(source, fee, destination, Price(Rate(Decimal(1)), Decimal(0), None))


def _returned_deposits(onramp: Onramp) -> Iterator[AdvanceTransfer]:
    """Build a return that comes back, once for each onramp."""
    if onramp.details.return_came_back_units is None and not onramp.details.is_reversed:
        for units in {1, onramp.deposit.units}:
            received = Money(units, onramp.source.asset)
            assert return_refusal(onramp, received) is None
            yield transitions.return_received(onramp, received, actor=ACTOR, at=AT, due_at=AT)


def _find_order_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    order = result_of(STEPS.find_order(record, timedelta()))
    if order is not None:
        yield from find_order_moves(record, order)
        if order.refund is not None:
            yield from find_refund_moves(record, order, DESTINATIONS)


def _check(state: ReachedState) -> None:
    """Check what a reached state has taken, delivered and returned."""
    onramp = as_onramp(state.record)
    fiat = onramp.source.asset
    assert not state.held()
    assert sum(money.units for _, money in onramp.parts) + onramp.remainder.units == (
        onramp.destination.units
    )
    assert onramp.remainder.units >= 0
    if onramp.status is not OnrampStatus.COMPLETED:
        assert not state.of_wallets()
    if TRANSITIONS.is_terminal(onramp.status):
        assert not state.available(HouseRole.IN_TRANSIT, fiat)
    match onramp.status:
        case OnrampStatus.COMPLETED:
            _check_delivered(state, onramp)
        case OnrampStatus.NOT_INITIATED | OnrampStatus.QUOTE_FAILED:
            assert not state.sums
        case OnrampStatus.FIAT_RETURNED:
            units = onramp.details.return_came_back_units
            remainder = 0 if units is None else onramp.deposit.units - units
            lost = {
                (HouseRole.OUTSIDE, fiat.code): (remainder, 0),
                (HouseRole.WRITE_OFFS, fiat.code): (-remainder, 0),
            }
            assert state.sums == (lost if remainder else {})
        case _:
            pass


def _check_delivered(state: ReachedState, onramp: Onramp) -> None:
    """Check that the fiat is ours, and that every coin went to its destination."""
    fiat, coin = onramp.source.asset, onramp.destination.asset
    assert state.available(HouseRole.OUTSIDE, fiat) == -onramp.source.units
    assert state.available(HouseRole.FEES, fiat) == onramp.fee.units
    assert state.available(HouseRole.LIQUIDITY, fiat) == (onramp.source - onramp.fee).units
    assert state.available(HouseRole.LIQUIDITY, coin) == -onramp.destination.units
    delivered = [(part.account_id, money) for part, money in onramp.parts]
    delivered.append((onramp.details.destination_account_id, onramp.remainder))
    for account in {account for account, _ in delivered}:
        units = sum(money.units for to, money in delivered if to == account)
        assert state.available(account or HouseRole.OUTSIDE, coin) == units
    wallets = {account for account, _ in state.of_wallets()}
    assert wallets <= {account for account, _ in delivered}


@RUNS
@given(onramp_creations())
def test_onramp_delivers_or_returns(creation: CreateTransfer) -> None:
    found = reach([creation, *_on_virtual_account(creation)], TRANSITIONS, _find_moves)
    for state in found.states:
        _check(state)
    assert found.edges == set(TRANSITIONS.edges())
    planned = transitions.planned_steps(created_record(creation))
    sums = planned_sums(creation, TRANSITIONS, planned)
    for done in found.at(OnrampStatus.COMPLETED):
        # A refresh makes another quote.
        assert done.sums == sums or as_onramp(done.record).details.worth_usd is not None


def _on_virtual_account(creation: CreateTransfer) -> Iterator[CreateTransfer]:
    """Build the onramps that a deposit on a virtual account creates."""
    received = {"incoming_payment_id": str(DEPOSIT), "received_units": creation.source.units}
    for status in (OnrampStatus.FIAT_PENDING, OnrampStatus.FIAT_FAILED):
        yield replace(
            creation,
            path=(OnrampStatus.FIAT_INITIATED, status),
            details={**creation.details, **received},
            journals={0: transitions.deposit_postings(creation.source)},
        )
