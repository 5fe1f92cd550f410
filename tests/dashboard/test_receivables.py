"""Recalled deposit: resolved on its statement line, and listed as a receivable."""

from datetime import timedelta
from pathlib import Path

from landbridge.platform.core.money import Money
from landbridge.platform.http.caller import MemberRole
from landbridge.providers.rails.currencies import FIAT
from tests.dashboard.browsing import visit
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payments.bank_files.builders import USD, funding
from tests.tenants import Tenant

REVIEWS = "/dashboard/reviews"
RECEIVABLES = f"{REVIEWS}/receivables"


async def make_recall_line(org: Tenant, folder: Path) -> str:
    """Create a statement line in which the bank recalls 100 dollars, and return its ID."""
    container, path = org.container, org.container.clock.stamp()
    await container.funding_accounts.set(org.org_id, funding(USD, folder), actor="test", at=path)
    await container.sandbox_bank.recall(org.org_id, Money(10_000, FIAT["usd"]), timedelta())
    await container.inbox_reader.run({org.org_id: timedelta()})
    (line,) = (await org.get("/v2/reviews/bank-lines"))["reviews"]
    return str(line["id"])


async def test_reversed_deposit_is_listed_as_receivable(org: Tenant, tmp_path: Path) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    line, admin = await make_recall_line(org, tmp_path), await visit(org)
    path = f"{REVIEWS}/bank-lines/{line}"
    assert "No user owes money." in (await admin.load(RECEIVABLES)).text
    fields = {"resolution": "REVERSAL", "comment": "Its bank said so.", "transferId": ""}
    unnamed = await admin.send(path, fields)
    assert unnamed.status == 422
    assert "a REVERSAL takes transferId" in unnamed.text
    fields["transferId"] = onramp["id"]
    await admin.submit(path, fields)
    assert f"/dashboard/transactions/{onramp['id']}" in (await admin.load(path)).links()
    page = await admin.load(RECEIVABLES)
    assert f"/dashboard/transactions/{onramp['id']}" in page.links()
    assert 'title="OPEN"' in page.response.text
    for shown in ("recovered", "written-off"):
        assert (
            "No receivables have this status." in (await admin.load(RECEIVABLES, show=shown)).text
        )
    # A receivable may stay open for a month, so the overview does not list it.
    assert RECEIVABLES not in (await admin.load("/dashboard")).links()
    assert RECEIVABLES in (await admin.load(REVIEWS)).links()
    analyst = await visit(org, MemberRole.ANALYST)
    assert f"/dashboard/transactions/{onramp['id']}" in (await analyst.load(RECEIVABLES)).links()


async def test_unknown_filter_shows_open_receivables(org: Tenant) -> None:
    page = await (await visit(org)).load(RECEIVABLES, show="nonsense")
    assert "No user owes money." in page.text
