"""A dry run tells what a create would make, and makes nothing."""

from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.approvals.model import Policy
from landbridge.core.clock import Clock, FrozenClock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.limits.play import rule, set_rules, used
from tests.onramps import ONRAMPS, onramp_body
from tests.payments.rehearsing import ASKING, FLOWS, Flow, everything, posted
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
# A plan that each kind of payment may have.
FORCED = {
    "swap": "quote=expire",
    "transfer": "chain_send=reject",
    "batch": "chain_send=reject",
    "bridge": "chain_send=reject",
    "onramp": "chain_send=reject",
    "offramp": "payout=reject",
    "offramp from outside": "payout=reject",
}


async def rehearse(org: Tenant, flow: Flow, body: Any) -> dict[str, Any]:
    """What a dry run answers."""
    return good(await org.send("POST", flow.path, body, dryRun="true"))


@pytest.fixture
async def alone(own_database: Database) -> AsyncIterator[Tenant]:
    """An organisation in a database where nothing happens beside the test."""
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    async with served(house) as client:
        yield await make_tenant(house, client)


async def test_nothing_is_written(alone: Tenant) -> None:
    bodies = {name: await FLOWS[name].body(alone) for name in NAMES}
    # Rules that count them all, and that none of them meets.
    each = rule("each", per="USER", window="MONTH", maxUsd=10**9)
    await set_rules(alone, rule(maxUsd=10**9), each)
    before = await everything(alone.house.database)
    for name, body in bodies.items():
        await rehearse(alone, FLOWS[name], body)
        if FLOWS[name].asks:
            await rehearse(alone, FLOWS[name], {**body, "requireApproval": True})
        answer = await alone.client.post(
            FLOWS[name].path,
            json={**body, "requestId": str(uuid4())},
            params={"dryRun": "true"},
            headers={**alone.headers, "Landbridge-Sandbox": FORCED[name]},
        )
        assert good(answer)["dryRun"]["journals"]
    after = await everything(alone.house.database)
    assert {name for name in before if before[name] != after[name]} == set()


async def test_what_is_missing_is_read_as_empty_and_not_made(alone: Tenant) -> None:
    """Wallets that are older than their coins."""
    bodies = {name: await FLOWS[name].body(alone) for name in NAMES}
    database = alone.house.database
    await database.rows(
        "delete from accounts a where not exists (select from entries e where e.account_id = a.id)"
    )
    house = wire(SETTINGS, database, Clock(await take_lane(database)))
    async with served(house) as client:
        org = Tenant(house, client, alone.caller, alone.key)
        before = await everything(database)
        told = {name: await rehearse(org, FLOWS[name], body) for name, body in bodies.items()}
        poor: str = bodies["swap"]["source"]["userId"]
        usdt, usdc = {"currency": "usdt"}, {"currency": "usdc"}
        sold = swap_body(poor, "1", source=usdt, destination=usdc)
        paid = transfer_body(poor, bodies["batch"]["source"]["userId"], currency="usdt")
        for path, body in ((SWAPS, sold), (TRANSFERS, paid)):
            refused = await org.refused("POST", path, body, dryRun="true")
            assert refused == "400 INSUFFICIENT_BALANCE"
        after = await everything(database)
        assert {name for name in before if before[name] != after[name]} == set()
        # What is meant makes them, under the ids that were foretold.
        for name, body in bodies.items():
            made = await org.post(FLOWS[name].path, body)
            await FLOWS[name].finish(org, FLOWS[name], made["transferDetails"])
            journals = await posted(org, made["transferDetails"]["id"])
            assert told[name]["dryRun"]["journals"] == journals


async def test_an_organisation_without_an_address_gets_none(alone: Tenant) -> None:
    user, database = await make_payee(alone), alone.house.database
    account = await make_account(alone, user)
    outside = await register(alone, user, OUTSIDE)
    asked = {
        ONRAMPS: onramp_body(user, destination={"externalWalletId": outside}),
        OFFRAMPS: offramp_body(None, account, source={"userId": None, "externalWalletId": outside}),
    }
    for table in ("accounts", "wallets", "wallet_seeds"):
        await database.rows(f"delete from {table}")  # noqa: S608  names from here
    house = wire(SETTINGS, database, Clock(await take_lane(database)))
    async with served(house) as client:
        org = Tenant(house, client, alone.caller, alone.key)
        before = await everything(database)
        for path, body in asked.items():
            assert good(await org.send("POST", path, body, dryRun="true"))["dryRun"]["journals"]
        after = await everything(database)
        assert {name for name in before if before[name] != after[name]} == set()
        for path, body in asked.items():
            assert (await org.post(path, body))["transferDetails"]["status"] == "OPEN_QUOTE"


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_told_is_what_then_happens(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    rehearsed = await rehearse(org, flow, body)
    made = await org.post(flow.path, body)
    details = made["transferDetails"]
    await flow.finish(org, flow, details)
    assert (await org.get(f"{flow.path}/{details['id']}"))["transferDetails"]["status"] == (
        "COMPLETED"
    )
    assert rehearsed["dryRun"]["journals"] == await posted(org, details["id"])
    assert rehearsed["dryRun"]["approval"] is None
    assert rehearsed["dryRun"]["limits"] == {"findings": [], "left": []}


@pytest.mark.parametrize("name", NAMES)
async def test_it_answers_as_the_create(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    rehearsed = await rehearse(org, flow, body)
    made = await org.post(flow.path, body)
    assert "dryRun" not in made
    assert rehearsed.keys() == made.keys() | {"dryRun"}
    assert _members(rehearsed["transferDetails"]) == _members(made["transferDetails"])
    for member in ("status", "requestId", "source", "destination"):
        assert rehearsed["transferDetails"][member] == made["transferDetails"][member]
    would_be = rehearsed["transferDetails"]["id"]
    assert would_be != made["transferDetails"]["id"]
    assert await org.refused("GET", f"{flow.path}/{would_be}") == "404 TRANSACTION_NOT_FOUND"


@pytest.mark.parametrize("name", NAMES)
async def test_every_journal_sums_to_zero(org: Tenant, name: str) -> None:
    rehearsed = await rehearse(org, FLOWS[name], await FLOWS[name].body(org))
    assert rehearsed["dryRun"]["journals"]
    for journal in rehearsed["dryRun"]["journals"]:
        sums: dict[tuple[str, str], Decimal] = {}
        for each in journal["postings"]:
            asset = (each["currency"], each["chain"])
            moved = Decimal(each["available"]) + Decimal(each["held"])
            sums[asset] = sums.get(asset, Decimal(0)) + moved
        assert not any(sums.values()), journal


@pytest.mark.parametrize("name", ASKING)
async def test_it_tells_who_would_have_to_approve(org: Tenant, name: str) -> None:
    await org.house.approvals.set_policy(
        org.org_id, Policy(threshold=2, needs_second=True), actor="test", at=org.house.clock.stamp()
    )
    flow = FLOWS[name]
    body = {**(await flow.body(org)), "requireApproval": True}
    rehearsed = await rehearse(org, flow, body)
    made = await org.post(flow.path, body)
    details, dry_run = rehearsed["transferDetails"], rehearsed["dryRun"]
    assert details["status"] == made["transferDetails"]["status"] == "PENDING_APPROVAL"
    assert dry_run["approval"]["threshold"] == 2
    assert dry_run["approval"]["needsSecond"] is True
    assert dry_run["approval"]["expiresAt"] > details["createdAt"]
    shown = details.get("approval") or details["receipt"]["approval"]
    assert shown["status"] == "PENDING"
    # What waits for an approval is held from the start, and not once more when it is accepted.
    assert dry_run["journals"][0]["status"] == "PENDING_APPROVAL"
    held = [each for journal in dry_run["journals"] for each in journal["postings"]]
    assert sum(Decimal(each["held"]) for each in held) == 0


async def test_it_tells_what_the_rules_say_and_counts_nothing(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    # Noon: no midnight comes between two payments of a day.
    noon = still_clock.at.replace(hour=12, minute=0, second=0, microsecond=0)
    still_clock.at = noon + timedelta(days=1)
    await set_rules(org, rule(maxUsd=100, maxCount=5, over="APPROVE"))
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    body = transfer_body(ada, bob, 60)
    for _ in range(3):
        told = await rehearse(org, FLOWS["transfer"], body)
        left = {"rule": "a-day", "per": "ORG", "window": "DAY", "leftUsd": 40, "leftCount": 4}
        assert told["dryRun"]["limits"] == {"findings": [], "left": [left]}
    await org.post(TRANSFERS, body)
    # Over the limit an admin has to approve it, though nobody asked for that.
    over = await rehearse(org, FLOWS["transfer"], transfer_body(ada, bob, 60))
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
    """What the one rule has counted."""
    return sum((usd for usd, _ in (await used(org)).values()), Decimal(0))


async def test_what_a_create_refuses_a_dry_run_refuses_alike(org: Tenant) -> None:
    poor, payee = await make_user(org), await make_user(org)
    for body in (transfer_body(poor, payee), transfer_body(poor, str(uuid4()))):
        answers = [
            await org.send("POST", TRANSFERS, body, **query) for query in ({}, {"dryRun": "true"})
        ]
        assert refusal(answers[0]) == refusal(answers[1])
        assert sentence(answers[0]) == sentence(answers[1])


async def test_a_request_that_was_carried_out_is_answered_with_its_record(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    body = transfer_body(ada, bob)
    made = await org.post(TRANSFERS, body)
    # The balance is gone: the create would be refused today, and so would its rehearsal.
    again = await org.send("POST", TRANSFERS, body, dryRun="true")
    assert good(again) == made
    assert again.headers["Idempotent-Replayed"] == "true"
    other = await org.send("POST", TRANSFERS, {**body, "amount": 9}, dryRun="true")
    assert refusal(other) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_a_rehearsed_request_id_is_free(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    request_id = str(uuid4())
    for amount in (1, 2):
        rehearsed = await org.send(
            "POST", TRANSFERS, transfer_body(ada, bob, amount, request_id=request_id), dryRun="true"
        )
        assert "Idempotent-Replayed" not in rehearsed.headers
        assert good(rehearsed)["transferDetails"]["amount"] == amount
    assert await org.refused("GET", f"/v2/requests/{request_id}") == "404 RESOURCE_NOT_FOUND"
    made = await org.send("POST", TRANSFERS, transfer_body(ada, bob, 3, request_id=request_id))
    assert "Idempotent-Replayed" not in made.headers
    assert good(made)["transferDetails"]["amount"] == 3


async def test_a_dry_run_is_asked_for_by_true(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    for told in ("1", "yes", "TRUE", ""):
        answer = await org.send("POST", TRANSFERS, transfer_body(ada, bob), dryRun=told)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", told
    plain = good(await org.send("POST", TRANSFERS, transfer_body(ada, bob, 1), dryRun="false"))
    assert "dryRun" not in plain
    found = await org.house.wallet_transfers.get(org.org_id, UUID(plain["transferDetails"]["id"]))
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
async def test_a_misspelled_dry_run_pays_nothing(org: Tenant, query: str) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    answer = await org.send("POST", f"{TRANSFERS}?{query}", transfer_body(ada, bob))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "dryRun" in sentence(answer)
    assert await held(org, ada) == "10"


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"transfer", "batch"}))
async def test_what_can_not_be_rehearsed_says_so(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    made = (await org.post(flow.path, await flow.body(org)))["transferDetails"]
    path = f"{flow.path}/{made['id']}"
    answer = await org.send("POST", f"{path}/{flow.accept}", dryRun="true")
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert (await org.get(path))["transferDetails"]["status"] == "OPEN_QUOTE"


def _members(told: Any) -> Any:
    """The shape of an answer: names all the way down."""
    if isinstance(told, dict):
        members = cast("dict[str, Any]", told)
        return {name: _members(each) for name, each in members.items()}
    if isinstance(told, list):
        return [_members(each) for each in cast("list[Any]", told)]
    return None if told is None else type(told).__name__
