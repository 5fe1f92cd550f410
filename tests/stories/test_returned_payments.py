"""Payouts that come back after they were settled.

The rails are files in a folder, the bank is the sandbox's own; a person resolves its lines.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.bank_files.answering import Outcome
from landbridge.bank_files.iso20022.messages import TransactionStatus
from landbridge.bank_files.line_model import Line, LineStatus, Resolution
from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.ledger import corrections
from landbridge.ledger.model import Role
from landbridge.orgs.service import take_lane
from landbridge.wiring import ASSETS, MOVES, wire
from tests.bank_files.incoming import back, debit, report, statement
from tests.db.test_lost_commits import Forgetful
from tests.onramps import check_books, house_units, statuses
from tests.payouts import shown
from tests.simulation.outside import carried
from tests.tenants import held, make_transfer, make_user
from tests.waiting import holding, waiting

from .bank_story import DAY_S, LINES, WHY, Story, paying, paying_by_files

CAME_BACK = "the payment came back after it was settled"
USD = "usd:BANK"


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with paying_by_files(database, tmp_path) as story:
        yield story


async def settled(story: Story, rail: str = "wire") -> tuple[str, str]:
    """A user, and their payout of a hundred dollars, which its bank has paid a day ago."""
    user, made = await paying(story, "us", rail)
    await story.write()
    await story.answer(Outcome.SETTLE)
    await story.pass_time(10 * DAY_S if rail == "ach" else DAY_S)
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    return user, made["id"]


async def status_of(story: Story, offramp: str) -> str:
    return (await shown(story.org, {"id": offramp}))["status"]


async def sum_of(story: Story, role: Role) -> int:
    """What a house account holds of dollars, in cents."""
    return await house_units(story.org, role, USD)


async def test_a_wire_that_comes_back_a_day_later_gives_the_coins_back(story: Story) -> None:
    org = story.org
    user, offramp = await settled(story)
    before, sent = await sum_of(story, Role.LIQUIDITY), await coins_sent(story)
    line = await story.give_back(offramp)
    assert (line["kind"], line["reason"], line["amount"]) == ("CREDIT", CAME_BACK, "100")
    resolved = await story.resolve(line, "RETURN")
    assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", "RETURN")
    assert (resolved["transferId"], resolved["receiptId"]) == (offramp, None)
    await story.pass_time(1)
    found = await shown(org, {"id": offramp})
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank returned it: AC04, the account is closed"
    assert await sum_of(story, Role.LIQUIDITY) - before == 10_000
    assert await sum_of(story, Role.WRITE_OFFS) == 0
    await check_books(org)
    # The coins are in the user's wallet on the chain, and all of them can be spent.
    assert await coins_sent(story) - sent == 100_000_000
    assert await held(org, user) == "1000"
    transfer = await make_transfer(org, user, await make_user(org), 1000)
    await story.pass_time(1)
    moved = await org.get(f"/v2/wallets/transfers/{transfer['id']}")
    assert moved["transferDetails"]["status"] == "COMPLETED"
    await check_books(org)


async def coins_sent(story: Story) -> int:
    """The units of usdc on POLYGON that the chain has carried."""
    sent = await carried(story.house.database, story.org.org_id, "transfer")
    return sent["usdc:POLYGON"]


async def test_what_a_bank_keeps_of_a_return_is_the_organisations_loss(story: Story) -> None:
    user, offramp = await settled(story)
    before = await sum_of(story, Role.LIQUIDITY), await sum_of(story, Role.OUTSIDE)
    line = await story.give_back(offramp, fee="15")
    assert line["reason"] == "the amount is not that of the payment it names"
    await story.resolve(line, "RETURN")
    await story.pass_time(1)
    assert await status_of(story, offramp) == "CRYPTO_RETURNED"
    assert await held(story.org, user) == "1000"
    after = await sum_of(story, Role.LIQUIDITY), await sum_of(story, Role.OUTSIDE)
    assert (after[0] - before[0], after[1] - before[1]) == (10_000, -8_500)
    assert await sum_of(story, Role.WRITE_OFFS) == -1_500
    await check_books(story.org)
    # It is not booked a second time without a person.
    again = await story.give_back(offramp)
    assert again["reason"] == "the payment came back before"


async def test_more_than_was_paid_does_not_come_back(story: Story) -> None:
    _, offramp = await settled(story)
    (row,) = await story.house.database.rows(
        "select key from bank_payments where org_id = $1", story.org.org_id
    )
    story.put(statement(back(row["key"], 10_001, "usd"), currency="usd", number=9))
    await story.pass_time(1)
    lines = (await story.org.get(LINES))["reviews"]
    line = next(each for each in lines if each["kind"] == "CREDIT")
    why = await story.why_not(line, "RETURN")
    assert "100 usd, and 100.01 usd came back" in why
    assert await status_of(story, offramp) == "COMPLETED"


async def test_the_same_resolution_is_answered_as_the_first_time(story: Story) -> None:
    _, offramp = await settled(story)
    line = await story.give_back(offramp)
    resolved = await story.resolve(line, "RETURN")
    await story.pass_time(1)
    assert await story.resolve(line, "RETURN") == resolved
    assert (await story.why_not(line, "FAIL")).startswith("409")
    # Told once more: the payment has failed, and nothing is reopened twice.
    again = await story.give_back(offramp)
    assert again["reason"] == "the payment came back before"
    assert "is FAILED: it came back before" in await story.why_not(again, "RETURN")
    await story.resolve(again, "DUPLICATE")
    assert (await statuses(story.org, {"id": offramp})).count("FIAT_FAILED") == 1
    await check_books(story.org)


async def test_a_payout_by_ach_comes_back_late_by_either_of_its_lines(story: Story) -> None:
    user, offramp = await settled(story, "ach")
    await story.answer(Outcome.RETURN)
    line = await story.last_line()
    assert (line["kind"], line["reason"]) == ("RETURN", CAME_BACK)
    await story.resolve(line, "RETURN")
    await story.pass_time(1)
    assert await status_of(story, offramp) == "CRYPTO_RETURNED"
    assert await held(story.org, user) == "1000"
    # The statement has the same money: it is no deposit, and asks for nobody.
    count = len(await story.reasons())
    bank, offset = story.house.sandbox_bank, await story.offset()
    await bank.return_payment(story.org.org_id, UUID(offramp), fee="0", offset=offset)
    await story.pass_time(1)
    assert len(await story.reasons()) == count
    await check_books(story.org)


async def test_a_payout_that_has_not_learnt_of_its_settlement_is_not_reopened_yet(
    story: Story,
) -> None:
    _, made = await paying(story, "us", "wire")
    await story.write()
    bank, house, org_id = story.house.sandbox_bank, story.house, story.org.org_id
    offsets = {org_id: await story.offset()}
    # The worker reads files, and moves no records.
    await bank.answer(org_id, Outcome.SETTLE, offsets[org_id])
    await house.bank_reading.run(offsets)
    await bank.return_payment(org_id, UUID(made["id"]), fee="0", offset=offsets[org_id])
    await house.bank_reading.run(offsets)
    line = await story.last_line()
    why = await story.why_not(line, "RETURN")
    assert "is FIAT_PENDING: resolve it once it is COMPLETED" in why
    assert (await story.last_line())["status"] == "UNMATCHED"
    await story.pass_time(1)
    await story.resolve(line, "RETURN")
    await story.pass_time(1)
    assert await status_of(story, made["id"]) == "CRYPTO_RETURNED"
    await check_books(story.org)


async def test_a_payout_whose_journals_were_corrected_is_refused(story: Story) -> None:
    user, offramp = await settled(story)
    house, org_id = story.house, story.org.org_id
    rows = await house.database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2 order by seq",
        *(org_id, UUID(offramp)),
    )

    async def correct(transfer_id: UUID, *seqs: int) -> UUID:
        corrected = await corrections.correct(
            *(house.database, house.ledger, ASSETS, MOVES),
            org_id=org_id,
            transfer_id=transfer_id,
            seqs=seqs,
            reason="the wire came back",
            actor="cli",
            at=house.clock.stamp(await story.offset()),
        )
        return corrected.transfer.id

    made = await correct(UUID(offramp), *(row["seq"] for row in rows))
    assert await held(story.org, user) == "1000"
    line = await story.give_back(offramp)
    why = await story.why_not(line, "RETURN")
    told = ", ".join(str(row["seq"]) for row in rows)
    assert f"the journals of changes {told} of offramp {offramp} are corrected" in why
    # What was corrected is taken back as well: then it is reopened like any other.
    await correct(made, 1)
    await story.resolve(line, "RETURN")
    await story.pass_time(1)
    assert await held(story.org, user) == "1000"
    await check_books(story.org)


async def test_a_payout_of_a_user_who_was_erased_is_refused(story: Story) -> None:
    org = story.org
    user, offramp = await settled(story)
    await make_transfer(org, user, await make_user(org), 900)
    await story.pass_time(1)
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    line = await story.give_back(offramp)
    assert f"user {user}, who was erased" in await story.why_not(line, "RETURN")
    assert await status_of(story, offramp) == "COMPLETED"


async def test_an_erasure_waits_for_a_return_and_then_finds_the_payout(story: Story) -> None:
    org = story.org
    user, offramp = await settled(story)
    await make_transfer(org, user, await make_user(org), 900)
    await story.pass_time(1)
    await org.post(f"/v2/users/{user}/freeze", {})
    line = await story.give_back(offramp)
    # The return has locked the record and the user, and waits to write the line.
    async with holding(story.house.database, "lock table bank_payments in share mode"):
        resolving = asyncio.create_task(story.resolve(line, "RETURN"))
        await waiting(story.house.database, 1)
        erasing = asyncio.create_task(org.send("DELETE", f"/v2/users/{user}/personal-data"))
        await waiting(story.house.database, 2)
    await resolving
    assert (await erasing).status_code == 409


async def test_of_many_who_resolve_at_once_one_does(story: Story) -> None:
    user, offramp = await settled(story)
    line = await story.give_back(offramp)
    path = f"{LINES}/{line['id']}/resolve"
    verbs = ["RETURN", "HANDLED", "RETURN", "DUPLICATE", "RETURN", "FAIL"]
    async with holding(story.house.database, "lock table bank_lines in share mode"):
        tasks = [
            asyncio.create_task(story.org.send("POST", path, {"resolution": each, **WHY}))
            for each in verbs
        ]
        await waiting(story.house.database, 1)
    answers = await asyncio.gather(*tasks)
    (won,) = {each.json()["resolution"] for each in answers if each.status_code == 200}
    for verb, answer in zip(verbs, answers, strict=True):
        assert answer.status_code == (200 if verb == won else 409)
    await story.pass_time(1)
    returned = won == "RETURN"
    assert await status_of(story, offramp) == ("CRYPTO_RETURNED" if returned else "COMPLETED")
    assert await held(story.org, user) == ("1000" if returned else "900")
    await check_books(story.org)


async def test_of_two_processes_that_resolve_one_does(story: Story, dsn: str) -> None:
    """The slower one waits for the record's lock on a connection of its own, and finds it done."""
    user, offramp = await settled(story)
    line = UUID((await story.give_back(offramp))["id"])
    database = await Database.connect(dsn, name="tests", size_max=2)
    other = wire(story.house.settings, database, Clock(await take_lane(database)))
    caller = replace(story.org.caller, can_review=True, clock_offset=await story.offset())
    locked = "select from transfers where org_id = $1 and id = $2 for update"
    tasks: list[asyncio.Task[Line]] = []
    async with holding(story.house.database, locked, story.org.org_id, UUID(offramp)):
        for house in (story.house, other):
            resolving = house.line_reviews.resolve(caller, line, Resolution.RETURN, comment="x")
            tasks.append(asyncio.create_task(resolving))
            await waiting(story.house.database, len(tasks))
    one, two = await asyncio.gather(*tasks)
    assert (one.status, one.resolution) == (LineStatus.RESOLVED, Resolution.RETURN)
    assert one == two
    await database.close()
    await story.pass_time(1)
    assert (await statuses(story.org, {"id": offramp})).count("FIAT_FAILED") == 1
    assert await held(story.org, user) == "1000"
    await check_books(story.org)


async def test_a_commit_that_nobody_heard_of_reopens_once(story: Story, dsn: str) -> None:
    user, offramp = await settled(story)
    line = await story.give_back(offramp)
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    twice = wire(story.house.settings, forgetful, Clock(await take_lane(story.house.database)))
    offset = await story.offset()
    caller = replace(story.org.caller, can_review=True, clock_offset=offset)
    resolved = await twice.line_reviews.resolve(
        caller, UUID(line["id"]), Resolution.RETURN, comment="x"
    )
    assert (resolved.status, str(resolved.transfer_id)) == (LineStatus.RESOLVED, offramp)
    await twice.due.run_all({story.org.org_id: offset})
    await forgetful.close()
    await story.pass_time(1)
    assert (await statuses(story.org, {"id": offramp}))[-3:] == [
        "COMPLETED",
        "FIAT_FAILED",
        "CRYPTO_RETURNED",
    ]
    assert await held(story.org, user) == "1000"
    await check_books(story.org)


@pytest.mark.parametrize("kind", ["DEBIT", "STATUS", "CREDIT", "FILE"])
async def test_what_names_no_payment_that_came_back_is_refused(story: Story, kind: str) -> None:
    await paying(story, "us", "wire")
    (row,) = await story.house.database.rows(
        "select key from bank_payments where org_id = $1", story.org.org_id
    )
    told = {
        "DEBIT": statement(debit(row["key"], 1, "usd"), currency="usd"),
        "STATUS": report(
            TransactionStatus(end_to_end_id=row["key"].hex, status="RJCT", reason_codes=("AC04",))
        ),
        "CREDIT": statement(back(UUID(int=9), currency="usd"), currency="usd"),
        "FILE": b"bad",
    }
    story.put(told[kind])
    await story.pass_time(1)
    line = await story.last_line()
    assert line["kind"] == kind
    assert (await story.why_not(line, "RETURN")).startswith("409")
    assert (await story.last_line())["status"] == "UNMATCHED"
