"""Connected chains: their routes and pages, and the resumption of a stopped account."""

from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest
from jinja2 import Environment
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from landbridge.app.container import wire
from landbridge.dashboard.formatting import FILTERS
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.evm.outbox import attempt_store
from tests.chain_rows import (
    FIRST_HASH,
    RELAYER,
    SECOND_HASH,
    STOP_REASON,
    STOPPED,
    add_bridge_rows,
    add_chain_rows,
    script_chain,
    write_chains_file,
)
from tests.dashboard.browsing import visit
from tests.providers.evm.node_server import fake_node
from tests.tenants import SETTINGS, TRANSFERS, Tenant, make_tenant, make_user, served, transfer_body

CHAINS, POLYGON = "/dashboard/chains", "/dashboard/chains/POLYGON"
CLOSED = "http://127.0.0.1:9"


@pytest.fixture
async def chain_org(tmp_path: Path, own_database: Database) -> AsyncGenerator[Tenant]:
    """An organisation of an installation with one chain: a node that answers, and one that not."""
    async with fake_node() as node:
        script_chain(node)
        path = write_chains_file(tmp_path, node.url, CLOSED)
        settings = msgspec.structs.replace(
            SETTINGS, chains_file=str(path), signer_socket=str(tmp_path / "signer.sock")
        )
        container = wire(settings, own_database, Clock(await take_node(own_database)))
        async with served(container) as client:
            yield await make_tenant(container, client)
        assert container.evm is not None
        await container.evm.close()


@pytest.fixture
async def payment(chain_org: Tenant) -> UUID:
    """A payment with an order on the chain."""
    user = await make_user(chain_org, funds="100")
    made = await chain_org.post(TRANSFERS, transfer_body(user, await make_user(chain_org)))
    payment = UUID(made["transferDetails"]["id"])
    await add_chain_rows(chain_org.container.database, chain_org.org_id, payment)
    return payment


async def test_without_a_chains_file_there_are_no_chains(org: Tenant) -> None:
    assert await org.get("/v2/chains") == {"count": 0, "chains": []}
    assert await org.refused("GET", "/v2/chains/POLYGON") == "404 RESOURCE_NOT_FOUND"
    admin = await visit(org)
    assert CHAINS not in (await admin.load("/dashboard")).links()
    assert "No chains connected" in (await admin.load(CHAINS)).text


async def test_a_chain_has_head_nodes_accounts_orders_and_treasury(
    chain_org: Tenant, payment: UUID
) -> None:
    (chain,) = (await chain_org.get("/v2/chains"))["chains"]
    assert chain["head"]["number"] == 1000
    assert chain["head"]["lagSeconds"] < 60
    assert (chain["finality"], chain["finalityBlocks"], chain["confirmations"]) == (
        "finalized",
        None,
        20,
    )
    (token,) = chain["treasury"]["tokens"]
    assert (token["balance"], token["floor"], token["target"]) == (250, 1000, 5000)
    assert token["isLow"]
    assert chain["openOrders"]["states"] == [{"state": "MINED", "count": 1}]
    assert chain["openOrders"]["oldest"]["recordId"] == str(payment)
    installation = chain["installation"]
    good, closed = installation["nodes"]
    assert (good["isHealthy"], closed["isHealthy"]) == (True, False)
    assert closed["node"] == "127.0.0.1:9"
    assert closed["lastError"]
    relayer, stopped = installation["accounts"]
    assert (relayer["balance"], relayer["isLow"], relayer["nextNonce"]) == (3, False, 8)
    assert stopped["stoppedReason"] == STOP_REASON
    assert stopped["isLow"]
    assert installation["gasSpentDay"] == 0.006


@pytest.mark.usefixtures("payment")
async def test_the_overview_lists_what_is_wrong_on_a_chain(chain_org: Tenant) -> None:
    visitor = await visit(chain_org)
    page = await visitor.load("/dashboard")
    # Chains that take more than half a second are not waited for, as on a busy machine.
    for _ in range(20):
        if "Chains answer slowly" not in page.text:
            break
        page = await visitor.load("/dashboard")
    items = [
        " ".join(each.text_content().split())
        for each in page.tree.xpath(f"//ul[@class='calls']/li[a/@href='{POLYGON}']")
    ]
    assert "The treasury is below its floor 1 Polygon" in items
    assert "A relayer is below its floor 1 Polygon" in items


async def test_a_payment_has_its_attempts(chain_org: Tenant, payment: UUID) -> None:
    (order,) = (await chain_org.get(f"/v2/chains/orders/{payment}"))["orders"]
    first, second = order["attempts"]
    assert (first["hash"], first["confirmations"], first["block"]) == (FIRST_HASH, 0, None)
    assert (second["hash"], second["confirmations"], second["block"]) == (SECOND_HASH, 4, 997)
    assert second["explorerUrl"] == f"https://polygonscan.com/tx/{SECOND_HASH}"
    assert (order["gasCost"], order["amount"], order["method"]) == (0.006, 12.5, "eip3009")
    page = await (await visit(chain_org)).load(f"/dashboard/transactions/{payment}/references")
    assert "Transactions on Polygon" in page.text
    assert "4 of 20" in page.text
    assert order["explorerUrl"] in page.links()
    assert page.tree.xpath('//*[@id="payment"]/@data-poll')


async def test_a_bridge_has_its_legs(chain_org: Tenant, payment: UUID) -> None:
    database = chain_org.container.database
    await database.rows("delete from chain_attempts")
    await database.rows("delete from chain_orders")
    await add_bridge_rows(database, chain_org.org_id, payment)
    orders = (await chain_org.get(f"/v2/chains/orders/{payment}"))["orders"]
    assert [(each["action"], each["state"]) for each in orders] == [
        ("approve", "FINAL"),
        ("burn", "CREATED"),
        ("mint", "CREATED"),
    ]
    assert {(each["amount"], each["recipients"]) for each in orders} == {(12.5, 1)}
    page = await (await visit(chain_org)).load(f"/dashboard/transactions/{payment}/references")
    for text in (
        "Approval on Polygon",
        "Part of the burn: nothing is sent for it.",
        "Burn on Polygon",
        "Mint on Polygon",
        "waits for the attestation of the burn",
    ):
        assert text in page.text
    # What is open is listed for the chain, with what it waits for.
    (chain,) = (await chain_org.get("/v2/chains"))["chains"]
    assert chain["openOrders"]["oldest"]["waitsFor"] == "waits for the signer"


async def test_orders_of_others_do_not_exist(chain_org: Tenant, payment: UUID) -> None:
    other = await make_tenant(chain_org.container, chain_org.client, name="Other")
    for record in (payment, uuid4()):
        path = f"/v2/chains/orders/{record}"
        assert await other.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await other.refused("GET", "/v2/chains/orders/x") == "404 RESOURCE_NOT_FOUND"
    (chain,) = (await other.get("/v2/chains"))["chains"]
    assert chain["openOrders"]["count"] == 0
    assert chain["installation"]["openOrders"]["oldest"]["recordId"] is None


@pytest.mark.usefixtures("payment")
@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_see_the_installation(chain_org: Tenant, role: MemberRole) -> None:
    member = await visit(chain_org, role)
    page = await member.load(POLYGON)
    assert "Treasury" in page.text
    assert "Nodes" not in page.text
    assert STOPPED not in page.response.text
    assert (await member.send(f"{POLYGON}/resume", {"address": STOPPED})).status == 403


@pytest.mark.usefixtures("payment")
async def test_an_admin_resumes_a_stopped_account(chain_org: Tenant) -> None:
    admin = await visit(chain_org)
    listed = await admin.load(CHAINS)
    assert "An account is stopped" in listed.text
    assert POLYGON in listed.links()
    page = await admin.load(POLYGON)
    assert "Resume account" in page.text
    assert page.value("address") == STOPPED
    assert await admin.submit(f"{POLYGON}/resume", {"address": STOPPED}) == POLYGON
    assert "Resume account" not in (await admin.load(POLYGON)).text
    (entry,) = (await chain_org.get("/v2/audit-log", kind="CHAIN.ACCOUNT"))["entries"]
    assert entry["facts"]["address"] == STOPPED
    assert entry["facts"]["stopped_reason"] == STOP_REASON
    for address in (STOPPED, RELAYER, "x"):
        assert (await admin.send(f"{POLYGON}/resume", {"address": address})).status == 409
    assert (await admin.send(f"{CHAINS}/BASE/resume", {"address": STOPPED})).status == 404


@pytest.mark.usefixtures("payment")
async def test_admins_resume_no_account_of_another_organisation(chain_org: Tenant) -> None:
    container = chain_org.container
    user = await make_user(chain_org, chains=["POLYGON"])
    wallet = (await chain_org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]["POLYGON"]

    async def stop(tx: Tx) -> None:
        at = container.clock.now()
        await attempt_store.add_account(
            tx, "POLYGON", wallet["address"], relayer_index=None, next_nonce=1
        )
        await attempt_store.stop(tx, "POLYGON", wallet["address"], at, STOP_REASON, next_nonce=1)

    await container.database.transact(stop)
    other = await make_tenant(container, chain_org.client, name="Other")
    theirs, ours = await visit(other), await visit(chain_org)
    assert wallet["address"] not in (await theirs.load(POLYGON)).response.text
    path = f"{POLYGON}/resume"
    assert (await theirs.send(path, {"address": wallet["address"]})).status == 409
    # A relayer sends for all organisations.
    assert "Stopped" in (await theirs.load(POLYGON)).text
    assert "Resume account" not in (await theirs.load(POLYGON)).text
    assert "Resume account" in (await ours.load(POLYGON)).text
    assert (await theirs.send(path, {"address": STOPPED})).status == 403
    assert await ours.submit(path, {"address": wallet["address"]}) == POLYGON
    assert await ours.submit(path, {"address": STOPPED}) == POLYGON


@pytest.mark.usefixtures("payment")
async def test_metrics_of_orders_accounts_and_treasuries(chain_org: Tenant) -> None:
    container = chain_org.container
    # Reported as paid before a reorganisation.
    await container.database.single(
        lambda tx: tx.execute("update chain_orders set confirmed_at = created_at")
    )
    await container.chain_monitoring.count()
    with capture_logs() as logs:
        await container.chain_monitoring.watch_treasuries([chain_org.org_id])

    def value(name: str, **labels: str) -> float | None:
        return REGISTRY.get_sample_value(f"landbridge_chain_{name}", {"chain": "POLYGON", **labels})

    assert value("open_orders", state="MINED") == 1
    assert value("open_orders", state="SENT") == 0
    assert value("unpaid_orders") == 1
    assert value("accounts_stopped") == 1
    assert (value("oldest_order_seconds") or 0) > 200
    assert value("treasury_low", currency="usdc") == 1
    (low,) = [each for each in logs if each["event"] == "chain.treasury.low"]
    assert low["missing_units"] == 4_750_000_000


@pytest.mark.parametrize(
    ("value", "shown", "title"),
    [
        ("0.006", "0.006", None),
        ("3", "3.00", None),
        ("0.006000123456789012", "0.006", "0.006000123456789012 POL"),
        ("1234.999999999999999999", "1,234.999999", "1,234.999999999999999999 POL"),
        ("0.000000000000123456", "0.000000000000123", "0.000000000000123456 POL"),
        ("0.000000000000000001", "0.000000000000000001", None),
        ("0", "0.00", None),
    ],
)
async def test_native_coins_are_cut_and_the_tooltip_is_exact(
    value: str, shown: str, title: str | None
) -> None:
    template = Environment(autoescape=True)
    template.filters.update(FILTERS)
    page = template.from_string("{{ value | native('POL') }}").render(value=value, locale="en")
    tooltip = "" if title is None else f' title="{title}"'
    data = f'<data class="amount" value="{value}"{tooltip}>{shown}</data>'
    assert page == f'{data} <span class="unit">POL</span>'
