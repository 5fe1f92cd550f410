"""Emails about approvals: to admins for a new request, to the requester for its outcome."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from landbridge.app.container import wire
from landbridge.customers.team import store
from landbridge.customers.team.approval_emails import ApprovalEmails, MemberEmails
from landbridge.customers.team.model import TeamMember, Theme
from landbridge.payments.approvals.model import Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.mail.outbox import Outbox
from landbridge.platform.mail.port import OutboundEmail
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.approvals.flow import UNITS, World, clock_of, make_world, policy
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, TRANSFERS, Tenant, make_user, transfer_body

BASE = "https://pay.example"
ROUNDS = 20


class SentEmails:
    """Mail transport that collects messages."""

    def __init__(self) -> None:
        self.sent: list[OutboundEmail] = []

    async def send(self, message: OutboundEmail) -> None:
        self.sent.append(message)


@dataclass
class ApprovalEmailSetup:
    """World whose approvals send emails, and the collected emails."""

    world: World
    outbox: Outbox
    post: SentEmails

    async def person(
        self, role: MemberRole = MemberRole.ADMIN, *, name: str = "Some Body", **changes: bool
    ) -> Caller:
        """Add a team member; return them as caller."""
        return await add_person(self.world, role, name, **changes)

    async def sent(self) -> list[OutboundEmail]:
        """Return the emails sent since the last call."""
        while await self.outbox.run_once([self.world.org_id]):
            pass
        found, self.post.sent = self.post.sent, []
        return found

    async def to(self) -> Counter[str]:
        """Return the number of emails per recipient, by the name in the address."""
        return Counter(each.to.partition("+")[0] for each in await self.sent())


async def add_person(world: World, role: MemberRole, name: str, **changes: bool) -> Caller:
    """Add a team member to the world's organisation; return them as caller."""
    member_id = new_id()
    person = TeamMember(
        org_id=world.org_id,
        id=member_id,
        email=f"{name.split(maxsplit=1)[0].lower()}+{member_id}@example.com",
        name=name,
        role=role,
        has_password=False,
        language="en",
        theme=Theme.SYSTEM,
        receives_approval_emails=changes.get("wants", True),
        created_at=world.clock.now(),
        removed_at=None,
        version=1,
        is_invited=changes.get("is_invited", False),
    )
    await world.database.transact(lambda tx: store.add(tx, person, None))
    return Caller(world.org_id, None, timedelta(), member=SignedInMember(member_id, role))


def mailing_of(world: World, tenant: Tenant) -> ApprovalEmailSetup:
    """This world, with mails."""
    post = SentEmails()
    vault = tenant.container.vault
    outbox = Outbox(world.database, vault, world.clock, post)
    mails = ApprovalEmails(MemberEmails(outbox, vault), base_url=BASE)
    approvals = Approvals(world.database, world.ledger, vault, world.clock, mails)
    voting = replace(world.voting, mails=mails)
    return ApprovalEmailSetup(replace(world, approvals=approvals, voting=voting), outbox, post)


@pytest.fixture
def mailing(world: World, still_org: Tenant) -> ApprovalEmailSetup:
    return mailing_of(world, still_org)


async def test_subscribed_admins_are_notified_of_a_pending_approval(
    mailing: ApprovalEmailSetup,
) -> None:
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")
    for name, role, changes in (
        ("Adam Admin", MemberRole.ADMIN, {}),
        ("Anna Admin", MemberRole.ADMIN, {}),
        ("Quiet Admin", MemberRole.ADMIN, {"wants": False}),
        ("Invited Admin", MemberRole.ADMIN, {"is_invited": True}),
        ("Other Member", MemberRole.MEMBER, {}),
        ("Ana Lyst", MemberRole.ANALYST, {}),
    ):
        await mailing.person(role, name=name, **changes)
    approval = await mailing.world.request_payment(member)
    first, second = sorted(await mailing.sent(), key=lambda each: each.to)
    assert (first.to[:5], second.to[:5]) == ("adam+", "anna+")
    assert first.subject == "Awaiting approval: TEST.APPROVED, 1 USDC on Polygon"
    assert first.text.startswith("Hello Adam Admin,\n\nMia Member requested a payment")
    assert f"{BASE}/dashboard/approvals/{approval.id}\n" in first.text
    assert approval.expires_at.strftime("%d %B %Y, %H:%M UTC") in first.text
    assert str(approval.user_id) not in first.text
    assert await mailing.sent() == []


async def test_requester_gets_no_approval_email(mailing: ApprovalEmailSetup) -> None:
    admin = await mailing.person(name="Adam Admin")
    await mailing.person(name="Anna Admin")
    await mailing.world.request_payment(admin)
    assert await mailing.to() == {"anna": 1}


async def test_requesting_key_is_named_as_a_key_and_gets_no_email(
    mailing: ApprovalEmailSetup,
) -> None:
    admin = await mailing.person(name="Adam Admin")
    approval = await mailing.world.request_payment(mailing.world.key())
    (mail,) = await mailing.sent()
    assert "\n\nAn API key requested" in mail.text
    await mailing.world.voting.approve(admin, approval.id, None)
    assert await mailing.sent() == []


async def test_requester_is_notified_of_the_outcome(mailing: ApprovalEmailSetup) -> None:
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")
    admin = await mailing.person(name="Adam Admin")
    approved, rejected, lapsed = [await mailing.world.request_payment(member) for _ in range(3)]
    assert await mailing.to() == {"adam": 3}
    await mailing.world.voting.approve(admin, approved.id, "secret of Ada")
    (mail,) = await mailing.sent()
    assert mail.to.startswith("mia+")
    assert mail.subject == "Approved: TEST.APPROVED, 1 USDC on Polygon"
    assert "Its status is now CREATED." in mail.text
    assert "secret" not in mail.text
    await mailing.world.voting.reject(admin, rejected.id, "secret of Ada")
    (mail,) = await mailing.sent()
    assert mail.subject.startswith("Rejected: ")
    assert "was rejected:" in mail.text
    assert "secret" not in mail.text
    assert f"{BASE}/dashboard/approvals/{rejected.id}\n" in mail.text
    clock_of(mailing.world).at = lapsed.expires_at
    assert await mailing.world.lapse(lapsed, mailing.world.clock.stamp())
    (mail,) = await mailing.sent()
    assert mail.subject.startswith("Expired: ")
    assert "expired without a decision" in mail.text


async def test_approval_without_a_price_reports_the_payment_status(
    mailing: ApprovalEmailSetup,
) -> None:
    member, admin = (
        await mailing.person(MemberRole.MEMBER, name="Mia M"),
        await mailing.person(name="Al A"),
    )
    approval = await mailing.world.request_payment(member)
    mailing.world.flow.has_price = False
    await mailing.sent()
    await mailing.world.voting.approve(admin, approval.id, None)
    (mail,) = await mailing.sent()
    assert "was approved" in mail.text
    assert "Its status is now QUOTE_FAILED." in mail.text


async def test_unsubscribed_or_removed_admin_gets_no_email(mailing: ApprovalEmailSetup) -> None:
    world = mailing.world
    quiet = await mailing.person(MemberRole.MEMBER, name="Quiet", wants=False)
    removed = await mailing.person(MemberRole.MEMBER, name="Gone")
    approvals = [await world.request_payment(each) for each in (quiet, removed)]
    await world.database.rows(
        "update team_members set removed_at = $3 where org_id = $1 and id = $2",
        *(world.org_id, removed.id, world.clock.now()),
    )
    for each in approvals:
        await world.voting.approve(world.member(), each.id, None)
    assert await mailing.sent() == []


async def test_non_deciding_vote_sends_no_email(mailing: ApprovalEmailSetup) -> None:
    await policy(mailing.world, 2)
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")
    approval = await mailing.world.request_payment(member)
    await mailing.world.voting.approve(mailing.world.member(), approval.id, None)
    assert await mailing.sent() == []
    await mailing.world.voting.approve(mailing.world.member(), approval.id, None)
    assert await mailing.to() == {"mia": 1}


async def test_withdrawn_approval_sends_no_email(mailing: ApprovalEmailSetup) -> None:
    world = mailing.world
    approval = await world.request_payment(
        await mailing.person(MemberRole.MEMBER, name="Mia Member")
    )

    async def withdraw(tx: Tx) -> None:
        await world.approvals.withdraw_in(
            tx, world.org_id, approval.transfer_id, actor="test", at=world.clock.stamp()
        )

    await world.database.transact(withdraw)
    assert await mailing.sent() == []


async def test_installation_without_email_stores_none(
    mailing: ApprovalEmailSetup, still_org: Tenant
) -> None:
    world, vault = mailing.world, still_org.container.vault
    outbox = Outbox(world.database, vault, world.clock, None)
    mails = ApprovalEmails(MemberEmails(outbox, vault), base_url=BASE)
    silent = replace(
        world,
        approvals=Approvals(world.database, world.ledger, vault, world.clock, mails),
        voting=replace(world.voting, mails=mails),
    )
    await mailing.person()
    approval = await silent.request_payment(await mailing.person(MemberRole.MEMBER))
    await silent.voting.reject(silent.member(), approval.id, None)
    email_count = "select count(*) as count from outbound_emails where org_id = $1"
    assert (await world.database.rows(email_count, world.org_id))[0]["count"] == 0


async def tried(work: Awaitable[Approval]) -> str:
    """Return the outcome of a vote."""
    try:
        outcomes = await work
    except (ResourceConflict, InvariantBroken):
        return "conflict"
    return str(outcomes.status)


async def test_concurrent_admins_cause_one_email(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    container = still_org.container
    world = await make_world(container, container.database, still_org.org_id, units=ROUNDS * UNITS)
    mailing = mailing_of(world, still_org)
    world = mailing.world
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")
    ends: Counter[str] = Counter()
    for index in range(ROUNDS):
        approval = await world.request_payment(member)
        verbs = [
            world.voting.approve(world.member(), approval.id, None),
            world.voting.reject(world.member(), approval.id, None),
            world.voting.approve(world.member(), approval.id, None),
        ]
        outcomes = await asyncio.gather(*(tried(verbs[(index + turn) % 3]) for turn in range(3)))
        after = await world.again(approval)
        ends[after.status] += 1
        assert Counter(outcomes)[str(after.status)] == 1
        (mail,) = await mailing.sent()
        assert mail.subject.upper().startswith(after.status)
    assert sum(ends.values()) == ROUNDS
    del still_clock


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[ApprovalEmailSetup]:
    """Email setup on a database that runs every transaction twice."""
    database: Database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    sure = await make_world(org.container, org.container.database, org.org_id, units=2 * UNITS)
    yield mailing_of(sure.through(container, database), org)
    await database.close()


async def test_lost_commit_answer_sends_one_email(doubtful: ApprovalEmailSetup) -> None:
    member = await add_person(doubtful.world, MemberRole.MEMBER, "Mia Member")
    admin = await add_person(doubtful.world, MemberRole.ADMIN, "Adam Admin")
    first, second = [await doubtful.world.request_payment(member) for _ in range(2)]
    await doubtful.world.voting.approve(admin, first.id, None)
    assert await doubtful.world.lapse(second, second.expires_at)
    email_count = "select count(*) as count from outbound_emails where org_id = $1"
    rows = await doubtful.world.database.rows(email_count, doubtful.world.org_id)
    assert rows[0]["count"] == 4


async def test_unopened_payment_sends_no_email(org: Tenant) -> None:
    """The wired container has the sandbox mailbox, so emails are queued."""
    world = await make_world(org.container, org.container.database, org.org_id)
    await add_person(world, MemberRole.ADMIN, "Adam Admin")
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    email_count = "select count(*) as count from outbound_emails where org_id = $1"

    async def count() -> int:
        return int((await org.container.database.rows(email_count, org.org_id))[0]["count"])

    before = await count()
    body = transfer_body(ada, bob, 11, requireApproval=True)
    assert (await org.refused("POST", TRANSFERS, body)).startswith("400")
    assert await count() == before
    body = transfer_body(ada, bob, 10, requireApproval=True)
    await org.post(TRANSFERS, body)
    await org.post(TRANSFERS, body)
    assert await count() == before + int(org.container.outbox.can_send)
