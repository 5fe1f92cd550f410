"""An expired quote is renewed, with the approval where that holds."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.http.caller import KeyScope
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, accept, check_books, shown
from tests.tenants import held

ALL = 1_000_000_000
POLICY = "/v2/transfer-approvals"


async def _approve(scenario: OfframpScenario, created: dict[str, Any]) -> None:
    await scenario.org.post(f"{POLICY}/{created['approval']['id']}/approve", {})


async def _expired(scenario: OfframpScenario, amount: Any = 100, **changes: Any) -> dict[str, Any]:
    """Return an approved offramp with an expired quote."""
    created = await scenario.quoted(amount, requireApproval=True, **changes)
    await _approve(scenario, created)
    await scenario.pass_time(minutes=11)
    assert await scenario.status(created) == "QUOTE_FAILED"
    return created


async def _renew(scenario: OfframpScenario, created: dict[str, Any]) -> dict[str, Any]:
    reply = await scenario.org.post(f"{OFFRAMPS}/{created['id']}/quote/renew", {})
    return reply["transferDetails"]


async def _spendable(scenario: OfframpScenario) -> int:
    found = await scenario.org.get(
        f"/v2/users/{scenario.ada}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    return int(found["availableBalance"])


async def test_approved_payout_is_quoted_again_without_another_approval(
    scenario: OfframpScenario,
) -> None:
    expired = await _expired(scenario, description="rent", metadata={"invoice": "7"})
    assert await _spendable(scenario) == ALL
    await scenario.set_price("0.995")
    renewed = await _renew(scenario, expired)
    assert renewed["id"] != expired["id"]
    assert renewed["status"] == "OPEN_QUOTE"
    assert renewed["quoteInformation"]["receiveNet"]["amount"] == "99.5"
    assert renewed["approval"]["status"] == "APPROVED"
    assert (await scenario.of(renewed)).record.metadata == {"invoice": "7"}
    assert await _spendable(scenario) == ALL - 100_000_000
    assert await scenario.changes(renewed) == [
        ("open", "CREATED"),
        ("open", "PENDING_APPROVAL"),
        ("open", "OPEN_QUOTE"),
    ]
    archive = scenario.org.container.offramps.archive
    texts = await archive.of(scenario.org.org_id, UUID(renewed["id"]), UUID(scenario.ada))
    assert texts.description == "rent"
    await check_books(scenario.org)
    await accept(scenario.org, renewed)
    await scenario.run()
    assert await scenario.status(renewed) == "COMPLETED"
    assert await held(scenario.org, scenario.ada) == "900"
    await check_books(scenario.org)


async def test_repeated_and_concurrent_renewals_return_one_payout(
    scenario: OfframpScenario,
) -> None:
    expired = await _expired(scenario)
    renewed = await asyncio.gather(*(_renew(scenario, expired) for _ in range(4)))
    assert len({each["id"] for each in renewed}) == 1
    assert await _spendable(scenario) == ALL - 100_000_000
    await accept(scenario.org, renewed[0])
    again = await _renew(scenario, expired)
    assert again["id"] == renewed[0]["id"]
    await scenario.run()
    assert await held(scenario.org, scenario.ada) == "900"


async def test_renewed_quote_that_expires_releases_its_hold_and_is_renewed_again(
    scenario: OfframpScenario,
) -> None:
    first = await _expired(scenario)
    second = await _renew(scenario, first)
    await scenario.pass_time(minutes=11)
    assert await scenario.status(second) == "QUOTE_FAILED"
    assert await _spendable(scenario) == ALL
    third = await _renew(scenario, second)
    assert third["id"] not in {first["id"], second["id"]}
    assert third["status"] == "OPEN_QUOTE"
    await check_books(scenario.org)


@pytest.mark.parametrize(
    ("rate", "status"),
    [
        ("1.2", "OPEN_QUOTE"),
        ("0.99", "OPEN_QUOTE"),
        ("0.9899", "PENDING_APPROVAL"),
        ("0.9", "PENDING_APPROVAL"),
    ],
)
async def test_payout_that_pays_over_one_percent_less_needs_a_new_approval(
    scenario: OfframpScenario, rate: str, status: str
) -> None:
    expired = await _expired(scenario)
    await scenario.set_price(rate)
    renewed = await _renew(scenario, expired)
    assert renewed["status"] == status
    assert renewed["approval"]["status"] == {"OPEN_QUOTE": "APPROVED"}.get(status, "PENDING")
    assert await _spendable(scenario) == ALL - 100_000_000
    await check_books(scenario.org)


async def test_small_losses_do_not_add_up(scenario: OfframpScenario) -> None:
    first = await _expired(scenario)
    await scenario.set_price("0.992")
    second = await _renew(scenario, first)
    assert second["status"] == "OPEN_QUOTE"
    await scenario.pass_time(minutes=11)
    await scenario.set_price("0.985")
    # Less than a percent below the second quote, more than that below the approved one.
    assert (await _renew(scenario, second))["status"] == "PENDING_APPROVAL"


@pytest.mark.parametrize(
    ("rate", "status"),
    [("1", "OPEN_QUOTE"), ("1.25", "OPEN_QUOTE"), ("0.999", "PENDING_APPROVAL")],
)
async def test_payout_of_a_fixed_amount_that_debits_more_needs_a_new_approval(
    scenario: OfframpScenario, rate: str, status: str
) -> None:
    expired = await _expired(scenario, None, destination={"amount": 100})
    await scenario.set_price(rate)
    assert (await _renew(scenario, expired))["status"] == status
    await check_books(scenario.org)


async def test_approval_counts_for_a_day(scenario: OfframpScenario) -> None:
    first = await _expired(scenario)
    await scenario.pass_time(hours=23)
    await scenario.set_price("1")
    second = await _renew(scenario, first)
    assert second["status"] == "OPEN_QUOTE"
    await scenario.pass_time(hours=1)
    await scenario.set_price("1")
    # The day began with the vote, not with the renewal.
    assert (await _renew(scenario, second))["status"] == "PENDING_APPROVAL"


async def test_changed_policy_needs_a_new_approval(scenario: OfframpScenario) -> None:
    expired = await _expired(scenario)
    org = scenario.org
    approvals, policy = org.container.approvals, await org.container.approvals.policy(org.org_id)
    at = org.container.clock.stamp()
    await approvals.set_policy(org.org_id, replace(policy, threshold=2), actor="test", at=at)
    at = org.container.clock.stamp()
    await approvals.set_policy(org.org_id, policy, actor="test", at=at)
    renewed = await _renew(scenario, expired)
    assert (renewed["status"], renewed["approval"]["status"]) == ("PENDING_APPROVAL", "PENDING")


@pytest.mark.parametrize("is_revoked", [True, False])
async def test_approval_by_a_revoked_key_is_not_kept(
    scenario: OfframpScenario, *, is_revoked: bool
) -> None:
    org, created = scenario.org, await scenario.quoted(100, requireApproval=True)
    key, _ = await org.container.orgs.create_key(
        org.org_id, "approver", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    approver = replace(org.caller, key_id=key.id, can_approve=True)
    await org.container.voting.approve(approver, UUID(created["approval"]["id"]), None)
    await scenario.pass_time(minutes=11)
    first = await _renew(scenario, created)
    assert first["status"] == "OPEN_QUOTE"
    await scenario.pass_time(minutes=11)
    if is_revoked:
        await org.container.orgs.revoke_key(org.org_id, key.id)
    # The approval of the second renewal would be that of the first payout.
    second = await _renew(scenario, first)
    assert second["status"] == ("PENDING_APPROVAL" if is_revoked else "OPEN_QUOTE")


async def test_payout_without_an_approval_is_quoted_again(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(100)
    await scenario.pass_time(minutes=11)
    renewed = await _renew(scenario, created)
    assert renewed["status"] == "OPEN_QUOTE"
    assert renewed.get("approval") is None
    assert await _spendable(scenario) == ALL


async def test_only_an_expired_quote_is_renewed(scenario: OfframpScenario) -> None:
    org = scenario.org
    opened = await scenario.quoted(100)
    path = f"{OFFRAMPS}/{opened['id']}/quote/renew"
    assert await org.refused("POST", path) == "409 RESOURCE_CONFLICT"
    await accept(org, opened)
    assert await org.refused("POST", path) == "409 RESOURCE_CONFLICT"
    # Approved, but never quoted.
    unquoted = await scenario.quoted(None, requireApproval=True, destination={"amount": 900})
    await scenario.set_price("0.5")
    await _approve(scenario, unquoted)
    assert (await shown(org, unquoted))["status"] == "QUOTE_FAILED"
    path = f"{OFFRAMPS}/{unquoted['id']}/quote/renew"
    assert await org.refused("POST", path) == "409 RESOURCE_CONFLICT"


async def test_renewal_keeps_fees_and_is_refused_without_funds(scenario: OfframpScenario) -> None:
    fees = {"fees": [{"type": "FLAT", "value": "2", "walletAddress": "0x" + "2" * 40}]}
    expired = await _expired(scenario, 100, developerFee=fees)
    other = await scenario.quoted(950, requireApproval=True)
    path = f"{OFFRAMPS}/{expired['id']}/quote/renew"
    assert await scenario.org.refused("POST", path) == "400 INSUFFICIENT_BALANCE"
    await scenario.org.post(f"{POLICY}/{other['approval']['id']}/reject", {})
    renewed = await _renew(scenario, expired)
    assert renewed["status"] == "OPEN_QUOTE"
    assert await _spendable(scenario) == ALL - 102_000_000
    await check_books(scenario.org)
