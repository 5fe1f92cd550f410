"""Requests for information: who opens, closes, cancels and steps at once has one outcome."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from landbridge.core.errors import ResourceConflict
from landbridge.ledger.model import Outcome, Transfer
from tests.rfis.play import Play, Status, playing
from tests.tenants import Tenant


@pytest.fixture
async def play(org: Tenant) -> AsyncIterator[Play]:
    async with playing(org) as made:
        yield made


@pytest.mark.parametrize("attempt", range(6))
async def test_of_all_who_open_at_once_one_does(play: Play, attempt: int) -> None:
    record = await play.open()
    reviewing, caller = play.house.reviewing, play.org.caller
    came = await asyncio.gather(
        *(reviewing.open(caller, record.id, question=f"Q{place}?") for place in range(4)),
        play.step(record, Status.PENDING),
        return_exceptions=True,
    )
    *reviews, stepped = came
    won = [each for each in reviews if not isinstance(each, BaseException)]
    assert len(won) == 1, came
    assert all(isinstance(each, ResourceConflict) for each in reviews if each not in won), came
    assert isinstance(stepped, Transfer) or stepped is Outcome.LOST
    # One request, open, and the payment waits for it.
    found = (await play.house.rfis.of(record.org_id, [record.id]))[record.id]
    assert len(found) == 1
    assert (await play.read(record)).status == Status.IN_REVIEW


@pytest.mark.parametrize("attempt", range(8))
async def test_close_cancel_and_the_worker_have_one_outcome(play: Play, attempt: int) -> None:
    record = await play.open()
    reviewing, caller = play.house.reviewing, play.org.caller
    await reviewing.open(caller, record.id, question="Why?")
    record = await play.read(record)
    verbs: list[Any] = [
        reviewing.close(caller, record.id),
        reviewing.close(caller, record.id, comment="Again."),
        play.cancel(record),
        play.step(record, Status.EXPIRED),
        reviewing.answer(caller, record.id, answer="So.", file_ids=()),
    ]
    verbs = verbs[attempt % 5 :] + verbs[: attempt % 5]
    came = await asyncio.gather(*verbs, return_exceptions=True)
    assert not [
        each
        for each in came
        if isinstance(each, BaseException) and not isinstance(each, ResourceConflict)
    ], came
    now = await play.read(record)
    assert now.version == record.version + 1
    (rfi,) = (await play.house.rfis.of(record.org_id, [record.id]))[record.id]
    match Status(now.status):
        case Status.CREATED | Status.CANCELLED:
            assert not rfi.is_open
        case Status.EXPIRED:
            # Closed by whoever came after it, or left to them.
            await reviewing.close(caller, record.id)
            (rfi,) = (await play.house.rfis.of(record.org_id, [record.id]))[record.id]
            assert not rfi.is_open
        case other:
            raise AssertionError(other)
    told = [what for _, what, _ in await play.changes(record)]
    assert told.count("closed") == 1
    assert told.count("open") == 1
