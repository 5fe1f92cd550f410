"""Onramps of signed-in members; onramps have no approvals."""

import pytest

from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.http.caller import MemberRole
from tests.onramps import ONRAMPS, make_onramp, make_payer, onramp_body
from tests.platform.http.member_clients import member_client
from tests.tenants import Tenant, make_user, register

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_member_buys_coins_only_for_the_paying_user(org: Tenant) -> None:
    ada, bob = await make_payer(org), await make_user(org)
    external = await register(org, ada, OUTSIDE)
    member, admin = member_client(org, MemberRole.MEMBER), member_client(org, MemberRole.ADMIN)
    for destination in (None, {"userId": ada}):
        created = await member.post(ONRAMPS, onramp_body(ada, destination=destination))
        accepted = await member.post(f"{ONRAMPS}/{created['transferDetails']['id']}/quote/accept")
        assert accepted["transferDetails"]["status"] == "AWAITING_FUNDS"
    for destination in ({"userId": bob}, {"externalWalletId": external, "chain": None}):
        with pytest.raises(RoleNotAllowed, match="by a transfer"):
            await member.post(ONRAMPS, onramp_body(ada, destination=destination))
        # A member can't accept the quote of another member either.
        quoted = await make_onramp(org, ada, is_accepted=False, destination=destination)
        accept = f"{ONRAMPS}/{quoted['id']}/quote/accept"
        with pytest.raises(RoleNotAllowed):
            await member.post(accept)
        assert (await admin.post(accept))["transferDetails"]["status"] == "AWAITING_FUNDS"


async def test_analyst_cannot_create_onramps(org: Tenant) -> None:
    ada = await make_payer(org)
    with pytest.raises(RoleNotAllowed):
        await member_client(org, MemberRole.ANALYST).post(ONRAMPS, onramp_body(ada))
