"""Refusals of onramps without a database: each occurs, and nothing else is refused."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.customers.bank_accounts.errors import InactiveAccount
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccount, BankAccountStatus
from landbridge.payments.engine.errors import AccountUnfit
from landbridge.payments.onramps.matching import account_match_refusal, onramp_match_refusal
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.payments.onramps.request import (
    KYC_RAILS,
    OnrampPurpose,
    OnrampRequest,
    amounts,
    check_account,
    validate,
)
from landbridge.payments.onramps.returns import return_refusal
from landbridge.payments.onramps.reversals import reversal_refusal
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountStatus
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT
from tests.payments.reached_states import AT
from tests.payments.record_factories import USDC, USER, incoming_payment, onramp_at

USD, EUR = FIAT["usd"], FIAT["eur"]
DEPOSIT = Money(1_000, USD)
ONE = Money(1, USD)
REQUEST = OnrampRequest(
    user_id=USER,
    currency="usd",
    source_amount=Decimal(10),
    bank_account_id=None,
    destination_currency="usdc",
    chain=None,
    destination_user_id=None,
    external_wallet_id=None,
    destination_amount=None,
    purpose=None,
    fee=None,
)
UNREVIEWED = [each for each in OnrampStatus if each is not OnrampStatus.IN_REVIEW]
AFRICAN = ("ngn", "kes", "ugx")


def _virtual_account(status: VirtualAccountStatus) -> VirtualAccount:
    """Build an account that converts dollars into usdc."""
    return VirtualAccount(
        org_id=UUID(int=1),
        id=UUID(int=62),
        user_id=USER,
        status=status,
        source_currency="usd",
        destination_currency="usdc",
        chain=Chain.POLYGON,
        wallet_address="0xb",
        external_wallet_id=None,
        account_number="2",
        settlement_rule_id=None,
        version=1,
        created_at=AT,
        updated_at=AT,
    )


@pytest.mark.parametrize("status", OnrampStatus)
def test_only_a_returned_onramp_is_reopened(status: OnrampStatus) -> None:
    onramp = onramp_at(status, received_units=DEPOSIT.units)
    refusal = return_refusal(onramp, DEPOSIT)
    assert (refusal is None) == (status is OnrampStatus.FIAT_RETURNED)
    assert refusal is None or isinstance(refusal, ResourceConflict)


@given(st.integers(-2_000, 2_000))
def test_only_what_was_returned_can_come_back(units: int) -> None:
    onramp = onramp_at(OnrampStatus.FIAT_RETURNED, received_units=DEPOSIT.units)
    refusal = return_refusal(onramp, Money(units, USD))
    assert (refusal is None) == (0 < units <= DEPOSIT.units)
    assert return_refusal(onramp, Money(units, EUR)) is not None


def test_return_of_a_reversed_deposit_cannot_come_back() -> None:
    onramp = onramp_at(OnrampStatus.FIAT_RETURNED, received_units=1_000, is_reversed=True)
    refusal = return_refusal(onramp, DEPOSIT)
    assert refusal is not None
    assert "reversed" in refusal.message


REVERSIBLE = {
    OnrampStatus.COMPLETED,
    OnrampStatus.FIAT_RETURNED,
    OnrampStatus.FIAT_PENDING,
    OnrampStatus.FIAT_FAILED,
    OnrampStatus.CRYPTO_FAILED,
}


@pytest.mark.parametrize("status", UNREVIEWED)
@pytest.mark.parametrize("is_reviewed", [False, True])
def test_reversal_waits_while_coins_are_in_transit(
    status: OnrampStatus, *, is_reviewed: bool
) -> None:
    facts: dict[str, Any] = {"received_units": DEPOSIT.units}
    onramp = onramp_at(status, **facts)
    if is_reviewed:
        onramp = onramp_at(OnrampStatus.IN_REVIEW, reviewed_from=status, **facts)
    refusal = reversal_refusal(onramp, DEPOSIT)
    assert (refusal is None) == (status in REVERSIBLE)
    assert refusal is None or "in transit" in refusal.message


@pytest.mark.parametrize("status", sorted(REVERSIBLE))
def test_reversal_must_be_of_the_whole_deposit_and_happens_once(status: OnrampStatus) -> None:
    onramp = onramp_at(status, received_units=DEPOSIT.units)
    for money in (DEPOSIT - ONE, DEPOSIT + ONE, Money(DEPOSIT.units, EUR)):
        refusal = reversal_refusal(onramp, money)
        assert refusal is not None
        assert "the bank reversed" in refusal.message
    unpaid = reversal_refusal(onramp_at(status), DEPOSIT)
    assert unpaid is not None
    assert "no deposit" in unpaid.message
    again = onramp_at(status, received_units=DEPOSIT.units, is_reversed=True)
    is_returned = status is OnrampStatus.FIAT_RETURNED
    assert (reversal_refusal(again, DEPOSIT) is not None) == is_returned


@pytest.mark.parametrize("status", UNREVIEWED)
def test_deposit_is_matched_only_with_an_onramp_that_awaits_one(status: OnrampStatus) -> None:
    is_awaited = status is OnrampStatus.AWAITING_FUNDS
    assert (onramp_match_refusal(onramp_at(status), incoming_payment()) is None) == is_awaited
    in_review = onramp_at(OnrampStatus.IN_REVIEW, reviewed_from=status)
    assert (onramp_match_refusal(in_review, incoming_payment()) is None) == is_awaited


@given(st.integers(1, 2_000), st.integers(-5, 5))
def test_matched_deposit_has_the_awaited_amount_and_arrived_in_time(
    units: int, microseconds: int
) -> None:
    onramp = onramp_at(OnrampStatus.AWAITING_FUNDS)
    arrived_at = AT + timedelta(microseconds=microseconds)
    for asset in (USD, EUR):
        payment = incoming_payment(money=Money(units, asset), arrived_at=arrived_at)
        is_fit = payment.money == DEPOSIT and microseconds < 0
        assert (onramp_match_refusal(onramp, payment) is None) == is_fit
    late = onramp_match_refusal(onramp, incoming_payment(arrived_at=AT))
    assert late is not None
    assert "after this onramp had expired" in late.message


@pytest.mark.parametrize("status", VirtualAccountStatus)
def test_deposit_is_matched_only_with_an_active_account_of_its_currency(
    status: VirtualAccountStatus,
) -> None:
    account = _virtual_account(status)
    refusal = account_match_refusal(account, incoming_payment())
    is_active = status is VirtualAccountStatus.ACTIVATED
    assert (refusal is None) == is_active
    assert is_active or isinstance(refusal, InactiveAccount)
    other = account_match_refusal(account, incoming_payment(money=Money(1, EUR)))
    assert isinstance(other, ResourceConflict if is_active else InactiveAccount)


def _refused_request(field: str, **changes: Any) -> None:
    with pytest.raises((FieldInvalid, RouteInvalid)) as refused:
        validate(replace(REQUEST, **changes))
    assert refused.value.field == field


@pytest.mark.parametrize("currency", sorted(KYC_RAILS))
def test_request_in_each_served_currency_is_accepted(currency: str) -> None:
    account = {"bank_account_id": UUID(int=60), "purpose": OnrampPurpose.GIFT}
    request = replace(REQUEST, currency=currency, **account)
    validate(request)
    assert request.fiat == FIAT[currency]


def test_each_refusal_of_a_request_names_its_field() -> None:
    validate(REQUEST)
    _refused_request("source.currency", currency="zar")
    _refused_request("destination.currency", destination_currency="usdg")
    both = {"destination_user_id": USER, "external_wallet_id": UUID(int=61)}
    _refused_request("destination.externalWalletId", **both)
    for currency in AFRICAN:
        _refused_request("source.accountId", currency=currency, purpose=OnrampPurpose.GIFT)
        _refused_request("purposeOfPayment", currency=currency, bank_account_id=UUID(int=60))


@pytest.mark.parametrize(
    ("source", "destination"), list(product([None, Decimal(10)], [None, Decimal(5)]))
)
def test_request_has_exactly_one_amount(
    source: Decimal | None, destination: Decimal | None
) -> None:
    request = replace(REQUEST, source_amount=source, destination_amount=destination)
    if (source is None) == (destination is None):
        with pytest.raises(FieldInvalid) as refused:
            amounts(request, USDC)
        assert refused.value.field == "source.amount"
    else:
        paid, delivered = amounts(request, USDC)
        assert (paid is None, delivered is None) == (source is None, destination is None)


@pytest.mark.parametrize(("ramp", "currency"), list(product(Ramp, ["usd", "eur"])))
def test_payer_account_is_an_onramp_account_of_the_currency(ramp: Ramp, currency: str) -> None:
    account = BankAccount(
        org_id=UUID(int=1),
        id=UUID(int=60),
        user_id=USER,
        request_id=None,
        ramp=ramp,
        type="us",
        currency=currency,
        status=BankAccountStatus.ACTIVE,
        secret=None,
        version=1,
        created_at=AT,
        updated_at=AT,
        metadata={},
    )
    if ramp is Ramp.ONRAMP and currency == "usd":
        check_account(REQUEST, account)
    else:
        with pytest.raises(AccountUnfit):
            check_account(REQUEST, account)
