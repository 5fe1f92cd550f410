"""Mailbox of the sandbox: emails that would have been sent, readable by admins."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.app.container import Container
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import ResourceNotFound, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.platform.mail import mailbox
from landbridge.platform.mail.mailbox import Mailbox
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent
from landbridge.platform.mail.sandbox import SandboxMail
from tests.tenants import Tenant

LETTER = SealedEmailContent("ada@example.com", "Your form", "Please open it.")


async def _put(container: Container, org_id: UUID, email: SealedEmailContent = LETTER) -> UUID:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await container.vault.make(tx, org_id, owner)
        await container.outbox.put(tx, org_id=org_id, owner_id=owner, key=key, email=email)

    await container.database.transact(work)
    return owner


async def test_unsent_email_is_kept(org: Tenant) -> None:
    await _put(org.container, org.org_id)
    assert not await org.container.mailbox.newest(org.caller)
    await org.container.outbox.run_once([org.org_id])
    (mail,) = await org.container.mailbox.newest(org.caller)
    assert mail.email == LETTER
    assert await org.container.mailbox.get(org.caller, mail.id) == mail
    waiting = await org.container.database.rows(
        "select id from outbound_emails where org_id = $1", org.org_id
    )
    assert not waiting


async def test_email_is_encrypted_and_erased_with_its_owner(org: Tenant) -> None:
    owner = await _put(org.container, org.org_id)
    await org.container.outbox.run_once([org.org_id])
    rows = await org.container.database.rows(
        "select m::text as m from captured_emails m where org_id = $1", org.org_id
    )
    assert b"ada@example.com".hex() not in rows[0]["m"]
    (mail,) = await org.container.mailbox.newest(org.caller)
    vault = org.container.vault
    await org.container.database.transact(lambda tx: vault.destroy(tx, org.org_id, [owner]))
    assert not await org.container.mailbox.newest(org.caller)
    with pytest.raises(ResourceNotFound):
        await org.container.mailbox.get(org.caller, mail.id)


async def test_email_erased_before_sending_is_not_kept(org: Tenant) -> None:
    owner = await _put(org.container, org.org_id)
    vault = org.container.vault
    await org.container.database.transact(lambda tx: vault.destroy(tx, org.org_id, [owner]))
    await org.container.outbox.run_once([org.org_id])
    assert not await org.container.database.rows(
        "select id from captured_emails where org_id = $1", org.org_id
    )


async def test_newest_emails_are_kept(org: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "MAILBOX_SIZE_MAX", 2)
    clock = FrozenClock(org.container.clock.now())
    outbox = Outbox(
        org.container.database, org.container.vault, clock, SandboxMail(), captures=True
    )
    container = replace(org.container, outbox=outbox)
    for number in range(4):
        clock.at += timedelta(seconds=1)
        await _put(
            container, org.org_id, SealedEmailContent("ada@example.com", f"Number {number}", "x")
        )
        await outbox.run_once([org.org_id])
    mail = await org.container.mailbox.newest(org.caller)
    assert [each.email.subject for each in mail] == ["Number 3", "Number 2"]


async def test_only_admins_of_the_organisation_read_it(org: Tenant, other_org: Tenant) -> None:
    await _put(org.container, org.org_id)
    await org.container.outbox.run_once([org.org_id])
    (mail,) = await org.container.mailbox.newest(org.caller)
    assert not await org.container.mailbox.newest(other_org.caller)
    with pytest.raises(ResourceNotFound):
        await org.container.mailbox.get(other_org.caller, mail.id)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        caller = replace(org.caller, member=SignedInMember(new_id(), role))
        with pytest.raises(RoleNotAllowed):
            await org.container.mailbox.newest(caller)
        with pytest.raises(RoleNotAllowed):
            await org.container.mailbox.get(caller, mail.id)


async def test_production_has_no_mailbox(org: Tenant) -> None:
    closed = Mailbox(
        org.container.database, org.container.vault, org.container.clock, is_open=False
    )
    with pytest.raises(ResourceNotFound):
        await closed.newest(org.caller)
    with pytest.raises(ResourceNotFound):
        await closed.get(org.caller, new_id())


async def test_without_a_mailbox_nothing_is_kept(org: Tenant) -> None:
    container = replace(org.container, outbox=replace(org.container.outbox, captures=False))
    await _put(container, org.org_id)
    await container.outbox.run_once([org.org_id])
    assert not await org.container.mailbox.newest(org.caller)


async def test_reader_of_an_email_is_logged(org: Tenant) -> None:
    await _put(org.container, org.org_id)
    await org.container.outbox.run_once([org.org_id])
    (mail,) = await org.container.mailbox.newest(org.caller)
    await asyncio.gather(*(org.container.mailbox.get(org.caller, mail.id) for _ in range(3)))
    rows = await org.container.database.rows(
        "select change_type, actor, c::text as line from changes c where org_id = $1"
        " and kind = 'MAIL'",
        org.org_id,
    )
    assert [(row["change_type"], row["actor"]) for row in rows] == [("read", org.caller.actor)] * 3
    assert not any("ada@example.com" in row["line"] for row in rows)
