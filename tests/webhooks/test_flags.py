"""Flags: put up once, told of once a day, taken down by a success."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from landbridge.core.errors import Rejected
from landbridge.db.pool import Tx
from landbridge.mail.port import Message
from landbridge.webhooks.flags import Flags
from landbridge.webhooks.model import Endpoint
from tests.tenants import Tenant

from .rows import endpoint, make_endpoint

ADMIN = "admin@example.com"
HOUR = timedelta(hours=1)
REASON = "answered 503"


@dataclass
class Inbox:
    """A way to send mail that keeps what it is given."""

    sent: list[Message] = field(default_factory=list[Message])

    async def send(self, message: Message) -> None:
        self.sent.append(message)


def flags_of(org: Tenant, *, admin: str | None = ADMIN) -> tuple[Flags, Inbox]:
    inbox = Inbox()
    flags = org.house.postman.office.flags
    return replace(flags, admin=admin, outbox=replace(flags.outbox, mail=inbox)), inbox


async def read(org: Tenant, hook: str) -> Endpoint:
    return await org.house.endpoints.get(org.org_id, UUID(hook))


async def put_up(flags: Flags, org: Tenant, hook: str, at: datetime) -> None:
    found = await read(org, hook)
    await flags.database.transact(lambda tx: flags.put_up(tx, found, REASON, at))


async def take_down(flags: Flags, org: Tenant, hook: str, at: datetime) -> None:
    found = await read(org, hook)
    await flags.database.transact(lambda tx: flags.take_down(tx, found, at))


async def told(org: Tenant, hook: str) -> list[tuple[int, str, str]]:
    rows = await org.house.database.rows(
        "select seq, what, actor from changes where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        UUID(hook),
    )
    return [(row["seq"], row["what"], row["actor"]) for row in rows]


async def send_all(flags: Flags, org: Tenant) -> None:
    while await flags.outbox.run_once([org.org_id]):
        pass


async def test_a_flag_is_put_up_once_and_shown(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, inbox = flags_of(org)
    await put_up(flags, org, hook, at)
    await put_up(flags, org, hook, at + HOUR)
    now = await endpoint(org, hook)
    assert (now["flagged_at"], now["flagged_reason"], now["version"]) == (at, REASON, 2)
    shown = await org.get(f"/v2/webhooks/{hook}")
    assert (shown["flaggedReason"], shown["status"]) == (REASON, "ACTIVE")
    assert [what for _, what, _ in await told(org, hook)] == ["create", "flag"]
    await send_all(flags, org)
    assert len(inbox.sent) == 1


async def test_a_success_takes_it_down(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, _ = flags_of(org)
    await take_down(flags, org, hook, at)
    await put_up(flags, org, hook, at)
    await take_down(flags, org, hook, at + HOUR)
    await take_down(flags, org, hook, at + HOUR)
    shown = await org.get(f"/v2/webhooks/{hook}")
    assert (shown["flaggedAt"], shown["flaggedReason"]) == (None, None)
    assert await told(org, hook) == [
        (1, "create", org.caller.actor),
        (2, "flag", "worker"),
        (3, "unflag", "worker"),
    ]
    # Its numbers go on where they were.
    paused = await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "PAUSED"})
    assert paused.status_code == 200
    assert (await told(org, hook))[-1][:2] == (4, "pause")


async def test_it_stays_until_nothing_was_given_up_for_an_hour(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, _ = flags_of(org)
    for minutes in range(0, 180, 10):
        await put_up(flags, org, hook, at + minutes * HOUR / 60)
        await take_down(flags, org, hook, at + (minutes + 5) * HOUR / 60)
    assert [what for _, what, _ in await told(org, hook)] == ["create", "flag"]
    assert (await endpoint(org, hook))["flagged_at"] == at
    await take_down(flags, org, hook, at + 4 * HOUR)
    assert [what for _, what, _ in await told(org, hook)] == ["create", "flag", "unflag"]


async def test_the_mail_says_which_and_why_and_no_address(org: Tenant) -> None:
    url = "http://127.0.0.1:9/secret-path?token=secret-token"
    hook, at = await make_endpoint(org, url=url), org.house.clock.now()
    flags, inbox = flags_of(org)
    await put_up(flags, org, hook, at)
    await send_all(flags, org)
    (mail,) = inbox.sent
    assert mail.to == ADMIN
    for part in (hook, "127.0.0.1", REASON, f"/v2/webhooks/{hook}/resend"):
        assert part in mail.text
    assert "secret" not in mail.text
    rows = await org.house.database.rows(
        "select count(*) as n from changes where org_id = $1 and object_id = $2"
        " and facts::text like '%secret%'",
        org.org_id,
        UUID(hook),
    )
    assert rows[0]["n"] == 0


async def test_one_that_comes_and_goes_is_told_of_once_a_day(org: Tenant) -> None:
    hook, other, at = await make_endpoint(org), await make_endpoint(org), org.house.clock.now()
    flags, inbox = flags_of(org)
    for hours in (0, 1, 23, 24, 30):
        await put_up(flags, org, hook, at + hours * HOUR)
        await take_down(flags, org, hook, at + (hours + 1) * HOUR)
    await put_up(flags, org, other, at + HOUR)
    await send_all(flags, org)
    assert sum(hook in each.text for each in inbox.sent) == 2
    assert sum(other in each.text for each in inbox.sent) == 1


async def test_where_nobody_is_to_be_told_there_is_a_flag_nevertheless(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, inbox = flags_of(org, admin=None)
    await put_up(flags, org, hook, at)
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] == at
    assert not inbox.sent


async def test_what_is_rolled_back_is_neither_flagged_nor_told(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, inbox = flags_of(org)
    found = await read(org, hook)

    async def work(tx: Tx) -> None:
        await flags.put_up(tx, found, REASON, at)
        raise Rejected

    with pytest.raises(Rejected):
        await flags.database.transact(work)
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] is None
    assert not inbox.sent


async def test_a_deleted_endpoint_is_not_flagged(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    flags, inbox = flags_of(org)
    found = await read(org, hook)
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    await flags.database.transact(lambda tx: flags.put_up(tx, found, REASON, at))
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] is None
    assert not inbox.sent
