"""Both adapters keep the contract of the port, and each its own promises."""

from datetime import timedelta

import pytest

from landbridge.core.errors import Rejected
from landbridge.identity.manual import ManualIdentity
from landbridge.identity.port import (
    Answer,
    Applicant,
    Identity,
    InformationAsked,
    ManualReviewAsked,
    RejectType,
    Review,
    Standing,
    StillPending,
)
from landbridge.identity.sandbox import (
    BUSINESS_DELAY,
    INDIVIDUAL_DELAY,
    Ending,
    SandboxIdentity,
    ending_of,
)
from tests.identity.contract import DAY, IdentityContract, applicant, business, submitted
from tests.identity.faulty import ScriptedIdentity

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
    """The one that other tests script: what they prove with it holds for real providers."""

    @pytest.fixture
    def identity(self) -> Identity:
        return ScriptedIdentity()


async def _after(who: Applicant, waited: timedelta) -> Standing:
    identity = SandboxIdentity()
    return await identity.status(await submitted(identity, who), waited=waited)


async def test_manual_review_is_asked_for_at_once() -> None:
    identity = ManualIdentity()
    reference = await submitted(identity, applicant())
    assert await identity.status(reference, waited=NO_TIME) == ManualReviewAsked()


@pytest.mark.parametrize(
    ("who", "delay"),
    [(applicant(), INDIVIDUAL_DELAY), (business("Example"), BUSINESS_DELAY)],
    ids=["individual", "business"],
)
async def test_others_are_approved_after_a_delay_and_not_before(
    who: Applicant, delay: timedelta
) -> None:
    assert await _after(who, NO_TIME) == StillPending(ask_after=delay)
    assert await _after(who, delay - INSTANT) == StillPending(ask_after=INSTANT)
    for waited in (delay, DAY):
        review = await _after(who, waited)
        assert isinstance(review, Review)
        assert review.result.answer is Answer.APPROVED


@pytest.mark.parametrize("name", ["REJECTION", "rejection", "Rejection", " ReJeCtIoN "])
async def test_reserved_names_are_met_in_any_case(name: str) -> None:
    review = await _after(applicant(last_name=name), NO_TIME)
    assert isinstance(review, Review)
    assert review.result.answer is Answer.DECLINED
    assert review.result.reject_type is RejectType.FINAL
    assert review.result.reject_reasons


@pytest.mark.parametrize(
    "name", ["REJECTIONS", "A REJECTION", "REJECT", "", "PENDİNG", "DELAYED", "DELAY"]
)
def test_only_the_whole_name_counts(name: str) -> None:
    assert ending_of(applicant(last_name=name))[0] is Ending.DELAYED


async def test_pending_stays_pending() -> None:
    for waited in (NO_TIME, DAY * 1000):
        assert await _after(applicant(last_name="Pending"), waited) == StillPending(ask_after=None)


async def test_approval_is_at_once() -> None:
    for who in (applicant(last_name="Approval"), business("Example", "Approval")):
        review = await _after(who, NO_TIME)
        assert isinstance(review, Review)
        assert review.result.answer is Answer.APPROVED


async def test_retry_names_what_has_to_be_told_anew() -> None:
    cases = [
        (applicant(last_name="Retry"), "lastName"),
        (business("Example", name="Retry"), "businessName"),
        (business("Example", "Retry"), "ultimateBeneficialOwners"),
    ]
    for who, field in cases:
        review = await _after(who, NO_TIME)
        assert isinstance(review, Review)
        assert review.result.reject_type is RejectType.RETRY
        assert review.fields == (field,)


async def test_information_and_reviews_are_asked_for() -> None:
    asked = await _after(applicant(last_name="Information"), NO_TIME)
    assert isinstance(asked, InformationAsked)
    assert isinstance(await _after(applicant(last_name="Review"), NO_TIME), ManualReviewAsked)


@pytest.mark.parametrize(
    ("who", "ending"),
    [
        (business("Example", "Rejection", "Approval"), Ending.REJECTION),
        (business("Approval", "Pending"), Ending.PENDING),
        (business("Approval", name="Pending"), Ending.PENDING),
        (business("Pending", name="Rejection"), Ending.REJECTION),
        (business("Approval"), Ending.APPROVAL),
        (business("Example", name="approval"), Ending.APPROVAL),
        (business("Example", name="Approval", told_name="Other Ltd"), Ending.APPROVAL),
        (business("Example"), Ending.DELAYED),
        (business(), Ending.DELAYED),
    ],
)
def test_of_several_reserved_names_the_worst_wins(who: Applicant, ending: Ending) -> None:
    assert ending_of(who)[0] is ending


def test_the_name_of_the_account_counts_as_well_as_that_of_the_data() -> None:
    assert ending_of(applicant(last_name="Pending", facts={}))[0] is Ending.PENDING
    told = applicant(last_name="Example", facts={"lastName": "Rejection"})
    assert ending_of(told)[0] is Ending.REJECTION


def test_a_name_that_asks_for_something_can_be_mended_in_the_data() -> None:
    mended = applicant(last_name="Retry", facts={"lastName": "Example"})
    assert ending_of(mended)[0] is Ending.DELAYED


@pytest.mark.parametrize(
    "facts", [{"lastName": 7}, {"lastName": None}, {"lastName": ["REJECTION"]}]
)
def test_a_name_that_is_no_text_is_no_reserved_one(facts: dict[str, object]) -> None:
    assert ending_of(applicant(facts=facts))[0] is Ending.DELAYED


@pytest.mark.parametrize("reference", ["", "sandbox", "sandbox:X:lastName:a", "manual:DELAYED:a:b"])
async def test_a_reference_that_the_sandbox_did_not_make_is_refused(reference: str) -> None:
    with pytest.raises(Rejected):
        await SandboxIdentity().status(reference, waited=NO_TIME)
