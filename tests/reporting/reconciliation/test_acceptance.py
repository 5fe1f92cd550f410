"""Accepted differences: no difference of later runs, until their amount changes."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind, DifferenceStatus
from tests.reporting.reconciliation.compared import (
    OUTSIDE,
    address_of,
    compared,
    opened_user,
    plant,
)
from tests.tenants import Tenant

_SET_BALANCE = """
update sandbox_balances set units = units + $3
where org_id = $1 and chain = 'POLYGON' and address = $2 and asset = 'usdc:POLYGON'
"""


async def _accept(org: Tenant, difference_id: UUID, reason: str = "opening inventory") -> None:
    await org.container.reconciliation.acceptance.accept(
        org.org_id, difference_id, reason, actor="cli", offset=await _offset(org)
    )


async def _offset(org: Tenant) -> timedelta:
    return await org.container.orgs.clock_offset(org.org_id)


async def _shift(org: Tenant, user: str, units: int) -> None:
    """Change what the chain holds, without a movement; the first run stores the balance."""
    await compared(org)
    await org.container.database.rows(_SET_BALANCE, org.org_id, await address_of(org, user), units)


async def _only(org: Tenant) -> Difference:
    (found,) = (await compared(org)).differences
    return found


async def test_accepted_position_opens_again_when_it_changes(org: Tenant) -> None:
    user = await opened_user(org)
    await _shift(org, user, 5)
    found = await _only(org)
    assert (found.kind, found.status, found.units) == (
        *(DifferenceKind.POSITION, DifferenceStatus.OPEN),
        5,
    )
    await _accept(org, found.id)
    status = await compared(org)
    assert (status.differences, status.open_count) == ([], 0)
    await _shift(org, user, 2)
    again = await _only(org)
    assert (again.kind, again.units) == (DifferenceKind.POSITION, 2)
    await _accept(org, again.id, "dust")
    assert (await compared(org)).open_count == 0


async def test_accepted_movement_is_no_difference_any_more(org: Tenant) -> None:
    user = await opened_user(org)
    chain_hash = await plant(org, 7, source=OUTSIDE, destination=await address_of(org, user))
    early = await _only(org)
    with pytest.raises(ResourceConflict, match="may follow until"):
        await _accept(org, early.id)
    await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 61})
    found = await _only(org)
    assert (found.status, found.reference) == (DifferenceStatus.OPEN, chain_hash)
    await _accept(org, found.id)
    assert (await compared(org)).differences == []
    with pytest.raises(ResourceConflict, match="resolved already: ACCEPTED"):
        await _accept(org, found.id)
    await plant(
        *(org, 1),
        source=OUTSIDE,
        destination=await address_of(org, user),
        transaction_hash=chain_hash,
        log_index=1,
    )
    again = await _only(org)
    assert (again.reference, again.units) == (chain_hash, 8)


async def test_the_change_log_keeps_reason_and_amount(org: Tenant) -> None:
    user = await opened_user(org)
    await _shift(org, user, -3)
    found = await _only(org)
    await _accept(org, found.id, "lost before the first run")
    (row,) = await org.container.database.rows(
        "select kind, change_type, actor, facts ->> 'units' as units, facts ->> 'reason' as reason"
        " from changes where org_id = $1 and object_id = $2",
        *(org.org_id, found.id),
    )
    assert (row["kind"], row["change_type"], row["actor"]) == (
        *("RECONCILIATION.DIFFERENCE", "accept"),
        "cli",
    )
    assert (row["units"], row["reason"]) == ("-3", "lost before the first run")


async def test_what_is_not_there_or_not_given_is_refused(org: Tenant) -> None:
    user = await opened_user(org)
    await _shift(org, user, 1)
    found = await _only(org)
    with pytest.raises(ResourceNotFound):
        await _accept(org, uuid4())
    for reason in ("", " ", "two\nlines", "x" * 501):
        with pytest.raises(FieldInvalid):
            await _accept(org, found.id, reason)
    assert (await compared(org)).open_count == 1
