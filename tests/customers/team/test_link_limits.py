"""Limits on links to members: on their e-mails, and on the passwords that are chosen by them."""

import asyncio
from dataclasses import replace

import pytest
from typing_extensions import override

from landbridge.customers.team.errors import TooManyAttempts
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from landbridge.customers.team.passwords import PasswordHashes
from landbridge.platform.http.caller import MemberRole
from tests.customers.team.people import PASSWORD, first_admin, token_of
from tests.tenants import SETTINGS, Tenant


class _CountedHashes(PasswordHashes):
    """Counts the passwords that it hashes."""

    count = 0

    @override
    async def hash(self, password: str) -> str:
        self.count += 1
        return await super().hash(password)


async def test_a_link_hashes_few_passwords(org: Tenant) -> None:
    """Each takes a thread that everybody signs in by: a hundred at once delayed that by 10 s."""
    invited = await org.container.team.invite(
        (await first_admin(org)).signed.caller,
        email=f"a-{org.org_id}@x.test",
        name="Ada",
        role=MemberRole.MEMBER,
    )
    hashes = _CountedHashes(SETTINGS.password_memory_kib)
    token, accept = token_of(invited.link), replace(org.container.sign_in, hashes=hashes).accept
    answers = await asyncio.gather(
        *(
            accept(token, name="Ada", password=PASSWORD, ip_address=None, browser=None)
            for _ in range(20)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(each, str) for each in answers) == 1
    assert any(isinstance(each, TooManyAttempts) for each in answers)
    # Calls that come when the link is used already are refused for that, without a hash.
    assert hashes.count <= FREE[AttemptSubject.LINK]


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
