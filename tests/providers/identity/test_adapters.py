"""Both adapters fulfil the contract of the port, and each its own guarantees."""

from datetime import timedelta

import pytest

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.manual import ManualIdentity
from landbridge.providers.identity.port import (
    Applicant,
    ApplicationStatus,
    Identity,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    RejectType,
    ReviewOutcome,
    StillPending,
)
from landbridge.providers.identity.sandbox import (
    BUSINESS_DELAY,
    INDIVIDUAL_DELAY,
    SandboxIdentity,
    ScriptedResult,
    choose_result,
)
from tests.providers.identity.contract import (
    DAY,
    IdentityContract,
    applicant,
    business,
    submitted,
)
from tests.providers.identity.faulty import ScriptedIdentity

NO_TIME = timedelta()
INSTANT = timedelta(microseconds=1)


class TestSandbox(IdentityContract):
    @pytest.fixture
    def identity(self) -> Identity:
        return SandboxIdentity()


class TestManual(IdentityContract):
    @pytest.fixture
    def identity(self) -> Identity:
        return ManualIdentity()


class TestScripted(IdentityContract):
    """Scripted provider of other tests: their results hold for real providers."""

    @pytest.fixture
    def identity(self) -> Identity:
        return ScriptedIdentity()


async def _after(applicant_: Applicant, waited: timedelta) -> ApplicationStatus:
    identity = SandboxIdentity()
    return await identity.status(await submitted(identity, applicant_), waited=waited)


async def test_manual_review_is_requested_immediately() -> None:
    identity = ManualIdentity()
    reference = await submitted(identity, applicant())
    assert await identity.status(reference, waited=NO_TIME) == ManualReviewRequested()


@pytest.mark.parametrize(
    ("applicant_", "delay"),
    [(applicant(), INDIVIDUAL_DELAY), (business("Example"), BUSINESS_DELAY)],
    ids=["individual", "business"],
)
async def test_other_names_are_approved_after_a_delay(
    applicant_: Applicant, delay: timedelta
) -> None:
    assert await _after(applicant_, NO_TIME) == StillPending(retry_after=delay)
    assert await _after(applicant_, delay - INSTANT) == StillPending(retry_after=INSTANT)
    for waited in (delay, DAY):
        review = await _after(applicant_, waited)
        assert isinstance(review, IdentityReview)
        assert review.result.answer is ReviewOutcome.APPROVED


@pytest.mark.parametrize("name", ["REJECTION", "rejection", "Rejection", " ReJeCtIoN "])
async def test_reserved_names_are_case_insensitive(name: str) -> None:
    review = await _after(applicant(last_name=name), NO_TIME)
    assert isinstance(review, IdentityReview)
    assert review.result.answer is ReviewOutcome.DECLINED
    assert review.result.reject_type is RejectType.FINAL
    assert review.result.reject_reasons


@pytest.mark.parametrize(
    "name", ["REJECTIONS", "A REJECTION", "REJECT", "", "PENDİNG", "DELAYED", "DELAY"]
)
def test_only_the_whole_name_counts(name: str) -> None:
    assert choose_result(applicant(last_name=name))[0] is ScriptedResult.DELAYED


async def test_pending_stays_pending() -> None:
    for waited in (NO_TIME, DAY * 1000):
        assert await _after(applicant(last_name="Pending"), waited) == StillPending(
            retry_after=None
        )


async def test_approval_is_at_once() -> None:
    for applicant_ in (applicant(last_name="Approval"), business("Example", "Approval")):
        review = await _after(applicant_, NO_TIME)
        assert isinstance(review, IdentityReview)
        assert review.result.answer is ReviewOutcome.APPROVED


async def test_a_retry_names_the_field_to_correct() -> None:
    cases = [
        (applicant(last_name="Retry"), "lastName"),
        (business("Example", name="Retry"), "businessName"),
        (business("Example", "Retry"), "ultimateBeneficialOwners"),
    ]
    for applicant_, field in cases:
        review = await _after(applicant_, NO_TIME)
        assert isinstance(review, IdentityReview)
        assert review.result.reject_type is RejectType.RETRY
        assert review.fields == (field,)


async def test_information_and_reviews_are_requested() -> None:
    result = await _after(applicant(last_name="Information"), NO_TIME)
    assert isinstance(result, InformationRequested)
    assert isinstance(await _after(applicant(last_name="Review"), NO_TIME), ManualReviewRequested)


@pytest.mark.parametrize(
    ("applicant_", "result"),
    [
        (business("Example", "Rejection", "Approval"), ScriptedResult.REJECTION),
        (business("Approval", "Pending"), ScriptedResult.PENDING),
        (business("Approval", name="Pending"), ScriptedResult.PENDING),
        (business("Pending", name="Rejection"), ScriptedResult.REJECTION),
        (business("Approval"), ScriptedResult.APPROVAL),
        (business("Example", name="approval"), ScriptedResult.APPROVAL),
        (business("Example", name="Approval", file_name="Other Ltd"), ScriptedResult.APPROVAL),
        (business("Example"), ScriptedResult.DELAYED),
        (business(), ScriptedResult.DELAYED),
    ],
)
def test_of_several_reserved_names_the_worst_wins(
    applicant_: Applicant, result: ScriptedResult
) -> None:
    assert choose_result(applicant_)[0] is result


def test_the_name_of_the_account_counts_as_well_as_that_of_the_data() -> None:
    assert choose_result(applicant(last_name="Pending", facts={}))[0] is ScriptedResult.PENDING
    person = applicant(last_name="Example", facts={"lastName": "Rejection"})
    assert choose_result(person)[0] is ScriptedResult.REJECTION


def test_a_test_name_can_be_corrected_in_the_data() -> None:
    mended = applicant(last_name="Retry", facts={"lastName": "Example"})
    assert choose_result(mended)[0] is ScriptedResult.DELAYED


@pytest.mark.parametrize(
    "facts", [{"lastName": 7}, {"lastName": None}, {"lastName": ["REJECTION"]}]
)
def test_a_name_that_is_no_text_is_no_reserved_one(facts: dict[str, object]) -> None:
    assert choose_result(applicant(facts=facts))[0] is ScriptedResult.DELAYED


@pytest.mark.parametrize("reference", ["", "sandbox", "sandbox:X:lastName:a", "manual:DELAYED:a:b"])
async def test_a_reference_that_the_sandbox_did_not_make_is_refused(reference: str) -> None:
    with pytest.raises(Rejected):
        await SandboxIdentity().status(reference, waited=NO_TIME)
