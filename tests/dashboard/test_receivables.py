"""A deposit that the bank took back: resolved on its line's page, and listed as owed."""

from datetime import timedelta
from pathlib import Path

from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT
from landbridge.web.caller import Role
from tests.bank_files.made import USD, funding
from tests.dashboard.browsing import visit
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.tenants import Tenant

REVIEWS = "/dashboard/reviews"
RECEIVABLES = f"{REVIEWS}/receivables"


async def recalled(org: Tenant, folder: Path) -> str:
    """The id of a line by which the bank takes a hundred dollars back."""
    house, at = org.house, org.house.clock.stamp()
    await house.own_accounts.set(org.org_id, funding(USD, folder), actor="test", at=at)
    await house.sandbox_bank.recall(org.org_id, Money(10_000, FIAT["usd"]), timedelta())
    await house.bank_reading.run({org.org_id: timedelta()})
    (line,) = (await org.get("/v2/reviews/bank-lines"))["reviews"]
    return str(line["id"])


async def test_a_deposit_is_reversed_on_a_page_and_owed_on_another(
    org: Tenant, tmp_path: Path
) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    line, admin = await recalled(org, tmp_path), await visit(org)
    path = f"{REVIEWS}/bank-lines/{line}"
    assert "No user owes anything." in (await admin.see(RECEIVABLES)).text
    fields = {"resolution": "REVERSAL", "comment": "Its bank said so.", "transferId": ""}
    unnamed = await admin.send(path, fields)
    assert unnamed.status == 422
    assert "a REVERSAL takes transferId" in unnamed.text
    fields["transferId"] = onramp["id"]
    await admin.done(path, fields)
    assert f"/dashboard/transactions/{onramp['id']}" in (await admin.see(path)).links()
    page = await admin.see(RECEIVABLES)
    assert f"/dashboard/transactions/{onramp['id']}" in page.links()
    assert "OPEN" in page.text
    for shown in ("recovered", "written-off"):
        assert "No receivable has this status." in (await admin.see(RECEIVABLES, show=shown)).text
    # It may wait for a month: the first page does not name it.
    assert RECEIVABLES not in (await admin.see("/dashboard")).links()
    assert RECEIVABLES in (await admin.see(REVIEWS)).links()
    analyst = await visit(org, Role.ANALYST)
    assert f"/dashboard/transactions/{onramp['id']}" in (await analyst.see(RECEIVABLES)).links()


async def test_an_unknown_filter_shows_what_is_open(org: Tenant) -> None:
    page = await (await visit(org)).see(RECEIVABLES, show="nonsense")
    assert "No user owes anything." in page.text
