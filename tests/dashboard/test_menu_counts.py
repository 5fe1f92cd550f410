"""Menu: how many items wait behind each of its pages."""

from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole
from landbridge.reporting.attention_counts import COUNT_MAX
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.dashboard.browsing import DashboardPage, visit
from tests.dashboard.world import in_process_client
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.tenants import Tenant

ALL = {
    "/dashboard/approvals": "1",
    "/dashboard/reviews": "3",
    "/dashboard/reviews/transfers": "1",
    "/dashboard/webhooks": "1",
}
FLAG = """
update webhook_endpoints set flagged_at = created_at, flagged_reason = 'HTTP 500'
where org_id = $1 and id = $2
"""
HOLD_ACCOUNTS = """
update bank_accounts set status = 'PENDING'
where org_id = $1 and id in (select id from bank_accounts where org_id = $1 limit $2)
"""
APPROVALS = """
insert into approvals (org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold,
    needs_second, initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at)
select org_id, gen_random_uuid(), gen_random_uuid(), transfer_kind, user_id, status, digest,
    threshold, needs_second, initiator_id, is_from_dashboard, expires_at, version, created_at,
    updated_at
from approvals, generate_series(1, $2::integer)
where org_id = $1
"""


def counts(page: DashboardPage) -> dict[str, str]:
    """Return the counts of the menu by the path of their item."""
    return {
        str(each.get("href")): str(each.xpath("span[@class='many']/text()")[0])
        for each in page.tree.xpath("//nav[@id='menu']//a[span[@class='many']]")
    }


async def test_menu_without_anything_waiting_has_no_counts(org: Tenant) -> None:
    assert counts(await (await visit(org)).load("/dashboard/users")) == {}


async def test_menu_counts_what_waits_for_the_visitor(org: Tenant) -> None:
    client = in_process_client(org)
    await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](client)
    await SCENARIOS["OFFRAMP.RFI.OPEN"](client)
    await _run(org, HOLD_ACCOUNTS, 1)
    await make_held(org)
    await make_bank_line(org)
    body = {"url": "http://127.0.0.1:9/landbridge", "eventTypes": ["*"]}
    endpoint = (await org.post("/v2/webhooks", body))["id"]
    await _run(org, FLAG, UUID(endpoint))

    assert counts(await (await visit(org)).load("/dashboard/users")) == ALL
    # The review of bank accounts is for reviewers alone.
    analyst = await visit(org, MemberRole.ANALYST)
    assert counts(await analyst.load("/dashboard/users")) == ALL | {"/dashboard/reviews": "2"}
    # An error page has the menu too.
    assert counts(await analyst.open("/dashboard/users/new")) != {}


async def test_the_count_of_the_page_after_a_vote_on_several_is_the_new_one(org: Tenant) -> None:
    client = in_process_client(org)
    for _ in range(3):
        await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](client)
    admin = await visit(org)
    page = await admin.load("/dashboard/approvals")
    assert counts(page)["/dashboard/approvals"] == "3"
    chosen = [str(each) for each in page.tree.xpath('//input[@name="approval"]/@value')]
    voted = await admin.send("/dashboard/approvals", {"vote": "approve", "approval": chosen[:2]})
    assert counts(voted)["/dashboard/approvals"] == "1"
    (last,) = voted.tree.xpath('//input[@name="approval"]/@value')
    shown = await admin.submit(f"/dashboard/approvals/{last}", {"vote": "approve", "comment": ""})
    assert "/dashboard/approvals" not in counts(await admin.load(shown))


async def test_a_long_queue_is_counted_up_to_a_bound(org: Tenant) -> None:
    await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](in_process_client(org))
    await _run(org, APPROVALS, COUNT_MAX)
    page = await (await visit(org)).load("/dashboard/users")
    assert counts(page)["/dashboard/approvals"] == "99+"


async def _run(org: Tenant, statement: str, value: UUID | int) -> None:
    async def work(tx: Tx) -> None:
        await tx.execute(statement, org.org_id, value)

    await org.container.database.transact(work)
