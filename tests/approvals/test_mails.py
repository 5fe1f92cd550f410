"""Mails about approvals: to admins when a payment begins to wait, to who asked when it ends."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from landbridge.approvals.model import Approval
from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.errors import Broken, ResourceConflict
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.mail.outbox import Outbox
from landbridge.mail.port import Message
from landbridge.members import store
from landbridge.members.approval_mails import ApprovalMails
from landbridge.members.model import Person, Theme
from landbridge.orgs.service import take_lane
from landbridge.web.caller import Caller, Member, Role
from landbridge.wiring import wire
from tests.approvals.flow import UNITS, World, clock_of, make_world, policy
from tests.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, TRANSFERS, Tenant, make_user, transfer_body

BASE = "https://pay.example"
ROUNDS = 20


class Post:
    """Takes mails."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    async def send(self, message: Message) -> None:
        self.sent.append(message)


@dataclass
class Desk:
    """A world whose approvals send mails, and whom they reach."""

    world: World
    outbox: Outbox
    post: Post

    async def person(
        self, role: Role = Role.ADMIN, *, name: str = "Some Body", **changes: bool
    ) -> Caller:
        """A member, as the caller that they are."""
        return await add_person(self.world, role, name, **changes)

    async def sent(self) -> list[Message]:
        """What has gone out since this was asked last."""
        while await self.outbox.run_once([self.world.org_id]):
            pass
        found, self.post.sent = self.post.sent, []
        return found

    async def to(self) -> Counter[str]:
        """To how many mails went out, by name in the address."""
        return Counter(each.to.partition("+")[0] for each in await self.sent())


async def add_person(world: World, role: Role, name: str, **changes: bool) -> Caller:
    """A member of the world's organisation, as the caller that they are."""
    member_id = new_id()
    person = Person(
        org_id=world.org_id,
        id=member_id,
        email=f"{name.split(maxsplit=1)[0].lower()}+{member_id}@example.com",
        name=name,
        role=role,
        has_password=False,
        language="en",
        theme=Theme.SYSTEM,
        wants_approval_mails=changes.get("wants", True),
        created_at=world.clock.now(),
        removed_at=None,
        version=1,
        is_invited=changes.get("is_invited", False),
    )
    await world.database.transact(lambda tx: store.add(tx, person, None))
    return Caller(world.org_id, None, timedelta(), member=Member(member_id, role))


def desk_of(world: World, tenant: Tenant) -> Desk:
    """This world, with mails."""
    post = Post()
    vault = tenant.house.vault
    outbox = Outbox(world.database, vault, world.clock, post)
    mails = ApprovalMails(outbox, vault, base_url=BASE)
    approvals = Approvals(world.database, world.ledger, vault, mails)
    voting = replace(world.voting, mails=mails)
    return Desk(replace(world, approvals=approvals, voting=voting), outbox, post)


@pytest.fixture
def desk(world: World, still_org: Tenant) -> Desk:
    return desk_of(world, still_org)


async def test_admins_who_want_to_are_told_that_something_waits(desk: Desk) -> None:
    member = await desk.person(Role.MEMBER, name="Mia Member")
    for name, role, changes in (
        ("Adam Admin", Role.ADMIN, {}),
        ("Anna Admin", Role.ADMIN, {}),
        ("Quiet Admin", Role.ADMIN, {"wants": False}),
        ("Invited Admin", Role.ADMIN, {"is_invited": True}),
        ("Other Member", Role.MEMBER, {}),
        ("Ana Lyst", Role.ANALYST, {}),
    ):
        await desk.person(role, name=name, **changes)
    approval = await desk.world.ask(member)
    first, second = sorted(await desk.sent(), key=lambda each: each.to)
    assert (first.to[:5], second.to[:5]) == ("adam+", "anna+")
    assert first.subject == "Waiting for approval: TEST.APPROVED, 1 usdc on POLYGON"
    assert first.text.startswith("Hello Adam Admin,\n\nMia Member asked for a payment")
    assert f"{BASE}/dashboard/approvals/{approval.id}\n" in first.text
    assert approval.expires_at.strftime("%d %B %Y, %H:%M UTC") in first.text
    assert str(approval.user_id) not in first.text
    assert await desk.sent() == []


async def test_who_asked_is_not_asked_to_decide(desk: Desk) -> None:
    admin = await desk.person(name="Adam Admin")
    await desk.person(name="Anna Admin")
    await desk.world.ask(admin)
    assert await desk.to() == {"anna": 1}


async def test_a_key_that_asks_is_called_one_and_gets_no_mail(desk: Desk) -> None:
    admin = await desk.person(name="Adam Admin")
    approval = await desk.world.ask(desk.world.key())
    (mail,) = await desk.sent()
    assert "\n\nAn API key asked for" in mail.text
    await desk.world.voting.approve(admin, approval.id, None)
    assert await desk.sent() == []


async def test_who_asked_is_told_the_outcome(desk: Desk) -> None:
    member = await desk.person(Role.MEMBER, name="Mia Member")
    admin = await desk.person(name="Adam Admin")
    approved, rejected, lapsed = [await desk.world.ask(member) for _ in range(3)]
    assert await desk.to() == {"adam": 3}
    await desk.world.voting.approve(admin, approved.id, "secret of Ada")
    (mail,) = await desk.sent()
    assert mail.to.startswith("mia+")
    assert mail.subject == "Approved: TEST.APPROVED, 1 usdc on POLYGON"
    assert "It is now CREATED." in mail.text
    assert "secret" not in mail.text
    await desk.world.voting.reject(admin, rejected.id, "secret of Ada")
    (mail,) = await desk.sent()
    assert mail.subject.startswith("Rejected: ")
    assert "was rejected:" in mail.text
    assert "secret" not in mail.text
    assert f"{BASE}/dashboard/approvals/{rejected.id}\n" in mail.text
    clock_of(desk.world).at = lapsed.expires_at
    assert await desk.world.lapse(lapsed, desk.world.clock.stamp())
    (mail,) = await desk.sent()
    assert mail.subject.startswith("Expired: ")
    assert "because nobody decided on it in time" in mail.text


async def test_an_approval_that_found_no_price_says_where_the_payment_is(desk: Desk) -> None:
    member, admin = await desk.person(Role.MEMBER, name="Mia M"), await desk.person(name="Al A")
    approval = await desk.world.ask(member)
    desk.world.flow.has_price = False
    await desk.sent()
    await desk.world.voting.approve(admin, approval.id, None)
    (mail,) = await desk.sent()
    assert "was approved" in mail.text
    assert "It is now QUOTE_FAILED." in mail.text


async def test_who_wants_no_mails_or_is_gone_gets_none(desk: Desk) -> None:
    world = desk.world
    quiet = await desk.person(Role.MEMBER, name="Quiet", wants=False)
    gone = await desk.person(Role.MEMBER, name="Gone")
    approvals = [await world.ask(each) for each in (quiet, gone)]
    await world.database.rows(
        "update members set removed_at = $3 where org_id = $1 and id = $2",
        *(world.org_id, gone.id, world.clock.now()),
    )
    for each in approvals:
        await world.voting.approve(world.member(), each.id, None)
    assert await desk.sent() == []


async def test_votes_that_decide_nothing_are_not_mailed(desk: Desk) -> None:
    await policy(desk.world, 2)
    member = await desk.person(Role.MEMBER, name="Mia Member")
    approval = await desk.world.ask(member)
    await desk.world.voting.approve(desk.world.member(), approval.id, None)
    assert await desk.sent() == []
    await desk.world.voting.approve(desk.world.member(), approval.id, None)
    assert await desk.to() == {"mia": 1}


async def test_a_withdrawn_payment_is_mailed_to_nobody(desk: Desk) -> None:
    world = desk.world
    approval = await world.ask(await desk.person(Role.MEMBER, name="Mia Member"))

    async def withdraw(tx: Tx) -> None:
        await world.approvals.withdraw_in(
            tx, world.org_id, approval.transfer_id, actor="test", at=world.clock.stamp()
        )

    await world.database.transact(withdraw)
    assert await desk.sent() == []


async def test_an_installation_without_mail_keeps_none(desk: Desk, still_org: Tenant) -> None:
    world, vault = desk.world, still_org.house.vault
    outbox = Outbox(world.database, vault, world.clock, None)
    mails = ApprovalMails(outbox, vault, base_url=BASE)
    silent = replace(
        world,
        approvals=Approvals(world.database, world.ledger, vault, mails),
        voting=replace(world.voting, mails=mails),
    )
    await desk.person()
    approval = await silent.ask(await desk.person(Role.MEMBER))
    await silent.voting.reject(silent.member(), approval.id, None)
    kept = "select count(*) as count from mails where org_id = $1"
    assert (await world.database.rows(kept, world.org_id))[0]["count"] == 0


async def tried(work: Awaitable[Approval]) -> str:
    """What came of a vote."""
    try:
        came = await work
    except (ResourceConflict, Broken):
        return "conflict"
    return str(came.status)


async def test_of_two_admins_at_once_one_mail_goes_out(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    house = still_org.house
    world = await make_world(house, house.database, still_org.org_id, units=ROUNDS * UNITS)
    desk = desk_of(world, still_org)
    world = desk.world
    member = await desk.person(Role.MEMBER, name="Mia Member")
    ends: Counter[str] = Counter()
    for place in range(ROUNDS):
        approval = await world.ask(member)
        verbs = [
            world.voting.approve(world.member(), approval.id, None),
            world.voting.reject(world.member(), approval.id, None),
            world.voting.approve(world.member(), approval.id, None),
        ]
        came = await asyncio.gather(*(tried(verbs[(place + turn) % 3]) for turn in range(3)))
        after = await world.again(approval)
        ends[after.status] += 1
        assert Counter(came)[str(after.status)] == 1
        (mail,) = await desk.sent()
        assert mail.subject.upper().startswith(after.status)
    assert sum(ends.values()) == ROUNDS
    del still_clock


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Desk]:
    """A desk in a house that does everything twice."""
    database: Database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    sure = await make_world(org.house, org.house.database, org.org_id, units=2 * UNITS)
    yield desk_of(sure.through(house, database), org)
    await database.close()


async def test_commits_that_nobody_heard_of_are_mailed_once(doubtful: Desk) -> None:
    member = await add_person(doubtful.world, Role.MEMBER, "Mia Member")
    admin = await add_person(doubtful.world, Role.ADMIN, "Adam Admin")
    first, second = [await doubtful.world.ask(member) for _ in range(2)]
    await doubtful.world.voting.approve(admin, first.id, None)
    assert await doubtful.world.lapse(second, second.expires_at)
    kept = "select count(*) as count from mails where org_id = $1"
    rows = await doubtful.world.database.rows(kept, doubtful.world.org_id)
    assert rows[0]["count"] == 4


async def test_a_payment_that_was_not_opened_is_mailed_to_nobody(org: Tenant) -> None:
    """In the house as it is wired: the sandbox has a mailbox, so mails are put."""
    world = await make_world(org.house, org.house.database, org.org_id)
    await add_person(world, Role.ADMIN, "Adam Admin")
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    kept = "select count(*) as count from mails where org_id = $1"

    async def count() -> int:
        return int((await org.house.database.rows(kept, org.org_id))[0]["count"])

    before = await count()
    body = transfer_body(ada, bob, 11, requireApproval=True)
    assert (await org.refused("POST", TRANSFERS, body)).startswith("400")
    assert await count() == before
    body = transfer_body(ada, bob, 10, requireApproval=True)
    await org.post(TRANSFERS, body)
    await org.post(TRANSFERS, body)
    assert await count() == before + int(org.house.outbox.can_send)
