"""Refunds that a provider refuses for ever, resolved by two people."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.payments.engine.resolution_actions import ResolutionAction, ResolutionInstruction
from landbridge.platform.core.errors import Rejected, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope
from tests.payments.limits.limit_setup import set_rules
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario, refused_refund
from tests.payouts import OFFRAMPS, OUTSIDE, check_books, shown
from tests.resolution_team import RESOLUTIONS, ResolutionTeam, body, make_resolution_team
from tests.tenants import good, held, make_user, refusal, register, sentence

# A valid address without an owner here.
ANOTHER = "0x000000000000000000000000000000000000dead"


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(database) as scenario:
        yield scenario


@pytest.fixture
async def team(scenario: OfframpScenario) -> ResolutionTeam:
    return await make_resolution_team(scenario.org, scenario.clock, scenario.run)


async def test_repeatedly_refused_refund_needs_review(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    reply = await scenario.org.get(f"{OFFRAMPS}/{created['id']}", expand="timeline")
    assert reply["timeline"]["waitsFor"] == "REVIEWER"
    assert reply["timeline"]["isStuck"]
    (stuck,) = (await scenario.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (created["id"], "REVIEWER")
    assert stuck["attention"] == "refused 6 times: refund: the address is blocked"
    assert await team.actions(created["id"]) == ["CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"]


async def test_refund_goes_to_another_address_of_the_same_user(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    await register(scenario.org, scenario.ada, OUTSIDE)
    done = await team.resolve(created["id"], "REDIRECT", address=OUTSIDE)
    assert done["status"] == "COMPLETED"
    await scenario.pass_time(seconds=1)
    ended = await shown(scenario.org, created)
    assert ended["status"] == "CRYPTO_RETURNED"
    *_, order = scenario.chains.orders
    assert order.legs[0].address == OUTSIDE
    assert len({each.key for each in scenario.chains.orders}) == len(scenario.chains.orders)
    assert await held(scenario.org, scenario.ada) == "900"
    # The coins have left the platform, and nothing remains in transit.
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    assert (await scenario.container(HouseRole.LIQUIDITY)).get("usdc:POLYGON", 0) == 0
    await check_books(scenario.org)


async def test_refund_is_sent_again_to_the_same_address(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    assert (await team.resolve(created["id"], "REDIRECT"))["status"] == "COMPLETED"
    await scenario.pass_time(seconds=1)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


async def test_refused_redirected_refund_is_retried_after_a_minute(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    await register(scenario.org, scenario.ada, OUTSIDE)
    scenario.chains.raise_before_next = Rejected("still blocked")
    await team.resolve(created["id"], "REDIRECT", address=OUTSIDE)
    await scenario.pass_time(seconds=1)
    assert await scenario.status(created) == "FIAT_FAILED"
    scenario.chains.raise_before_next = None
    await scenario.pass_time(seconds=61)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    await check_books(scenario.org)


async def test_a_refund_is_settled_outside(scenario: OfframpScenario, team: ResolutionTeam) -> None:
    created = await refused_refund(scenario)
    before = len(scenario.chains.orders)
    assert (await team.resolve(created["id"], "SETTLE_OUTSIDE"))["status"] == "COMPLETED"
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    await scenario.pass_time(days=2)
    assert len(scenario.chains.orders) == before
    assert await held(scenario.org, scenario.ada) == "900"
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    assert (await scenario.container(HouseRole.LIQUIDITY)).get("usdc:POLYGON", 0) == 0
    await check_books(scenario.org)


async def test_an_address_of_another_user_is_refused(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    other = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{other}"))["wallets"]
    theirs = wallets["INDIVIDUAL"]["POLYGON"]["address"]
    for address in (ANOTHER, theirs):
        answer = await team.send(created["id"], "REDIRECT", address=address)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert "address is neither a wallet of user" in sentence(answer)
    ours = await scenario.treasury()
    answer = await team.send(created["id"], "REDIRECT", address=ours)
    assert refusal(answer) == "400 INVALID_WALLET_CONFIG"
    answer = await team.send(created["id"], "REDIRECT", accountId=scenario.account)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    answer = await team.send(created["id"], "CONFIRM", address=OUTSIDE)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert await scenario.status(created) == "FIAT_FAILED"


async def test_a_registered_address_that_is_blocked_is_refused(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    await register(scenario.org, scenario.ada, OUTSIDE)
    policy = {"blockedAddresses": [OUTSIDE]}
    good(await scenario.org.send("PUT", "/v2/organization/address-policy", policy))
    answer = await team.send(created["id"], "REDIRECT", address=OUTSIDE)
    assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
    assert "address: the destination is on the organisation's block list" in sentence(answer)


@pytest.mark.parametrize("over", ["REFUSE", "APPROVE"])
async def test_a_list_of_limits_refuses_a_redirect_unless_it_asks_for_an_approval(
    scenario: OfframpScenario, team: ResolutionTeam, over: str
) -> None:
    created = await refused_refund(scenario)
    await register(scenario.org, scenario.ada, OUTSIDE)
    await set_rules(scenario.org, allow={"destinations": [ANOTHER], "over": over})
    answer = await team.send(created["id"], "REDIRECT", address=OUTSIDE)
    if over == "APPROVE":
        good(answer)
        return
    assert refusal(answer) == "403 LIMIT_EXCEEDED"
    assert "not on the organisation's allow list" in sentence(answer)


async def test_requester_cannot_approve(scenario: OfframpScenario) -> None:
    created = await refused_refund(scenario)
    _, secret = await scenario.org.container.orgs.create_key(
        scenario.org.org_id, "both", expires_at=None, scopes=[KeyScope.REVIEW, KeyScope.APPROVE]
    )
    both = type(scenario.org)(
        scenario.org.container, scenario.org.client, scenario.org.caller, secret
    )
    requested = await both.post(RESOLUTIONS, body(created["id"], "SETTLE_OUTSIDE"))
    path = f"/v2/transfer-approvals/{requested['approvalId']}/approve"
    assert await both.refused("POST", path, {}) == "403 USER_ROLE_NOT_ALLOWED"
    # Nothing happens before a second person approves.
    await scenario.pass_time(hours=3)
    assert (await both.get(f"{RESOLUTIONS}/{requested['id']}"))["status"] == "PENDING_APPROVAL"


async def test_only_reviewers_request(scenario: OfframpScenario) -> None:
    """Every sandbox key may review, so this calls the service."""
    created = await refused_refund(scenario)
    instruction = ResolutionInstruction(action=ResolutionAction.SETTLE_OUTSIDE)
    resolutions = scenario.org.container.resolutions
    with pytest.raises(RoleNotAllowed):
        await resolutions.request(
            *(scenario.org.caller, new_id(), UUID(created["id"]), instruction), evidence="none"
        )
    with pytest.raises(RoleNotAllowed):
        await resolutions.options(scenario.org.caller, UUID(created["id"]))


async def test_resolution_request_is_created_once(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    request = body(created["id"], "SETTLE_OUTSIDE")
    first = await team.reviewer.post(RESOLUTIONS, request)
    again = await team.reviewer.post(RESOLUTIONS, request)
    assert again == first
    other = {**request, "evidence": "another text"}
    assert await team.reviewer.refused("POST", RESOLUTIONS, other) == (
        "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    )
    assert refusal(await team.send(created["id"], "REDIRECT")) == "409 RESOURCE_CONFLICT"


async def test_rejected_resolution_leaves_the_payment_unchanged(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    requested = await team.request(created["id"], "SETTLE_OUTSIDE")
    path = f"/v2/transfer-approvals/{requested['approvalId']}/reject"
    await team.approver.post(path, {"reason": "no proof"})
    assert (await team.carry_out(requested))["status"] == "REJECTED"
    assert await scenario.status(created) == "FIAT_FAILED"
    # And another one can be requested.
    assert (await team.resolve(created["id"], "REDIRECT"))["status"] == "COMPLETED"


async def test_resolution_expires_after_a_week(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    treasury = await scenario.treasury()
    scenario.chains.only = lambda order: order.source == treasury
    requested = await team.request(created["id"], "SETTLE_OUTSIDE")
    scenario.chains.is_silent = True
    await scenario.pass_time(days=8)
    found = await team.reviewer.get(f"{RESOLUTIONS}/{requested['id']}")
    assert (found["status"], found["approvalStatus"]) == ("EXPIRED", "EXPIRED")
    assert await scenario.status(created) == "FIAT_FAILED"


async def test_refund_that_arrives_first_voids_the_resolution(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    requested = await team.request(created["id"], "SETTLE_OUTSIDE")
    await scenario.pass_time(hours=2)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    await team.approve(requested)
    done = await team.carry_out(requested)
    assert (done["status"], done["failedReason"]) == (
        "VOID",
        "the payment continued by itself and is CRYPTO_RETURNED",
    )
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


async def test_pending_refund_is_not_replaced(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    requested = await team.request(created["id"], "REDIRECT")
    scenario.chains.late_by = timedelta(days=1)
    await scenario.pass_time(hours=2)
    await team.approve(requested)
    done = await team.carry_out(requested)
    assert (done["status"], done["failedReason"]) == (
        "VOID",
        "the provider is executing the order: wait for it",
    )
    await scenario.pass_time(days=2)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


async def test_refund_that_begins_anew_while_the_provider_is_asked_is_not_settled_outside(
    scenario: OfframpScenario, team: ResolutionTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await refused_refund(scenario)
    requested = await team.request(created["id"], "SETTLE_OUTSIDE")
    await team.approve(requested)
    ledger, find = scenario.org.container.ledger, scenario.chains.find_status

    async def postpone(record_id: str, at: datetime) -> None:
        record = await ledger.find(scenario.org.org_id, UUID(record_id))
        assert record is not None
        await ledger.postpone(record, at)

    async def slow(*args: Any) -> Any:
        """Let the worker go on with the refund, as after webhooks of the provider."""
        monkeypatch.undo()
        await postpone(requested["id"], scenario.clock.now() + timedelta(hours=1))
        scenario.chains.raise_before_next = Rejected("the address is blocked")
        for _ in range(2):
            await postpone(created["id"], scenario.clock.now())
            await scenario.run()
            scenario.chains.raise_before_next = None
            scenario.chains.late_by = timedelta(days=1)
        return await find(*args)

    monkeypatch.setattr(scenario.chains, "find_status", slow)
    await team.carry_out(requested)
    assert await scenario.status(created) == "FIAT_FAILED"
    await scenario.pass_time(days=2)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


async def test_decision_waits_for_the_quiet_period(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await refused_refund(scenario)
    requested = await team.request(created["id"], "SETTLE_OUTSIDE")
    await team.approve(requested)
    await scenario.run()
    assert await scenario.status(created) == "FIAT_FAILED"
    # No order is sent while the decision is pending.
    before = len(scenario.chains.orders)
    await scenario.pass_time(seconds=60)
    assert len(scenario.chains.orders) == before
    await scenario.pass_time(seconds=61)
    assert await scenario.status(created) == "CRYPTO_RETURNED"


async def test_self_continuing_payment_cannot_be_resolved(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await scenario.quoted()
    assert await team.actions(created["id"]) == []
    answer = await team.send(created["id"], "CONFIRM")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "allows nothing" in sentence(answer)
    unknown = "0198f9a2-0000-7000-8000-000000000000"
    assert refusal(await team.send(unknown, "CONFIRM")) == "404 TRANSACTION_NOT_FOUND"
