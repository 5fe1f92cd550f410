"""Flags of failing endpoints: set once, reported once a day, cleared by a success."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from landbridge.developers.webhooks.flags import EndpointFlags
from landbridge.developers.webhooks.model import Endpoint
from landbridge.platform.core.errors import Rejected
from landbridge.platform.db.pool import Tx
from landbridge.platform.mail.port import OutboundEmail
from tests.developers.webhooks.rows import endpoint, make_endpoint
from tests.tenants import Tenant

ADMIN = "admin@example.com"
HOUR = timedelta(hours=1)
REASON = "answered 503"


@dataclass
class Inbox:
    """Mail transport that collects messages."""

    sent: list[OutboundEmail] = field(default_factory=list[OutboundEmail])

    async def send(self, message: OutboundEmail) -> None:
        self.sent.append(message)


def flags_of(org: Tenant, *, admin: str | None = ADMIN) -> tuple[EndpointFlags, Inbox]:
    inbox = Inbox()
    flags = org.container.dispatcher.deps.flags
    return replace(flags, admin=admin, outbox=replace(flags.outbox, mail=inbox)), inbox


async def read(org: Tenant, hook: str) -> Endpoint:
    return await org.container.endpoints.get(org.org_id, UUID(hook))


async def set_flag(flags: EndpointFlags, org: Tenant, hook: str, at: datetime) -> None:
    found = await read(org, hook)
    await flags.database.transact(lambda tx: flags.set_flag(tx, found, REASON, at))


async def clear_flag(flags: EndpointFlags, org: Tenant, hook: str, at: datetime) -> None:
    found = await read(org, hook)
    await flags.database.transact(lambda tx: flags.clear_flag(tx, found, at))


async def list_changes(org: Tenant, hook: str) -> list[tuple[int, str, str]]:
    rows = await org.container.database.rows(
        "select seq, change_type, actor from changes where org_id = $1"
        " and object_id = $2 order by seq",
        org.org_id,
        UUID(hook),
    )
    return [(row["seq"], row["change_type"], row["actor"]) for row in rows]


async def send_all(flags: EndpointFlags, org: Tenant) -> None:
    while await flags.outbox.run_once([org.org_id]):
        pass


async def test_a_flag_is_set_once_and_shown(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, inbox = flags_of(org)
    await set_flag(flags, org, hook, at)
    await set_flag(flags, org, hook, at + HOUR)
    now = await endpoint(org, hook)
    assert (now["flagged_at"], now["flagged_reason"], now["version"]) == (at, REASON, 2)
    shown = await org.get(f"/v2/webhooks/{hook}")
    assert (shown["flaggedReason"], shown["status"]) == (REASON, "ACTIVE")
    assert [change_type for _, change_type, _ in await list_changes(org, hook)] == [
        "create",
        "flag",
    ]
    await send_all(flags, org)
    assert len(inbox.sent) == 1


async def test_a_success_clears_the_flag(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, _ = flags_of(org)
    await clear_flag(flags, org, hook, at)
    await set_flag(flags, org, hook, at)
    await clear_flag(flags, org, hook, at + HOUR)
    await clear_flag(flags, org, hook, at + HOUR)
    shown = await org.get(f"/v2/webhooks/{hook}")
    assert (shown["flaggedAt"], shown["flaggedReason"]) == (None, None)
    assert await list_changes(org, hook) == [
        (1, "create", org.caller.actor),
        (2, "flag", "worker"),
        (3, "unflag", "worker"),
    ]
    # Its numbers continue.
    paused = await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "PAUSED"})
    assert paused.status_code == 200
    assert (await list_changes(org, hook))[-1][:2] == (4, "pause")


async def test_it_stays_until_nothing_was_given_up_for_an_hour(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, _ = flags_of(org)
    for minutes in range(0, 180, 10):
        await set_flag(flags, org, hook, at + minutes * HOUR / 60)
        await clear_flag(flags, org, hook, at + (minutes + 5) * HOUR / 60)
    assert [change_type for _, change_type, _ in await list_changes(org, hook)] == [
        "create",
        "flag",
    ]
    assert (await endpoint(org, hook))["flagged_at"] == at
    await clear_flag(flags, org, hook, at + 4 * HOUR)
    assert [change_type for _, change_type, _ in await list_changes(org, hook)] == [
        "create",
        "flag",
        "unflag",
    ]


async def test_the_email_names_endpoint_and_reason_without_the_url(org: Tenant) -> None:
    url = "http://127.0.0.1:9/secret-path?token=secret-token"
    hook, at = await make_endpoint(org, url=url), org.container.clock.now()
    flags, inbox = flags_of(org)
    await set_flag(flags, org, hook, at)
    await send_all(flags, org)
    (mail,) = inbox.sent
    assert mail.to == ADMIN
    for part in (hook, "127.0.0.1", REASON, f"/v2/webhooks/{hook}/resend"):
        assert part in mail.text
    assert "secret" not in mail.text
    rows = await org.container.database.rows(
        "select count(*) as n from changes where org_id = $1 and object_id = $2"
        " and facts::text like '%secret%'",
        org.org_id,
        UUID(hook),
    )
    assert rows[0]["n"] == 0


async def test_an_unstable_endpoint_causes_one_notification_a_day(org: Tenant) -> None:
    hook, other, at = await make_endpoint(org), await make_endpoint(org), org.container.clock.now()
    flags, inbox = flags_of(org)
    for hours in (0, 1, 23, 24, 30):
        await set_flag(flags, org, hook, at + hours * HOUR)
        await clear_flag(flags, org, hook, at + (hours + 1) * HOUR)
    await set_flag(flags, org, other, at + HOUR)
    await send_all(flags, org)
    assert sum(hook in each.text for each in inbox.sent) == 2
    assert sum(other in each.text for each in inbox.sent) == 1


async def test_the_flag_is_set_without_an_admin_address(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, inbox = flags_of(org, admin=None)
    await set_flag(flags, org, hook, at)
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] == at
    assert not inbox.sent


async def test_a_rollback_neither_flags_nor_notifies(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, inbox = flags_of(org)
    found = await read(org, hook)

    async def work(tx: Tx) -> None:
        await flags.set_flag(tx, found, REASON, at)
        raise Rejected

    with pytest.raises(Rejected):
        await flags.database.transact(work)
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] is None
    assert not inbox.sent


async def test_a_deleted_endpoint_is_not_flagged(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    flags, inbox = flags_of(org)
    found = await read(org, hook)
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    await flags.database.transact(lambda tx: flags.set_flag(tx, found, REASON, at))
    await send_all(flags, org)
    assert (await endpoint(org, hook))["flagged_at"] is None
    assert not inbox.sent
