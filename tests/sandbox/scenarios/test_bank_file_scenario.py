"""Payouts and deposits by bank files, from the HTTP request to the bank's answer and the ledger.

The rails are files in a folder. The bank is the sandbox's: it reads outgoing files, and its own
files are read like any bank's. The sandbox's clock moves time, as a user would.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import ClearingMember, OtherParty
from landbridge.providers.nacha.reading import read as read_nacha
from tests.onramps import check_books, make_onramp, retrieve
from tests.payments.bank_files.inbound_files import back, credit, debit, statement
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import make_payee, shown
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    DEPOSITS,
    LINES,
    WHY,
    BankScenario,
    paying,
    paying_by_files,
)
from tests.tenants import held, sentence


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def test_wire_payout_completes_by_pain_001_and_camt_053(scenario: BankScenario) -> None:
    _, created = await paying(scenario, "us", "wire")
    (file,) = await scenario.write()
    (transfer,) = pain001.read(file.read_bytes()).transfers
    assert str(transfer.money) == "100"
    await scenario.pass_time(1)
    assert (await shown(scenario.org, created))["status"] == "FIAT_PENDING"
    await scenario.answer(BankOutcome.SETTLE)
    assert (await shown(scenario.org, created))["status"] == "COMPLETED"
    await scenario.again()
    assert (await shown(scenario.org, created))["status"] == "COMPLETED"
    assert await scenario.reasons() == []
    await check_books(scenario.org)


async def test_rejected_sepa_payout_refunds_the_coins(scenario: BankScenario) -> None:
    user, created = await paying(
        scenario, "europeGlobalNetwork", "sepa", "eur", Rail.GLOBAL_NETWORK
    )
    assert await held(scenario.org, user) == "900"
    await scenario.write()
    await scenario.answer(BankOutcome.REJECT)
    found = await shown(scenario.org, created)
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank refused it: AC04, the account is closed"
    assert await held(scenario.org, user) == "1000"
    assert await scenario.reasons() == []
    await check_books(scenario.org)


async def test_returned_ach_payout_refunds_the_coins(scenario: BankScenario) -> None:
    user, created = await paying(scenario, "us", "ach")
    (file,) = await scenario.write()
    (batch,) = read_nacha(file.read_bytes()).batches
    assert [each.cents for each in batch.entries] == [10_000]
    await scenario.pass_time(DAY_S)
    assert (await shown(scenario.org, created))["status"] == "FIAT_PENDING"
    await scenario.answer(BankOutcome.RETURN)
    found = await shown(scenario.org, created)
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank returned it: R03, no such account"
    assert await held(scenario.org, user) == "1000"
    await check_books(scenario.org)


async def test_ach_payout_completes_after_its_return_window(scenario: BankScenario) -> None:
    user, created = await paying(scenario, "us", "ach")
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    assert (await shown(scenario.org, created))["status"] == "FIAT_PENDING"
    await scenario.pass_time(10 * DAY_S)
    assert (await shown(scenario.org, created))["status"] == "COMPLETED"
    # Too late: it changes nothing and waits for review.
    await scenario.answer(BankOutcome.RETURN)
    assert (await shown(scenario.org, created))["status"] == "COMPLETED"
    assert await held(scenario.org, user) == "900"
    # The file of returns and the statement have it.
    assert await scenario.reasons() == ["the payment was returned after settlement"] * 2
    for line in (await scenario.org.get(LINES))["reviews"]:
        body = {"resolution": "HANDLED", "comment": "paid again"}
        resolved = await scenario.org.post(f"{LINES}/{line['id']}/resolve", body)
        assert (resolved["status"], resolved["comment"]) == ("RESOLVED", "paid again")
    assert await scenario.reasons() == []
    await check_books(scenario.org)


async def test_statement_credit_funds_an_onramp(scenario: BankScenario) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await scenario.pay_in("100", reference=info["reference"], number=number)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    await scenario.again()
    assert await held(org, user) == "100"
    await check_books(org)


async def test_statement_credit_funds_a_virtual_account(scenario: BankScenario) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    account = await make_virtual_account(org, user)
    number = account["depositInstructions"]["ach"]["accountNumber"]
    await scenario.pay_in("40", number=number)
    assert await held(org, user) == "40"
    await check_books(org)


async def test_unmatched_credit_waits_for_review(scenario: BankScenario) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    await scenario.pay_in("100", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    assert (deposit["status"], deposit["amount"]) == ("UNMATCHED", "100")
    assert deposit["sender"]["name"] == "Grace Payer"
    body = {"transferId": onramp["id"], "comment": "Grace called"}
    await org.post(f"{DEPOSITS}/{deposit['id']}/match", body)
    await scenario.pass_time(1)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    await check_books(org)


async def test_unmatched_deposit_is_returned_by_file(scenario: BankScenario) -> None:
    org = scenario.org
    await scenario.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    sent = await org.post(f"{path}/return", {"comment": "nobody knows"})
    assert sent["status"] == "RETURNING"
    await scenario.pass_time(1)
    (file,) = await scenario.write()
    (transfer,) = pain001.read(file.read_bytes()).transfers
    assert (transfer.account_number, str(transfer.money)) == ("000123456789", "70")
    assert transfer.clearing_member == ClearingMember("USABA", "091000019")
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(5 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    assert await scenario.reasons() == []


async def test_deposit_without_a_return_account_keeps_waiting(
    scenario: BankScenario,
) -> None:
    org = scenario.org
    entries = credit(7_000, "usd", other_party=OtherParty(name="Grace Payer"))
    scenario.put(statement(entries, currency="usd"))
    await scenario.pass_time(1)
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    answer = await org.send("POST", f"{path}/return", {"comment": "back"})
    assert (answer.status_code, "can't return the deposit" in sentence(answer)) == (409, True)
    assert (await org.get(path))["status"] == "UNMATCHED"
    # The unmatched payment can still be matched to a user.
    user = await make_payee(org, funds=None)
    account = await make_virtual_account(org, user)
    body = {"virtualAccountId": account["id"], "comment": "Grace called"}
    assert (await org.post(f"{path}/match", body))["status"] == "MATCHED"


async def test_reviewer_settles_or_fails_the_payment_of_a_line(scenario: BankScenario) -> None:
    org = scenario.org
    user, paid = await paying(scenario, "us", "wire")
    _, lost = await paying(scenario, "us", "wire")
    raws = [each.read_bytes() for each in await scenario.write()]
    keys = {
        str(each["record_id"]): each["key"]
        for each in await scenario.container.database.rows(
            "select record_id, key from bank_payments where org_id = $1", org.org_id
        )
    }
    assert sum(len(pain001.read(raw).transfers) for raw in raws) == len(keys)
    # Amounts other than ours: the bank's charges, and a partially executed payment.
    entries = [debit(keys[paid["id"]], 10_250, "usd"), debit(keys[lost["id"]], 50, "usd")]
    scenario.put(statement(*entries, currency="usd"))
    await scenario.pass_time(1)
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
    await scenario.pass_time(1)
    assert (await shown(org, paid))["status"] == "COMPLETED"
    assert (await shown(org, lost))["status"] == "CRYPTO_RETURNED"
    assert await held(org, user) == "900"
    actors = await scenario.container.database.rows(
        "select change_type, actor from changes where org_id = $1 and kind = 'BANK.PAYMENT'"
        " and change_type <> 'queued' order by change_type",
        org.org_id,
    )
    assert [(each["change_type"], each["actor"]) for each in actors] == [
        ("failed", org.caller.actor),
        ("settled", org.caller.actor),
    ]
    await check_books(org)


async def test_reviewer_turns_a_credit_into_a_deposit(scenario: BankScenario) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    entries = back(UUID(int=9), 10_000, "usd", remittance=info["reference"])
    entries = replace(entries, our_account=info["wire"]["accountNumber"])
    scenario.put(statement(entries, currency="usd"))
    await scenario.pass_time(1)
    (line,) = (await org.get(LINES))["reviews"]
    path = f"{LINES}/{line['id']}/resolve"
    for verb in ("SETTLE", "FAIL"):
        refused = await org.refused("POST", path, {"resolution": verb, **WHY})
        assert refused == "409 RESOURCE_CONFLICT"
    resolved = await org.post(path, {"resolution": "DEPOSIT", **WHY})
    assert resolved == await org.post(path, {"resolution": "DEPOSIT", **WHY})
    assert resolved["incomingPaymentId"] is not None
    await scenario.pass_time(1)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    await check_books(org)
