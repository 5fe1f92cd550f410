"""Two people adjust the ledger to what a source has: once, balanced, and until it is corrected."""

import asyncio
from typing import Any
from uuid import UUID

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.money import Money
from landbridge.platform.http.caller import KeyScope
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind
from tests.customers.chain_deposits.chain_world import correct_all
from tests.make import USDC
from tests.payouts import check_books
from tests.reporting.reconciliation.compared import (
    DIFFERENCES,
    OUTSIDE,
    address_of,
    compared,
    make_reviewers,
    opened_user,
    plant,
    send_out,
    shift_balance,
)
from tests.resolution_team import make_person
from tests.tenants import Tenant

_BODY = {"reason": "nobody claims it", "adjustLedger": True}


async def test_coins_without_an_owner_are_held_in_suspense(org: Tenant) -> None:
    user = await opened_user(org)
    chain_hash = await plant(org, 7, source=OUTSIDE, destination=await address_of(org, user))
    await _pass_patience(org)
    found = await _only(org)
    accepted = await _adjust(org, found)
    assert (accepted["status"], accepted["resolution"]) == ("RESOLVED", "ADJUSTED")
    assert await _house(org) == {"outside": -100_000_007, "suspense": 7}
    assert (await compared(org)).differences == []
    await check_books(org)
    # The record names the transaction, so corrected, the same difference is back.
    await correct_all(org, UUID(accepted["adjustmentId"]))
    await _pass_patience(org)
    again = await _only(org)
    assert (again.kind, again.reference, again.units) == (found.kind, chain_hash, 7)
    assert await _house(org) == {"outside": -100_000_000}
    await check_books(org)


async def test_coins_that_are_gone_are_a_loss(org: Tenant) -> None:
    user = await opened_user(org)
    await plant(org, 5, source=await address_of(org, user), destination=OUTSIDE)
    await _pass_patience(org)
    found = await _only(org)
    assert (found.kind, found.units) == (DifferenceKind.UNKNOWN_OUTSIDE, -5)
    await _adjust(org, found)
    assert await _house(org) == {"outside": -99_999_995, "write_offs": -5}
    assert (await compared(org)).differences == []
    await check_books(org)


async def test_a_payment_that_the_chain_has_with_another_amount(org: Tenant) -> None:
    user = await opened_user(org)
    _, chain_hash = await send_out(org, user)
    await plant(
        *(org, 3),
        source=await address_of(org, user),
        destination=OUTSIDE,
        transaction_hash=chain_hash,
        log_index=9,
    )
    found = await _only(org)
    assert (found.kind, found.units) == (DifferenceKind.AMOUNT, -3)
    await _adjust(org, found)
    assert (await compared(org)).differences == []
    await check_books(org)


async def test_a_position_is_adjusted_without_a_movement(org: Tenant) -> None:
    user = await opened_user(org)
    await shift_balance(org, user, -4)
    accepted = await _adjust(org, await _only(org))
    assert (await compared(org)).differences == []
    await shift_balance(org, user, 1)
    found = await _only(org)
    assert (found.kind, found.units) == (DifferenceKind.POSITION, 1)
    await _adjust(org, found)
    assert (await compared(org)).differences == []
    assert await _house(org) == {"outside": -99_999_997, "suspense": 1, "write_offs": -4}
    await correct_all(org, UUID(accepted["adjustmentId"]))
    again = await _only(org)
    assert (again.kind, again.units) == (DifferenceKind.POSITION, -4)
    await check_books(org)


async def test_of_acceptances_at_once_one_posts(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    third = await make_person(org, "Cleo", [KeyScope.REVIEW])
    await shift_balance(org, await opened_user(org), 5)
    path = f"{DIFFERENCES}/{(await _only(org)).id}"
    await ada.post(f"{path}/resolve", _BODY)
    answers = await asyncio.gather(
        *(each.send("POST", f"{path}/accept", {}) for each in (bob, third, ada))
    )
    assert sum(each.status_code == 200 for each in answers) == 1
    assert (await _house(org))["suspense"] == 5
    await check_books(org)


async def test_units_that_have_changed_are_not_posted(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    user = await opened_user(org)
    await shift_balance(org, user, 5)
    path = f"{DIFFERENCES}/{(await _only(org)).id}"
    explained = await ada.post(f"{path}/resolve", _BODY)
    assert (explained["adjustsLedger"], explained["adjustmentId"]) == (True, None)
    # A run voids the explanation, and with it the adjustment.
    await shift_balance(org, user, 2)
    await compared(org)
    assert await bob.refused("POST", f"{path}/accept", {}) == "409 RESOURCE_CONFLICT"
    assert (await org.get(path))["difference"]["adjustsLedger"] is False
    # So does a rejection.
    await ada.post(f"{path}/resolve", _BODY)
    rejected = await bob.post(f"{path}/reject", {"reason": "an inventory"})
    assert rejected["adjustsLedger"] is False
    await ada.post(f"{path}/resolve", {"reason": "an inventory"})
    assert (await bob.post(f"{path}/accept", {}))["resolution"] == "ACCEPTED"
    assert await _house(org) == {"outside": -100_000_000}


async def test_a_source_has_nothing_to_adjust(org: Tenant) -> None:
    ada, _ = await make_reviewers(org)
    await opened_user(org)
    await org.container.database.rows(
        "update recon_sources set block_hash = repeat('0', 66)"
        " where org_id = $1 and source = 'POLYGON'",
        org.org_id,
    )
    found = {each.kind: each for each in (await compared(org)).differences}[DifferenceKind.REORGED]
    path = f"{DIFFERENCES}/{found.id}/resolve"
    assert await ada.refused("POST", path, _BODY) == "400 FIELD_VALIDATION_ERROR"


async def _pass_patience(org: Tenant) -> None:
    await compared(org)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 61})


async def _only(org: Tenant) -> Difference:
    (found,) = (await compared(org)).differences
    return found


async def _adjust(org: Tenant, found: Difference) -> dict[str, Any]:
    ada, bob = await make_reviewers(org)
    body = {**_BODY, "amount": str(Money(found.units, USDC))}
    await ada.post(f"{DIFFERENCES}/{found.id}/resolve", body)
    accepted: dict[str, Any] = await bob.post(f"{DIFFERENCES}/{found.id}/accept", {})
    return accepted


async def _house(org: Tenant) -> dict[str, int]:
    found = await house_balances(org.container.database, org.org_id)
    return {
        HouseRole(role).value: units
        for (role, asset), units in sorted(found.items())
        if units and asset == "usdc:POLYGON"
    }
