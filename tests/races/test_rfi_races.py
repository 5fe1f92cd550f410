"""Requests for information: concurrent opens, closes, cancels and steps have one outcome."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from landbridge.ledger.model import CommitOutcome, Transfer
from landbridge.platform.core.errors import ResourceConflict
from tests.long import few_of
from tests.payments.rfis.scenario import ReviewScenario, Status, review_scenario
from tests.tenants import Tenant


@pytest.fixture
async def scenario(org: Tenant) -> AsyncIterator[ReviewScenario]:
    async with review_scenario(org) as created:
        yield created


@pytest.mark.parametrize("attempt", few_of(range(6), 2))
async def test_concurrent_opens_create_one_request(scenario: ReviewScenario, attempt: int) -> None:
    record = await scenario.open()
    transfer_reviews, caller = scenario.container.transfer_reviews, scenario.org.caller
    outcomes = await asyncio.gather(
        *(transfer_reviews.open(caller, record.id, question=f"Q{index}?") for index in range(4)),
        scenario.step(record, Status.PENDING),
        return_exceptions=True,
    )
    *reviews, stepped = outcomes
    won = [each for each in reviews if not isinstance(each, BaseException)]
    assert len(won) == 1, outcomes
    assert all(isinstance(each, ResourceConflict) for each in reviews if each not in won), outcomes
    assert isinstance(stepped, Transfer) or stepped is CommitOutcome.STALE
    # One request, open, and the payment waits for it.
    found = (await scenario.container.rfis.of(record.org_id, [record.id]))[record.id]
    assert len(found) == 1
    assert (await scenario.read(record)).status == Status.IN_REVIEW


@pytest.mark.parametrize("attempt", few_of(range(8), 2))
async def test_close_cancel_and_the_worker_have_one_outcome(
    scenario: ReviewScenario, attempt: int
) -> None:
    record = await scenario.open()
    transfer_reviews, caller = scenario.container.transfer_reviews, scenario.org.caller
    await transfer_reviews.open(caller, record.id, question="Why?")
    record = await scenario.read(record)
    verbs: list[Any] = [
        transfer_reviews.close(caller, record.id),
        transfer_reviews.close(caller, record.id, comment="Again."),
        scenario.cancel(record),
        scenario.step(record, Status.EXPIRED),
        transfer_reviews.answer(caller, record.id, answer="So.", file_ids=()),
    ]
    verbs = verbs[attempt % 5 :] + verbs[: attempt % 5]
    outcomes = await asyncio.gather(*verbs, return_exceptions=True)
    assert not [
        each
        for each in outcomes
        if isinstance(each, BaseException) and not isinstance(each, ResourceConflict)
    ], outcomes
    now = await scenario.read(record)
    assert now.version == record.version + 1
    (rfi,) = (await scenario.container.rfis.of(record.org_id, [record.id]))[record.id]
    match Status(now.status):
        case Status.CREATED | Status.CANCELLED:
            assert not rfi.is_open
        case Status.EXPIRED:
            # Closed by a later action, or left open for it.
            await transfer_reviews.close(caller, record.id)
            (rfi,) = (await scenario.container.rfis.of(record.org_id, [record.id]))[record.id]
            assert not rfi.is_open
        case other:
            raise AssertionError(other)
    changes = [change_type for _, change_type, _ in await scenario.changes(record)]
    assert changes.count("closed") == 1
    assert changes.count("open") == 1
