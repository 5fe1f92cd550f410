"""Replies about payments have the published names and types, at every settled status."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.contract import published_replies as published
from tests.contract.comparison import wrong
from tests.onramps import ONRAMPS, deposit, make_onramp, make_payer, receive, settle
from tests.payments.bridges import bridge_scenario
from tests.payments.engine import outgoing_transfer_scenario
from tests.payments.offramps import offramp_scenario
from tests.payments.onramps.onramp_scenario import OnrampScenario
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OFFRAMPS, OUTSIDE, accept, make_account, make_offramp, make_payee, way
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SETTINGS,
    SWAPS,
    TRANSFERS,
    Tenant,
    make_transfer,
    make_user,
    register,
    run_due,
    swap_body,
)

APPROVALS = "/v2/transfer-approvals"
REVIEWS = "/v2/reviews/transfers"


def check(answer: Any, shape: Any) -> None:
    """Check that a reply has the published shape."""
    assert list(wrong(answer, shape)) == [], answer


async def check_all(org: Tenant, path: str, name: str, shape: Any) -> set[str]:
    """Check every record in the list and by itself; return their statuses."""
    page = await org.get(path, limit=100)
    check(page, published.page(name, shape))
    assert page["count"] == len(page[name])
    for each in page[name]:
        assert await org.get(f"{path}/{each['transferDetails']['id']}") == each
    return {each["transferDetails"]["status"] for each in page[name]}


async def vote(org: Tenant, approval: str, verb: str, body: Any = None) -> Any:
    """Vote; return the reply."""
    return await org.post(f"{APPROVALS}/{approval}/{verb}", body)


async def test_empty_lists_have_their_envelopes(org: Tenant) -> None:
    for path, name, shape in [
        (TRANSFERS, "records", published.TRANSFER),
        (BATCHES, "records", published.BATCH),
        (BRIDGES, "data", published.BRIDGE),
        (ONRAMPS, "records", published.ONRAMP),
        (OFFRAMPS, "records", published.OFFRAMP),
    ]:
        page = await org.get(path)
        check(page, published.page(name, shape))
        assert page == {"count": 0, name: []}
    check(await org.get(APPROVALS), published.APPROVALS)
    user = await make_user(org)
    found = await org.get(f"/v2/users/{user}/wallets/deposits", chain="POLYGON", currency="usdc")
    assert found == {"count": 0, "records": [], "deposits": []}


@pytest.mark.parametrize("kind", outgoing_transfer_scenario.KINDS)
async def test_transfers_and_batches(database: Database, kind: str) -> None:
    shape = {"transfer": published.TRANSFER, "batch": published.BATCH}[kind]
    fee = {"fee": {"type": "PERCENT", "value": 0.01}} if kind == "transfer" else {}
    async with outgoing_transfer_scenario.open_scenario(kind, database) as scenario:
        org = scenario.org
        await register(org, scenario.ada, OUTSIDE)
        created = await org.post(scenario.path, scenario.body("1", **fee))
        check(created, shape)
        await scenario.work()
        assert await scenario.status(created["transferDetails"]["id"]) == "COMPLETED"
        ends = (
            {"destination": {"walletAddress": OUTSIDE}}
            if kind == "transfer"
            else {"destination": {"batch": [{"walletAddress": OUTSIDE, "amount": "1"}]}}
        )
        check(await org.post(scenario.path, {**scenario.body("1"), **ends}), shape)
        await scenario.work()
        scenario.chains.fail_next = "no gas"
        await scenario.make("1", **fee)
        await scenario.work()
        scenario.chains.is_silent = True
        unknown = await scenario.make("1")
        await scenario.work()
        await scenario.work(after=timedelta(hours=25))
        assert await scenario.status(unknown) == "UNKNOWN"
        scenario.chains.is_silent = False
        lapsing = await scenario.make("1", requireApproval=True)
        await scenario.work(after=ON_CHAIN_LIFETIME + timedelta(seconds=1))
        assert await scenario.status(lapsing) == "EXPIRED"
        for verb in ("approve", "reject", None):
            waiting = await scenario.make("1", requireApproval=True)
            if verb:
                await vote(org, str((await scenario.approval(waiting)).id), verb)
        await scenario.make("1")
        statuses = await check_all(org, scenario.path, "records", shape)
    assert statuses >= {"PENDING_APPROVAL", "CREATED", "COMPLETED", "FAILED", "REJECTED", "EXPIRED"}


async def test_bridges(database: Database) -> None:
    async with bridge_scenario.open_scenario(database) as scenario:
        org = scenario.org
        await register(org, scenario.ada, OUTSIDE, chain="BASE")
        for ends in ({"userId": scenario.bob}, {"userId": None, "walletAddress": OUTSIDE}):
            created = await scenario.make(1, destination=ends)
            check(await org.post(f"{BRIDGES}/{created}/accept"), published.BRIDGE)
        await scenario.work()
        scenario.chains.fail_next = "no gas"
        await scenario.accepted(1)
        await scenario.work()
        for verb in ("approve", "reject", None):
            waiting = await scenario.make(1, requireApproval=True)
            if verb:
                await vote(org, str((await scenario.approval(waiting)).id), verb)
        await scenario.work(after=timedelta(minutes=11))
        await scenario.accepted(1)
        fresh = bridge_scenario.bridge_body(scenario.ada, 1, destination={"userId": scenario.bob})
        check(await org.post(BRIDGES, fresh), published.BRIDGE)
        statuses = await check_all(org, BRIDGES, "data", published.BRIDGE)
    assert statuses == {
        *("OPEN_QUOTE", "CREATED", "COMPLETED", "SOURCE_FAILED", "QUOTE_FAILED"),
        *("PENDING_APPROVAL", "REJECTED"),
    }


@pytest.fixture
async def onramping(
    still_org: Tenant, still_clock: FrozenClock, database: Database
) -> OnrampScenario:
    chains, rails = FaultyChains(still_org.container.chains), FaultyRails(still_org.container.rails)
    clock = FrozenClock(still_clock.at, node=await take_node(database))
    container = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    user = await make_payer(still_org)
    return OnrampScenario(replace(still_org, container=container), chains, rails, clock, user)


RESTING = (
    *(
        OnrampStatus.OPEN_QUOTE,
        OnrampStatus.QUOTE_FAILED,
        OnrampStatus.NOT_INITIATED,
        OnrampStatus.AWAITING_FUNDS,
    ),
    *(OnrampStatus.FIAT_PENDING, OnrampStatus.FIAT_FAILED, OnrampStatus.FIAT_RETURNED),
    *(OnrampStatus.CRYPTO_INITIATED, OnrampStatus.CRYPTO_PENDING, OnrampStatus.CRYPTO_FAILED),
    *(OnrampStatus.UNKNOWN, OnrampStatus.COMPLETED),
)


@pytest.mark.parametrize("status", RESTING)
async def test_onramps(onramping: OnrampScenario, status: OnrampStatus) -> None:
    onramp = await onramping.resting_at(status)
    assert await check_all(onramping.org, ONRAMPS, "records", published.ONRAMP) == {status}
    shown = (await onramping.org.get(f"{ONRAMPS}/{onramp['id']}"))["transferDetails"]
    shows_deposit = {OnrampStatus.OPEN_QUOTE, OnrampStatus.QUOTE_FAILED, OnrampStatus.NOT_INITIATED}
    assert (shown["depositInfo"] is None) == (status in shows_deposit)
    paid = status not in shows_deposit | {OnrampStatus.AWAITING_FUNDS}
    assert (shown["source"]["bankInfo"] is not None) == paid


async def test_verbs_of_onramps(org: Tenant) -> None:
    user = await make_payer(org)
    wallet = await register(org, user, OUTSIDE)
    to = {"externalWalletId": wallet, "chain": None}
    created = await make_onramp(org, user, is_accepted=False, destination=to)
    path = f"{ONRAMPS}/{created['id']}"
    check(await org.post(f"{path}/quote/refresh"), published.ONRAMP)
    check(await org.post(f"{path}/quote/accept"), published.ACCEPTED_ONRAMP)
    review = f"{REVIEWS}/{created['id']}"
    check(await org.get(review), published.REVIEW)
    check(await org.post(f"{review}/rfi", {"question": "Why?"}), published.REVIEW)
    check(await org.post(f"{review}/rfi/answer", {"answer": "Rent"}), published.REVIEW)
    page = {**published.page("reviews", published.REVIEW), "nextCursor": "string"}
    check(await org.get(REVIEWS), page)
    check(await org.post(f"{review}/rfi/close"), published.REVIEW)
    await org.post(f"/v2/sandbox/transfers/{created['id']}/rfi", {"action": "open"})
    check(await org.get(path), published.ONRAMP)
    check(await org.post(f"{path}/cancel"), published.ONRAMP)


async def test_onramps_of_virtual_accounts_and_of_other_currencies(org: Tenant) -> None:
    user = await make_payer(org, Rail.USD, Rail.SOUTH_AMERICA_STANDARD)
    account = await make_virtual_account(org, user)
    number = account["depositInstructions"]["wire"]["accountNumber"]
    await receive(org, account_number=number, amount="250.5")
    await settle(org)
    brl = {"currency": "brl", "transferType": None}
    created = await make_onramp(org, user, source=brl, fee={"type": "FIX", "value": 1})
    assert created["depositInfo"] is not None
    statuses = await check_all(org, ONRAMPS, "records", published.ONRAMP)
    assert statuses == {"COMPLETED", "AWAITING_FUNDS"}


async def test_offramps(database: Database) -> None:
    async with offramp_scenario.open_scenario(database) as scenario:
        org = scenario.org
        fees = {"fees": [{"type": "FLAT", "value": "0.5", "walletAddress": OUTSIDE}]}
        created = await scenario.quoted(10, developerFee=fees, requireApproval=None)
        path = f"{OFFRAMPS}/{created['id']}"
        check(await org.post(f"{path}/quote/accept"), published.OFFRAMP)
        await scenario.run()
        for at_fault in (scenario.chains, scenario.rails):
            await scenario.accepted(10)
            at_fault.fail_next = "no"
            await scenario.run()
        scenario.rails.late_by = timedelta(days=1)
        await scenario.accepted(10)
        await scenario.run()
        outside = await scenario.from_outside(10)
        check(await org.post(f"{OFFRAMPS}/{outside['id']}/quote/accept"), published.OFFRAMP)
        paid = await accept(org, await scenario.quoted(10))
        await scenario.review(paid, "open")
        for verb in ("approve", "reject", None):
            waiting = await scenario.quoted(10, requireApproval=True)
            if verb:
                await vote(org, waiting["approval"]["id"], verb)
        cancelled = await scenario.quoted(10)
        await scenario.review(cancelled, "open")
        check(await org.post(f"{OFFRAMPS}/{cancelled['id']}/cancel"), published.OFFRAMP)
        statuses = await check_all(org, OFFRAMPS, "records", published.OFFRAMP)
        assert statuses >= {
            *("COMPLETED", "CRYPTO_FAILED", "CRYPTO_RETURNED", "FIAT_PENDING", "AWAITING_FUNDS"),
            *("IN_REVIEW", "OPEN_QUOTE", "REJECTED", "PENDING_APPROVAL", "NOT_INITIATED"),
        }
        await scenario.pass_time(minutes=11)
        statuses = await check_all(org, OFFRAMPS, "records", published.OFFRAMP)
        assert "QUOTE_FAILED" in statuses


@pytest.mark.parametrize(
    ("table", "rail", "currency", "kyc"),
    [
        ("us", "ach", "usd", Rail.USD),
        ("us", "rtp", "usd", Rail.USD),
        ("us", "swift", "usd", Rail.USD),
        ("brazil", None, "brl", Rail.SOUTH_AMERICA_STANDARD),
    ],
)
async def test_paid_offramps_by_rail(
    org: Tenant, table: str, rail: str | None, currency: str, kyc: Rail
) -> None:
    user = await make_payee(org, kyc)
    account = await make_account(org, user, way(table, rail))
    created = await make_offramp(org, user, account, 10, destination={"currency": currency})
    await accept(org, created)
    await run_due(org)
    found = await org.get(f"{OFFRAMPS}/{created['id']}")
    check(found, published.OFFRAMP)
    tracking = found["transferDetails"]["receipt"]["paymentTracking"]
    if table == "us":
        assert tracking["paymentRail"] == rail


async def test_approvals(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    approvals = [
        (await make_transfer(org, ada, bob, requireApproval=True))["approval"]["id"]
        for _ in range(4)
    ]
    page = await org.get(APPROVALS)
    check(page, published.APPROVALS)
    assert page["count"] == 4
    check(await vote(org, approvals[0], "approve", {"comment": "fine"}), published.APPROVED)
    check(await vote(org, approvals[1], "approve"), published.APPROVED)
    check(await vote(org, approvals[2], "reject", {"reason": None}), published.REJECTED)
    replies = [(await org.get(f"{APPROVALS}/{each}")) for each in approvals]
    for each in replies:
        check(each, published.ONE_APPROVAL)
    comments = [[vote["comment"] for vote in each["approval"]["votes"]] for each in replies]
    assert comments == [["fine"], [None], [None], []]


@pytest.mark.parametrize(
    ("way_of", "source", "destination"),
    [
        *(
            ("onramps", each, "usdc")
            for each in ("usd", "ugx", "ngn", "bwp", "tzs", "mwk", "xaf", "kes")
        ),
        *(
            ("offramps", "usdc", each)
            for each in (
                *("usd", "brl", "mxn", "ugx", "ngn", "kes", "tzs", "mwk", "xaf", "bwp", "zar"),
                *("usd-hka", "usd-chn", "cny", "hkd", "sgd", "usd-sgp"),
            )
        ),
    ],
)
async def test_rates_of_every_published_pair(
    org: Tenant, way_of: str, source: str, destination: str
) -> None:
    found = await org.get(f"/v2/{way_of}/rates", fromCurrency=source, toCurrency=destination)
    check(found, published.RATE)
    assert found["conversionRates"]
    assert (found["fromCurrency"], found["toCurrency"]) == (source, destination)


async def test_deposits(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await make_transfer(org, ada, bob, 2)
    await run_due(org)
    swap = await org.post(SWAPS, swap_body(ada, "1", destination={"userId": bob}))
    await org.post(f"{SWAPS}/{swap['transferDetails']['id']}/accept")
    for user, currency in ((ada, "usdc"), (bob, "usdc"), (bob, "usdt")):
        path = f"/v2/users/{user}/wallets/deposits"
        page = await org.get(path, chain="POLYGON", currency=currency)
        check(page, published.DEPOSITS)
        assert page["records"] == page["deposits"]
        assert page["count"] == len(page["records"]) == 1
        for each in page["records"]:
            assert await org.get(f"{path}/{each['id']}") == each


async def test_records_of_erased_users(org: Tenant) -> None:
    ada, bob = await make_payee(org, funds="11"), await make_user(org)
    account = await make_account(org, ada)
    await accept(org, await make_offramp(org, ada, account, 10))
    await make_transfer(org, ada, bob, 1)
    onramp = await make_onramp(org, ada)
    await deposit(org, onramp, amount="1")
    await settle(org)
    await run_due(org)
    await org.post(f"/v2/users/{ada}/freeze", {})
    answer = await org.send("DELETE", f"/v2/users/{ada}/personal-data")
    assert answer.status_code == 200, answer.text
    await check_all(org, TRANSFERS, "records", published.TRANSFER)
    await check_all(org, ONRAMPS, "records", published.ONRAMP)
    await check_all(org, OFFRAMPS, "records", published.OFFRAMP)
