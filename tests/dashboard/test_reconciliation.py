"""Pages of reconciliation: differences with both sides, runs, and daily closes of two people."""

from pathlib import Path

from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.reporting.reconciliation.bank_days import found, planting_bank
from tests.reporting.reconciliation.compared import make_difference, make_halt, make_reconciled
from tests.tenants import Tenant

_HOME = "/dashboard/reconciliation"
_CLOSES = f"{_HOME}/closes"


async def test_a_difference_is_assigned_explained_and_accepted(org: Tenant) -> None:
    path = f"{_HOME}/differences/{await make_difference(org)}"
    ada, bob = await visit(org), await visit(org)
    listed = await ada.load(_HOME)
    assert path in listed.links()
    assert "Balance that no movement explains" in listed.text
    page = await ada.load(path)
    assert page.value("amount") == "-5"
    for side in ("Ledger", "External: Polygon", "External minus ledger"):
        assert side in page.text
    member = str(ada.member_id)
    await ada.submit(path, {"verb": "assign", "memberId": member})
    await ada.submit(path, {"verb": "resolve", "reason": "opening inventory", "amount": "-5"})
    page = await ada.load(path)
    assert "A second person accepts." in page.text
    refused = await ada.send(path, {"verb": "accept", "amount": "-5"})
    assert (refused.status, "second person" in refused.text) == (403, True)
    await bob.submit(path, {"verb": "accept", "amount": "-5"})
    page = await bob.load(path)
    for text in ("Accepted by two people", "opening inventory", "Assigned", "Explained"):
        assert text in page.text
    assert "You're all caught up" in (await bob.load(_HOME)).text
    assert path in (await bob.load(_HOME, show="resolved")).links()


async def test_people_see_what_an_adjustment_books(org: Tenant) -> None:
    path = f"{_HOME}/differences/{await make_difference(org)}"
    ada, bob = await visit(org), await visit(org)
    loss = "The shortfall is booked as a loss of the organisation."
    assert loss in (await ada.load(path)).text
    body = {"verb": "resolve", "reason": "stolen", "amount": "-5", "adjustLedger": "yes"}
    await ada.submit(path, body)
    page = await bob.load(path)
    assert loss in page.text
    assert "This adjusts the ledger" in page.response.text
    await bob.submit(path, {"verb": "accept", "amount": "-5"})
    assert "The ledger was adjusted by two people" in (await bob.load(path)).text


async def test_a_rejected_explanation_shows_the_difference_open_again(org: Tenant) -> None:
    path = f"{_HOME}/differences/{await make_difference(org)}"
    ada = await visit(org)
    refused = await ada.send(path, {"verb": "resolve", "reason": ""})
    assert (refused.status, "reason must have" in refused.text) == (422, True)
    await ada.submit(path, {"verb": "resolve", "reason": "dust"})
    await ada.submit(path, {"verb": "reject", "reason": "5 usdc is no dust"})
    page = await ada.load(path)
    assert 'title="OPEN"' in page.response.text
    assert "5 usdc is no dust" in page.text


async def test_a_day_is_signed_by_one_person_and_confirmed_by_another(org: Tenant) -> None:
    waiting = f"{_CLOSES}/{(await make_reconciled(org))['close']}"
    ada, bob = await visit(org), await visit(org)
    page = await ada.load(waiting)
    for text in ("Signatures", "still investigated", "Balance that no movement explains"):
        assert text in page.text
    digest = page.value("digest")
    await ada.submit(waiting, {"verb": "reject", "reason": "Sign it again"})
    day = (await org.get("/v2/reconciliation/closes"))["closes"][0]["day"]
    refused = await ada.send(_CLOSES, {"day": day, "reason": ""})
    assert (refused.status, "state a reason" in refused.text) == (409, True)
    path = await ada.submit(_CLOSES, {"day": day, "reason": "Known since Monday"})
    page = await ada.load(path)
    assert "A second person confirms." in page.text
    assert page.text.count("Confirm close") == 0
    stale = await bob.send(path, {"verb": "confirm", "digest": digest})
    assert stale.status == 409
    await bob.submit(path, {"verb": "confirm", "digest": (await bob.load(path)).value("digest")})
    assert 'title="COMPLETED"' in (await bob.load(path)).response.text
    assert path in (await bob.load(_CLOSES)).links()


async def test_runs_show_each_chain_and_its_positions(org: Tenant) -> None:
    await make_difference(org)
    page = await (await visit(org)).load(f"{_HOME}/runs")
    for text in ("Polygon", "Compared at block", "USDC"):
        assert text in page.text


async def test_runs_show_a_bank_account_with_its_last_statement(
    database: Database, tmp_path: Path
) -> None:
    async with planting_bank(database, tmp_path) as bank:
        await bank.state(bank.debit(250))
        (fee,) = await found(bank.org)
        visitor = await visit(bank.org)
        page = await visitor.load(f"{_HOME}/runs")
        for text in ("Bank account in USD", "Compared with statement S2-usd", "1,000,000.00 USD"):
            assert text in page.text
        page = await visitor.load(f"{_HOME}/differences/{fee.id}")
        for text in ("Not in the ledger", "External: Bank account in USD", "2.50 USD"):
            assert text in page.text


async def test_analysts_read_and_decide_nothing(org: Tenant) -> None:
    reconciled = await make_reconciled(org)
    analyst = await visit(org, MemberRole.ANALYST)
    for path, field in (
        (f"{_HOME}/differences/{reconciled['difference']}", "resolve"),
        (f"{_CLOSES}/{reconciled['close']}", "confirm"),
    ):
        page = await analyst.load(path)
        assert "Only an admin can decide." in page.text
        refused = await analyst.send(path, {"verb": field, "reason": "a", "digest": "0" * 64})
        assert refused.status == 403


async def test_a_close_shows_reserves_against_what_is_owed(org: Tenant) -> None:
    page = await (await visit(org)).load(f"{_CLOSES}/{(await make_reconciled(org))['close']}")
    for text in ("Reserves", "Owed to customers", "Owed in open payments", "Ratio", "0%"):
        assert text in page.text


async def test_the_overview_names_differences_and_a_close_that_wait(org: Tenant) -> None:
    admin = await visit(org)
    assert "Reconciliation differences" not in (await admin.load("/dashboard")).text
    reconciled = await make_reconciled(org)
    page = await admin.load("/dashboard")
    assert "Reconciliation differences" in page.text
    assert f"{_CLOSES}/{reconciled['close']}" in page.links()


async def test_a_halt_is_lifted_by_two_people(org: Tenant) -> None:
    path, halt = f"{_HOME}/halts", await make_halt(org)
    ada, bob = await visit(org), await visit(org)
    page = await ada.load(path)
    for text in ("Coins are missing", "USDC", "Polygon"):
        assert text in page.text
    assert page.value("amount") == "5"
    assert path in (await ada.load("/dashboard")).links()
    refused = await ada.send(path, {"verb": "lift", "halt": halt, "reason": ""})
    assert (refused.status, "reason must have" in refused.text) == (422, True)
    lift = {"verb": "lift", "halt": halt, "amount": "5", "reason": "Moved to a new address"}
    await ada.submit(path, lift)
    page = await ada.load(path)
    for text in ("Moved to a new address", "You have proposed to lift it."):
        assert text in page.text
    await bob.submit(path, {"verb": "reject", "halt": halt, "reason": "It has 4"})
    await ada.submit(path, lift)
    stale = await bob.send(path, {"verb": "accept", "halt": halt, "amount": "4"})
    assert (stale.status, "missing by now" in stale.text) == (409, True)
    await bob.submit(path, {"verb": "accept", "halt": halt, "amount": "5"})
    assert "No payments are halted." in (await bob.load(path)).text
    assert 'title="LIFTED"' in (await bob.load(path, show="resolved")).response.text
