"""Swaps of signed-in members and of frozen users; swaps have no approvals."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.payments.swaps.model import Swap
from landbridge.payments.swaps.service import NewSwap, SwapDestination, SwapSource
from landbridge.platform.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.providers.chains.tokens import Chain
from tests.tenants import SWAPS, Tenant, make_swap, make_user, swap_body

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


def _member(org: Tenant, role: MemberRole) -> Caller:
    return replace(org.caller, key_id=None, member=SignedInMember(UUID(int=7), role))


async def _create(org: Tenant, caller: Caller, user: str, **destination: Any) -> Swap:
    request = NewSwap(
        request_id=uuid4(),
        source=SwapSource(UUID(user), Chain.POLYGON, "usdc", "1"),
        destination=SwapDestination(Chain.POLYGON, "usdt", **destination),
    )
    return await org.container.swaps.create(caller, request)


async def test_member_may_swap_only_for_the_paying_user(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    member = _member(org, MemberRole.MEMBER)
    created = await _create(org, member, ada)
    accepted = await org.container.swaps.accept(member, created.record.id)
    assert accepted.status == "COMPLETED"
    for destination in ({"user_id": UUID(bob)}, {"wallet_address": OUTSIDE}):
        with pytest.raises(RoleNotAllowed):
            await _create(org, member, ada, **destination)
        # A member can't accept the quote of another member either.
        created = await _create(org, org.caller, ada, **destination)
        with pytest.raises(RoleNotAllowed):
            await org.container.swaps.accept(member, created.record.id)
        await org.container.swaps.accept(_member(org, MemberRole.ADMIN), created.record.id)


async def test_analyst_cannot_swap(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    analyst = _member(org, MemberRole.ANALYST)
    with pytest.raises(RoleNotAllowed):
        await _create(org, analyst, ada)
    created = await make_swap(org, ada)
    with pytest.raises(RoleNotAllowed):
        await org.container.swaps.accept(analyst, UUID(created["id"]))


async def test_a_frozen_organisation_neither_quotes_nor_accepts(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    created = await make_swap(org, ada)
    await org.container.orgs.freeze(org.org_id)
    frozen = f"403 {ProfileFrozen.name}"
    assert await org.refused("POST", SWAPS, swap_body(ada, "1")) == frozen
    assert await org.refused("POST", f"{SWAPS}/{created['id']}/accept") == frozen
