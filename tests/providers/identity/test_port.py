"""An adapter's result is foreign input: bounded, cleaned, and rejected if contradictory."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import Unclear
from landbridge.providers.identity.port import (
    REASON_LENGTH_MAX,
    REASONS_MAX,
    RESULTS_MAX,
    TEXT_LENGTH_MAX,
    ApplicationSection,
    CheckResult,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    NotSubmitted,
    RejectType,
    ReviewOutcome,
    StillPending,
    sanitize,
    validate_reference,
    validate_result,
)
from tests.providers.identity.contract import approved, declined

texts = st.text(max_size=50)
results = st.builds(
    CheckResult,
    answer=st.sampled_from(ReviewOutcome),
    reject_type=st.none() | st.sampled_from(RejectType),
    reject_reasons=st.lists(texts, max_size=30).map(tuple),
    comment=st.none() | texts,
)
reviews = st.builds(
    IdentityReview,
    result=results,
    note=st.none() | texts,
    fields=st.lists(texts, max_size=3).map(tuple),
    sections=st.dictionaries(st.sampled_from(ApplicationSection), results),
    documents=st.dictionaries(st.uuids(), results, max_size=2),
    owners=st.dictionaries(st.uuids(), results, max_size=2),
)


@given(reviews)
def test_a_review_is_within_bounds_and_consistent_or_unclear(review: IdentityReview) -> None:
    try:
        found = validate_result(review)
    except Unclear:
        return
    assert isinstance(found, IdentityReview)
    for each in (found.result, *found.sections.values(), *found.documents.values()):
        assert (each.answer is ReviewOutcome.DECLINED) == (each.reject_type is not None)
        assert len(each.reject_reasons) <= REASONS_MAX
        assert all(sanitize(reason) == reason for reason in each.reject_reasons)
        assert each.comment is None or sanitize(each.comment) == each.comment
        if found.result.answer is ReviewOutcome.APPROVED:
            assert each.answer is ReviewOutcome.APPROVED
            assert not found.fields
    assert validate_result(found) == found


def test_valid_results_are_unchanged() -> None:
    for each in (
        approved(),
        declined(RejectType.RETRY, "BLURRED", comment="Take another picture."),
        declined(RejectType.FINAL, "FORGED"),
        InformationRequested(comment="Tell us more.\nPlease.", note="Odd."),
        ManualReviewRequested(note="Look."),
        StillPending(retry_after=None),
        StillPending(retry_after=timedelta(seconds=5)),
        NotSubmitted(),
    ):
        assert validate_result(each) == each


@pytest.mark.parametrize(
    "result",
    [
        CheckResult(answer=ReviewOutcome.DECLINED),
        CheckResult(answer=ReviewOutcome.APPROVED, reject_type=RejectType.RETRY),
        CheckResult(answer=ReviewOutcome.APPROVED, reject_type=RejectType.FINAL),
    ],
)
def test_a_result_that_contradicts_itself_is_unclear(result: CheckResult) -> None:
    with pytest.raises(Unclear):
        validate_result(IdentityReview(result=result))


@pytest.mark.parametrize(
    "changes",
    [
        {"documents": {UUID(int=1): declined(RejectType.RETRY).result}},
        {"owners": {UUID(int=1): declined(RejectType.FINAL).result}},
        {"sections": {ApplicationSection.QUESTIONNAIRE: declined(RejectType.RETRY).result}},
        {"fields": ("lastName",)},
    ],
)
def test_an_approval_with_a_declined_part_is_unclear(changes: dict[str, Any]) -> None:
    with pytest.raises(Unclear):
        validate_result(replace(approved(), **changes))


def test_a_part_is_not_finally_declined_alone() -> None:
    part = {uuid4(): declined(RejectType.FINAL).result}
    with pytest.raises(Unclear):
        validate_result(replace(declined(RejectType.RETRY), documents=part))
    assert validate_result(replace(declined(RejectType.FINAL), documents=part))


def test_long_texts_are_cut() -> None:
    reasons = tuple(f"{index}{'x' * 10_000}" for index in range(1000))
    found = validate_result(declined(RejectType.RETRY, *reasons, comment="y" * 10_000))
    assert isinstance(found, IdentityReview)
    assert len(found.result.reject_reasons) == REASONS_MAX
    assert {len(each) for each in found.result.reject_reasons} == {REASON_LENGTH_MAX}
    assert len(found.result.comment or "") == TEXT_LENGTH_MAX


def test_a_result_with_too_many_parts_is_unclear() -> None:
    parts = {uuid4(): approved().result for _ in range(RESULTS_MAX + 1)}
    with pytest.raises(Unclear):
        validate_result(replace(approved(), documents=parts))


def test_an_information_request_needs_a_comment() -> None:
    for comment in ("", "  \n ", "\x00\x1b"):
        with pytest.raises(Unclear):
            validate_result(InformationRequested(comment=comment))


def test_the_retry_delay_is_between_zero_and_a_day() -> None:
    assert validate_result(StillPending(retry_after=timedelta(days=400))) == StillPending(
        retry_after=timedelta(days=1)
    )
    assert validate_result(StillPending(retry_after=timedelta(days=-1))) == StillPending(
        retry_after=timedelta()
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("", None),
        ("\x00", None),
        (" a\x1b[31m\nb\r ", "a[31m\nb"),
        ("\ud800x", "x"),
        ("\u202e2 tsuj\u2066 \u200b", "2 tsuj"),
        ("Ünïcode ✓", "Ünïcode ✓"),
    ],
)
def test_texts_are_cleaned(text: str | None, expected: str | None) -> None:
    assert sanitize(text) == expected


@pytest.mark.parametrize("reference", [None, 7, "", "x" * 201, "ünicode", "a\nb", b"a"])
def test_an_invalid_reference_is_unclear(reference: object) -> None:
    with pytest.raises(Unclear):
        validate_reference(reference)
