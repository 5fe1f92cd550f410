"""Dry runs show the result of a create, and write nothing."""

from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import wire
from landbridge.payments.approvals.model import ApprovalPolicy
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.onramps import ONRAMPS, onramp_body
from tests.payments.engine.dry_run_flows import APPROVABLE, FLOWS, Flow, everything, posted
from tests.payments.limits.limit_setup import rule, set_rules, used
from tests.payouts import OFFRAMPS, OUTSIDE, make_account, make_payee, offramp_body
from tests.tenants import (
    SETTINGS,
    SWAPS,
    TRANSFERS,
    Tenant,
    good,
    held,
    make_tenant,
    make_user,
    refusal,
    register,
    sentence,
    served,
    swap_body,
    transfer_body,
)

NAMES = sorted(FLOWS)
# An outcome plan that is valid for each kind of payment.
FORCED = {
    "swap": "quote=expire",
    "swap to outside": "chain_send=reject",
    "transfer": "chain_send=reject",
    "batch": "chain_send=reject",
    "bridge": "chain_send=reject",
    "onramp": "chain_send=reject",
    "offramp": "payout=reject",
    "offramp from outside": "payout=reject",
}


async def dry_run_of(org: Tenant, flow: Flow, body: Any) -> dict[str, Any]:
    """Return the reply of a dry run."""
    return good(await org.send("POST", flow.path, body, dryRun="true"))


@pytest.fixture
async def alone(own_database: Database) -> AsyncIterator[Tenant]:
    """Organisation in a database without other activity."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def test_dry_run_writes_nothing(alone: Tenant) -> None:
    bodies = {name: await FLOWS[name].body(alone) for name in NAMES}
    # Limits that count every payment and refuse none.
    each = rule("each", per="USER", window="MONTH", maxUsd=10**9)
    await set_rules(alone, rule(maxUsd=10**9), each)
    before = await everything(alone.container.database)
    for name, body in bodies.items():
        await dry_run_of(alone, FLOWS[name], body)
        if FLOWS[name].supports_approvals:
            await dry_run_of(alone, FLOWS[name], {**body, "requireApproval": True})
        answer = await alone.client.post(
            FLOWS[name].path,
            json={**body, "requestId": str(uuid4())},
            params={"dryRun": "true"},
            headers={**alone.headers, "Landbridge-Sandbox": FORCED[name]},
        )
        assert good(answer)["dryRun"]["journals"]
    after = await everything(alone.container.database)
    assert {name for name in before if before[name] != after[name]} == set()


async def test_missing_accounts_are_read_as_empty_and_not_created(alone: Tenant) -> None:
    """Wallets that are older than their coins."""
    bodies = {name: await FLOWS[name].body(alone) for name in NAMES}
    database = alone.container.database
    await database.rows(
        "delete from accounts a where not exists (select from entries e where e.account_id = a.id)"
    )
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = Tenant(container, client, alone.caller, alone.key)
        before = await everything(database)
        replies = {name: await dry_run_of(org, FLOWS[name], body) for name, body in bodies.items()}
        poor: str = bodies["swap"]["source"]["userId"]
        usdt, usdc = {"currency": "usdt"}, {"currency": "usdc"}
        sold = swap_body(poor, "1", source=usdt, destination=usdc)
        paid = transfer_body(poor, bodies["batch"]["source"]["userId"], currency="usdt")
        for path, body in ((SWAPS, sold), (TRANSFERS, paid)):
            refused = await org.refused("POST", path, body, dryRun="true")
            assert refused == "400 INSUFFICIENT_BALANCE"
        after = await everything(database)
        assert {name for name in before if before[name] != after[name]} == set()
        # The real create creates them under the predicted ids.
        for name, body in bodies.items():
            created = await org.post(FLOWS[name].path, body)
            await FLOWS[name].finish(org, FLOWS[name], created["transferDetails"])
            journals = await posted(org, created["transferDetails"]["id"])
            assert replies[name]["dryRun"]["journals"] == journals


async def test_dry_run_creates_no_organisation_address(alone: Tenant) -> None:
    user, database = await make_payee(alone), alone.container.database
    account = await make_account(alone, user)
    outside = await register(alone, user, OUTSIDE)
    requested = {
        ONRAMPS: onramp_body(user, destination={"externalWalletId": outside}),
        OFFRAMPS: offramp_body(None, account, source={"userId": None, "externalWalletId": outside}),
    }
    for table in ("accounts", "wallets", "wallet_seeds"):
        await database.rows(f"delete from {table}")  # noqa: S608  names from here
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = Tenant(container, client, alone.caller, alone.key)
        before = await everything(database)
        for path, body in requested.items():
            assert good(await org.send("POST", path, body, dryRun="true"))["dryRun"]["journals"]
        after = await everything(database)
        assert {name for name in before if before[name] != after[name]} == set()
        for path, body in requested.items():
            assert (await org.post(path, body))["transferDetails"]["status"] == "OPEN_QUOTE"


@pytest.mark.parametrize("name", NAMES)
async def test_dry_run_predicts_the_journals(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    rehearsed = await dry_run_of(org, flow, body)
    created = await org.post(flow.path, body)
    details = created["transferDetails"]
    await flow.finish(org, flow, details)
    assert (await org.get(f"{flow.path}/{details['id']}"))["transferDetails"]["status"] == (
        "COMPLETED"
    )
    assert rehearsed["dryRun"]["journals"] == await posted(org, details["id"])
    assert rehearsed["dryRun"]["approval"] is None
    assert rehearsed["dryRun"]["limits"] == {"findings": [], "left": []}


@pytest.mark.parametrize("name", NAMES)
async def test_dry_run_replies_like_the_create(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    rehearsed = await dry_run_of(org, flow, body)
    created = await org.post(flow.path, body)
    assert "dryRun" not in created
    assert rehearsed.keys() == created.keys() | {"dryRun"}
    assert _members(rehearsed["transferDetails"]) == _members(created["transferDetails"])
    for member in ("status", "requestId", "source", "destination"):
        assert rehearsed["transferDetails"][member] == created["transferDetails"][member]
    would_be = rehearsed["transferDetails"]["id"]
    assert would_be != created["transferDetails"]["id"]
    assert await org.refused("GET", f"{flow.path}/{would_be}") == "404 TRANSACTION_NOT_FOUND"


@pytest.mark.parametrize("name", NAMES)
async def test_every_journal_sums_to_zero(org: Tenant, name: str) -> None:
    rehearsed = await dry_run_of(org, FLOWS[name], await FLOWS[name].body(org))
    assert rehearsed["dryRun"]["journals"]
    for journal in rehearsed["dryRun"]["journals"]:
        sums: dict[tuple[str, str], Decimal] = {}
        for each in journal["postings"]:
            asset = (each["currency"], each["chain"])
            moved = Decimal(each["available"]) + Decimal(each["held"])
            sums[asset] = sums.get(asset, Decimal(0)) + moved
        assert not any(sums.values()), journal


@pytest.mark.parametrize("name", APPROVABLE)
async def test_dry_run_shows_the_required_approval(org: Tenant, name: str) -> None:
    await org.container.approvals.set_policy(
        org.org_id,
        ApprovalPolicy(threshold=2, needs_second=True),
        actor="test",
        at=org.container.clock.stamp(),
    )
    flow = FLOWS[name]
    body = {**(await flow.body(org)), "requireApproval": True}
    rehearsed = await dry_run_of(org, flow, body)
    created = await org.post(flow.path, body)
    details, dry_run = rehearsed["transferDetails"], rehearsed["dryRun"]
    assert details["status"] == created["transferDetails"]["status"] == "PENDING_APPROVAL"
    assert dry_run["approval"]["threshold"] == 2
    assert dry_run["approval"]["needsSecond"] is True
    assert dry_run["approval"]["expiresAt"] > details["createdAt"]
    shown = details.get("approval") or details["receipt"]["approval"]
    assert shown["status"] == "PENDING"
    # A payment pending approval is held from the start, and not again at the accept.
    assert dry_run["journals"][0]["status"] == "PENDING_APPROVAL"
    held = [each for journal in dry_run["journals"] for each in journal["postings"]]
    assert sum(Decimal(each["held"]) for each in held) == 0


async def test_dry_run_shows_limits_and_counts_nothing(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    # Noon, so that no midnight falls between two payments of a day.
    noon = still_clock.at.replace(hour=12, minute=0, second=0, microsecond=0)
    still_clock.at = noon + timedelta(days=1)
    await set_rules(org, rule(maxUsd=100, maxCount=5, over="APPROVE"))
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    body = transfer_body(ada, bob, 60)
    for _ in range(3):
        reply = await dry_run_of(org, FLOWS["transfer"], body)
        left = {"rule": "a-day", "per": "ORG", "window": "DAY", "leftUsd": 40, "leftCount": 4}
        assert reply["dryRun"]["limits"] == {"findings": [], "left": [left]}
    await org.post(TRANSFERS, body)
    # Above the limit an admin must approve it, although the request does not require approval.
    over = await dry_run_of(org, FLOWS["transfer"], transfer_body(ada, bob, 60))
    (finding,) = over["dryRun"]["limits"]["findings"]
    assert (finding["rule"], finding["over"]) == ("a-day", "APPROVE")
    assert "120" in finding["reason"]
    assert over["dryRun"]["approval"]["threshold"] == 1
    assert over["transferDetails"]["status"] == "PENDING_APPROVAL"
    await set_rules(org, rule(maxUsd=100))
    answer = await org.send("POST", TRANSFERS, transfer_body(ada, bob, 60), dryRun="true")
    assert refusal(answer) == "403 LIMIT_EXCEEDED"
    assert await used_usd(org) == Decimal(60)


async def used_usd(org: Tenant) -> Decimal:
    """Return the usage of the only limit."""
    return sum((usd for usd, _ in (await used(org)).values()), Decimal(0))


async def test_dry_run_refuses_what_the_create_refuses(org: Tenant) -> None:
    poor, payee = await make_user(org), await make_user(org)
    for body in (transfer_body(poor, payee), transfer_body(poor, str(uuid4()))):
        answers = [
            await org.send("POST", TRANSFERS, body, **query) for query in ({}, {"dryRun": "true"})
        ]
        assert refusal(answers[0]) == refusal(answers[1])
        assert sentence(answers[0]) == sentence(answers[1])


async def test_dry_run_refuses_a_file_that_does_not_exist(org: Tenant) -> None:
    user = await make_payee(org)
    information = {"documents": [{"fileId": "file_x", "type": "INVOICE"}]}
    body = offramp_body(user, await make_account(org, user), supportingInformation=information)
    answers = [
        await org.send("POST", OFFRAMPS, body, **query) for query in ({}, {"dryRun": "true"})
    ]
    assert refusal(answers[0]) == refusal(answers[1]) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answers[0]) == sentence(answers[1])
    assert "documents[0].fileId" in sentence(answers[1])


async def test_dry_run_of_an_executed_request_returns_its_record(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    body = transfer_body(ada, bob)
    created = await org.post(TRANSFERS, body)
    # The wallet is empty: the create would now be refused, and so would its dry run.
    again = await org.send("POST", TRANSFERS, body, dryRun="true")
    assert good(again) == created
    assert again.headers["Idempotent-Replayed"] == "true"
    other = await org.send("POST", TRANSFERS, {**body, "amount": 9}, dryRun="true")
    assert refusal(other) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_dry_run_does_not_use_the_request_id(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    request_id = str(uuid4())
    for amount in (1, 2):
        rehearsed = await org.send(
            "POST", TRANSFERS, transfer_body(ada, bob, amount, request_id=request_id), dryRun="true"
        )
        assert "Idempotent-Replayed" not in rehearsed.headers
        assert good(rehearsed)["transferDetails"]["amount"] == amount
    assert await org.refused("GET", f"/v2/requests/{request_id}") == "404 RESOURCE_NOT_FOUND"
    created = await org.send("POST", TRANSFERS, transfer_body(ada, bob, 3, request_id=request_id))
    assert "Idempotent-Replayed" not in created.headers
    assert good(created)["transferDetails"]["amount"] == 3


async def test_dry_run_parameter_must_be_true(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    for each in ("1", "yes", "TRUE", ""):
        answer = await org.send("POST", TRANSFERS, transfer_body(ada, bob), dryRun=each)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", each
    plain = good(await org.send("POST", TRANSFERS, transfer_body(ada, bob, 1), dryRun="false"))
    assert "dryRun" not in plain
    found = await org.container.wallet_transfers.get(
        org.org_id, UUID(plain["transferDetails"]["id"])
    )
    assert str(found.transfer.amount) == "1"


@pytest.mark.parametrize(
    "query",
    [
        "dryrun=true",
        "dry_run=true",
        "DRYRUN=true",
        "Dry-Run=",
        "dryRun=false&dryRun=true",
        "dryRun=true&dry-run=true",
    ],
)
async def test_misspelled_dry_run_is_refused(org: Tenant, query: str) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    answer = await org.send("POST", f"{TRANSFERS}?{query}", transfer_body(ada, bob))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "dryRun" in sentence(answer)
    assert await held(org, ada) == "10"


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"transfer", "batch"}))
async def test_route_without_dry_run_refuses_the_parameter(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    created = (await org.post(flow.path, await flow.body(org)))["transferDetails"]
    path = f"{flow.path}/{created['id']}"
    answer = await org.send("POST", f"{path}/{flow.accept}", dryRun="true")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert (await org.get(path))["transferDetails"]["status"] == "OPEN_QUOTE"


def _members(value: Any) -> Any:
    """Return the shape of a reply: its member names at every depth."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _members(each) for name, each in members.items()}
    if isinstance(value, list):
        return [_members(each) for each in cast("list[Any]", value)]
    return None if value is None else type(value).__name__
