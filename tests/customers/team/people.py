"""Members that sign in by themselves."""

from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.team.model import SignedInSession
from landbridge.platform.http.caller import Caller, MemberRole
from tests.tenants import Tenant

PASSWORD = "a lantern over seven bridges"


@dataclass(frozen=True, slots=True)
class Joined:
    """Member who has accepted an invitation, with the session that started then."""

    id: UUID
    email: str
    secret: str
    signed: SignedInSession


async def first_admin(org: Tenant) -> Joined:
    """Return the admin that the first start creates."""
    email = f"admin-{org.org_id}@example.com"
    assert await org.container.team.first(org.org_id, email=email, password=PASSWORD)
    return await come_in(org, email)


async def join(org: Tenant, admin: Joined, role: MemberRole = MemberRole.MEMBER) -> Joined:
    """Invite a member as this admin; return them after they have joined."""
    email = (
        f"{role.value}-{len(await org.container.team.list_members(org.org_id))}-{org.org_id}@x.test"
    )
    invited = await org.container.team.invite(
        admin.signed.caller, email=email, name="Grace Example", role=role
    )
    secret = await org.container.sign_in.accept(
        token_of(invited.link),
        name="Grace Example",
        password=PASSWORD,
        ip_address="203.0.113.9",
        browser="Test",
    )
    return await _found(org, secret, email)


async def store_member(org: Tenant, caller: Caller) -> None:
    """Store the member of an invented caller, unless the id exists."""
    assert caller.member is not None
    await org.container.database.rows(
        "insert into team_members (org_id, id, email, name, role, language, theme,"
        " receives_approval_emails, is_invited, created_at, version)"
        " values ($1, $2::uuid, $2::uuid || '@x.test', 'Ada Example', $3, 'en', 'system', false,"
        " false, now(), 1) on conflict do nothing",
        caller.org_id,
        caller.id,
        caller.member.role,
    )


async def come_in(
    org: Tenant,
    email: str,
    password: str = PASSWORD,
    *,
    ip_address: str | None = None,
    known_browser: str | None = None,
) -> Joined:
    """Sign in with a password, by default from a network of the organisation's own."""
    secret = await org.container.sign_in.sign_in(
        email,
        password,
        ip_address=ip_address or host_of(org),
        browser="Test",
        known_browser=known_browser,
    )
    return await _found(org, secret, email)


def host_of(org: Tenant) -> str:
    """Return the members' network: attempts count per network across organisations and clocks."""
    return f"host-{org.org_id}"


def token_of(link: str) -> str:
    """Return the token in the last part of a link."""
    return link.rpartition("/")[2]


async def _found(org: Tenant, secret: str, email: str) -> Joined:
    signed = await org.container.sessions.find(secret)
    assert signed is not None
    return Joined(signed.person.id, email, secret, signed)
