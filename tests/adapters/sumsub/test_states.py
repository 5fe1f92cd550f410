"""What Sumsub says about a review, and what it makes of an application."""

from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    ApplicationState,
    NotDone,
    RequestedVerification,
)
from tests.adapters.sumsub.kit import (
    SumsubWorld,
    application,
    found_by,
    submitted,
    sumsub_world,
)

State = ApplicationState


@pytest.fixture
async def world() -> AsyncGenerator[SumsubWorld]:
    async with sumsub_world() as found:
        yield found


@pytest.mark.parametrize(
    "status", ["init", "pending", "prechecked", "queued", "awaitingService", "awaitingUser"]
)
async def test_a_review_that_is_not_completed_is_pending(world: SumsubWorld, status: str) -> None:
    key = await submitted(world.adapter())
    # An answer counts only with the status `completed`.
    world.sumsub.only().review = {
        "reviewStatus": status,
        "reviewResult": {"reviewAnswer": "GREEN", "rejectLabels": ["SANCTIONS"]},
    }
    found = await found_by(world.adapter(), key)
    assert (found.state, found.note, found.reject_reasons) == (State.PENDING, None, ())


async def test_an_applicant_on_hold_is_left_to_whom_the_settings_say(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    world.sumsub.only().review = {"reviewStatus": "onHold"}
    assert (await found_by(world.adapter(), key)).state is State.PENDING
    assert (await found_by(world.adapter(on_hold="review"), key)).state is State.REVIEW


@pytest.mark.parametrize(
    ("answer", "reject_type", "state"),
    [
        ("GREEN", None, State.APPROVED),
        ("RED", "RETRY", State.RETRY),
        ("RED", "FINAL", State.DECLINED),
    ],
)
async def test_a_completed_review_is_its_answer(
    world: SumsubWorld, answer: str, reject_type: str | None, state: ApplicationState
) -> None:
    key = await submitted(world.adapter())
    world.sumsub.review(answer, reject_type)
    assert (await found_by(world.adapter(), key)).state is state


@pytest.mark.parametrize(
    "review",
    [
        {"reviewStatus": "completed"},
        {"reviewStatus": "completed", "reviewResult": {}},
        {"reviewStatus": "completed", "reviewResult": {"reviewAnswer": "YELLOW"}},
        {"reviewStatus": "completed", "reviewResult": {"reviewAnswer": "green"}},
        {"reviewStatus": "completed", "reviewResult": {"reviewAnswer": "RED"}},
        {
            "reviewStatus": "completed",
            "reviewResult": {"reviewAnswer": "RED", "reviewRejectType": "EXTERNAL"},
        },
        {
            "reviewStatus": "completed",
            "reviewResult": {"reviewAnswer": "GREEN", "reviewRejectType": "FINAL"},
        },
        {"reviewStatus": "Completed", "reviewResult": {"reviewAnswer": "GREEN"}},
        {"reviewStatus": "abandoned"},
        {"reviewStatus": None},
        {},
    ],
)
async def test_what_is_in_no_table_decides_nothing(
    world: SumsubWorld, review: dict[str, Any]
) -> None:
    key = await submitted(world.adapter())
    world.sumsub.lies = {"review": {"levelName": "a", **review}}
    with pytest.raises(NoAnswer):
        await found_by(world.adapter(), key)


async def test_nothing_is_decided_before_the_submission(world: SumsubWorld) -> None:
    request = application()
    await world.adapter().create_application(request)
    for answer, reject_type in (("GREEN", None), ("RED", "FINAL"), ("YELLOW", None)):
        world.sumsub.review(answer, reject_type, "SANCTIONS")
        found = await found_by(world.adapter(), request.key)
        assert (found.state, found.note) == (State.CREATED, None)


async def test_only_labels_of_the_table_are_shown_and_no_sentence(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    labels = ("UNSATISFACTORY_PHOTOS", "SCREENSHOTS", "GRAPHIC_EDITOR", "Label-Marker", "FORGERY")
    world.sumsub.review("RED", "RETRY", *labels, *labels)
    found = await found_by(world.adapter(), key)
    assert found.reject_reasons == ("SCREENSHOTS", "UNSATISFACTORY_PHOTOS")
    assert found.note == "Sumsub: GRAPHIC_EDITOR, SCREENSHOTS, UNSATISFACTORY_PHOTOS"
    assert found.comment is not None
    shown = msgspec.json.encode(found).decode()
    for marker in ("Comment-Marker", "Label-Marker", "FORGERY", "Person-Marker"):
        assert marker not in shown


async def test_an_applicant_does_not_learn_of_lists(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    world.sumsub.review("RED", "FINAL", "SANCTIONS", "PEP", "ADVERSE_MEDIA")
    found = await found_by(world.adapter(), key)
    assert (found.reject_reasons, found.comment) == ((), None)
    assert found.note == "Sumsub: ADVERSE_MEDIA, PEP, SANCTIONS"


async def test_what_the_person_corrects_is_pending_again(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    world.sumsub.review("RED", "RETRY", "SCREENSHOTS")
    assert (await found_by(world.adapter(), key)).state is State.RETRY
    world.sumsub.only().review = {"reviewStatus": "pending"}
    assert (await found_by(world.adapter(), key)).state is State.PENDING
    world.sumsub.review("GREEN")
    assert (await found_by(world.adapter(), key)).state is State.APPROVED


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (RequestedVerification.APPROVE, State.APPROVED),
        (RequestedVerification.RETRY, State.RETRY),
        (RequestedVerification.DECLINE, State.DECLINED),
    ],
)
async def test_the_sandbox_makes_up_results_once_submitted(
    world: SumsubWorld, outcome: RequestedVerification, state: ApplicationState
) -> None:
    request = application(test_outcome=outcome)
    await world.sandbox().create_application(request)
    assert (await found_by(world.sandbox(), request.key)).state is State.CREATED
    key = await submitted(world.sandbox(), request)
    assert (await found_by(world.sandbox(), key)).state is state
    assert (await found_by(world.sandbox(), key)).state is state
    assert world.sumsub.calls["simulate"] == 1


async def test_an_applicant_without_an_outcome_is_reviewed_by_nobody(world: SumsubWorld) -> None:
    key = await submitted(world.sandbox())
    assert (await found_by(world.sandbox(), key)).state is State.PENDING
    assert world.sumsub.calls["simulate"] == 0


@pytest.mark.parametrize(("refusal", "error"), [((429, None), NotDone), ((400, None), NoAnswer)])
async def test_a_simulation_that_is_refused_is_no_answer(
    world: SumsubWorld, refusal: tuple[int, int | None], error: type[Exception]
) -> None:
    request = application(new_id(), test_outcome=RequestedVerification.APPROVE)
    key = await submitted(world.sandbox(), request)
    world.sumsub.refuses["simulate"] = refusal
    with pytest.raises(error):
        await found_by(world.sandbox(), key)


async def test_production_simulates_nothing(world: SumsubWorld) -> None:
    request = application(test_outcome=RequestedVerification.APPROVE)
    key = await submitted(world.sandbox(), request)
    assert (await found_by(world.adapter(), key)).state is State.PENDING
    assert world.sumsub.calls["simulate"] == 0
