"""Checks of an offramp's request that need no lookup: each refusal names its field."""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountSecret,
    BankAccountStatus,
)
from landbridge.payments.engine.errors import AccountUnfit
from landbridge.payments.offramps.fees import BENEFICIARIES_MAX, OfframpFeeType
from landbridge.payments.offramps.references import DOCUMENT_TYPES, PURPOSES
from landbridge.payments.offramps.request import (
    DOCUMENTS_MAX,
    OfframpFeeRequest,
    OfframpRequest,
    check_account,
)
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT
from tests.payments.reached_states import AT
from tests.payments.record_factories import OTHER_USER, USDC, USER

USD = FIAT["usd"]
REQUEST = OfframpRequest(
    source_user_id=USER,
    external_wallet_id=None,
    return_address=None,
    chain=Chain.POLYGON,
    currency="usdc",
    source_amount=Decimal(10),
    destination_user_id=OTHER_USER,
    account_id=UUID(int=60),
    destination_currency="usd",
    destination_amount=None,
    is_same_day=False,
    references={},
    purpose=None,
    description=None,
    document_type=None,
    document_url=None,
    supporting=None,
    fees=(),
    requires_approval=False,
)
FEE = OfframpFeeRequest(OfframpFeeType.FLAT, Decimal(1), "0xf")
DOCUMENT = {"fileId": "file_1", "type": "INVOICE"}


def _account(rail: str = "ach", **changes: Any) -> BankAccount:
    """Build an account in the United States that is paid by this rail."""
    account = BankAccount(
        org_id=UUID(int=1),
        id=UUID(int=60),
        user_id=OTHER_USER,
        request_id=None,
        ramp=Ramp.OFFRAMP,
        type="us",
        currency="usd",
        status=BankAccountStatus.ACTIVE,
        secret=BankAccountSecret(holder=None, bank={"transferType": rail}),
        version=1,
        created_at=AT,
        updated_at=AT,
        metadata={},
    )
    return replace(account, **changes)


@pytest.mark.parametrize(
    ("user", "wallet", "address"),
    list(product([USER, None], [UUID(int=61), None], ["0xc", None])),
)
def test_request_has_one_source_that_fits_the_return_address(
    user: UUID | None, wallet: UUID | None, address: str | None
) -> None:
    request = replace(
        REQUEST, source_user_id=user, external_wallet_id=wallet, return_address=address
    )
    if (user is None) == (wallet is None):
        field = "source.userId"
    elif address is not None and user is not None:
        field = "source.returnAddress"
    else:
        request.check_ends()
        return
    with pytest.raises(FieldInvalid) as refused:
        request.check_ends()
    assert refused.value.field == field


@pytest.mark.parametrize("count", [0, 1, BENEFICIARIES_MAX, BENEFICIARIES_MAX + 1])
@pytest.mark.parametrize("currency", ["usd", "eur"])
def test_fees_are_few_and_go_with_dollars(count: int, currency: str) -> None:
    request = replace(REQUEST, fees=(FEE,) * count, destination_currency=currency)
    field = "developerFee" if count and currency != "usd" else "developerFee.fees"
    if count == 0 or (currency == "usd" and count <= BENEFICIARIES_MAX):
        request.check_fees()
        return
    with pytest.raises(FieldInvalid) as refused:
        request.check_fees()
    assert refused.value.field == field


@pytest.mark.parametrize("currency", [*sorted(FIAT), "gbp", "usdc", ""])
def test_only_served_currencies_are_paid_out(currency: str) -> None:
    request = replace(REQUEST, destination_currency=currency)
    if currency in FIAT:
        assert request.fiat() == FIAT[currency]
        return
    with pytest.raises(RouteInvalid) as refused:
        request.fiat()
    assert refused.value.field == "destination.currency"


@pytest.mark.parametrize(
    ("source", "destination"), list(product([None, Decimal(10)], [None, Decimal(5)]))
)
def test_request_has_exactly_one_amount(
    source: Decimal | None, destination: Decimal | None
) -> None:
    request = replace(REQUEST, source_amount=source, destination_amount=destination)
    if (source is None) == (destination is None):
        with pytest.raises(FieldInvalid) as refused:
            request.amount(USDC, USD)
        assert refused.value.field == "source.amount"
    elif source is not None:
        assert request.amount(USDC, USD) == Money(10_000_000, USDC)
        assert request.amount_field == "source.amount"
    else:
        assert request.amount(USDC, USD) == Money(500, USD)
        assert request.amount_field == "destination.amount"


@pytest.mark.parametrize(("ramp", "currency"), list(product(Ramp, ["usd", "eur"])))
def test_payout_account_is_an_offramp_account_of_the_currency(ramp: Ramp, currency: str) -> None:
    account = _account(ramp=ramp, currency=currency)
    if ramp is Ramp.OFFRAMP and currency == "usd":
        check_account(account, "usd")
        return
    with pytest.raises(AccountUnfit) as refused:
        check_account(account, "usd")
    assert refused.value.field == "destination.accountId"


def _supporting(count: int) -> dict[str, Any]:
    return {"documents": [DOCUMENT] * count}


@pytest.mark.parametrize(
    ("rail", "accepted"),
    [
        ("ach", {"is_same_day": True}),
        ("ach", {"references": {"achReference": "A 1"}}),
        ("wire", {"references": {"wireMessage": "one\ntwo\nthree\nfour"}}),
        ("ach", {"purpose": PURPOSES[0]}),
        ("ach", {"document_type": DOCUMENT_TYPES[0], "document_url": "https://example.com/a"}),
        ("ach", {"supporting": _supporting(DOCUMENTS_MAX)}),
        ("ach", {"description": "rent of May"}),
    ],
)
def test_texts_that_fit_the_account_are_accepted(rail: str, accepted: dict[str, Any]) -> None:
    replace(REQUEST, **accepted).texts(_account(rail))


@pytest.mark.parametrize(
    ("rail", "changes", "field"),
    [
        ("wire", {"is_same_day": True}, "destination.sameDayAch"),
        ("wire", {"references": {"achReference": "A"}}, "destination.achReference"),
        ("ach", {"references": {"wireMessage": "A"}}, "destination.wireMessage"),
        ("ach", {"references": {"achReference": "12345678901"}}, "destination.achReference"),
        ("wire", {"references": {"wireMessage": "a\nb\nc\nd\ne"}}, "destination.wireMessage"),
        ("ach", {"purpose": "unlisted"}, "purposeOfPayment"),
        ("ach", {"document_type": DOCUMENT_TYPES[0]}, "supportingDocumentUrl"),
        ("ach", {"document_url": "https://example.com/a"}, "supportingDocumentType"),
        (
            "ach",
            {"document_type": "unlisted", "document_url": "https://example.com/a"},
            "supportingDocumentType",
        ),
        (
            "ach",
            {"document_type": DOCUMENT_TYPES[0], "document_url": "example"},
            "supportingDocumentUrl",
        ),
        ("ach", {"supporting": _supporting(DOCUMENTS_MAX + 1)}, "supportingInformation.documents"),
        ("ach", {"description": "a" * 1001}, "description"),
    ],
)
def test_texts_that_do_not_fit_the_account_are_refused(
    rail: str, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(FieldInvalid) as refused:
        replace(REQUEST, **changes).texts(_account(rail))
    assert refused.value.field == field
