"""Deposits that come back after they were returned to their sender.

The rails are files in a folder, the bank is the sandbox's own; a person resolves its lines.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.bank_files.answering import Outcome
from landbridge.bank_files.iso20022 import pain001
from landbridge.db.pool import Database
from landbridge.ledger.model import Role
from tests.onramps import check_books, house_units, make_onramp, retrieve
from tests.payouts import make_payee

from .bank_story import DAY_S, DEPOSITS, WHY, Story, paying_by_files

# A payment that was made: a cut-off may have been in the time that passed.
QUEUED = (["QUEUED"], ["WRITTEN"])


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with paying_by_files(database, tmp_path) as story:
        yield story


async def sum_of(story: Story, role: Role) -> int:
    """What a house account holds of dollars, in cents."""
    return await house_units(story.org, role, "usd:BANK")


async def test_a_returned_deposit_that_comes_back_is_returned_again_a_day_later(
    story: Story,
) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await story.pay_in("99", reference=info["reference"], number=number)
    await story.write()
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S)
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    reason = found["failedReason"]
    (row,) = await story.house.database.rows(
        "select record_id from bank_payments where org_id = $1", org.org_id
    )
    line = await story.give_back(str(row["record_id"]), fee="9")
    resolved = await story.resolve(line, "RETURN")
    assert (resolved["transferId"], resolved["receiptId"]) == (onramp["id"], str(row["record_id"]))
    await story.pass_time(1)
    found = await retrieve(org, onramp)
    assert (found["status"], found["failedReason"]) == ("FIAT_FAILED", reason)
    assert await sum_of(story, Role.IN_TRANSIT) == 9_900
    assert await sum_of(story, Role.WRITE_OFFS) == -900
    # Nothing goes to the same account at once.
    assert await payments(story) == ["FAILED"]
    await story.pass_time(DAY_S + 120)
    assert (await payments(story))[1:] in QUEUED
    files = await story.write()
    (transfer,) = pain001.read(files[-1].read_bytes()).transfers
    assert str(transfer.money) == "99"
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S)
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"
    assert await story.reasons() == []
    await check_books(org)


async def payments(story: Story) -> list[str]:
    """How the payments of the organisation stand, the oldest first."""
    rows = await story.house.database.rows(
        "select status from bank_payments where org_id = $1 order by queued_at, status",
        story.org.org_id,
    )
    return [row["status"] for row in rows]


async def test_a_deposit_of_nobodys_that_comes_back_is_returned_again_a_day_later(
    story: Story,
) -> None:
    org = story.org
    await story.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    await org.post(f"{path}/return", WHY)
    await story.pass_time(1)
    await story.write()
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    less = await story.give_back(deposit["id"], fee="1")
    assert "resolve the line as HANDLED" in await story.why_not(less, "RETURN")
    await story.resolve(less, "HANDLED")
    line = await story.give_back(deposit["id"])
    resolved = await story.resolve(line, "RETURN")
    assert (resolved["receiptId"], resolved["transferId"]) == (deposit["id"], None)
    assert await story.resolve(line, "RETURN") == resolved
    await story.pass_time(1)
    assert (await org.get(path))["status"] == "RETURNING"
    assert await payments(story) == ["FAILED"]
    await story.pass_time(DAY_S)
    assert (await payments(story))[1:] in QUEUED
    await story.write()
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    # Who sent it is not known for ever.
    last = await story.give_back(deposit["id"])
    await story.pass_time(91 * DAY_S)
    await story.house.receipts.sweep({org.org_id: story.house.clock.now(await story.offset())})
    assert "nobody knows any more who sent deposit" in await story.why_not(last, "RETURN")
