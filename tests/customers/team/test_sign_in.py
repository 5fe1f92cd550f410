"""Signing in, slowing down, other passwords."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from argon2 import PasswordHasher

from landbridge.app.container import Container
from landbridge.app.settings import SettingsInvalid, read
from landbridge.customers.team.errors import LinkInvalid, SignInRefused, TooManyAttempts
from landbridge.customers.team.links import MemberLinks
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject, LoginRateLimit
from landbridge.customers.team.model import LIFETIME
from landbridge.customers.team.passwords import PasswordHashes
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.mail.outbox import Outbox
from landbridge.platform.mail.sandbox import SandboxMail
from tests.customers.team.people import (
    PASSWORD,
    Joined,
    come_in,
    first_admin,
    host_of,
    join,
    token_of,
)
from tests.tenants import SETTINGS, URL, Tenant

OTHER = "another lantern, another bridge"


async def test_every_wrong_credential_gets_the_same_error(org: Tenant) -> None:
    admin = await first_admin(org)
    messages: set[str] = set()
    for email, password in (
        (admin.email, OTHER),
        (f"nobody-{org.org_id}@x.test", PASSWORD),
        ("no address", PASSWORD),
        (admin.email, "x" * 100_000),
        (admin.email, "\ud800"),
        ("\ud800@x.test", ""),
    ):
        with pytest.raises(SignInRefused) as refused:
            await come_in(org, email, password, ip_address=f"host-{new_id()}")
        messages.add(refused.value.message)
        assert refused.value.field is None
    assert len(messages) == 1
    assert (await come_in(org, admin.email.upper())).id == admin.id


@pytest.mark.one_commit(reason="a try that is repeated after another one counts twice")
async def test_guessing_slows_down_for_all_processes(
    own_dsn: str, own_database: Database, container: Container
) -> None:
    other = await Database.connect(own_dsn, name="tests", size_max=2)
    clock = FrozenClock(container.clock.now())
    try:
        throttles = [LoginRateLimit(each, clock) for each in (own_database, other)]
        done = await asyncio.gather(
            *(throttles[at % 2].take(AttemptSubject.ADDRESS, "a@x.test") for at in range(20)),
            return_exceptions=True,
        )
        assert sum(each is None for each in done) == FREE[AttemptSubject.ADDRESS]
        pauses: list[int] = []
        for at in range(14):
            with pytest.raises(TooManyAttempts) as refused:
                await throttles[at % 2].take(AttemptSubject.ADDRESS, "a@x.test")
            pauses.append(refused.value.retry_after_s or 0)
            # Timestamps run ahead of a stopped clock.
            clock.at += timedelta(seconds=pauses[-1], milliseconds=5)
            await throttles[at % 2].take(AttemptSubject.ADDRESS, "a@x.test")
        assert pauses[:4] == [2, 4, 8, 16]
        assert pauses[-1] == 900
        await throttles[0].take(AttemptSubject.ADDRESS, "b@x.test")
        clock.at += timedelta(days=2)
        for _ in range(FREE[AttemptSubject.ADDRESS]):
            await throttles[1].take(AttemptSubject.ADDRESS, "a@x.test")
        clock.at += timedelta(days=4)
        await throttles[0].sweep()
        assert not await own_database.rows("select attempts from login_attempts")
    finally:
        await other.close()


@pytest.mark.long
async def test_the_right_password_waits_too_and_then_resets_the_delay(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    # A delay of two seconds may pass before a busy machine has checked a password.
    org, admin = still_org, await first_admin(still_org)
    for _ in range(FREE[AttemptSubject.ADDRESS]):
        with pytest.raises(SignInRefused):
            await come_in(org, admin.email, OTHER)
    with pytest.raises(TooManyAttempts):
        await come_in(org, admin.email)
    still_clock.at += timedelta(seconds=2.1)
    await come_in(org, admin.email)
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email, OTHER)
    await come_in(org, admin.email)


@pytest.mark.long
async def test_one_network_address_tries_only_so_many_accounts(still_org: Tenant) -> None:
    org, host = still_org, f"host-{new_id()}"
    refused = 0
    for at in range(FREE[AttemptSubject.NETWORK] + 1):
        with pytest.raises((SignInRefused, TooManyAttempts)) as error:
            await come_in(org, f"{at}-{org.org_id}@x.test", OTHER, ip_address=host)
        refused += error.type is TooManyAttempts
    assert refused == 1


async def test_nothing_secret_is_stored_or_logged(org: Tenant, logged: Callable[[], str]) -> None:
    admin = await first_admin(org)
    member = await join(org, admin)
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email, OTHER)
    link = await org.container.team.reset_by_operator(
        org.org_id, timedelta(), email=admin.email, drops_factors=False
    )
    tables = ("team_members", "sessions", "team_member_links", "changes", "login_attempts")
    stored = ""
    for table in tables:
        rows = await org.container.database.rows(f"select t::text as line from {table} t")  # noqa: S608
        stored += "\n".join(row["line"] for row in rows)
    for secret in (PASSWORD, OTHER, admin.secret, member.secret, token_of(link)):
        assert secret not in stored
        assert secret not in logged()
        assert secret not in repr(admin.signed)
    assert "$argon2id$" in stored


async def test_a_hash_with_other_parameters_is_replaced(org: Tenant) -> None:
    admin = await first_admin(org)
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    await org.container.database.rows(
        "update team_members set password_hash = $2 where org_id = $1", org.org_id, weak
    )
    await come_in(org, admin.email)
    rows = await org.container.database.rows(
        "select password_hash from team_members where org_id = $1", org.org_id
    )
    assert rows[0]["password_hash"] not in {weak, PASSWORD}
    await come_in(org, admin.email)


async def test_a_reset_is_used_once_and_ends_every_session(org: Tenant) -> None:
    admin = await first_admin(org)
    link = await _reset(org, admin)
    voided, token = token_of(link), token_of(await _reset(org, admin))
    with pytest.raises(LinkInvalid):
        await org.container.sign_in.reset_of(voided)
    with pytest.raises(FieldInvalid):
        await org.container.sign_in.reset(token, password="short")
    done = await asyncio.gather(
        *(org.container.sign_in.reset(token, password=OTHER) for _ in range(2)),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["LinkInvalid", "NoneType"]
    assert await org.container.sessions.find(admin.secret) is None
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email)
    await come_in(org, admin.email, OTHER)


@pytest.mark.long
async def test_password_reset_reveals_no_account(org: Tenant) -> None:
    admin = await first_admin(org)
    sign_in, mailed = _mailing(org)
    for email in (admin.email, f"nobody-{org.org_id}@x.test", "no address"):
        await sign_in.request_reset(email)
    for _ in range(10):
        await sign_in.request_reset(admin.email)
    # A few emails, then none for a while: no mailbox is flooded.
    assert FREE[AttemptSubject.MAILS] <= await mailed() < 3 + FREE[AttemptSubject.MAILS]


async def test_changing_the_password_ends_the_other_sessions(org: Tenant) -> None:
    admin = await first_admin(org)
    here = await come_in(org, admin.email)
    session_id = here.signed.session_id
    with pytest.raises(FieldInvalid) as refused:
        await org.container.sign_in.change_password(here.signed, OTHER, OTHER)
    assert refused.value.field == "old"
    with pytest.raises(FieldInvalid) as refused:
        await org.container.sign_in.change_password(here.signed, PASSWORD, "short")
    assert refused.value.field == "new"
    secret = await org.container.sign_in.change_password(here.signed, PASSWORD, OTHER)
    assert (found := await org.container.sessions.find(secret)) is not None
    assert found.session_id == session_id
    # Not even a copy of this session's own cookie.
    assert await org.container.sessions.find(here.secret) is None
    assert await org.container.sessions.find(admin.secret) is None
    await come_in(org, admin.email, OTHER)


async def test_sessions_are_listed_and_ended(org: Tenant) -> None:
    admin = await first_admin(org)
    second, third = await come_in(org, admin.email), await come_in(org, admin.email)
    sessions, caller = org.container.sessions, third.signed.caller
    found = await sessions.of(caller)
    assert {each.id for each in found} == {
        each.signed.session_id for each in (admin, second, third)
    }
    assert {(each.ip_address, each.browser) for each in found} == {(host_of(org), "Test")}
    await sessions.revoke(caller, admin.signed.session_id)
    assert await sessions.find(admin.secret) is None
    assert await sessions.revoke_others(caller, third.signed.session_id) == 1
    assert [each.id for each in await sessions.of(caller)] == [third.signed.session_id]
    await sessions.sign_out(third.signed)
    assert await sessions.find(third.secret) is None


async def test_old_sessions_are_swept(org: Tenant) -> None:
    admin = await first_admin(org)
    container = org.container
    await container.team_cleanup.sweep([org.org_id])
    assert await container.sessions.find(admin.secret) is not None
    await container.database.rows(
        "update sessions set expires_at = $2 where org_id = $1",
        org.org_id,
        container.clock.now() - timedelta(days=91),
    )
    await container.team_cleanup.sweep([org.org_id])
    rows = await container.database.rows("select id from sessions where org_id = $1", org.org_id)
    assert not rows
    assert timedelta(days=7) == LIFETIME


async def test_the_first_admin_is_made_once(org: Tenant) -> None:
    members, clock = org.container.team, Clock(node=8)
    assert clock.now()
    email = f"first-{org.org_id}@x.test"
    created = await asyncio.gather(
        *(members.first(org.org_id, email=email, password=None) for _ in range(4))
    )
    (first,) = [each for each in created if each is not None]
    assert first.password is not None
    assert (await come_in(org, email, first.password)).signed.person.role is MemberRole.ADMIN
    assert await members.first(org.org_id, email=None, password=None) is None
    assert await members.first(org.org_id, email=email, password=OTHER) is None
    with pytest.raises(FieldInvalid):
        await members.first(org.org_id, email="b" + email, password="password1234")


async def _reset(org: Tenant, admin: Joined) -> str:
    return await org.container.team.reset_by_operator(
        org.org_id, timedelta(), email=admin.email, drops_factors=False
    )


def _mailing(org: Tenant) -> tuple[SignIn, Callable[[], "asyncio.Future[int]"]]:
    """Signing in where mails are sent."""
    container = org.container
    outbox = Outbox(container.database, container.vault, container.clock, SandboxMail())
    sessions, throttle = (
        Sessions(container.database, container.clock, container.vault),
        LoginRateLimit(container.database, container.clock),
    )
    links = MemberLinks(container.database, container.clock, outbox, container.vault, base_url=URL)
    hashes = PasswordHashes(SETTINGS.password_memory_kib)
    members = Team(
        container.database,
        container.clock,
        sessions=sessions,
        links=links,
        throttle=throttle,
        vault=container.vault,
        hashes=hashes,
    )
    sign_in = SignIn(
        container.database,
        container.clock,
        members=members,
        sessions=sessions,
        links=links,
        throttle=throttle,
        vault=container.vault,
        hashes=hashes,
    )

    async def mailed() -> int:
        rows = await container.database.rows(
            "select id from outbound_emails where org_id = $1", org.org_id
        )
        return len(rows)

    return sign_in, lambda: asyncio.ensure_future(mailed())


def test_production_hashes_passwords_with_enough_memory() -> None:
    environ = {
        "LANDBRIDGE_MODE": "production",
        "LANDBRIDGE_MASTER_KEY": SETTINGS.master_key or "",
        "LANDBRIDGE_PASSWORD_MEMORY_KIB": "19455",
    }
    with pytest.raises(SettingsInvalid, match="PASSWORD_MEMORY_KIB must be at least 19456"):
        read(environ)
    assert read({**environ, "LANDBRIDGE_PASSWORD_MEMORY_KIB": "19456"}).password_memory_kib == 19456
