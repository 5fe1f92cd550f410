"""An adapter's answer is foreign input: bounded, cleaned, and refused if it contradicts itself."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import Unclear
from landbridge.identity.port import (
    PARTS_MAX,
    REASON_LENGTH_MAX,
    REASONS_MAX,
    TEXT_LENGTH_MAX,
    Answer,
    InformationAsked,
    ManualReviewAsked,
    NotSubmitted,
    RejectType,
    Result,
    Review,
    Section,
    StillPending,
    checked,
    checked_reference,
    clean,
)
from tests.identity.contract import approved, declined

texts = st.text(max_size=50)
results = st.builds(
    Result,
    answer=st.sampled_from(Answer),
    reject_type=st.none() | st.sampled_from(RejectType),
    reject_reasons=st.lists(texts, max_size=30).map(tuple),
    comment=st.none() | texts,
)
reviews = st.builds(
    Review,
    result=results,
    note=st.none() | texts,
    fields=st.lists(texts, max_size=3).map(tuple),
    sections=st.dictionaries(st.sampled_from(Section), results),
    documents=st.dictionaries(st.uuids(), results, max_size=2),
    owners=st.dictionaries(st.uuids(), results, max_size=2),
)


@given(reviews)
def test_a_review_is_within_bounds_and_consistent_or_unclear(review: Review) -> None:
    try:
        found = checked(review)
    except Unclear:
        return
    assert isinstance(found, Review)
    for each in (found.result, *found.sections.values(), *found.documents.values()):
        assert (each.answer is Answer.DECLINED) == (each.reject_type is not None)
        assert len(each.reject_reasons) <= REASONS_MAX
        assert all(clean(reason) == reason for reason in each.reject_reasons)
        assert each.comment is None or clean(each.comment) == each.comment
        if found.result.answer is Answer.APPROVED:
            assert each.answer is Answer.APPROVED
            assert not found.fields
    assert checked(found) == found


def test_good_answers_pass_as_they_are() -> None:
    for each in (
        approved(),
        declined(RejectType.RETRY, "BLURRED", comment="Take another picture."),
        declined(RejectType.FINAL, "FORGED"),
        InformationAsked(comment="Tell us more.\nPlease.", note="Odd."),
        ManualReviewAsked(note="Look."),
        StillPending(ask_after=None),
        StillPending(ask_after=timedelta(seconds=5)),
        NotSubmitted(),
    ):
        assert checked(each) == each


@pytest.mark.parametrize(
    "result",
    [
        Result(answer=Answer.DECLINED),
        Result(answer=Answer.APPROVED, reject_type=RejectType.RETRY),
        Result(answer=Answer.APPROVED, reject_type=RejectType.FINAL),
    ],
)
def test_a_result_that_contradicts_itself_is_unclear(result: Result) -> None:
    with pytest.raises(Unclear):
        checked(Review(result=result))


@pytest.mark.parametrize(
    "changes",
    [
        {"documents": {UUID(int=1): declined(RejectType.RETRY).result}},
        {"owners": {UUID(int=1): declined(RejectType.FINAL).result}},
        {"sections": {Section.QUESTIONNAIRE: declined(RejectType.RETRY).result}},
        {"fields": ("lastName",)},
    ],
)
def test_an_approval_with_a_declined_part_is_unclear(changes: dict[str, Any]) -> None:
    with pytest.raises(Unclear):
        checked(replace(approved(), **changes))


def test_a_part_is_not_declined_for_good_alone() -> None:
    part = {uuid4(): declined(RejectType.FINAL).result}
    with pytest.raises(Unclear):
        checked(replace(declined(RejectType.RETRY), documents=part))
    assert checked(replace(declined(RejectType.FINAL), documents=part))


def test_long_answers_are_cut() -> None:
    reasons = tuple(f"{place}{'x' * 10_000}" for place in range(1000))
    found = checked(declined(RejectType.RETRY, *reasons, comment="y" * 10_000))
    assert isinstance(found, Review)
    assert len(found.result.reject_reasons) == REASONS_MAX
    assert {len(each) for each in found.result.reject_reasons} == {REASON_LENGTH_MAX}
    assert len(found.result.comment or "") == TEXT_LENGTH_MAX


def test_an_answer_about_more_parts_than_there_can_be_is_unclear() -> None:
    parts = {uuid4(): approved().result for _ in range(PARTS_MAX + 1)}
    with pytest.raises(Unclear):
        checked(replace(approved(), documents=parts))


def test_asking_for_information_says_which() -> None:
    for comment in ("", "  \n ", "\x00\x1b"):
        with pytest.raises(Unclear):
            checked(InformationAsked(comment=comment))


def test_it_is_asked_again_within_a_day_and_never_in_the_past() -> None:
    assert checked(StillPending(ask_after=timedelta(days=400))) == StillPending(
        ask_after=timedelta(days=1)
    )
    assert checked(StillPending(ask_after=timedelta(days=-1))) == StillPending(
        ask_after=timedelta()
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (None, None),
        ("", None),
        ("\x00", None),
        (" a\x1b[31m\nb\r ", "a[31m\nb"),
        ("\ud800x", "x"),
        ("Ünïcode ✓", "Ünïcode ✓"),
    ],
)
def test_texts_are_cleaned(text: str | None, kept: str | None) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize("reference", [None, 7, "", "x" * 201, "ünicode", "a\nb", b"a"])
def test_a_reference_that_can_not_be_one_is_unclear(reference: object) -> None:
    with pytest.raises(Unclear):
        checked_reference(reference)
