"""Signing in, slowing down, other passwords."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from argon2 import PasswordHasher

from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.mail.outbox import Outbox
from landbridge.mail.sandbox import SandboxMail
from landbridge.members.errors import LinkInvalid, SignInRefused, TooManyTries
from landbridge.members.links import MemberLinks
from landbridge.members.model import LIFETIME
from landbridge.members.service import Members
from landbridge.members.sessions import Sessions
from landbridge.members.sign_in import SignIn
from landbridge.members.throttle import FREE, Subject, Throttle
from landbridge.web.caller import Role
from landbridge.wiring import House
from tests.members.people import (
    PASSWORD,
    Joined,
    come_in,
    first_admin,
    host_of,
    join,
    token_of,
)
from tests.tenants import URL, Tenant

OTHER = "another lantern, another bridge"


async def test_whoever_is_wrong_is_told_the_same(org: Tenant) -> None:
    admin = await first_admin(org)
    said: set[str] = set()
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
        said.add(refused.value.message)
        assert refused.value.field is None
    assert len(said) == 1
    assert (await come_in(org, admin.email.upper())).id == admin.id


@pytest.mark.one_commit(reason="a try that is repeated after another one counts twice")
async def test_guessing_slows_down_for_all_processes(
    own_dsn: str, own_database: Database, house: House
) -> None:
    other = await Database.connect(own_dsn, name="tests", size_max=2)
    clock = FrozenClock(house.clock.now())
    try:
        throttles = [Throttle(each, clock) for each in (own_database, other)]
        done = await asyncio.gather(
            *(throttles[at % 2].take(Subject.ADDRESS, "a@x.test") for at in range(20)),
            return_exceptions=True,
        )
        assert sum(each is None for each in done) == FREE[Subject.ADDRESS]
        pauses: list[int] = []
        for at in range(14):
            with pytest.raises(TooManyTries) as refused:
                await throttles[at % 2].take(Subject.ADDRESS, "a@x.test")
            pauses.append(refused.value.retry_after_s or 0)
            # Stamps run ahead of a clock that stands still.
            clock.at += timedelta(seconds=pauses[-1], milliseconds=5)
            await throttles[at % 2].take(Subject.ADDRESS, "a@x.test")
        assert pauses[:4] == [2, 4, 8, 16]
        assert pauses[-1] == 900
        await throttles[0].take(Subject.ADDRESS, "b@x.test")
        clock.at += timedelta(days=2)
        for _ in range(FREE[Subject.ADDRESS]):
            await throttles[1].take(Subject.ADDRESS, "a@x.test")
        clock.at += timedelta(days=4)
        await throttles[0].sweep()
        assert not await own_database.rows("select tries from sign_in_tries")
    finally:
        await other.close()


async def test_the_right_password_waits_too_and_then_begins_anew(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    # A pause of two seconds may be over before a busy machine has looked at a password.
    org, admin = still_org, await first_admin(still_org)
    for _ in range(FREE[Subject.ADDRESS]):
        with pytest.raises(SignInRefused):
            await come_in(org, admin.email, OTHER)
    with pytest.raises(TooManyTries):
        await come_in(org, admin.email)
    still_clock.at += timedelta(seconds=2.1)
    await come_in(org, admin.email)
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email, OTHER)
    await come_in(org, admin.email)


async def test_one_network_address_tries_only_so_many_accounts(still_org: Tenant) -> None:
    org, host = still_org, f"host-{new_id()}"
    refused = 0
    for at in range(FREE[Subject.NETWORK] + 1):
        with pytest.raises((SignInRefused, TooManyTries)) as error:
            await come_in(org, f"{at}-{org.org_id}@x.test", OTHER, ip_address=host)
        refused += error.type is TooManyTries
    assert refused == 1


async def test_nothing_secret_is_stored_or_logged(org: Tenant, logged: Callable[[], str]) -> None:
    admin = await first_admin(org)
    somebody = await join(org, admin)
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email, OTHER)
    link = await org.house.members.reset_from_desk(
        org.org_id, timedelta(), email=admin.email, drops_factors=False
    )
    tables = ("members", "sessions", "member_links", "changes", "sign_in_tries")
    stored = ""
    for table in tables:
        rows = await org.house.database.rows(f"select t::text as line from {table} t")  # noqa: S608
        stored += "\n".join(row["line"] for row in rows)
    for secret in (PASSWORD, OTHER, admin.secret, somebody.secret, token_of(link)):
        assert secret not in stored
        assert secret not in logged()
        assert secret not in repr(admin.signed)
    assert "$argon2id$" in stored


async def test_a_hash_of_other_parameters_is_made_anew(org: Tenant) -> None:
    admin = await first_admin(org)
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    await org.house.database.rows(
        "update members set password_hash = $2 where org_id = $1", org.org_id, weak
    )
    await come_in(org, admin.email)
    rows = await org.house.database.rows(
        "select password_hash from members where org_id = $1", org.org_id
    )
    assert rows[0]["password_hash"] not in {weak, PASSWORD}
    await come_in(org, admin.email)


async def test_a_reset_is_used_once_and_ends_every_session(org: Tenant) -> None:
    admin = await first_admin(org)
    link = await _reset(org, admin)
    voided, token = token_of(link), token_of(await _reset(org, admin))
    with pytest.raises(LinkInvalid):
        await org.house.sign_in.reset_of(voided)
    with pytest.raises(FieldInvalid):
        await org.house.sign_in.reset(token, password="short")
    done = await asyncio.gather(
        *(org.house.sign_in.reset(token, password=OTHER) for _ in range(2)),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["LinkInvalid", "NoneType"]
    assert await org.house.sessions.find(admin.secret) is None
    with pytest.raises(SignInRefused):
        await come_in(org, admin.email)
    await come_in(org, admin.email, OTHER)


async def test_who_asks_for_a_reset_learns_nothing(org: Tenant) -> None:
    admin = await first_admin(org)
    sign_in, mailed = _mailing(org)
    for email in (admin.email, f"nobody-{org.org_id}@x.test", "no address"):
        await sign_in.ask_reset(email)
    for _ in range(10):
        await sign_in.ask_reset(admin.email)
    # A few mails, and then no more for a while: nobody's mailbox is filled.
    assert FREE[Subject.MAILS] <= await mailed() < 3 + FREE[Subject.MAILS]


async def test_changing_the_password_ends_the_other_sessions(org: Tenant) -> None:
    admin = await first_admin(org)
    here = await come_in(org, admin.email)
    caller, session_id = here.signed.caller, here.signed.session_id
    with pytest.raises(FieldInvalid) as refused:
        await org.house.sign_in.change_password(caller, session_id, OTHER, OTHER)
    assert refused.value.field == "old"
    with pytest.raises(FieldInvalid) as refused:
        await org.house.sign_in.change_password(caller, session_id, PASSWORD, "short")
    assert refused.value.field == "new"
    await org.house.sign_in.change_password(caller, session_id, PASSWORD, OTHER)
    assert await org.house.sessions.find(here.secret) is not None
    assert await org.house.sessions.find(admin.secret) is None
    await come_in(org, admin.email, OTHER)


async def test_sessions_are_listed_and_ended(org: Tenant) -> None:
    admin = await first_admin(org)
    second, third = await come_in(org, admin.email), await come_in(org, admin.email)
    sessions, caller = org.house.sessions, third.signed.caller
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
    house = org.house
    await house.member_sweeping.sweep([org.org_id])
    assert await house.sessions.find(admin.secret) is not None
    await house.database.rows(
        "update sessions set expires_at = $2 where org_id = $1",
        org.org_id,
        house.clock.now() - timedelta(days=91),
    )
    await house.member_sweeping.sweep([org.org_id])
    rows = await house.database.rows("select id from sessions where org_id = $1", org.org_id)
    assert not rows
    assert timedelta(days=7) == LIFETIME


async def test_the_first_admin_is_made_once(org: Tenant) -> None:
    members, clock = org.house.members, Clock(lane=8)
    assert clock.now()
    email = f"first-{org.org_id}@x.test"
    made = await asyncio.gather(
        *(members.first(org.org_id, email=email, password=None) for _ in range(4))
    )
    (first,) = [each for each in made if each is not None]
    assert first.password is not None
    assert (await come_in(org, email, first.password)).signed.person.role is Role.ADMIN
    assert await members.first(org.org_id, email=None, password=None) is None
    assert await members.first(org.org_id, email=email, password=OTHER) is None
    with pytest.raises(FieldInvalid):
        await members.first(org.org_id, email="b" + email, password="password1234")


async def _reset(org: Tenant, admin: Joined) -> str:
    return await org.house.members.reset_from_desk(
        org.org_id, timedelta(), email=admin.email, drops_factors=False
    )


def _mailing(org: Tenant) -> tuple[SignIn, Callable[[], "asyncio.Future[int]"]]:
    """Signing in where mails are sent."""
    house = org.house
    outbox = Outbox(house.database, house.vault, house.clock, SandboxMail())
    sessions, throttle = (
        Sessions(house.database, house.clock, house.vault),
        Throttle(house.database, house.clock),
    )
    links = MemberLinks(house.database, house.clock, outbox, house.vault, base_url=URL)
    members = Members(house.database, house.clock, sessions, links, house.vault)
    sign_in = SignIn(
        house.database,
        house.clock,
        members=members,
        sessions=sessions,
        links=links,
        throttle=throttle,
    )

    async def mailed() -> int:
        rows = await house.database.rows("select id from mails where org_id = $1", org.org_id)
        return len(rows)

    return sign_in, lambda: asyncio.ensure_future(mailed())
