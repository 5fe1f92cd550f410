"""Payouts and deposits by files, from the request over HTTP to the bank's answer and the books.

The rails are files in a folder, the bank is the sandbox's own: it reads what goes out, and what it
writes is read like any bank's. Time is moved by the sandbox's clock, as a user would.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.bank_files.answering import Outcome
from landbridge.bank_files.iso20022 import pain001
from landbridge.bank_files.iso20022.messages import ClearingMember, OtherParty
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.db.pool import Database
from landbridge.kyc.model import Rail
from tests.bank_files.incoming import back, credit, debit, statement
from tests.onramps import check_books, make_onramp, retrieve
from tests.payouts import make_payee, shown
from tests.tenants import held, sentence
from tests.virtual_accounts.made import make_account as make_virtual_account

from .bank_story import DAY_S, DEPOSITS, LINES, WHY, Story, paying, paying_by_files


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with paying_by_files(database, tmp_path) as story:
        yield story


async def test_a_payout_by_wire_goes_from_pain_001_to_camt_053_to_completed(story: Story) -> None:
    _, made = await paying(story, "us", "wire")
    (file,) = await story.write()
    (transfer,) = pain001.read(file.read_bytes()).transfers
    assert str(transfer.money) == "100"
    await story.pass_time(1)
    assert (await shown(story.org, made))["status"] == "FIAT_PENDING"
    await story.answer(Outcome.SETTLE)
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    await story.again()
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    assert await story.reasons() == []
    await check_books(story.org)


async def test_a_payout_by_sepa_that_the_bank_refuses_gives_the_coins_back(story: Story) -> None:
    user, made = await paying(story, "europeGlobalNetwork", "sepa", "eur", Rail.GLOBAL_NETWORK)
    assert await held(story.org, user) == "900"
    await story.write()
    await story.answer(Outcome.REJECT)
    found = await shown(story.org, made)
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank refused it: AC04, the account is closed"
    assert await held(story.org, user) == "1000"
    assert await story.reasons() == []
    await check_books(story.org)


async def test_a_payout_by_ach_that_comes_back_gives_the_coins_back(story: Story) -> None:
    user, made = await paying(story, "us", "ach")
    (file,) = await story.write()
    (batch,) = read_nacha(file.read_bytes()).batches
    assert [each.cents for each in batch.entries] == [10_000]
    await story.pass_time(DAY_S)
    assert (await shown(story.org, made))["status"] == "FIAT_PENDING"
    await story.answer(Outcome.RETURN)
    found = await shown(story.org, made)
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank returned it: R03, no such account"
    assert await held(story.org, user) == "1000"
    await check_books(story.org)


async def test_a_payout_by_ach_is_done_when_it_cant_come_back_any_more(story: Story) -> None:
    user, made = await paying(story, "us", "ach")
    await story.write()
    await story.answer(Outcome.SETTLE)
    assert (await shown(story.org, made))["status"] == "FIAT_PENDING"
    await story.pass_time(10 * DAY_S)
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    # Too late: it moves nothing, and a person looks at it.
    await story.answer(Outcome.RETURN)
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    assert await held(story.org, user) == "900"
    (line,) = (await story.org.get(LINES))["reviews"]
    assert line["reason"] == "the payment came back after it was settled"
    path, body = f"{LINES}/{line['id']}/resolve", {"resolution": "HANDLED", "comment": "paid again"}
    resolved = await story.org.post(path, body)
    assert (resolved["status"], resolved["comment"]) == ("RESOLVED", "paid again")
    assert await story.reasons() == []
    await check_books(story.org)


async def test_an_onramp_is_paid_by_a_credit_of_the_statement(story: Story) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await story.pay_in("100", reference=info["reference"], number=number)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    await story.again()
    assert await held(org, user) == "100"
    await check_books(org)


async def test_a_virtual_account_takes_a_credit_of_the_statement(story: Story) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    account = await make_virtual_account(org, user)
    number = account["depositInstructions"]["ach"]["accountNumber"]
    await story.pay_in("40", number=number)
    assert await held(org, user) == "40"
    await check_books(org)


async def test_a_credit_that_nobody_takes_waits_for_a_person(story: Story) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    await story.pay_in("100", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    assert (deposit["status"], deposit["amount"]) == ("UNMATCHED", "100")
    assert deposit["sender"]["name"] == "Grace Payer"
    body = {"transferId": onramp["id"], "comment": "Grace called"}
    await org.post(f"{DEPOSITS}/{deposit['id']}/match", body)
    await story.pass_time(1)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    await check_books(org)


async def test_what_nobody_takes_goes_back_by_a_file(story: Story) -> None:
    org = story.org
    await story.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    sent = await org.post(f"{path}/return", {"comment": "nobody knows"})
    assert sent["status"] == "RETURNING"
    await story.pass_time(1)
    (file,) = await story.write()
    (transfer,) = pain001.read(file.read_bytes()).transfers
    assert (transfer.account_number, str(transfer.money)) == ("000123456789", "70")
    assert transfer.clearing_member == ClearingMember("USABA", "091000019")
    await story.answer(Outcome.SETTLE)
    await story.pass_time(5 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    assert await story.reasons() == []


async def test_what_the_bank_can_not_carry_back_waits_on(story: Story) -> None:
    org = story.org
    told = credit(7_000, "usd", other_party=OtherParty(name="Grace Payer"))
    story.put(statement(told, currency="usd"))
    await story.pass_time(1)
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    answer = await org.send("POST", f"{path}/return", {"comment": "back"})
    assert (answer.status_code, "can't go back" in sentence(answer)) == (409, True)
    assert (await org.get(path))["status"] == "UNMATCHED"
    # It can be given to somebody still.
    user = await make_payee(org, funds=None)
    account = await make_virtual_account(org, user)
    body = {"virtualAccountId": account["id"], "comment": "Grace called"}
    assert (await org.post(f"{path}/match", body))["status"] == "MATCHED"


async def test_a_person_settles_or_fails_what_a_line_names(story: Story) -> None:
    org = story.org
    user, paid = await paying(story, "us", "wire")
    _, lost = await paying(story, "us", "wire")
    raws = [each.read_bytes() for each in await story.write()]
    keys = {
        str(each["record_id"]): each["key"]
        for each in await story.house.database.rows(
            "select record_id, key from bank_payments where org_id = $1", org.org_id
        )
    }
    assert sum(len(pain001.read(raw).transfers) for raw in raws) == len(keys)
    # Other amounts than ours: the bank's charges, and a payment that was carried out in part.
    told = [debit(keys[paid["id"]], 10_250, "usd"), debit(keys[lost["id"]], 50, "usd")]
    story.put(statement(*told, currency="usd"))
    await story.pass_time(1)
    found = {each["paymentKey"]: each["id"] for each in (await org.get(LINES))["reviews"]}
    assert set(found) == {str(each) for each in keys.values()}
    verbs = {paid["id"]: "SETTLE", lost["id"]: "FAIL"}
    for record, verb in verbs.items():
        line = f"{LINES}/{found[str(keys[record])]}"
        early = await org.refused("POST", f"{line}/resolve", {"resolution": "DEPOSIT", **WHY})
        assert early == "409 RESOURCE_CONFLICT"
        resolved = await org.post(f"{line}/resolve", {"resolution": verb, **WHY})
        assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", verb)
        assert resolved == await org.post(f"{line}/resolve", {"resolution": verb, **WHY})
    await story.pass_time(1)
    assert (await shown(org, paid))["status"] == "COMPLETED"
    assert (await shown(org, lost))["status"] == "CRYPTO_RETURNED"
    assert await held(org, user) == "900"
    actors = await story.house.database.rows(
        "select what, actor from changes where org_id = $1 and kind = 'BANK.PAYMENT'"
        " and what <> 'queued' order by what",
        org.org_id,
    )
    assert [(each["what"], each["actor"]) for each in actors] == [
        ("failed", org.caller.actor),
        ("settled", org.caller.actor),
    ]
    await check_books(org)


async def test_a_person_makes_a_deposit_of_a_credit(story: Story) -> None:
    org = story.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    told = back(UUID(int=9), 10_000, "usd", remittance=info["reference"])
    told = replace(told, our_account=info["wire"]["accountNumber"])
    story.put(statement(told, currency="usd"))
    await story.pass_time(1)
    (line,) = (await org.get(LINES))["reviews"]
    path = f"{LINES}/{line['id']}/resolve"
    for verb in ("SETTLE", "FAIL"):
        refused = await org.refused("POST", path, {"resolution": verb, **WHY})
        assert refused == "409 RESOURCE_CONFLICT"
    resolved = await org.post(path, {"resolution": "DEPOSIT", **WHY})
    assert resolved == await org.post(path, {"resolution": "DEPOSIT", **WHY})
    assert resolved["receiptId"] is not None
    await story.pass_time(1)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    await check_books(org)
