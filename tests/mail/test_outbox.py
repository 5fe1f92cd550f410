"""The outbox: sent once in the ordinary case, never lost, and nothing to read in the table."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import FieldInvalid, Rejected, Unavailable
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.mail.outbox import Letter, Outbox
from landbridge.mail.port import Message
from landbridge.mail.smtp import Smtp
from landbridge.wiring import House
from tests.mail.mail_server import MailServer, listening
from tests.tenants import Tenant

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LETTER = Letter("ada@example.com", "Your form", "Please open it.")


@dataclass
class Script:
    """A way to send that does what the test says, once for each time it is asked."""

    outcomes: list[Exception] = field(default_factory=list[Exception])
    sent: list[Message] = field(default_factory=list[Message])

    async def send(self, message: Message) -> None:
        if self.outcomes:
            raise self.outcomes.pop(0)
        self.sent.append(message)


def _outbox(house: House, mail: Script | Smtp | None) -> tuple[Outbox, FrozenClock]:
    clock = FrozenClock(START)
    return Outbox(house.database, house.vault, clock, mail), clock


async def _put(outbox: Outbox, org_id: UUID, letter: Letter = LETTER) -> UUID:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await outbox.vault.make(tx, org_id, owner)
        await outbox.put(tx, org_id=org_id, owner_id=owner, key=key, letter=letter)

    await outbox.database.transact(work)
    return owner


async def _waiting(database: Database, org_id: UUID) -> int:
    rows = await database.rows("select count(*) as n from mails where org_id = $1", org_id)
    return rows[0]["n"]


async def test_a_mail_goes_out_once(house: House, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(house, mail)
    await _put(outbox, org.org_id)
    assert not await outbox.run_once([org.org_id])
    await outbox.run_once([org.org_id])
    (sent,) = mail.sent
    assert (sent.to, sent.subject, sent.text) == (LETTER.to, LETTER.subject, LETTER.text)
    assert await _waiting(house.database, org.org_id) == 0


async def test_it_goes_out_over_smtp(house: House, org: Tenant) -> None:
    async with listening(MailServer()) as server:
        url = f"smtp+plain://127.0.0.1:{server.port}"
        outbox, _ = _outbox(house, Smtp(url, sender="mail@example.com"))
        await _put(outbox, org.org_id)
        await outbox.run_once([org.org_id])
    assert len(server.messages) == 1


async def test_what_was_rolled_back_is_not_sent(house: House, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(house, mail)
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await outbox.vault.make(tx, org.org_id, owner)
        await outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, letter=LETTER)
        raise FieldInvalid("changed our mind")

    with pytest.raises(FieldInvalid):
        await house.database.transact(work)
    await outbox.run_once([org.org_id])
    assert not mail.sent


async def test_a_mail_that_could_not_be_sent_is_tried_again(house: House, org: Tenant) -> None:
    mail = Script(outcomes=[Unavailable("not now"), Unavailable("not now")])
    outbox, clock = _outbox(house, mail)
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
    assert await _waiting(house.database, org.org_id) == 0


async def test_after_a_day_it_is_given_up_and_told(
    house: House, org: Tenant, logged: Callable[[], str]
) -> None:
    mail = Script(outcomes=[Unavailable("not now") for _ in range(100)])
    outbox, clock = _outbox(house, mail)
    await _put(outbox, org.org_id)
    while await _waiting(house.database, org.org_id):
        await outbox.run_once([org.org_id])
        clock.at += timedelta(minutes=10)
    assert timedelta(days=1) <= clock.at - START < timedelta(days=1, hours=2)
    assert 20 < 100 - len(mail.outcomes) < 40
    assert "mail.given_up" in logged()
    assert "ada@" not in logged()


async def test_what_is_refused_for_good_is_not_tried_again(house: House, org: Tenant) -> None:
    mail = Script(outcomes=[Rejected("nobody of that name")])
    outbox, clock = _outbox(house, mail)
    await _put(outbox, org.org_id)
    await outbox.run_once([org.org_id])
    clock.at += timedelta(days=1)
    await outbox.run_once([org.org_id])
    assert not mail.sent
    assert await _waiting(house.database, org.org_id) == 0


async def test_a_mail_that_nobody_can_make_sense_of_stops_no_other(
    house: House, org: Tenant, logged: Callable[[], str]
) -> None:
    mail = Script(outcomes=[RuntimeError("ada@example.com") for _ in range(100)])
    outbox, clock = _outbox(house, mail)
    await _put(outbox, org.org_id)
    await _put(outbox, org.org_id)
    while await _waiting(house.database, org.org_id):
        await outbox.run_once([org.org_id])
        clock.at += timedelta(minutes=10)
    assert timedelta(days=1) <= clock.at - START < timedelta(days=1, hours=2)
    assert logged().count("mail.given_up") == 2
    assert "RuntimeError" in logged()
    assert "ada@" not in logged()


async def test_a_crash_while_sending_loses_nothing(house: House, org: Tenant) -> None:
    mail = Script(outcomes=[KeyboardInterrupt()])  # pyright: ignore[reportArgumentType]  as a kill would be
    outbox, clock = _outbox(house, mail)
    await _put(outbox, org.org_id)
    with pytest.raises(KeyboardInterrupt):
        await outbox.run_once([org.org_id])
    assert await _waiting(house.database, org.org_id) == 1
    clock.at += timedelta(minutes=2)
    await outbox.run_once([org.org_id])
    assert len(mail.sent) == 1


async def test_a_second_worker_leaves_it_alone(house: House, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(house, mail)
    await _put(outbox, org.org_id)
    nested = replace(outbox, mail=_Nested(outbox, org.org_id))
    await nested.run_once([org.org_id])
    assert not mail.sent


async def test_an_erased_person_is_not_written_to(house: House, org: Tenant) -> None:
    mail = Script()
    outbox, _ = _outbox(house, mail)
    owner = await _put(outbox, org.org_id)
    await house.database.transact(lambda tx: house.vault.destroy(tx, org.org_id, [owner]))
    await outbox.run_once([org.org_id])
    assert not mail.sent
    assert await _waiting(house.database, org.org_id) == 0


async def test_the_table_shows_nobody(house: House, org: Tenant) -> None:
    outbox, _ = _outbox(house, Script())
    await _put(outbox, org.org_id)
    rows = await house.database.rows(
        "select m::text as m from mails m where org_id = $1", org.org_id
    )
    assert b"ada@example.com".hex() not in rows[0]["m"]
    await outbox.run_once([org.org_id])


async def test_a_header_in_an_address_is_refused_when_it_is_put(house: House, org: Tenant) -> None:
    outbox, _ = _outbox(house, Script())
    letter = Letter("ada@example.com\r\nBcc: eve@example.com", "Your form", "x")
    with pytest.raises(FieldInvalid):
        await _put(outbox, org.org_id, letter)


async def test_without_a_way_to_send_nothing_waits(house: House, org: Tenant) -> None:
    outbox, _ = _outbox(house, None)
    assert not outbox.can_send
    await _put(outbox, org.org_id)
    assert not await outbox.run_once([org.org_id])
    assert await _waiting(house.database, org.org_id) == 0


@dataclass
class _Nested:
    """While one worker sends, another looks."""

    outbox: Outbox
    org_id: UUID

    async def send(self, message: Message) -> None:
        del message
        await self.outbox.run_once([self.org_id])
