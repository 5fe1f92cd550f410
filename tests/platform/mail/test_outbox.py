"""Outbox: sent once in the ordinary case, never lost, and encrypted in the table."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.app.container import Container
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import FieldInvalid, Rejected, Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent
from landbridge.platform.mail.port import OutboundEmail
from landbridge.platform.mail.smtp import Smtp
from tests.platform.mail.mail_server import MailServer, listening
from tests.tenants import Tenant

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LETTER = SealedEmailContent("ada@example.com", "Your form", "Please open it.")


@dataclass
class Script:
    """Mail transport with scripted results, one per call."""

    outcomes: list[Exception] = field(default_factory=list[Exception])
    sent: list[OutboundEmail] = field(default_factory=list[OutboundEmail])

    async def send(self, message: OutboundEmail) -> None:
        if self.outcomes:
            raise self.outcomes.pop(0)
        self.sent.append(message)


def _outbox(container: Container, mail: Script | Smtp | None) -> tuple[Outbox, FrozenClock]:
    clock = FrozenClock(START)
    return Outbox(container.database, container.vault, clock, mail), clock


async def _put(outbox: Outbox, org_id: UUID, email: SealedEmailContent = LETTER) -> UUID:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await outbox.vault.make(tx, org_id, owner)
        await outbox.put(tx, org_id=org_id, owner_id=owner, key=key, email=email)

    await outbox.database.transact(work)
    return owner


async def _waiting(database: Database, org_id: UUID) -> int:
    rows = await database.rows(
        "select count(*) as n from outbound_emails where org_id = $1", org_id
    )
    return rows[0]["n"]


async def test_email_is_sent_once(container: Container, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(container, mail)
    await _put(outbox, org.org_id)
    assert not await outbox.run_once([org.org_id])
    await outbox.run_once([org.org_id])
    (sent,) = mail.sent
    assert (sent.to, sent.subject, sent.text) == (LETTER.to, LETTER.subject, LETTER.text)
    assert await _waiting(container.database, org.org_id) == 0


async def test_email_is_sent_over_smtp(container: Container, org: Tenant) -> None:
    async with listening(MailServer()) as server:
        url = f"smtp+plain://127.0.0.1:{server.port}"
        outbox, _ = _outbox(container, Smtp(url, sender="mail@example.com"))
        await _put(outbox, org.org_id)
        await outbox.run_once([org.org_id])
    assert len(server.messages) == 1


async def test_rolled_back_email_is_not_sent(container: Container, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(container, mail)
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await outbox.vault.make(tx, org.org_id, owner)
        await outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, email=LETTER)
        raise FieldInvalid("changed our mind")

    with pytest.raises(FieldInvalid):
        await container.database.transact(work)
    await outbox.run_once([org.org_id])
    assert not mail.sent


async def test_failed_email_is_retried(container: Container, org: Tenant) -> None:
    mail = Script(outcomes=[Unavailable("not now"), Unavailable("not now")])
    outbox, clock = _outbox(container, mail)
    await _put(outbox, org.org_id)
    await outbox.run_once([org.org_id])
    await outbox.run_once([org.org_id])
    assert len(mail.outcomes) == 1, "it was tried again at once"
    clock.at += timedelta(minutes=2)
    await outbox.run_once([org.org_id])
    clock.at += timedelta(minutes=2)
    await outbox.run_once([org.org_id])
    assert not mail.sent, "the pause did not grow"
    clock.at += timedelta(minutes=2)
    await outbox.run_once([org.org_id])
    assert len(mail.sent) == 1
    assert await _waiting(container.database, org.org_id) == 0


async def test_email_is_given_up_after_a_day_with_a_log_line(
    container: Container, org: Tenant, logged: Callable[[], str]
) -> None:
    mail = Script(outcomes=[Unavailable("not now") for _ in range(100)])
    outbox, clock = _outbox(container, mail)
    await _put(outbox, org.org_id)
    while await _waiting(container.database, org.org_id):
        await outbox.run_once([org.org_id])
        clock.at += timedelta(minutes=10)
    assert timedelta(days=1) <= clock.at - START < timedelta(days=1, hours=2)
    assert 20 < 100 - len(mail.outcomes) < 40
    assert "mail.given_up" in logged()
    assert "ada@" not in logged()


async def test_permanently_refused_email_is_not_retried(container: Container, org: Tenant) -> None:
    mail = Script(outcomes=[Rejected("nobody of that name")])
    outbox, clock = _outbox(container, mail)
    await _put(outbox, org.org_id)
    await outbox.run_once([org.org_id])
    clock.at += timedelta(days=1)
    await outbox.run_once([org.org_id])
    assert not mail.sent
    assert await _waiting(container.database, org.org_id) == 0


async def test_unreadable_email_stops_no_other(
    container: Container, org: Tenant, logged: Callable[[], str]
) -> None:
    mail = Script(outcomes=[RuntimeError("ada@example.com") for _ in range(100)])
    outbox, clock = _outbox(container, mail)
    await _put(outbox, org.org_id)
    await _put(outbox, org.org_id)
    while await _waiting(container.database, org.org_id):
        await outbox.run_once([org.org_id])
        clock.at += timedelta(minutes=10)
    assert timedelta(days=1) <= clock.at - START < timedelta(days=1, hours=2)
    assert logged().count("mail.given_up") == 2
    assert "RuntimeError" in logged()
    assert "ada@" not in logged()


async def test_crash_while_sending_loses_nothing(container: Container, org: Tenant) -> None:
    mail = Script(outcomes=[KeyboardInterrupt()])  # pyright: ignore[reportArgumentType]  as a kill would be
    outbox, clock = _outbox(container, mail)
    await _put(outbox, org.org_id)
    with pytest.raises(KeyboardInterrupt):
        await outbox.run_once([org.org_id])
    assert await _waiting(container.database, org.org_id) == 1
    clock.at += timedelta(minutes=2)
    await outbox.run_once([org.org_id])
    assert len(mail.sent) == 1


async def test_second_worker_leaves_a_claimed_email_alone(
    container: Container, org: Tenant
) -> None:
    mail = Script()
    outbox, _ = _outbox(container, mail)
    await _put(outbox, org.org_id)
    nested = replace(outbox, mail=_Nested(outbox, org.org_id))
    await nested.run_once([org.org_id])
    assert not mail.sent


async def test_erased_person_gets_no_email(container: Container, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(container, mail)
    owner = await _put(outbox, org.org_id)
    await container.database.transact(lambda tx: container.vault.destroy(tx, org.org_id, [owner]))
    await outbox.run_once([org.org_id])
    assert not mail.sent
    assert await _waiting(container.database, org.org_id) == 0


async def test_table_contains_no_personal_data(container: Container, org: Tenant) -> None:
    outbox, _ = _outbox(container, Script())
    await _put(outbox, org.org_id)
    rows = await container.database.rows(
        "select m::text as m from outbound_emails m where org_id = $1", org.org_id
    )
    assert b"ada@example.com".hex() not in rows[0]["m"]
    await outbox.run_once([org.org_id])


async def test_header_injection_is_refused_on_insert(container: Container, org: Tenant) -> None:
    outbox, _ = _outbox(container, Script())
    email = SealedEmailContent("ada@example.com\r\nBcc: eve@example.com", "Your form", "x")
    with pytest.raises(FieldInvalid):
        await _put(outbox, org.org_id, email)


async def test_without_a_transport_nothing_is_queued(container: Container, org: Tenant) -> None:
    outbox, _ = _outbox(container, None)
    assert not outbox.can_send
    await _put(outbox, org.org_id)
    assert not await outbox.run_once([org.org_id])
    assert await _waiting(container.database, org.org_id) == 0


@dataclass
class _Nested:
    """Transport that runs a second worker during its call."""

    outbox: Outbox
    org_id: UUID

    async def send(self, message: OutboundEmail) -> None:
        del message
        await self.outbox.run_once([self.org_id])
