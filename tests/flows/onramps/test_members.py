"""Onramps of people who signed in. There is no approval for an onramp."""

import pytest

from landbridge.core.errors import RoleNotAllowed
from landbridge.web.caller import Role
from tests.onramps import ONRAMPS, make_onramp, make_payer, onramp_body
from tests.tenants import Tenant, make_user, register
from tests.web.asking import asked_by

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def test_a_member_buys_coins_for_the_user_who_pays_alone(org: Tenant) -> None:
    ada, bob = await make_payer(org), await make_user(org)
    external = await register(org, ada, OUTSIDE)
    member, admin = asked_by(org, Role.MEMBER), asked_by(org, Role.ADMIN)
    for destination in (None, {"userId": ada}):
        made = await member.post(ONRAMPS, onramp_body(ada, destination=destination))
        accepted = await member.post(f"{ONRAMPS}/{made['transferDetails']['id']}/quote/accept")
        assert accepted["transferDetails"]["status"] == "AWAITING_FUNDS"
    for destination in ({"userId": bob}, {"externalWalletId": external, "chain": None}):
        with pytest.raises(RoleNotAllowed, match="by a transfer"):
            await member.post(ONRAMPS, onramp_body(ada, destination=destination))
        # Nor what somebody else has quoted.
        quoted = await make_onramp(org, ada, is_accepted=False, destination=destination)
        accept = f"{ONRAMPS}/{quoted['id']}/quote/accept"
        with pytest.raises(RoleNotAllowed):
            await member.post(accept)
        assert (await admin.post(accept))["transferDetails"]["status"] == "AWAITING_FUNDS"


async def test_an_analyst_buys_nothing(org: Tenant) -> None:
    ada = await make_payer(org)
    with pytest.raises(RoleNotAllowed):
        await asked_by(org, Role.ANALYST).post(ONRAMPS, onramp_body(ada))
