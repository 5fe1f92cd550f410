"""Swaps of people who signed in, and of who is frozen. There is no approval for a swap."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.chains.tokens import Chain
from landbridge.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.flows.swaps.model import Swap
from landbridge.flows.swaps.service import Wanted
from landbridge.payments.ends import Asked
from landbridge.web.caller import Caller, Member, Role
from tests.tenants import SWAPS, Tenant, make_swap, make_user, swap_body

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


def _member(org: Tenant, role: Role) -> Caller:
    return replace(org.caller, key_id=None, member=Member(UUID(int=7), role))


async def _create(org: Tenant, caller: Caller, user: str, **destination: Any) -> Swap:
    wanted = Wanted(
        source_user_id=UUID(user),
        source_chain=Chain.POLYGON,
        source_currency="usdc",
        source_amount="1",
        destination_chain=Chain.POLYGON,
        destination_currency="usdt",
        destination_amount=None,
        destination=Asked(side="destination", **destination),
    )
    return await org.house.swaps.create(caller, uuid4(), wanted, {"of": user})


async def test_a_member_swaps_for_the_user_who_pays_alone(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    member = _member(org, Role.MEMBER)
    made = await _create(org, member, ada)
    accepted = await org.house.swaps.accept(member, made.record.id)
    assert accepted.status == "COMPLETED"
    for destination in ({"user_id": UUID(bob)}, {"wallet_address": OUTSIDE}):
        with pytest.raises(RoleNotAllowed):
            await _create(org, member, ada, **destination)
        # Nor what somebody else has quoted.
        made = await _create(org, org.caller, ada, **destination)
        with pytest.raises(RoleNotAllowed):
            await org.house.swaps.accept(member, made.record.id)
        await org.house.swaps.accept(_member(org, Role.ADMIN), made.record.id)


async def test_an_analyst_swaps_nothing(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    analyst = _member(org, Role.ANALYST)
    with pytest.raises(RoleNotAllowed):
        await _create(org, analyst, ada)
    made = await make_swap(org, ada)
    with pytest.raises(RoleNotAllowed):
        await org.house.swaps.accept(analyst, UUID(made["id"]))


async def test_a_frozen_organisation_neither_quotes_nor_accepts(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    made = await make_swap(org, ada)
    await org.house.orgs.freeze(org.org_id)
    frozen = f"403 {ProfileFrozen.name}"
    assert await org.refused("POST", SWAPS, swap_body(ada, "1")) == frozen
    assert await org.refused("POST", f"{SWAPS}/{made['id']}/accept") == frozen
