"""A frozen organisation can read, but move nothing."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from landbridge.platform.core.errors import (
    FieldInvalid,
    ProfileFrozen,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import (
    Caller,
    KeyScope,
    MemberRole,
    SignedInMember,
    check_payer,
)
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.service import Orgs
from tests.tenants import SWAPS, Tenant, held, make_swap, make_user, swap_body

FROZEN = "403 PROFILE_FROZEN"


async def change_types(org: Tenant) -> list[str]:
    rows = await org.container.database.rows(
        "select change_type from changes where org_id = $1 and object_id = $1 order by seq",
        org.org_id,
    )
    return [row["change_type"] for row in rows]


async def test_frozen_organisation_reads_and_creates_nothing(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user)
    await org.container.orgs.freeze(org.org_id, reason="unpaid invoices")
    assert await org.refused("POST", SWAPS, swap_body(user, "1")) == FROZEN
    assert await org.refused("POST", f"{SWAPS}/{swap['id']}/accept") == FROZEN
    assert await held(org, user) == "10"
    assert (await org.get(f"{SWAPS}/{swap['id']}"))["transferDetails"]["status"] == "OPEN_QUOTE"
    assert (await org.get(SWAPS))["count"] == 1
    await org.container.orgs.unfreeze(org.org_id)
    await org.post(f"{SWAPS}/{swap['id']}/accept")


async def test_other_organisation_continues(org: Tenant, other_org: Tenant) -> None:
    await org.container.orgs.freeze(org.org_id)
    user = await make_user(other_org, funds="10")
    await make_swap(other_org, user)
    await org.container.orgs.check_active(other_org.org_id)
    with pytest.raises(ProfileFrozen):
        await org.container.orgs.check_active(org.org_id)


async def test_steps_get_the_freeze_reason(org: Tenant) -> None:
    user = new_id()
    await org.container.orgs.freeze(org.org_id)
    assert await org.container.payment_parties.find_frozen_reason(org.org_id, user) == (
        "This organisation is frozen: it can look, and move nothing."
    )


async def test_first_freeze_counts_until_lifted(org: Tenant) -> None:
    orgs = org.container.orgs
    await orgs.freeze(org.org_id, reason="first")
    await orgs.freeze(org.org_id, reason="second")
    (found,) = [each for each in await orgs.all() if each.id == org.org_id]
    assert (found.frozen_at is not None, found.freeze_reason) == (True, "first")
    for _ in range(2):
        await orgs.unfreeze(org.org_id)
    (found,) = [each for each in await orgs.all() if each.id == org.org_id]
    assert (found.frozen_at, found.freeze_reason) == (None, None)
    assert await change_types(org) == ["create", "freeze", "unfreeze"]


async def test_the_operator_takes_a_freeze_of_an_admin_over(org: Tenant) -> None:
    orgs, admin = org.container.orgs, signed_in(org)
    await orgs.freeze_for(admin, reason="an audit")
    for _ in range(2):
        await orgs.freeze(org.org_id, reason="an order of the court")
    with pytest.raises(RoleNotAllowed, match="operator"):
        await orgs.unfreeze_for(admin)
    await orgs.freeze_for(admin, reason="an audit")
    with pytest.raises(RoleNotAllowed, match="operator"):
        await orgs.unfreeze_for(admin)
    assert (await orgs.get(org.org_id)).freeze_reason == "an audit"
    await orgs.unfreeze(org.org_id)
    await orgs.unfreeze_for(admin)
    assert await change_types(org) == ["create", "freeze", "freeze", "unfreeze"]


async def test_an_admin_who_unfreezes_beside_the_operator_is_refused(org: Tenant) -> None:
    orgs, admin = org.container.orgs, signed_in(org)
    for _ in range(10):
        await orgs.freeze_for(admin, reason=None)
        await asyncio.gather(
            orgs.freeze(org.org_id), orgs.unfreeze_for(admin), return_exceptions=True
        )
        assert (await orgs.get(org.org_id)).frozen_at is not None
        await orgs.unfreeze(org.org_id)


def signed_in(org: Tenant) -> Caller:
    member = SignedInMember(new_id(), MemberRole.ADMIN)
    return Caller(org.org_id, None, timedelta(), member=member)


async def test_unknown_organisation_cannot_be_frozen(org: Tenant) -> None:
    for verb in (
        org.container.orgs.freeze,
        org.container.orgs.unfreeze,
        org.container.orgs.check_active,
    ):
        with pytest.raises(ResourceNotFound):
            await verb(new_id())
    with pytest.raises(FieldInvalid):
        await org.container.orgs.freeze(org.org_id, reason="x" * 201)


async def test_in_production_only_an_approver_key_may_approve(
    org: Tenant, database: Database
) -> None:
    real = Orgs(database, org.container.clock, Mode.PRODUCTION)
    _, plain = await real.create_key(org.org_id, "plain", expires_at=None)
    _, made_for_it = await real.create_key(
        org.org_id, "b", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    assert [key.can_approve for key in await real.keys(org.org_id)] == [False, False, True]
    assert not (await real.authenticate(plain)).can_approve
    assert (await real.authenticate(made_for_it)).can_approve
    assert not (await real.authenticate(made_for_it)).can_review
    assert (await org.container.orgs.authenticate(plain)).can_approve


def test_frozen_organisation_may_not_pay(org: Tenant) -> None:
    check_payer(org.caller)
    with pytest.raises(ProfileFrozen):
        check_payer(replace(org.caller, is_org_frozen=True))
