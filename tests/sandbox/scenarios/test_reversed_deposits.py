"""Deposits reversed by the bank: before, during and after their delivery or return.

The rails are files in a folder, the bank is the sandbox's; a reviewer resolves its lines.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import wire
from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.payments.bank_files.returns import ReversedPayment
from landbridge.payments.bank_files.statement_line_model import LineResolutionKind
from landbridge.payments.receivables import transitions
from landbridge.payments.receivables.model import (
    TRANSITIONS,
    ReceivableStatus,
    as_receivable,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rails.currencies import FIAT
from tests.onramps import check_books, house_units, make_onramp, retrieve
from tests.payments.bank_files.inbound_files import credit, statement
from tests.payouts import make_payee, shown
from tests.platform.db.test_lost_commits import Forgetful
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    DEPOSITS,
    LINES,
    WHY,
    BankScenario,
    paying,
    paying_by_files,
)
from tests.tenants import Tenant, held
from tests.waiting import holding, waiting

RECEIVABLES = "/v2/reviews/receivables"
TAKEN_BACK = "the bank reversed an incoming payment"
USD = "usd:BANK"


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def deposited(scenario: BankScenario, amount: str = "100") -> tuple[str, Mapping[str, Any]]:
    """Return a user and their onramp of a hundred dollars, with a deposit of this amount."""
    user = await make_payee(scenario.org, funds=None)
    onramp = await make_onramp(scenario.org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await scenario.pay_in(amount, reference=info["reference"], number=number)
    return user, onramp


async def status_of(org: Tenant, onramp: Mapping[str, Any]) -> str:
    return (await retrieve(org, onramp))["status"]


async def sum_of(scenario: BankScenario, role: HouseRole) -> int:
    """Return the balance of a house account in dollars, in cents."""
    return await house_units(scenario.org, role, USD)


async def receivable_of(scenario: BankScenario, onramp: Mapping[str, Any]) -> dict[str, Any]:
    """Return the receivable of an onramp."""
    (found,) = (await scenario.org.get(RECEIVABLES, transferId=onramp["id"]))["reviews"]
    return found


async def test_reversal_after_delivery_creates_a_receivable(scenario: BankScenario) -> None:
    org = scenario.org
    user, onramp = await deposited(scenario)
    assert await status_of(org, onramp) == "COMPLETED"
    before = await sum_of(scenario, HouseRole.OUTSIDE)
    line = await scenario.take_back("100")
    assert (line["kind"], line["reason"], line["returned"]) == ("DEBIT", TAKEN_BACK, True)
    resolved = await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    assert (resolved["resolution"], resolved["transferId"]) == ("REVERSAL", onramp["id"])
    assert await scenario.resolve(line, "REVERSAL", transferId=onramp["id"]) == resolved
    other = await scenario.why_not(line, "REVERSAL", transferId=str(uuid4()))
    assert other.startswith("409")
    # The user keeps the coins; the fiat that paid for them is owed.
    assert await status_of(org, onramp) == "COMPLETED"
    assert await held(org, user) == "100"
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == -10_000
    assert await sum_of(scenario, HouseRole.OUTSIDE) - before == 10_000
    await check_books(org)
    found = await receivable_of(scenario, onramp)
    assert found == {
        "id": found["id"],
        "status": "OPEN",
        "userId": user,
        "transferId": onramp["id"],
        "transferType": "ONRAMP",
        "amount": "100",
        "currency": "usd",
        "reason": "the bank reversed the deposit after its coins were delivered",
        "createdAt": found["createdAt"],
        "updatedAt": found["createdAt"],
    }
    assert await org.get(f"{RECEIVABLES}/{found['id']}") == found
    assert (await org.get(RECEIVABLES))["reviews"] == [found]
    assert (await org.get(RECEIVABLES, status="RECOVERED"))["count"] == 0
    assert (await org.get(RECEIVABLES, transferId=str(uuid4())))["count"] == 0
    assert await org.refused("GET", f"{RECEIVABLES}/{onramp['id']}") == "404 RESOURCE_NOT_FOUND"
    # A deposit is reversed once.
    again = await scenario.take_back("100")
    why = await scenario.why_not(again, "REVERSAL", transferId=onramp["id"])
    assert f"was reversed before: see receivable {found['id']}" in why
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == -10_000


@pytest.mark.parametrize("status", [ReceivableStatus.RECOVERED, ReceivableStatus.WRITTEN_OFF])
async def test_receivable_is_paid_or_written_off(
    scenario: BankScenario, status: ReceivableStatus
) -> None:
    _, onramp = await deposited(scenario)
    outside = await sum_of(scenario, HouseRole.OUTSIDE)
    line = await scenario.take_back("100")
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    container, owed_id = (scenario.container, UUID((await receivable_of(scenario, onramp))["id"]))
    record = await container.ledger.find(scenario.org.org_id, owed_id)
    assert record is not None
    receivable, at = as_receivable(record), container.clock.stamp(await scenario.offset())
    assert receivable.status is ReceivableStatus.OPEN
    close = (
        transitions.recovered if status is ReceivableStatus.RECOVERED else transitions.written_off
    )
    moved = await container.ledger.advance(close(receivable, actor="test", at=at), TRANSITIONS)
    assert isinstance(moved, Transfer)
    assert as_receivable(moved).status is status
    assert (await receivable_of(scenario, onramp))["status"] == status
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == 0
    is_lost = status is ReceivableStatus.WRITTEN_OFF
    assert await sum_of(scenario, HouseRole.WRITE_OFFS) == (-10_000 if is_lost else 0)
    assert await sum_of(scenario, HouseRole.OUTSIDE) - outside == (10_000 if is_lost else 0)
    await check_books(scenario.org)


async def test_receivable_is_stuck_after_thirty_days(scenario: BankScenario) -> None:
    _, onramp = await deposited(scenario)
    line = await scenario.take_back("100")
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    await scenario.pass_time(29 * DAY_S)
    assert (await scenario.org.get("/v2/stuck"))["count"] == 0
    await scenario.pass_time(2 * DAY_S)
    (stuck,) = (await scenario.org.get("/v2/stuck"))["stuck"]
    assert (stuck["type"], stuck["status"], stuck["waitsFor"]) == ("RECEIVABLE", "OPEN", "REVIEWER")


async def test_user_with_a_receivable_is_not_erased(scenario: BankScenario) -> None:
    org = scenario.org
    user, onramp = await deposited(scenario)
    line = await scenario.take_back("100")
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    await org.post(f"/v2/users/{user}/freeze", {})
    refused = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert (refused.status_code, "RECEIVABLE" in refused.text) == (409, True)


async def test_receivables_require_a_reviewer(scenario: BankScenario) -> None:
    caller = replace(scenario.org.caller, can_review=False)
    receivables = scenario.container.receivables
    with pytest.raises(RoleNotAllowed):
        await receivables.get(caller, uuid4())
    with pytest.raises(RoleNotAllowed):
        await receivables.find_of(caller, uuid4())


async def test_reversal_during_review_ends_the_onramp(scenario: BankScenario) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    number = info["wire"]["accountNumber"]
    await scenario.pay_in("100", reference=info["reference"], number=number)
    assert await status_of(org, onramp) == "IN_REVIEW"
    line = await scenario.take_back("100")
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert found["failedReason"] == "the bank reversed the deposit"
    review = await org.get(f"/v2/reviews/transfers/{onramp['id']}")
    assert review["rfi"]["status"] == "CLOSED"
    assert await sum_of(scenario, HouseRole.OUTSIDE) == 0
    assert (await org.get(RECEIVABLES))["count"] == 0
    again = await scenario.take_back("100")
    why = await scenario.why_not(again, "REVERSAL", transferId=onramp["id"])
    assert "was reversed before" in why
    await check_books(org)


async def payments(scenario: BankScenario) -> list[tuple[str, str | None]]:
    """Return the statuses and reasons of the organisation's payments."""
    rows = await scenario.container.database.rows(
        "select status, reason from bank_payments where org_id = $1 order by queued_at",
        scenario.org.org_id,
    )
    return [(row["status"], row["reason"]) for row in rows]


async def test_reversal_withholds_the_return_of_a_deposit(scenario: BankScenario) -> None:
    """The payment to the sender waits for its file and is never sent."""
    org = scenario.org
    _, onramp = await deposited(scenario, "99")
    assert await status_of(org, onramp) == "FIAT_FAILED"
    assert [each for each, _ in await payments(scenario)] == ["QUEUED"]
    line = await scenario.take_back("99")
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    why = "the deposit was reversed, or returned by other means"
    assert await payments(scenario) == [("FAILED", why)]
    await scenario.container.bank_file_writer.run(
        {org.org_id: await scenario.offset()}, is_early=True
    )
    assert not (scenario.folder / "out").exists()
    await scenario.pass_time(DAY_S)
    assert await payments(scenario) == [("FAILED", why)]
    assert await sum_of(scenario, HouseRole.OUTSIDE) == 0
    await check_books(org)


async def test_reversal_after_a_return_creates_a_receivable(scenario: BankScenario) -> None:
    org = scenario.org
    _, onramp = await deposited(scenario, "99")
    await scenario.write()
    line = await scenario.take_back("99")
    why = await scenario.why_not(line, "REVERSAL", transferId=onramp["id"])
    assert "is being returned to its sender" in why
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S)
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    await scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    found = await receivable_of(scenario, onramp)
    assert found["reason"] == "the bank reversed the deposit after it was returned to its sender"
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == -9_900
    await check_books(org)


async def test_reversed_deposit_is_not_returned_concurrently(
    scenario: BankScenario, dsn: str
) -> None:
    """A worker that read the onramp before the reversal queues the return after it."""
    org = scenario.org
    # Without an account of the sender, nothing has been queued.
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    entries = credit(9_900, "usd", remittance=info["reference"])
    scenario.put(
        statement(replace(entries, our_account=info["wire"]["accountNumber"]), currency="usd")
    )
    offsets = {org.org_id: await scenario.offset()}
    await scenario.container.inbox_reader.run(offsets)
    await scenario.container.incoming_payment_steps.run_all(offsets)
    assert await status_of(org, onramp) == "FIAT_FAILED"
    line = await line_of(scenario, "99")
    database = await Database.connect(dsn, name="tests", size_max=4)
    worker = wire(scenario.container.settings, database, Clock(await take_node(database)))
    # The worker has read the onramp, and waits to queue the payment.
    async with holding(scenario.container.database, "lock table bank_payments in share mode"):
        working = asyncio.create_task(worker.scheduler.run_all(offsets))
        await waiting(scenario.container.database, 1)
        resolving = asyncio.create_task(scenario.resolve(line, "REVERSAL", transferId=onramp["id"]))
        await waiting(scenario.container.database, 2)
    await asyncio.gather(working, resolving)
    assert await status_of(org, onramp) == "FIAT_RETURNED"
    assert [each for each, _ in await payments(scenario)] == ["FAILED"]
    assert await sum_of(scenario, HouseRole.OUTSIDE) == 0
    await database.close()
    await check_books(org)


async def line_of(scenario: BankScenario, amount: str) -> dict[str, Any]:
    """Report a reversal by the bank; return its line. The worker does nothing else."""
    bank, offset = scenario.container.sandbox_bank, await scenario.offset()
    await bank.recall(scenario.org.org_id, Money.parse(amount, FIAT["usd"]), offset)
    await scenario.container.inbox_reader.run({scenario.org.org_id: offset})
    return await scenario.last_line()


async def test_reversal_of_an_unmatched_deposit_closes_it(scenario: BankScenario) -> None:
    org = scenario.org
    await scenario.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    other = await scenario.take_back("71")
    why = await scenario.why_not(other, "REVERSAL", depositId=deposit["id"])
    assert "is of 70 usd, but the bank reversed 71 usd" in why
    line = await scenario.take_back("70")
    resolved = await scenario.resolve(line, "REVERSAL", depositId=deposit["id"])
    assert (resolved["incomingPaymentId"], resolved["transferId"]) == (deposit["id"], None)
    found = await org.get(f"{DEPOSITS}/{deposit['id']}")
    assert (found["status"], found["decidedBy"]) == ("RETURNED", org.caller.actor)
    assert (await org.get(DEPOSITS))["count"] == 0
    again = await scenario.take_back("70")
    why = await scenario.why_not(again, "REVERSAL", depositId=deposit["id"])
    assert "was returned or reversed before" in why


@pytest.mark.parametrize("is_sent", [False, True])
async def test_reversal_withholds_the_return_of_an_unmatched_deposit(
    scenario: BankScenario, *, is_sent: bool
) -> None:
    org = scenario.org
    await scenario.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    await org.post(f"{DEPOSITS}/{deposit['id']}/return", WHY)
    await scenario.pass_time(1)
    if is_sent:
        await scenario.write()
    line = await scenario.take_back("70")
    if is_sent:
        why = await scenario.why_not(line, "REVERSAL", depositId=deposit["id"])
        assert "is being returned to its sender" in why
        return
    await scenario.resolve(line, "REVERSAL", depositId=deposit["id"])
    assert (await org.get(f"{DEPOSITS}/{deposit['id']}"))["status"] == "RETURNED"
    assert [each for each, _ in await payments(scenario)] == ["FAILED"]


async def test_reversal_requires_a_deposit_of_that_amount(scenario: BankScenario) -> None:
    org = scenario.org
    _, onramp = await deposited(scenario)
    _, offramp = await paying(scenario, "us", "wire")
    waiting_one = await make_onramp(org, await make_payee(org, funds=None))
    (deposit,) = await scenario.container.database.rows(
        "select id from incoming_payments where org_id = $1", org.org_id
    )
    line = await scenario.take_back("100")
    body = {
        "no deposit has paid it": {"transferId": waiting_one["id"]},
        "there is no onramp": {"transferId": offramp["id"]},
        f"has paid {onramp['id']}": {"depositId": str(deposit["id"])},
        "there is no deposit": {"depositId": str(uuid4())},
    }
    for why, of in body.items():
        assert why in await scenario.why_not(line, "REVERSAL", **of)
    less = await scenario.take_back("99")
    why = await scenario.why_not(less, "REVERSAL", transferId=onramp["id"])
    assert "was paid by a deposit of 100 usd, but the bank reversed 99 usd" in why
    # A credit, or a debit that names one of our payments, reverses nothing.
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    back = await scenario.give_back(offramp["id"])
    assert "only by a DEBIT" in await scenario.why_not(back, "REVERSAL", transferId=onramp["id"])
    assert (await shown(org, offramp))["status"] == "COMPLETED"
    assert (await org.get(RECEIVABLES))["count"] == 0


async def test_one_of_two_lines_reverses_a_deposit(scenario: BankScenario) -> None:
    _, onramp = await deposited(scenario)
    lines = [await scenario.take_back("100") for _ in range(2)]
    body = {"resolution": "REVERSAL", "transferId": onramp["id"], **WHY}
    answers = await asyncio.gather(
        *(
            scenario.org.send("POST", f"{LINES}/{each['id']}/resolve", body)
            for each in (*lines, *lines)
        )
    )
    assert sorted(each.status_code for each in answers) == [200, 200, 409, 409]
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == -10_000
    assert (await scenario.org.get(RECEIVABLES))["count"] == 1
    await check_books(scenario.org)


async def test_lost_commit_answer_reverses_once(scenario: BankScenario, dsn: str) -> None:
    _, delivered = await deposited(scenario)
    _, failed = await deposited(scenario, "99")
    lines = [await scenario.take_back(each) for each in ("100", "99")]
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    twice = wire(
        scenario.container.settings, forgetful, Clock(await take_node(scenario.container.database))
    )
    caller = replace(scenario.org.caller, can_review=True, clock_offset=await scenario.offset())
    for line, onramp in zip(lines, (delivered, failed), strict=True):
        of = ReversedPayment(UUID(str(onramp["id"])))
        arguments = (caller, UUID(line["id"]), LineResolutionKind.REVERSAL)
        resolved = await twice.statement_line_reviews.resolve(*arguments, comment="x", of=of)
        assert resolved.transfer_id == of.transfer_id
    await forgetful.close()
    assert await status_of(scenario.org, failed) == "FIAT_RETURNED"
    assert await sum_of(scenario, HouseRole.RECEIVABLE) == -10_000
    await scenario.pass_time(DAY_S)
    await check_books(scenario.org)
