"""Members that sign in by themselves."""

from dataclasses import dataclass
from uuid import UUID

from landbridge.members.model import SignedIn
from landbridge.web.caller import Role
from tests.tenants import Tenant

PASSWORD = "a lantern over seven bridges"


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody who has taken an invitation up, and the session that this began."""

    id: UUID
    email: str
    secret: str
    signed: SignedIn


async def first_admin(org: Tenant) -> Joined:
    """The admin that the first start makes."""
    email = f"admin-{org.org_id}@example.com"
    assert await org.house.members.first(org.org_id, email=email, password=PASSWORD)
    return await come_in(org, email)


async def join(org: Tenant, admin: Joined, role: Role = Role.MEMBER) -> Joined:
    """Somebody whom this admin invites."""
    email = f"{role.value}-{len(await org.house.members.everybody(org.org_id))}-{org.org_id}@x.test"
    invited = await org.house.members.invite(
        admin.signed.caller, email=email, name="Grace Example", role=role
    )
    secret = await org.house.sign_in.accept(
        token_of(invited.link),
        name="Grace Example",
        password=PASSWORD,
        ip_address="203.0.113.9",
        browser="Test",
    )
    return await _found(org, secret, email)


async def come_in(
    org: Tenant, email: str, password: str = PASSWORD, *, ip_address: str | None = None
) -> Joined:
    """Somebody signs in with a password, from a network of the organisation's own unless told."""
    secret = await org.house.sign_in.sign_in(
        email, password, ip_address=ip_address or host_of(org), browser="Test"
    )
    return await _found(org, secret, email)


def host_of(org: Tenant) -> str:
    """Where its members sit: tries are counted by network for all organisations and all clocks."""
    return f"host-{org.org_id}"


def token_of(link: str) -> str:
    """What the last part of a link is."""
    return link.rpartition("/")[2]


async def _found(org: Tenant, secret: str, email: str) -> Joined:
    signed = await org.house.sessions.find(secret)
    assert signed is not None
    return Joined(signed.person.id, email, secret, signed)
