"""Payouts that are returned after they were settled.

The rails are files in a folder, the bank is the sandbox's; a reviewer resolves its lines.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import ASSETS, TRANSITIONS, wire
from landbridge.ledger import corrections
from landbridge.ledger.model import HouseRole
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLine,
    StatementLineStatus,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.iso20022.messages import TransactionStatus
from tests.onramps import check_books, house_units, statuses
from tests.payments.bank_files.inbound_files import back, debit, report, statement
from tests.payouts import shown
from tests.platform.db.test_lost_commits import Forgetful
from tests.providers.simulation.external_state import carried
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    LINES,
    WHY,
    BankScenario,
    only_key,
    paying,
    paying_by_files,
)
from tests.tenants import held, make_transfer, make_user
from tests.waiting import holding, waiting

CAME_BACK = "the payment was returned after settlement"
USD = "usd:BANK"


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def settled(scenario: BankScenario, rail: str = "wire") -> tuple[str, str]:
    """Return a user and their payout of a hundred dollars, paid by the bank a day ago."""
    user, created = await paying(scenario, "us", rail)
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S if rail == "ach" else DAY_S)
    assert (await shown(scenario.org, created))["status"] == "COMPLETED"
    return user, created["id"]


async def status_of(scenario: BankScenario, offramp: str) -> str:
    return (await shown(scenario.org, {"id": offramp}))["status"]


async def sum_of(scenario: BankScenario, role: HouseRole) -> int:
    """Return the balance of a house account in dollars, in cents."""
    return await house_units(scenario.org, role, USD)


async def test_wire_returned_a_day_later_refunds_the_coins(scenario: BankScenario) -> None:
    org = scenario.org
    user, offramp = await settled(scenario)
    before, sent = await sum_of(scenario, HouseRole.LIQUIDITY), await coins_sent(scenario)
    line = await scenario.give_back(offramp)
    assert (line["kind"], line["reason"], line["amount"]) == ("CREDIT", CAME_BACK, "100")
    assert "and no deposit" in await scenario.why_not(line, "DEPOSIT")
    resolved = await scenario.resolve(line, "RETURN")
    assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", "RETURN")
    assert (resolved["transferId"], resolved["incomingPaymentId"]) == (offramp, None)
    await scenario.pass_time(1)
    found = await shown(org, {"id": offramp})
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank returned it: AC04, the account is closed"
    assert await sum_of(scenario, HouseRole.LIQUIDITY) - before == 10_000
    assert await sum_of(scenario, HouseRole.WRITE_OFFS) == 0
    await check_books(org)
    # The coins are in the user's wallet on chain, and available.
    assert await coins_sent(scenario) - sent == 100_000_000
    assert await held(org, user) == "1000"
    transfer = await make_transfer(org, user, await make_user(org), 1000)
    await scenario.pass_time(1)
    moved = await org.get(f"/v2/wallets/transfers/{transfer['id']}")
    assert moved["transferDetails"]["status"] == "COMPLETED"
    await check_books(org)


async def coins_sent(scenario: BankScenario) -> int:
    """Return the units of usdc on POLYGON that the chain has moved."""
    sent = await carried(scenario.container.database, scenario.org.org_id, "transfer")
    return sent["usdc:POLYGON"]


async def test_fee_of_a_return_is_the_organisations_loss(scenario: BankScenario) -> None:
    user, offramp = await settled(scenario)
    before = await sum_of(scenario, HouseRole.LIQUIDITY), await sum_of(scenario, HouseRole.OUTSIDE)
    line = await scenario.give_back(offramp, fee="15")
    assert line["reason"] == "the amount does not match the referenced payment"
    await scenario.resolve(line, "RETURN")
    await scenario.pass_time(1)
    assert await status_of(scenario, offramp) == "CRYPTO_RETURNED"
    assert await held(scenario.org, user) == "1000"
    after = await sum_of(scenario, HouseRole.LIQUIDITY), await sum_of(scenario, HouseRole.OUTSIDE)
    assert (after[0] - before[0], after[1] - before[1]) == (10_000, -8_500)
    assert await sum_of(scenario, HouseRole.WRITE_OFFS) == -1_500
    await check_books(scenario.org)
    # A second return of the same payment is not posted without a review.
    again = await scenario.give_back(offramp)
    assert again["reason"] == "the payment was already returned"


@pytest.mark.parametrize("marks", [{}, {"return_code": None}])
async def test_one_reviewer_reopens_no_payout_by_a_cent(
    scenario: BankScenario, marks: dict[str, Any]
) -> None:
    """A payee sends a cent with the reference of their payout, and knows a reviewer."""
    user, offramp = await settled(scenario)
    key = await only_key(scenario)
    for units in (1, 4_999):
        scenario.put(statement(back(key, units, "usd", **marks), currency="usd", number=9 + units))
        await scenario.pass_time(1)
        found = (await scenario.org.get(LINES))["reviews"]
        line = [each for each in found if each["kind"] == "CREDIT"][-1]
        why = await scenario.why_not(line, "RETURN")
        assert why.startswith("409 payment")
        assert "did not come back" in why
    assert await status_of(scenario, offramp) == "COMPLETED"
    assert await held(scenario.org, user) == "900"
    assert await sum_of(scenario, HouseRole.WRITE_OFFS) == 0


async def test_return_above_the_paid_amount_is_refused(scenario: BankScenario) -> None:
    _, offramp = await settled(scenario)
    (row,) = await scenario.container.database.rows(
        "select key from bank_payments where org_id = $1", scenario.org.org_id
    )
    scenario.put(statement(back(row["key"], 10_001, "usd"), currency="usd", number=9))
    await scenario.pass_time(1)
    lines = (await scenario.org.get(LINES))["reviews"]
    line = next(each for each in lines if each["kind"] == "CREDIT")
    why = await scenario.why_not(line, "RETURN")
    assert "100 usd, and 100.01 usd came back" in why
    assert await status_of(scenario, offramp) == "COMPLETED"


async def test_repeated_resolution_returns_the_first_result(scenario: BankScenario) -> None:
    _, offramp = await settled(scenario)
    line = await scenario.give_back(offramp)
    resolved = await scenario.resolve(line, "RETURN")
    await scenario.pass_time(1)
    assert await scenario.resolve(line, "RETURN") == resolved
    assert (await scenario.why_not(line, "FAIL")).startswith("409")
    # Reported again: the payment has failed, and nothing is reopened twice.
    again = await scenario.give_back(offramp)
    assert again["reason"] == "the payment was already returned"
    assert "is FAILED: it was returned before" in await scenario.why_not(again, "RETURN")
    await scenario.resolve(again, "DUPLICATE")
    assert (await statuses(scenario.org, {"id": offramp})).count("FIAT_FAILED") == 1
    await check_books(scenario.org)


async def test_late_ach_return_is_resolved_by_either_line(scenario: BankScenario) -> None:
    user, offramp = await settled(scenario, "ach")
    bank, offset = scenario.container.sandbox_bank, await scenario.offset()
    *_, credit = await bank.answer(scenario.org.org_id, BankOutcome.RETURN, offset)
    # The statement comes later than the file of returns.
    (scenario.folder / "in" / credit).unlink()
    await scenario.pass_time(1)
    line = await scenario.last_line()
    assert (line["kind"], line["reason"]) == ("RETURN", CAME_BACK)
    await scenario.resolve(line, "RETURN")
    await scenario.pass_time(1)
    assert await status_of(scenario, offramp) == "CRYPTO_RETURNED"
    assert await held(scenario.org, user) == "1000"
    # The statement has the same money: it is no deposit, and needs no review.
    count = len(await scenario.reasons())
    offset = await scenario.offset()
    await bank.return_payment(scenario.org.org_id, UUID(offramp), fee="0", offset=offset)
    await scenario.pass_time(1)
    assert len(await scenario.reasons()) == count
    await check_books(scenario.org)


async def test_unsettled_payout_is_not_reopened_yet(scenario: BankScenario) -> None:
    _, created = await paying(scenario, "us", "wire")
    await scenario.write()
    bank, container, org_id = (
        scenario.container.sandbox_bank,
        scenario.container,
        scenario.org.org_id,
    )
    offsets = {org_id: await scenario.offset()}
    # The worker reads files, and advances no records.
    await bank.answer(org_id, BankOutcome.SETTLE, offsets[org_id])
    await container.inbox_reader.run(offsets)
    await bank.return_payment(org_id, UUID(created["id"]), fee="0", offset=offsets[org_id])
    await container.inbox_reader.run(offsets)
    line = await scenario.last_line()
    why = await scenario.why_not(line, "RETURN")
    assert "is FIAT_PENDING: resolve it once it is COMPLETED" in why
    assert (await scenario.last_line())["status"] == "UNMATCHED"
    await scenario.pass_time(1)
    await scenario.resolve(line, "RETURN")
    await scenario.pass_time(1)
    assert await status_of(scenario, created["id"]) == "CRYPTO_RETURNED"
    await check_books(scenario.org)


async def test_payout_with_corrected_journals_is_refused(scenario: BankScenario) -> None:
    user, offramp = await settled(scenario)
    container, org_id = scenario.container, scenario.org.org_id
    rows = await container.database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2 order by seq",
        *(org_id, UUID(offramp)),
    )

    async def correct(transfer_id: UUID, *seqs: int) -> UUID:
        corrected = await corrections.correct(
            *(container.database, container.ledger, ASSETS, TRANSITIONS),
            org_id=org_id,
            transfer_id=transfer_id,
            seqs=seqs,
            reason="the wire came back",
            actor="cli",
            at=container.clock.stamp(await scenario.offset()),
        )
        return corrected.transfer.id

    created = await correct(UUID(offramp), *(row["seq"] for row in rows))
    assert await held(scenario.org, user) == "1000"
    line = await scenario.give_back(offramp)
    why = await scenario.why_not(line, "RETURN")
    sequences = ", ".join(str(row["seq"]) for row in rows)
    assert f"the journals of changes {sequences} of offramp {offramp} are corrected" in why
    # After the correction is reverted, it is reopened like any other.
    await correct(created, 1)
    await scenario.resolve(line, "RETURN")
    await scenario.pass_time(1)
    assert await held(scenario.org, user) == "1000"
    await check_books(scenario.org)


async def test_payout_of_an_erased_user_is_refused(scenario: BankScenario) -> None:
    org = scenario.org
    user, offramp = await settled(scenario)
    await make_transfer(org, user, await make_user(org), 900)
    await scenario.pass_time(1)
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    line = await scenario.give_back(offramp)
    assert f"user {user}, who was erased" in await scenario.why_not(line, "RETURN")
    assert await status_of(scenario, offramp) == "COMPLETED"


async def test_erasure_waits_for_a_concurrent_return(scenario: BankScenario) -> None:
    org = scenario.org
    user, offramp = await settled(scenario)
    await make_transfer(org, user, await make_user(org), 900)
    await scenario.pass_time(1)
    await org.post(f"/v2/users/{user}/freeze", {})
    line = await scenario.give_back(offramp)
    # The return has locked the record and the user, and waits to write the line.
    async with holding(scenario.container.database, "lock table bank_payments in share mode"):
        resolving = asyncio.create_task(scenario.resolve(line, "RETURN"))
        await waiting(scenario.container.database, 1)
        erasing = asyncio.create_task(org.send("DELETE", f"/v2/users/{user}/personal-data"))
        await waiting(scenario.container.database, 2)
    await resolving
    assert (await erasing).status_code == 409


async def test_concurrent_resolutions_have_one_outcome(scenario: BankScenario) -> None:
    user, offramp = await settled(scenario)
    line = await scenario.give_back(offramp)
    path = f"{LINES}/{line['id']}/resolve"
    verbs = ["RETURN", "HANDLED", "RETURN", "DUPLICATE", "RETURN", "FAIL"]
    async with holding(scenario.container.database, "lock table statement_lines in share mode"):
        tasks = [
            asyncio.create_task(scenario.org.send("POST", path, {"resolution": each, **WHY}))
            for each in verbs
        ]
        await waiting(scenario.container.database, 1)
    answers = await asyncio.gather(*tasks)
    (won,) = {each.json()["resolution"] for each in answers if each.status_code == 200}
    for verb, answer in zip(verbs, answers, strict=True):
        assert answer.status_code == (200 if verb == won else 409)
    await scenario.pass_time(1)
    returned = won == "RETURN"
    assert await status_of(scenario, offramp) == ("CRYPTO_RETURNED" if returned else "COMPLETED")
    assert await held(scenario.org, user) == ("1000" if returned else "900")
    await check_books(scenario.org)


async def test_two_processes_resolve_a_line_once(scenario: BankScenario, dsn: str) -> None:
    """The slower one waits for the record's lock on its own connection, and finds it resolved."""
    user, offramp = await settled(scenario)
    line = UUID((await scenario.give_back(offramp))["id"])
    database = await Database.connect(dsn, name="tests", size_max=2)
    other = wire(scenario.container.settings, database, Clock(await take_node(database)))
    caller = replace(scenario.org.caller, can_review=True, clock_offset=await scenario.offset())
    locked = "select from transfers where org_id = $1 and id = $2 for update"
    tasks: list[asyncio.Task[StatementLine]] = []
    async with holding(scenario.container.database, locked, scenario.org.org_id, UUID(offramp)):
        for container in (scenario.container, other):
            resolving = container.statement_line_reviews.resolve(
                caller, line, LineResolutionKind.RETURN, comment="x"
            )
            tasks.append(asyncio.create_task(resolving))
            await waiting(scenario.container.database, len(tasks))
    one, two = await asyncio.gather(*tasks)
    assert (one.status, one.resolution) == (StatementLineStatus.RESOLVED, LineResolutionKind.RETURN)
    assert one == two
    await database.close()
    await scenario.pass_time(1)
    assert (await statuses(scenario.org, {"id": offramp})).count("FIAT_FAILED") == 1
    assert await held(scenario.org, user) == "1000"
    await check_books(scenario.org)


async def test_lost_commit_answer_reopens_once(scenario: BankScenario, dsn: str) -> None:
    user, offramp = await settled(scenario)
    line = await scenario.give_back(offramp)
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    twice = wire(
        scenario.container.settings, forgetful, Clock(await take_node(scenario.container.database))
    )
    offset = await scenario.offset()
    caller = replace(scenario.org.caller, can_review=True, clock_offset=offset)
    resolved = await twice.statement_line_reviews.resolve(
        caller, UUID(line["id"]), LineResolutionKind.RETURN, comment="x"
    )
    assert (resolved.status, str(resolved.transfer_id)) == (StatementLineStatus.RESOLVED, offramp)
    await twice.scheduler.run_all({scenario.org.org_id: offset})
    await forgetful.close()
    await scenario.pass_time(1)
    assert (await statuses(scenario.org, {"id": offramp}))[-3:] == [
        "COMPLETED",
        "FIAT_FAILED",
        "CRYPTO_RETURNED",
    ]
    assert await held(scenario.org, user) == "1000"
    await check_books(scenario.org)


@pytest.mark.parametrize("kind", ["DEBIT", "STATUS", "CREDIT", "FILE"])
async def test_line_without_a_returned_payment_is_refused(
    scenario: BankScenario, kind: str
) -> None:
    await paying(scenario, "us", "wire")
    (row,) = await scenario.container.database.rows(
        "select key from bank_payments where org_id = $1", scenario.org.org_id
    )
    body = {
        "DEBIT": statement(debit(row["key"], 1, "usd"), currency="usd"),
        "STATUS": report(
            TransactionStatus(end_to_end_id=row["key"].hex, status="RJCT", reason_codes=("AC04",))
        ),
        "CREDIT": statement(back(UUID(int=9), currency="usd"), currency="usd"),
        "FILE": b"bad",
    }
    scenario.put(body[kind])
    await scenario.pass_time(1)
    line = await scenario.last_line()
    assert line["kind"] == kind
    assert (await scenario.why_not(line, "RETURN")).startswith("409")
    assert (await scenario.last_line())["status"] == "UNMATCHED"
