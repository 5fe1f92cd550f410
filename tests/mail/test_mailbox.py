"""The sandbox's mailbox: what would have been sent, for admins to read."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import ResourceNotFound, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.mail import mailbox
from landbridge.mail.mailbox import Mailbox
from landbridge.mail.outbox import Letter, Outbox
from landbridge.mail.sandbox import SandboxMail
from landbridge.web.caller import Member, Role
from landbridge.wiring import House
from tests.tenants import Tenant

LETTER = Letter("ada@example.com", "Your form", "Please open it.")


async def _put(house: House, org_id: UUID, letter: Letter = LETTER) -> UUID:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await house.vault.make(tx, org_id, owner)
        await house.outbox.put(tx, org_id=org_id, owner_id=owner, key=key, letter=letter)

    await house.database.transact(work)
    return owner


async def test_what_was_not_sent_is_kept(org: Tenant) -> None:
    await _put(org.house, org.org_id)
    assert not await org.house.mailbox.newest(org.caller)
    await org.house.outbox.run_once([org.org_id])
    (kept,) = await org.house.mailbox.newest(org.caller)
    assert kept.letter == LETTER
    assert await org.house.mailbox.get(org.caller, kept.id) == kept
    waiting = await org.house.database.rows("select id from mails where org_id = $1", org.org_id)
    assert not waiting


async def test_it_is_sealed_and_goes_with_its_owner(org: Tenant) -> None:
    owner = await _put(org.house, org.org_id)
    await org.house.outbox.run_once([org.org_id])
    rows = await org.house.database.rows(
        "select m::text as m from mailbox m where org_id = $1", org.org_id
    )
    assert b"ada@example.com".hex() not in rows[0]["m"]
    (kept,) = await org.house.mailbox.newest(org.caller)
    vault = org.house.vault
    await org.house.database.transact(lambda tx: vault.destroy(tx, org.org_id, [owner]))
    assert not await org.house.mailbox.newest(org.caller)
    with pytest.raises(ResourceNotFound):
        await org.house.mailbox.get(org.caller, kept.id)


async def test_what_was_erased_before_it_left_is_not_kept(org: Tenant) -> None:
    owner = await _put(org.house, org.org_id)
    vault = org.house.vault
    await org.house.database.transact(lambda tx: vault.destroy(tx, org.org_id, [owner]))
    await org.house.outbox.run_once([org.org_id])
    assert not await org.house.database.rows("select id from mailbox where org_id = $1", org.org_id)


async def test_the_newest_are_kept(org: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "KEPT", 2)
    clock = FrozenClock(org.house.clock.now())
    outbox = Outbox(org.house.database, org.house.vault, clock, SandboxMail(), keeps=True)
    house = replace(org.house, outbox=outbox)
    for number in range(4):
        clock.at += timedelta(seconds=1)
        await _put(house, org.org_id, Letter("ada@example.com", f"Number {number}", "x"))
        await outbox.run_once([org.org_id])
    kept = await org.house.mailbox.newest(org.caller)
    assert [each.letter.subject for each in kept] == ["Number 3", "Number 2"]


async def test_only_admins_of_this_organisation_read_it(org: Tenant, other_org: Tenant) -> None:
    await _put(org.house, org.org_id)
    await org.house.outbox.run_once([org.org_id])
    (kept,) = await org.house.mailbox.newest(org.caller)
    assert not await org.house.mailbox.newest(other_org.caller)
    with pytest.raises(ResourceNotFound):
        await org.house.mailbox.get(other_org.caller, kept.id)
    for role in (Role.MEMBER, Role.ANALYST):
        caller = replace(org.caller, member=Member(new_id(), role))
        with pytest.raises(RoleNotAllowed):
            await org.house.mailbox.newest(caller)
        with pytest.raises(RoleNotAllowed):
            await org.house.mailbox.get(caller, kept.id)


async def test_production_has_none(org: Tenant) -> None:
    closed = Mailbox(org.house.database, org.house.vault, org.house.clock, is_open=False)
    with pytest.raises(ResourceNotFound):
        await closed.newest(org.caller)
    with pytest.raises(ResourceNotFound):
        await closed.get(org.caller, new_id())


async def test_without_a_mailbox_nothing_is_kept(org: Tenant) -> None:
    house = replace(org.house, outbox=replace(org.house.outbox, keeps=False))
    await _put(house, org.org_id)
    await house.outbox.run_once([org.org_id])
    assert not await org.house.mailbox.newest(org.caller)


async def test_who_reads_a_mail_is_told_in_the_log(org: Tenant) -> None:
    await _put(org.house, org.org_id)
    await org.house.outbox.run_once([org.org_id])
    (kept,) = await org.house.mailbox.newest(org.caller)
    await asyncio.gather(*(org.house.mailbox.get(org.caller, kept.id) for _ in range(3)))
    rows = await org.house.database.rows(
        "select what, actor, c::text as line from changes c where org_id = $1 and kind = 'MAIL'",
        org.org_id,
    )
    assert [(row["what"], row["actor"]) for row in rows] == [("read", org.caller.actor)] * 3
    assert not any("ada@example.com" in row["line"] for row in rows)
