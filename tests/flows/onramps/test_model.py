from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import msgspec
import pytest

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.errors import Refused, ResourceConflict
from landbridge.core.ids import derived_id
from landbridge.flows.onramps.model import (
    KIND,
    MOVES,
    REVIEWABLE,
    Details,
    Onramp,
    Status,
    as_onramp,
    why_not_accept,
    why_not_cancel,
    why_not_refresh,
    why_not_review,
)
from landbridge.flows.onramps.references import new_reference, told_reference
from landbridge.ledger.model import Transfer
from landbridge.quotes.errors import QuoteInvalid

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_ID = UUID("8d3a7cfe-0000-4000-8000-000000000001")

ON_THE_WAY = [
    *(Status.AWAITING_FUNDS, Status.FIAT_INITIATED, Status.FIAT_PENDING, Status.FIAT_PROCESSED),
    *(Status.CRYPTO_INITIATED, Status.CRYPTO_PENDING, Status.COMPLETED, Status.UNKNOWN),
]
ENDS = {Status.NOT_INITIATED, Status.QUOTE_FAILED, Status.FIAT_RETURNED, Status.COMPLETED}
CANCELLABLE = {Status.OPEN_QUOTE, Status.AWAITING_FUNDS, Status.FIAT_PENDING}


def _onramp(status: Status, *, reviewed_from: Status | None = None) -> Onramp:
    details = Details(
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


def test_the_ordinary_way_is_one_run_of_moves() -> None:
    way = (
        *(Status.CREATED, Status.OPEN_QUOTE, Status.AWAITING_FUNDS, Status.FIAT_INITIATED),
        *(Status.FIAT_PENDING, Status.FIAT_PROCESSED, Status.CRYPTO_INITIATED),
        *(Status.CRYPTO_PENDING, Status.COMPLETED),
    )
    assert MOVES.is_path(None, way)
    assert MOVES.is_path(None, way[3:]), "a deposit on a virtual account begins here"


def test_these_are_the_ends() -> None:
    assert {status for status in Status if MOVES.is_terminal(status)} == ENDS


def test_a_failure_leads_back_to_the_sender() -> None:
    for failed in (Status.FIAT_FAILED, Status.CRYPTO_FAILED):
        assert MOVES.is_path(failed, (Status.FIAT_RETURNED,))
        assert MOVES.table[failed] == {failed, Status.FIAT_RETURNED, Status.IN_REVIEW}


@pytest.mark.parametrize("status", sorted(Status))
def test_a_review_begins_at_what_rests_and_leads_back_there(status: Status) -> None:
    rests = status not in ENDS | {
        *(Status.CREATED, Status.FIAT_INITIATED, Status.FIAT_PROCESSED, Status.IN_REVIEW)
    }
    assert (status in REVIEWABLE) == rests
    assert MOVES.is_path(status, (Status.IN_REVIEW, status)) == rests
    assert _kind(why_not_review(status)) is (None if rests else ResourceConflict)


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.IN_REVIEW}))
def test_why_not_accept(status: Status) -> None:
    expected = QuoteInvalid
    if status in {Status.OPEN_QUOTE, *ON_THE_WAY}:
        expected = None
    elif status is Status.CREATED:
        expected = ResourceConflict
    found = why_not_accept(_onramp(status))
    assert _kind(found) is expected
    has_failed = status in {Status.FIAT_FAILED, Status.FIAT_RETURNED, Status.CRYPTO_FAILED}
    assert ("was accepted and has failed; create a new one" in str(found)) == has_failed


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
def test_why_not_accept_in_review(status: Status) -> None:
    expected: type[Refused] | None = None
    if status is Status.OPEN_QUOTE:
        expected = ResourceConflict
    elif status in {Status.FIAT_FAILED, Status.CRYPTO_FAILED}:
        expected = QuoteInvalid
    onramp = _onramp(Status.IN_REVIEW, reviewed_from=status)
    assert _kind(why_not_accept(onramp)) is expected


@pytest.mark.parametrize("status", sorted(Status))
def test_only_an_open_quote_is_refreshed(status: Status) -> None:
    expected = None if status is Status.OPEN_QUOTE else ResourceConflict
    assert _kind(why_not_refresh(status)) is expected


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.IN_REVIEW}))
def test_nothing_is_cancelled_outside_of_a_review(status: Status) -> None:
    assert _kind(why_not_cancel(_onramp(status))) is ResourceConflict


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
def test_why_not_cancel_in_review(status: Status) -> None:
    onramp = _onramp(Status.IN_REVIEW, reviewed_from=status)
    assert _kind(why_not_cancel(onramp)) is (None if status in CANCELLABLE else ResourceConflict)


def test_a_reference_is_short_the_same_each_time_and_another_for_each_record() -> None:
    ids = [derived_id(_ID, str(place)) for place in range(500)]
    references = {new_reference(each, 0) for each in ids}
    assert references == {new_reference(each, 0) for each in ids}
    assert len(references) == 500
    assert len({new_reference(_ID, attempt) for attempt in range(4)}) == 4
    for each in references:
        assert len(each) == 12
        assert each.startswith("LB")
        assert not set(each[2:]) & set("01OILUV")


@pytest.mark.parametrize(
    ("told", "reference"),
    [
        ("LB23456789AB", "LB23456789AB"),
        (" lb23 4567\t89ab ", "LB23456789AB"),
        ("LB23456789A", None),
        ("invoice 7 LB23456789AB", None),
        ("", None),
        (" " * 10_000 + "LB23456789AB", None),
    ],
)
def test_blanks_and_case_of_a_reference_do_not_matter(told: str, reference: str | None) -> None:
    assert told_reference(told) == reference
