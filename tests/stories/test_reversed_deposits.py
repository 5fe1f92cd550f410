"""Deposits that the bank takes back: before, while and after they were delivered or returned.

The rails are files in a folder, the bank is the sandbox's own; a person resolves its lines.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.bank_files.answering import Outcome
from landbridge.bank_files.line_model import Resolution
from landbridge.bank_files.returning import Reversed
from landbridge.core.clock import Clock
from landbridge.core.errors import RoleNotAllowed
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.flows.receivables import moves
from landbridge.flows.receivables.model import MOVES, Status, as_receivable, why_not_close
from landbridge.ledger.model import Role, Transfer
from landbridge.orgs.service import take_lane
from landbridge.rails.currencies import FIAT
from landbridge.wiring import wire
from tests.bank_files.incoming import credit, statement
from tests.db.test_lost_commits import Forgetful
from tests.onramps import check_books, house_units, make_onramp, retrieve
from tests.payouts import make_payee, shown
from tests.tenants import Tenant, held
from tests.waiting import holding, waiting

from .bank_story import DAY_S, DEPOSITS, LINES, WHY, Story, paying, paying_by_files

RECEIVABLES = "/v2/reviews/receivables"
TAKEN_BACK = "the bank took back what had come"
USD = "usd:BANK"


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with paying_by_files(database, tmp_path) as story:
        yield story


async def deposited(story: Story, amount: str = "100") -> tuple[str, Mapping[str, Any]]:
    """A user, and their onramp of a hundred dollars, for which so many have arrived."""
    user = await make_payee(story.org, funds=None)
    onramp = await make_onramp(story.org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await story.pay_in(amount, reference=info["reference"], number=number)
    return user, onramp


async def status_of(org: Tenant, onramp: Mapping[str, Any]) -> str:
    return (await retrieve(org, onramp))["status"]


async def sum_of(story: Story, role: Role) -> int:
    """What a house account holds of dollars, in cents."""
    return await house_units(story.org, role, USD)


async def receivable_of(story: Story, onramp: Mapping[str, Any]) -> dict[str, Any]:
    """The receivable of an onramp."""
    (found,) = (await story.org.get(RECEIVABLES, transferId=onramp["id"]))["reviews"]
    return found


async def test_a_deposit_that_is_taken_back_after_delivery_is_owed(story: Story) -> None:
    org = story.org
    user, onramp = await deposited(story)
    assert await status_of(org, onramp) == "COMPLETED"
    before = await sum_of(story, Role.OUTSIDE)
    line = await story.take_back("100")
    assert (line["kind"], line["reason"], line["cameBack"]) == ("DEBIT", TAKEN_BACK, True)
    resolved = await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    assert (resolved["resolution"], resolved["transferId"]) == ("REVERSAL", onramp["id"])
    assert await story.resolve(line, "REVERSAL", transferId=onramp["id"]) == resolved
    other = await story.why_not(line, "REVERSAL", transferId=str(uuid4()))
    assert other.startswith("409")
    # The coins are the user's still; what they were paid with is owed.
    assert await status_of(org, onramp) == "COMPLETED"
    assert await held(org, user) == "100"
    assert await sum_of(story, Role.RECEIVABLE) == -10_000
    assert await sum_of(story, Role.OUTSIDE) - before == 10_000
    await check_books(org)
    found = await receivable_of(story, onramp)
    assert found == {
        "id": found["id"],
        "status": "OPEN",
        "userId": user,
        "transferId": onramp["id"],
        "transferType": "ONRAMP",
        "amount": "100",
        "currency": "usd",
        "reason": "the bank took the deposit back after its coins were delivered",
        "createdAt": found["createdAt"],
        "updatedAt": found["createdAt"],
    }
    assert await org.get(f"{RECEIVABLES}/{found['id']}") == found
    assert (await org.get(RECEIVABLES))["reviews"] == [found]
    assert (await org.get(RECEIVABLES, status="RECOVERED"))["count"] == 0
    assert (await org.get(RECEIVABLES, transferId=str(uuid4())))["count"] == 0
    assert await org.refused("GET", f"{RECEIVABLES}/{onramp['id']}") == "404 RESOURCE_NOT_FOUND"
    # A deposit is taken back once.
    again = await story.take_back("100")
    why = await story.why_not(again, "REVERSAL", transferId=onramp["id"])
    assert f"was reversed before: see receivable {found['id']}" in why
    assert await sum_of(story, Role.RECEIVABLE) == -10_000


@pytest.mark.parametrize("status", [Status.RECOVERED, Status.WRITTEN_OFF])
async def test_what_is_owed_is_paid_or_written_off(story: Story, status: Status) -> None:
    _, onramp = await deposited(story)
    outside = await sum_of(story, Role.OUTSIDE)
    line = await story.take_back("100")
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    house, wanted = story.house, UUID((await receivable_of(story, onramp))["id"])
    record = await house.ledger.find(story.org.org_id, wanted)
    assert record is not None
    receivable, at = as_receivable(record), house.clock.stamp(await story.offset())
    assert why_not_close(receivable) is None
    close = moves.recovered if status is Status.RECOVERED else moves.written_off
    moved = await house.ledger.advance(close(receivable, actor="test", at=at), MOVES)
    assert isinstance(moved, Transfer)
    assert why_not_close(as_receivable(moved)) is not None
    assert (await receivable_of(story, onramp))["status"] == status
    assert await sum_of(story, Role.RECEIVABLE) == 0
    is_lost = status is Status.WRITTEN_OFF
    assert await sum_of(story, Role.WRITE_OFFS) == (-10_000 if is_lost else 0)
    assert await sum_of(story, Role.OUTSIDE) - outside == (10_000 if is_lost else 0)
    await check_books(story.org)


async def test_what_is_owed_is_stuck_after_thirty_days(story: Story) -> None:
    _, onramp = await deposited(story)
    line = await story.take_back("100")
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    await story.pass_time(29 * DAY_S)
    assert (await story.org.get("/v2/stuck"))["count"] == 0
    await story.pass_time(2 * DAY_S)
    (stuck,) = (await story.org.get("/v2/stuck"))["stuck"]
    assert (stuck["type"], stuck["status"], stuck["waitsFor"]) == ("RECEIVABLE", "OPEN", "REVIEWER")


async def test_who_owes_is_not_erased(story: Story) -> None:
    org = story.org
    user, onramp = await deposited(story)
    line = await story.take_back("100")
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    await org.post(f"/v2/users/{user}/freeze", {})
    refused = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert (refused.status_code, "RECEIVABLE" in refused.text) == (409, True)


async def test_receivables_are_for_reviewers(story: Story) -> None:
    caller = replace(story.org.caller, can_review=False)
    receivables = story.house.receivables
    with pytest.raises(RoleNotAllowed):
        await receivables.get(caller, uuid4())
    with pytest.raises(RoleNotAllowed):
        await receivables.find_of(caller, uuid4())


async def test_a_deposit_that_is_taken_back_in_review_ends_its_onramp(story: Story) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    number = info["wire"]["accountNumber"]
    await story.pay_in("100", reference=info["reference"], number=number)
    assert await status_of(org, onramp) == "IN_REVIEW"
    line = await story.take_back("100")
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert found["failedReason"] == "the bank took the deposit back"
    review = await org.get(f"/v2/reviews/transfers/{onramp['id']}")
    assert review["rfi"]["status"] == "CLOSED"
    assert await sum_of(story, Role.OUTSIDE) == 0
    assert (await org.get(RECEIVABLES))["count"] == 0
    again = await story.take_back("100")
    why = await story.why_not(again, "REVERSAL", transferId=onramp["id"])
    assert "was reversed before" in why
    await check_books(org)


async def payments(story: Story) -> list[tuple[str, str | None]]:
    """How the payments of the organisation stand, and why."""
    rows = await story.house.database.rows(
        "select status, reason from bank_payments where org_id = $1 order by queued_at",
        story.org.org_id,
    )
    return [(row["status"], row["reason"]) for row in rows]


async def test_a_deposit_that_goes_back_is_withheld_when_the_bank_takes_it(story: Story) -> None:
    """The payment to the sender waits for its file: it is never sent."""
    org = story.org
    _, onramp = await deposited(story, "99")
    assert await status_of(org, onramp) == "FIAT_FAILED"
    assert [each for each, _ in await payments(story)] == ["QUEUED"]
    line = await story.take_back("99")
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    why = "the bank took back the deposit that this would have returned"
    assert await payments(story) == [("FAILED", why)]
    await story.house.bank_writer.run({org.org_id: await story.offset()}, is_early=True)
    assert not (story.folder / "out").exists()
    await story.pass_time(DAY_S)
    assert await payments(story) == [("FAILED", why)]
    assert await sum_of(story, Role.OUTSIDE) == 0
    await check_books(org)


async def test_a_deposit_that_is_on_its_way_back_is_owed_once_it_is_there(story: Story) -> None:
    org = story.org
    _, onramp = await deposited(story, "99")
    await story.write()
    line = await story.take_back("99")
    why = await story.why_not(line, "REVERSAL", transferId=onramp["id"])
    assert "is on its way back to its sender" in why
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S)
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    await story.resolve(line, "REVERSAL", transferId=onramp["id"])
    found = await receivable_of(story, onramp)
    assert found["reason"] == "the bank took the deposit back after it was returned to its sender"
    assert await sum_of(story, Role.RECEIVABLE) == -9_900
    await check_books(org)


async def test_a_worker_that_is_about_to_return_a_deposit_sends_nothing(
    story: Story, dsn: str
) -> None:
    """It has read the onramp, and queues the payment when the deposit was reversed."""
    org = story.org
    # Without an account of the sender's, nothing was queued so far.
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    told = credit(9_900, "usd", remittance=info["reference"])
    story.put(statement(replace(told, our_account=info["wire"]["accountNumber"]), currency="usd"))
    offsets = {org.org_id: await story.offset()}
    await story.house.bank_reading.run(offsets)
    await story.house.receipt_steps.run_all(offsets)
    assert await status_of(org, onramp) == "FIAT_FAILED"
    line = await line_of(story, "99")
    database = await Database.connect(dsn, name="tests", size_max=4)
    worker = wire(story.house.settings, database, Clock(await take_lane(database)))
    # The worker waits to queue the payment, and has read the onramp before.
    async with holding(story.house.database, "lock table bank_payments in share mode"):
        working = asyncio.create_task(worker.due.run_all(offsets))
        await waiting(story.house.database, 1)
        resolving = asyncio.create_task(story.resolve(line, "REVERSAL", transferId=onramp["id"]))
        await waiting(story.house.database, 2)
    await asyncio.gather(working, resolving)
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    assert [each for each, _ in await payments(story)] == ["FAILED"]
    assert await sum_of(story, Role.OUTSIDE) == 0
    await database.close()
    await check_books(org)


async def line_of(story: Story, amount: str) -> dict[str, Any]:
    """The line by which the bank takes a deposit back; the worker does nothing else."""
    bank, offset = story.house.sandbox_bank, await story.offset()
    await bank.recall(story.org.org_id, Money.parse(amount, FIAT["usd"]), offset)
    await story.house.bank_reading.run({story.org.org_id: offset})
    return await story.last_line()


async def test_a_deposit_of_nobodys_is_not_sent_back_when_the_bank_takes_it(story: Story) -> None:
    org = story.org
    await story.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    other = await story.take_back("71")
    why = await story.why_not(other, "REVERSAL", depositId=deposit["id"])
    assert "is of 70 usd, and the bank took 71 usd" in why
    line = await story.take_back("70")
    resolved = await story.resolve(line, "REVERSAL", depositId=deposit["id"])
    assert (resolved["receiptId"], resolved["transferId"]) == (deposit["id"], None)
    found = await org.get(f"{DEPOSITS}/{deposit['id']}")
    assert (found["status"], found["decidedBy"]) == ("RETURNED", org.caller.actor)
    assert (await org.get(DEPOSITS))["count"] == 0
    again = await story.take_back("70")
    why = await story.why_not(again, "REVERSAL", depositId=deposit["id"])
    assert "was returned or reversed before" in why


@pytest.mark.parametrize("is_sent", [False, True])
async def test_a_deposit_of_nobodys_that_goes_back_is_withheld(
    story: Story, *, is_sent: bool
) -> None:
    org = story.org
    await story.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    await org.post(f"{DEPOSITS}/{deposit['id']}/return", WHY)
    await story.pass_time(1)
    if is_sent:
        await story.write()
    line = await story.take_back("70")
    if is_sent:
        why = await story.why_not(line, "REVERSAL", depositId=deposit["id"])
        assert "on its way back to its sender" in why
        return
    await story.resolve(line, "REVERSAL", depositId=deposit["id"])
    assert (await org.get(f"{DEPOSITS}/{deposit['id']}"))["status"] == "RETURNED"
    assert [each for each, _ in await payments(story)] == ["FAILED"]


async def test_what_is_no_deposit_of_that_amount_is_refused(story: Story) -> None:
    org = story.org
    _, onramp = await deposited(story)
    _, offramp = await paying(story, "us", "wire")
    waiting_one = await make_onramp(org, await make_payee(org, funds=None))
    (deposit,) = await story.house.database.rows(
        "select id from receipts where org_id = $1", org.org_id
    )
    line = await story.take_back("100")
    told = {
        "no deposit has paid it": {"transferId": waiting_one["id"]},
        "there is no onramp": {"transferId": offramp["id"]},
        f"has paid {onramp['id']}": {"depositId": str(deposit["id"])},
        "there is no deposit": {"depositId": str(uuid4())},
    }
    for why, of in told.items():
        assert why in await story.why_not(line, "REVERSAL", **of)
    less = await story.take_back("99")
    why = await story.why_not(less, "REVERSAL", transferId=onramp["id"])
    assert "was paid by a deposit of 100 usd, and the bank took 99 usd back" in why
    # A credit, or a debit that names a payment of ours, takes nothing back.
    await story.write()
    await story.answer(Outcome.SETTLE)
    back = await story.give_back(offramp["id"])
    assert "only by a DEBIT" in await story.why_not(back, "REVERSAL", transferId=onramp["id"])
    assert (await shown(org, offramp))["status"] == "COMPLETED"
    assert (await org.get(RECEIVABLES))["count"] == 0


async def test_of_two_lines_that_take_one_deposit_back_one_is_resolved(story: Story) -> None:
    _, onramp = await deposited(story)
    lines = [await story.take_back("100") for _ in range(2)]
    body = {"resolution": "REVERSAL", "transferId": onramp["id"], **WHY}
    answers = await asyncio.gather(
        *(
            story.org.send("POST", f"{LINES}/{each['id']}/resolve", body)
            for each in (*lines, *lines)
        )
    )
    assert sorted(each.status_code for each in answers) == [200, 200, 409, 409]
    assert await sum_of(story, Role.RECEIVABLE) == -10_000
    assert (await story.org.get(RECEIVABLES))["count"] == 1
    await check_books(story.org)


async def test_a_commit_that_nobody_heard_of_reverses_once(story: Story, dsn: str) -> None:
    _, delivered = await deposited(story)
    _, failed = await deposited(story, "99")
    lines = [await story.take_back(each) for each in ("100", "99")]
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    twice = wire(story.house.settings, forgetful, Clock(await take_lane(story.house.database)))
    caller = replace(story.org.caller, can_review=True, clock_offset=await story.offset())
    for line, onramp in zip(lines, (delivered, failed), strict=True):
        of = Reversed(UUID(str(onramp["id"])))
        told = (caller, UUID(line["id"]), Resolution.REVERSAL)
        resolved = await twice.line_reviews.resolve(*told, comment="x", of=of)
        assert resolved.transfer_id == of.transfer_id
    await forgetful.close()
    assert await status_of(story.org, failed) == "FIAT_RETURNED"
    assert await sum_of(story, Role.RECEIVABLE) == -10_000
    await story.pass_time(DAY_S)
    await check_books(story.org)
