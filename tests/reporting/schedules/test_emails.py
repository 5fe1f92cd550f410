"""E-mails about runs: to whom, with what figures, and one per run."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from typing_extensions import override

from landbridge.app.container import Container, wire
from landbridge.customers.team import store
from landbridge.customers.team.approval_emails import MemberEmails
from landbridge.customers.team.model import TeamMember, Theme
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.mail.outbox import Outbox
from landbridge.platform.mail.port import OutboundEmail
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.schedules import service
from landbridge.reporting.schedules.emails import ReportEmails
from landbridge.reporting.schedules.model import RECIPIENTS_MAX
from landbridge.reporting.schedules.service import ReportSchedules
from tests.payments.approvals.test_emails import SentEmails
from tests.platform.db.test_lost_commits import Forgetful
from tests.reporting.schedules.schedule_steps import DAILY, SCHEDULES, advance, make_schedule, runs
from tests.tenants import SETTINGS, TRANSFERS, Tenant, make_user, transfer_body

T = TypeVar("T")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
BASE = SETTINGS.base_url


async def add_member(
    org: Tenant,
    name: str = "Ana Lyst",
    *,
    is_invited: bool = False,
    role: MemberRole = MemberRole.ANALYST,
) -> UUID:
    """Add a member to the organisation; return their id."""
    member_id = new_id()
    person = TeamMember(
        org_id=org.org_id,
        id=member_id,
        email=f"{name.split(maxsplit=1)[0].lower()}+{member_id}@example.com",
        name=name,
        role=role,
        has_password=False,
        language="en",
        theme=Theme.SYSTEM,
        receives_approval_emails=False,
        created_at=org.container.clock.now(),
        removed_at=None,
        version=1,
        is_invited=is_invited,
    )
    await org.container.database.transact(lambda tx: store.add(tx, person, None))
    return member_id


async def sent(org: Tenant) -> list[OutboundEmail]:
    """Return the e-mails that are queued, by sending them."""
    container, post = org.container, SentEmails()
    outbox = Outbox(container.database, container.vault, container.clock, post)
    while await outbox.run_once([org.org_id]):
        pass
    return post.sent


async def remove(org: Tenant, member_id: UUID) -> None:
    admin_id = await add_member(org, "Adam Admin", role=MemberRole.ADMIN)
    admin = SignedInMember(admin_id, MemberRole.ADMIN)
    await org.container.team.remove(Caller(org.org_id, None, timedelta(), member=admin), member_id)


async def test_each_run_mails_its_figures_to_the_recipients(noon_org: Tenant) -> None:
    await add_member(noon_org, "Other Member")
    ana, bob = await add_member(noon_org), await add_member(noon_org, "Bob Board")
    schedule = await make_schedule(
        noon_org,
        name="New users",
        recipientIds=[str(each) for each in (ana, bob, ana)],
    )
    assert schedule["recipientIds"] == [str(ana), str(bob)]
    await make_user(noon_org)
    await advance(noon_org, HOUR)
    assert await sent(noon_org) == []
    await advance(noon_org, DAY)
    *_, run = await runs(noon_org, schedule["id"])
    to_ana, to_bob = sorted(await sent(noon_org), key=lambda each: each.to)
    assert (to_ana.to, to_bob.to) == (f"ana+{ana}@example.com", f"bob+{bob}@example.com")
    assert to_ana.subject.startswith("New users: ")
    assert to_ana.text.startswith('Hello Ana Lyst,\n\nthe report "New users" for ')
    assert "\n    New users: 1 (period before: 0)\n" in to_ana.text
    assert f"{BASE}/dashboard/reports/runs/{run['id']}/file\n" in to_ana.text
    assert f"{BASE}/dashboard/reports/schedules/{schedule['id']}\n" in to_ana.text
    await advance(noon_org, DAY)
    assert "\n    New users: 0, -100.0 % (period before: 1)\n" in (await sent(noon_org))[0].text


async def test_figures_are_totals_that_name_no_user(noon_org: Tenant) -> None:
    user, other = await make_user(noon_org, funds="20"), await make_user(noon_org)
    await noon_org.post(TRANSFERS, transfer_body(user, other, 10))
    await make_schedule(
        noon_org,
        template="GROSS_VOLUME",
        recipientIds=[str(await add_member(noon_org))],
        params={
            "calculationInterval": "day",
            "transactionTypes": ["transfer"],
            "breakdowns": ["userId"],
            "limit": 1,
        },
        every="week",
    )
    # Seven days have one Monday, whichever day it is.
    await advance(noon_org, 7 * DAY)
    (mail,) = await sent(noon_org)
    assert "\n    Gross volume: 10.00 USD (period before: 0.00 USD)\n" in mail.text
    assert user not in mail.text


async def test_rates_are_mailed_in_percent(noon_org: Tenant) -> None:
    user, other = await make_user(noon_org, funds="20"), await make_user(noon_org)
    await noon_org.post(TRANSFERS, transfer_body(user, other, 10))
    await make_schedule(
        noon_org,
        template="OUTCOMES",
        recipientIds=[str(await add_member(noon_org))],
        params={"calculationInterval": "day"},
        every="week",
    )
    await advance(noon_org, 7 * DAY)
    (mail,) = await sent(noon_org)
    assert "\n    Success rate: 100.00 %\n" in mail.text


async def test_a_run_that_failed_mails_the_reason(
    noon_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await add_member(noon_org)
    schedule = await make_schedule(noon_org, recipientIds=[str(ana)])
    monkeypatch.setattr(service, "CONTENT_BYTES_MAX", 0)
    await advance(noon_org, DAY)
    (mail,) = await sent(noon_org)
    assert mail.subject == "No report: Daily"
    assert "could not be made:\n\n    the file has more than 0 MB" in mail.text
    assert "/file" not in mail.text
    assert (await runs(noon_org, schedule["id"]))[0]["status"] == "FAILED"


async def test_a_removed_member_gets_no_more_mails(noon_org: Tenant) -> None:
    ana, bob = await add_member(noon_org), await add_member(noon_org, "Bob Board")
    schedule = await make_schedule(noon_org, recipientIds=[str(ana), str(bob)])
    await advance(noon_org, DAY)
    # One is queued for each by then.
    await remove(noon_org, ana)
    assert [each.to[:4] for each in await sent(noon_org)] == ["bob+"]
    await advance(noon_org, DAY)
    assert [each.to[:4] for each in await sent(noon_org)] == ["bob+"]
    body = {"recipientIds": [str(ana)]}
    refused = await noon_org.send("POST", f"{SCHEDULES}/{schedule['id']}", body)
    assert refused.status_code == 400
    assert str(ana) in refused.json()["error"]["details"]["recipientIds"]


async def test_recipients_are_members_who_have_joined(org: Tenant) -> None:
    ana, invited = await add_member(org), await add_member(org, is_invited=True)
    stranger = uuid4()

    async def problem(*recipients: Any) -> str:
        body = {**DAILY, "recipientIds": [str(each) for each in recipients]}
        answer = await org.send("POST", SCHEDULES, body)
        assert answer.status_code == 400, answer.text
        assert "recipientIds" in answer.text
        return str(answer.json()["error"])

    found = await problem(ana, stranger, invited)
    assert str(stranger) in found
    assert str(invited) in found
    assert str(ana) not in found
    assert "someone" not in await problem("someone")
    assert "10" in await problem(*(uuid4() for _ in range(RECIPIENTS_MAX + 1)))
    assert (await org.get(SCHEDULES))["data"] == []


async def test_recipients_change_and_nothing_else(org: Tenant) -> None:
    ana = await add_member(org)
    schedule = await make_schedule(org)
    path = f"{SCHEDULES}/{schedule['id']}"
    changed = (await org.post(path, {"recipientIds": [str(ana)]}))["data"]
    assert changed == {**schedule, "recipientIds": [str(ana)]}
    assert (await org.post(path, {"recipientIds": [str(ana)]}))["data"] == changed
    assert (await org.post(path, {"recipientIds": []}))["data"] == schedule
    refused = await org.send("POST", path, {})
    assert refused.status_code == 400
    assert "recipientIds" in refused.json()["error"]["details"]
    rows = await org.container.database.rows(
        "select count(*) as count from changes where org_id = $1 and kind = 'REPORT.SCHEDULE'",
        org.org_id,
    )
    assert rows[0]["count"] == 3


async def test_an_installation_without_mail_refuses_recipients(org: Tenant) -> None:
    silent = _without_mail(org.container)
    ana = await add_member(org)
    with pytest.raises(Exception, match="sends no e-mails"):
        await org.container.database.transact(lambda tx: silent.emails.check(tx, org.org_id, [ana]))
    assert not silent.emails.can_send


def _without_mail(container: Container) -> ReportSchedules:
    outbox = Outbox(container.database, container.vault, container.clock, None)
    return replace(
        container.report_schedules, emails=ReportEmails(MemberEmails(outbox, container.vault), BASE)
    )


async def test_many_workers_mail_each_run_once(
    noon_org: Tenant, noon: FrozenClock, dsn: str
) -> None:
    ana, bob = await add_member(noon_org), await add_member(noon_org, "Bob Board")
    for _ in range(3):
        await make_schedule(noon_org, recipientIds=[str(ana), str(bob)])
    databases = [await Database.connect(dsn, name="tests", size_max=3) for _ in range(3)]
    nodes = [await take_node(each) for each in databases]
    workers = [
        wire(SETTINGS, each, FrozenClock(noon.at, node=node))
        for each, node in zip(databases, nodes, strict=True)
    ]
    offsets = {noon_org.org_id: 4 * DAY}
    for index in range(6):
        # Stopped in the middle.
        making = asyncio.create_task(workers[index % 3].report_schedules.run_all(offsets))
        await asyncio.sleep(0.004 * index)
        making.cancel()
        await asyncio.gather(making, return_exceptions=True)
    later = {noon_org.org_id: 4 * DAY + timedelta(minutes=2)}
    await asyncio.gather(*(each.report_schedules.run_all(later) for each in workers))
    for each in databases:
        await each.close()
    mails = Counter((each.to, each.text) for each in await sent(noon_org))
    assert len(mails) == 3 * 4 * 2
    assert set(mails.values()) == {1}


class ForgetfulOnceTaken(Forgetful):
    """Does everything twice, but takes due reports once: a second time none would be due."""

    has_taken = False

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        if self.has_taken:
            return await super().transact(work)
        self.has_taken = True
        return await Database.transact(self, work)


async def test_a_lost_commit_answer_mails_once(noon_org: Tenant, dsn: str) -> None:
    ana = await add_member(noon_org)
    await make_schedule(noon_org, recipientIds=[str(ana)])
    database = await ForgetfulOnceTaken.connect(dsn, name="tests", size_max=2)
    node = await take_node(noon_org.container.database)
    clock = FrozenClock(noon_org.container.clock.now(), node=node)
    doubtful = wire(SETTINGS, database, clock)
    assert await doubtful.report_schedules.run_due({noon_org.org_id: DAY})
    await database.close()
    assert len(await sent(noon_org)) == 1
