"""The overview, the report that it links and the limits agree, or differ as their pages state."""

from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

from landbridge.payments.swaps.model import SwapStatus
from tests.dashboard.browsing import DashboardPage, visit
from tests.onramps import deposit, make_onramp, settle
from tests.payments.limits.limit_setup import left, rule, set_rules
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due

_FEE = {"fees": [{"type": "FLAT", "value": "2", "walletAddress": "0x" + "2" * 40}]}


async def test_overview_report_and_limits_count_the_same_scenario(org: Tenant) -> None:
    await set_rules(org, rule(maxUsd="1000"))
    ada, bob = await make_payee(org), await make_user(org)
    account = await make_account(org, ada)
    admin = await visit(org)
    # Completed: 11 transferred, 13 paid out with a fee of 2 on top, 17 paid in, 5 swapped.
    await make_transfer(org, ada, bob, "11")
    paid = await make_offramp(org, ada, account, 13, developerFee=_FEE)
    await accept(org, paid)
    received = await make_onramp(org, ada, 17)
    await org.post(f"/v2/onramps/{received['id']}/quote/accept")
    await deposit(org, received)
    await settle(org)
    await make_swap(org, ada, "5", status=SwapStatus.COMPLETED)
    await run_due(org)
    assert (await shown(org, paid))["status"] == "COMPLETED"
    # Accepted, but not completed: 3. Not accepted: 7.
    await accept(org, await make_offramp(org, ada, account, 3))
    await make_offramp(org, ada, account, 7)

    overview = await admin.load("/dashboard")
    completed = Decimal(11 + 13 + 17)
    assert _figure(overview) == completed
    (link,) = [each for each in overview.links() if "template=GROSS_VOLUME" in each]
    query = parse_qs(urlsplit(link).query)
    assert query["transactionTypes"] == ["onramp", "offramp", "transfer"]
    report = await admin.load(link)
    assert sum(_column(report, 2)) == completed
    # Without transfers, as the contract defines it, and as the page states.
    default = await admin.load("/dashboard/reports/explore", template="GROSS_VOLUME")
    assert sum(_column(default, 1)) == completed - 11
    assert "and of transfers if that type is chosen" in default.text
    limits = await admin.load("/dashboard/settings/limits")
    fee, swapped, in_progress = 2, 5, 3
    assert 1000 - await left(org) == completed + fee + swapped + in_progress
    assert f"{1000 - completed - fee - swapped - in_progress}" in limits.text
    assert "with all fees, and also swaps and bridges" in limits.text


def _figure(page: DashboardPage) -> Decimal:
    (figure,) = page.tree.xpath('//section[@aria-labelledby="volume"]//*[@class="figure"]')
    return Decimal(figure.text_content().replace("USD", "").strip())


def _column(page: DashboardPage, index: int) -> list[Decimal]:
    """Return the numbers of a column of the table of all data."""
    rows = page.tree.xpath('//h2[text()="All data"]/following::table[1]/tbody/tr')
    return [Decimal(row.xpath("td")[index - 1].text_content()) for row in rows]
