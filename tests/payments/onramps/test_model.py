from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import msgspec
import pytest

from landbridge.ledger.model import Transfer
from landbridge.payments.onramps.model import (
    KIND,
    REVIEWABLE,
    TRANSITIONS,
    Onramp,
    OnrampDetails,
    OnrampStatus,
    accept_refusal,
    as_onramp,
    cancel_refusal,
    refresh_refusal,
    review_refusal,
)
from landbridge.payments.onramps.references import new_reference, normalise_reference
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.providers.chains.tokens import TOKENS, Chain

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_ID = UUID("8d3a7cfe-0000-4000-8000-000000000001")

ON_THE_WAY = [
    *(
        OnrampStatus.AWAITING_FUNDS,
        OnrampStatus.FIAT_INITIATED,
        OnrampStatus.FIAT_PENDING,
        OnrampStatus.FIAT_PROCESSED,
    ),
    *(
        OnrampStatus.CRYPTO_INITIATED,
        OnrampStatus.CRYPTO_PENDING,
        OnrampStatus.COMPLETED,
        OnrampStatus.UNKNOWN,
    ),
]
ENDS = {
    OnrampStatus.NOT_INITIATED,
    OnrampStatus.QUOTE_FAILED,
    OnrampStatus.FIAT_RETURNED,
    OnrampStatus.COMPLETED,
}
CANCELLABLE = {OnrampStatus.OPEN_QUOTE, OnrampStatus.AWAITING_FUNDS, OnrampStatus.FIAT_PENDING}


def _onramp(status: OnrampStatus, *, reviewed_from: OnrampStatus | None = None) -> Onramp:
    details = OnrampDetails(
        bank_account_id=None,
        source_address="0x1",
        destination_account_id=None,
        destination_user_id=_ID,
        destination_address="0x2",
        external_wallet_id=None,
        fee_units=0,
        rate=Decimal(1),
        quote_expires_at=_AT,
        is_exact_out=False,
        reviewed_from=reviewed_from,
    )
    return as_onramp(
        Transfer(
            org_id=_ID,
            id=_ID,
            kind=KIND,
            user_id=_ID,
            request_id=_ID,
            request={},
            status=status,
            version=2,
            source_asset="usd:BANK",
            source_units=1_000,
            destination_asset=TOKENS[Chain.POLYGON, "usdc"].asset.code,
            destination_units=10_000_000,
            details=msgspec.to_builtins(details),
            facts={},
            due_at=_AT,
            created_at=_AT,
            updated_at=_AT,
        )
    )


def _kind(refusal: Refused | None) -> type[Refused] | None:
    return None if refusal is None else type(refusal)


def test_successful_onramp_follows_one_path() -> None:
    way = (
        *(
            OnrampStatus.CREATED,
            OnrampStatus.OPEN_QUOTE,
            OnrampStatus.AWAITING_FUNDS,
            OnrampStatus.FIAT_INITIATED,
        ),
        *(OnrampStatus.FIAT_PENDING, OnrampStatus.FIAT_PROCESSED, OnrampStatus.CRYPTO_INITIATED),
        *(OnrampStatus.CRYPTO_PENDING, OnrampStatus.COMPLETED),
    )
    assert TRANSITIONS.is_path(None, way)
    assert TRANSITIONS.is_path(None, way[3:]), "a deposit on a virtual account begins here"


def test_terminal_statuses_are_fixed() -> None:
    assert {status for status in OnrampStatus if TRANSITIONS.is_terminal(status)} == ENDS


def test_a_failure_leads_back_to_the_sender() -> None:
    for failed in (OnrampStatus.FIAT_FAILED, OnrampStatus.CRYPTO_FAILED):
        assert TRANSITIONS.is_path(failed, (OnrampStatus.FIAT_RETURNED,))
        assert TRANSITIONS.table[failed] == {
            failed,
            OnrampStatus.FIAT_RETURNED,
            OnrampStatus.IN_REVIEW,
        }


@pytest.mark.parametrize("status", sorted(OnrampStatus))
def test_review_begins_at_a_waiting_status_and_returns_there(status: OnrampStatus) -> None:
    rests = status not in ENDS | {
        *(
            OnrampStatus.CREATED,
            OnrampStatus.FIAT_INITIATED,
            OnrampStatus.FIAT_PROCESSED,
            OnrampStatus.IN_REVIEW,
        )
    }
    assert (status in REVIEWABLE) == rests
    assert TRANSITIONS.is_path(status, (OnrampStatus.IN_REVIEW, status)) == rests
    assert _kind(review_refusal(status)) is (None if rests else ResourceConflict)


@pytest.mark.parametrize("status", sorted(set(OnrampStatus) - {OnrampStatus.IN_REVIEW}))
def test_why_not_accept(status: OnrampStatus) -> None:
    expected = QuoteInvalid
    if status in {OnrampStatus.OPEN_QUOTE, *ON_THE_WAY}:
        expected = None
    elif status is OnrampStatus.CREATED:
        expected = ResourceConflict
    found = accept_refusal(_onramp(status))
    assert _kind(found) is expected
    has_failed = status in {
        OnrampStatus.FIAT_FAILED,
        OnrampStatus.FIAT_RETURNED,
        OnrampStatus.CRYPTO_FAILED,
    }
    assert ("was accepted and has failed; create a new one" in str(found)) == has_failed


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
def test_why_not_accept_in_review(status: OnrampStatus) -> None:
    expected: type[Refused] | None = None
    if status is OnrampStatus.OPEN_QUOTE:
        expected = ResourceConflict
    elif status in {OnrampStatus.FIAT_FAILED, OnrampStatus.CRYPTO_FAILED}:
        expected = QuoteInvalid
    onramp = _onramp(OnrampStatus.IN_REVIEW, reviewed_from=status)
    assert _kind(accept_refusal(onramp)) is expected


@pytest.mark.parametrize("status", sorted(OnrampStatus))
def test_only_an_open_quote_is_refreshed(status: OnrampStatus) -> None:
    expected = None if status is OnrampStatus.OPEN_QUOTE else ResourceConflict
    assert _kind(refresh_refusal(status)) is expected


@pytest.mark.parametrize("status", sorted(set(OnrampStatus) - {OnrampStatus.IN_REVIEW}))
def test_onramp_is_cancelled_only_in_review(status: OnrampStatus) -> None:
    assert _kind(cancel_refusal(_onramp(status))) is ResourceConflict


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
def test_why_not_cancel_in_review(status: OnrampStatus) -> None:
    onramp = _onramp(OnrampStatus.IN_REVIEW, reviewed_from=status)
    assert _kind(cancel_refusal(onramp)) is (None if status in CANCELLABLE else ResourceConflict)


def test_a_reference_is_short_the_same_each_time_and_another_for_each_record() -> None:
    record = _onramp(OnrampStatus.OPEN_QUOTE).record
    records = [replace(record, id=derived_id(_ID, str(index))) for index in range(500)]
    references = {new_reference(each, 0) for each in records}
    assert references == {new_reference(each, 0) for each in records}
    assert len(references) == 500
    assert len({new_reference(record, attempt) for attempt in range(4)}) == 4
    for each in references:
        assert len(each) == 12
        assert each.startswith("LB")
        assert not set(each[2:]) & set("01OILUV")


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("LB23456789AB", "LB23456789AB"),
        (" lb23 4567\t89ab ", "LB23456789AB"),
        ("LB23456789A", None),
        ("invoice 7 LB23456789AB", None),
        ("", None),
        (" " * 10_000 + "LB23456789AB", None),
    ],
)
def test_spaces_and_case_of_a_reference_are_ignored(text: str, reference: str | None) -> None:
    assert normalise_reference(text) == reference
