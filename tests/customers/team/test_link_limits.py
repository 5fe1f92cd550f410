"""Limits on links to members: on their e-mails, and on the passwords that are chosen by them."""

import asyncio

import pytest

from landbridge.customers.team.errors import TooManyAttempts
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from landbridge.platform.http.caller import MemberRole
from tests.customers.team.people import PASSWORD, first_admin, token_of
from tests.tenants import Tenant


async def test_a_link_hashes_few_passwords(org: Tenant) -> None:
    """Each takes a thread that everybody signs in by: a hundred at once delayed that by 10 s."""
    invited = await org.container.team.invite(
        (await first_admin(org)).signed.caller,
        email=f"a-{org.org_id}@x.test",
        name="Ada",
        role=MemberRole.MEMBER,
    )
    token, accept = token_of(invited.link), org.container.sign_in.accept
    answers = await asyncio.gather(
        *(
            accept(token, name="Ada", password=PASSWORD, ip_address=None, browser=None)
            for _ in range(20)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(each, str) for each in answers) == 1
    refused = sum(isinstance(each, TooManyAttempts) for each in answers)
    # Some may come when the link is used already: they are refused for that, without a hash.
    assert refused > len(answers) // 2


async def test_an_address_gets_few_invitations(org: Tenant, other_org: Tenant) -> None:
    team, email = org.container.team, f"a-{org.org_id}@x.test"
    caller = (await first_admin(org)).signed.caller
    other = (await first_admin(other_org)).signed.caller
    invited = await team.invite(caller, email=email, name="Ada", role=MemberRole.MEMBER)
    for _ in range(FREE[AttemptSubject.INVITED] - 1):
        await team.invite_again(caller, invited.person.id)
    with pytest.raises(TooManyAttempts):
        await team.invite_again(caller, invited.person.id)
    # Nor does another organisation write to it, after a removal.
    await team.remove(caller, invited.person.id)
    with pytest.raises(TooManyAttempts):
        await team.invite(other, email=email, name="Ada", role=MemberRole.MEMBER)
