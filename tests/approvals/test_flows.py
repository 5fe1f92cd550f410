"""Every kind of payment that can wait for an approval, over HTTP: held, decided, lapsed."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.orgs.service import Orgs
from landbridge.web.caller import Caller, Member, Role
from landbridge.wiring import AUDIT_RULES, MOVES
from tests.accounts.verified import verify
from tests.contract.things import ACCOUNT
from tests.tenants import (
    BATCHES,
    BRIDGES,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    make_user,
    refusal,
    run_due,
    served,
    transfer_body,
)

APPROVALS = "/v2/transfer-approvals"
FORBIDDEN = "403 USER_ROLE_NOT_ALLOWED"
WEEK, DAY = timedelta(weeks=1), timedelta(days=1)
TICK = timedelta(milliseconds=50)  # longer than it takes to stamp everything of a test

Body = Callable[[Tenant, str, str], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Kind:
    """A kind of payment, its body for 10 usdc, how long it waits, and where an approval leads."""

    path: str
    body: Body
    lifetime: timedelta
    approved: str

    def approval_of(self, details: dict[str, Any]) -> dict[str, Any] | None:
        """Batches have it in their receipt."""
        receipt: dict[str, Any] = details.get("receipt") or {}
        found: dict[str, Any] | None = details.get("approval") or receipt.get("approval")
        return found


async def _transfer(org: Tenant, payer: str, payee: str) -> dict[str, Any]:
    return transfer_body(payer, payee)


async def _batch(org: Tenant, payer: str, payee: str) -> dict[str, Any]:
    items = [{"userId": payee, "amount": each} for each in ("4", "6")]
    return batch_body(payer, *items)


async def _bridge(org: Tenant, payer: str, payee: str) -> dict[str, Any]:
    return bridge_body(payer, destination={"userId": payee})


async def _offramp(org: Tenant, payer: str, payee: str) -> dict[str, Any]:
    path = f"/v2/users/{payer}/accounts"
    accounts = (await org.get(path))["banks"]
    if accounts:
        account = accounts[0]["accountId"]
    else:
        await verify(org, payer, Rail.SOUTH_AMERICA_STANDARD)
        account = (await org.post(path, ACCOUNT))["id"]
    return {
        "requestId": str(new_id()),
        "source": {"userId": payer, "chain": "POLYGON", "currency": "usdc", "amount": 10},
        "destination": {"userId": payer, "currency": "brl", "accountId": account},
    }


KINDS = {
    "WALLET.TRANSFER": Kind(TRANSFERS, _transfer, WEEK, "CREATED"),
    "WALLET.TRANSFER.BATCH": Kind(BATCHES, _batch, WEEK, "CREATED"),
    "WALLET.BRIDGE": Kind(BRIDGES, _bridge, WEEK, "OPEN_QUOTE"),
    "OFFRAMP": Kind("/v2/offramps", _offramp, DAY, "OPEN_QUOTE"),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@dataclass
class Play:
    """A payer with 25 usdc, and who is paid."""

    org: Tenant
    clock: FrozenClock
    payer: str
    payee: str

    async def ask(self, name: str, *, requires: bool = True) -> dict[str, Any]:
        """The details of a payment of 10 usdc that waits for an approval."""
        kind = KINDS[name]
        body = await kind.body(self.org, self.payer, self.payee)
        made = await self.org.post(kind.path, {**body, "requireApproval": requires})
        assert made["transferType"] == name
        return made["transferDetails"]

    async def get(self, name: str, transfer: str) -> dict[str, Any]:
        return (await self.org.get(f"{KINDS[name].path}/{transfer}"))["transferDetails"]

    async def funds(self) -> tuple[str, str]:
        """What the payer has on POLYGON, and how much of it can be spent."""
        path = f"/v2/users/{self.payer}/wallets/balance"
        found = await self.org.get(path, chain="POLYGON", currency="usdc")
        return found["displayBalance"], found["availableBalance"]

    async def check_books(self) -> None:
        audited = await audit(self.org.house.database, MOVES, AUDIT_RULES, org_id=self.org.org_id)
        assert audited.is_clean, table(audited)


class SignIn(Orgs):
    """Knows members by a word of theirs, as the dashboard's sessions will."""

    people: ClassVar[dict[str, Caller]] = {}

    @override
    async def authenticate(self, secret: str) -> Caller:
        return self.people.get(secret) or await super().authenticate(secret)


@dataclass
class Team:
    """The people of an organisation."""

    org: Tenant

    def sign_in(self, role: Role, member_id: UUID | None = None) -> Tenant:
        """The organisation, as this person speaks for it."""
        member = Member(member_id or new_id(), role)
        caller = Caller(self.org.org_id, None, timedelta(), member=member)
        word = f"{member.id} {role}"
        SignIn.people[word] = caller
        return replace(self.org, caller=caller, key=word)


@pytest.fixture
async def team(play: Play) -> AsyncIterator[Team]:
    house = play.org.house
    orgs = SignIn(house.database, house.clock, house.settings.mode)
    async with served(replace(house, orgs=orgs)) as client:
        yield Team(replace(play.org, client=client))


@pytest.fixture
async def play(still_org: Tenant, still_clock: FrozenClock) -> Play:
    chains = ["POLYGON", "BASE"]
    payer = await make_user(still_org, funds="25", chains=chains, lastName="Approval")
    return Play(still_org, still_clock, payer, await make_user(still_org, chains=chains))


def _spendable(funds: tuple[str, str]) -> tuple[str, int]:
    """As whole coins and as smallest units."""
    return funds[0], int(funds[1])


@every_kind
async def test_it_waits_with_its_money_held_and_shows_its_approval(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    assert made["status"] == "PENDING_APPROVAL"
    approval = KINDS[kind].approval_of(made)
    assert approval is not None
    assert approval["votes"] == []
    assert (approval["status"], approval["transferId"]) == ("PENDING", made["id"])
    assert (approval["transferType"], approval["fromDashboard"]) == (kind, False)
    assert approval["initiatorProfileId"] == str(play.org.caller.id)
    (listed,) = (await play.org.get(APPROVALS))["approvals"]
    assert (listed["id"], listed["transferType"]) == (approval["id"], kind)
    assert _spendable(await play.funds()) == ("25", 15_000_000)
    # What waits stays so, whatever the worker does.
    await run_due(play.org)
    assert (await play.get(kind, made["id"]))["status"] == "PENDING_APPROVAL"
    # Ten of the fifteen that are left, and then no more.
    await play.ask(kind)
    body = await KINDS[kind].body(play.org, play.payer, play.payee)
    for requires in (True, False):
        again = {**body, "requireApproval": requires, "requestId": str(new_id())}
        answer = await play.org.send("POST", KINDS[kind].path, again)
        assert refusal(answer) == "400 INSUFFICIENT_BALANCE"
    await play.check_books()


@every_kind
async def test_approved_it_goes_on(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    approval = KINDS[kind].approval_of(made) or {}
    said = await play.org.post(f"{APPROVALS}/{approval['id']}/approve", {"comment": "fine"})
    assert said["status"] == "APPROVED"
    after = await play.get(kind, made["id"])
    assert after["status"] == KINDS[kind].approved
    shown = KINDS[kind].approval_of(after) or {}
    assert (shown["status"], shown["votes"]) == ("APPROVED", None)
    # What was held stays held until it is spent.
    assert _spendable(await play.funds()) == ("25", 15_000_000)
    if after["status"] == "OPEN_QUOTE":
        quote = "/quote" if kind == "OFFRAMP" else ""
        await play.org.post(f"{KINDS[kind].path}/{made['id']}{quote}/accept")
    play.clock.at += timedelta(seconds=1)
    await run_due(play.org)
    assert (await play.get(kind, made["id"]))["status"] == "COMPLETED"
    assert _spendable(await play.funds()) == ("15", 15_000_000)
    await play.check_books()


@every_kind
async def test_rejected_it_ends_and_lets_its_money_go(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    approval = KINDS[kind].approval_of(made) or {}
    await play.org.post(f"{APPROVALS}/{approval['id']}/reject", {"reason": "Ada Canary"})
    after = await play.get(kind, made["id"])
    assert after["status"] == "REJECTED"
    assert after["failedReason"]
    assert "Canary" not in after["failedReason"]
    shown = KINDS[kind].approval_of(after) or {}
    assert shown["status"] == "REJECTED"
    assert [(vote["vote"], vote["comment"]) for vote in shown["votes"]] == [
        ("REJECT", "Ada Canary")
    ]
    assert _spendable(await play.funds()) == ("25", 25_000_000)
    await run_due(play.org)
    assert (await play.get(kind, made["id"])) == after
    await play.check_books()


@every_kind
async def test_undecided_it_lapses_exactly_when_its_time_is_over(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    approval = KINDS[kind].approval_of(made) or {}
    deadline = datetime.fromisoformat(approval["createdAt"]) + KINDS[kind].lifetime
    play.clock.at = deadline - TICK
    await run_due(play.org)
    assert (await play.get(kind, made["id"]))["status"] == "PENDING_APPROVAL"
    play.clock.at = deadline
    await run_due(play.org)
    after = await play.get(kind, made["id"])
    assert after["status"] == "EXPIRED"
    assert after["failedReason"]
    shown = KINDS[kind].approval_of(after) or {}
    assert (shown["status"], shown["votes"]) == ("EXPIRED", None)
    assert _spendable(await play.funds()) == ("25", 25_000_000)
    assert (await play.org.get(APPROVALS))["count"] == 0
    await play.check_books()


@every_kind
async def test_the_last_moment_still_decides(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    approval = KINDS[kind].approval_of(made) or {}
    deadline = datetime.fromisoformat(approval["createdAt"]) + KINDS[kind].lifetime
    play.clock.at = deadline - TICK
    await play.org.post(f"{APPROVALS}/{approval['id']}/approve")
    assert (await play.get(kind, made["id"]))["status"] == KINDS[kind].approved


@every_kind
async def test_the_clock_of_a_sandbox_lets_it_lapse(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    seconds = int(KINDS[kind].lifetime.total_seconds())
    await play.org.post("/v2/sandbox/clock/advance", {"seconds": seconds - 60})
    assert (await play.get(kind, made["id"]))["status"] == "PENDING_APPROVAL"
    play.clock.at += TICK
    await play.org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    assert (await play.get(kind, made["id"]))["status"] == "EXPIRED"


@every_kind
async def test_asked_again_it_asks_for_nothing_more(play: Play, kind: str) -> None:
    body = {
        **await KINDS[kind].body(play.org, play.payer, play.payee),
        "requireApproval": True,
    }
    first = await play.org.post(KINDS[kind].path, body)
    assert await play.org.post(KINDS[kind].path, body) == first
    assert (await play.org.get(APPROVALS))["count"] == 1
    assert _spendable(await play.funds()) == ("25", 15_000_000)


@every_kind
async def test_an_altered_payment_is_never_approved(play: Play, kind: str) -> None:
    made = await play.ask(kind)
    approval = KINDS[kind].approval_of(made) or {}
    await play.org.house.database.rows(
        "update transfers set source_units = source_units + 1 where org_id = $1 and id = $2",
        *(play.org.org_id, UUID(made["id"])),
    )
    for verb in ("approve", "reject"):
        answer = await play.org.send("POST", f"{APPROVALS}/{approval['id']}/{verb}")
        assert refusal(answer) == "409 RESOURCE_CONFLICT"


@every_kind
async def test_what_a_member_starts_always_waits_for_an_admin(
    play: Play, team: Team, kind: str
) -> None:
    member, admin = team.sign_in(Role.MEMBER), team.sign_in(Role.ADMIN)
    made = await replace(play, org=member).ask(kind, requires=False)
    assert made["status"] == "PENDING_APPROVAL"
    approval = KINDS[kind].approval_of(made) or {}
    assert approval["fromDashboard"] is True
    assert approval["initiatorProfileId"] == str(member.caller.id)
    path = f"{APPROVALS}/{approval['id']}"
    for nobody in (member, team.sign_in(Role.MEMBER), team.sign_in(Role.ANALYST)):
        for verb in ("approve", "reject"):
            assert await nobody.refused("POST", f"{path}/{verb}") == FORBIDDEN
        assert await nobody.refused("GET", APPROVALS) == FORBIDDEN
    # Promoted meanwhile, they still do not decide on their own.
    promoted = team.sign_in(Role.ADMIN, member.caller.id)
    assert await promoted.refused("POST", f"{path}/approve") == FORBIDDEN
    assert (await admin.post(f"{path}/approve"))["status"] == "APPROVED"
    assert (await play.get(kind, made["id"]))["status"] == KINDS[kind].approved
    await play.check_books()


@every_kind
async def test_what_an_admin_starts_goes_on_at_once(play: Play, team: Team, kind: str) -> None:
    admin = replace(play, org=team.sign_in(Role.ADMIN))
    made = await admin.ask(kind, requires=False)
    assert made["status"] == KINDS[kind].approved
    assert KINDS[kind].approval_of(made) is None
    # Unless they ask for another pair of eyes.
    asked = KINDS[kind].approval_of(await admin.ask(kind)) or {}
    assert await admin.org.refused("POST", f"{APPROVALS}/{asked['id']}/approve") == FORBIDDEN
    second = team.sign_in(Role.ADMIN)
    assert (await second.post(f"{APPROVALS}/{asked['id']}/approve"))["status"] == "APPROVED"


@every_kind
async def test_an_analyst_starts_nothing(play: Play, team: Team, kind: str) -> None:
    body = await KINDS[kind].body(play.org, play.payer, play.payee)
    analyst = team.sign_in(Role.ANALYST)
    for requires in (True, False):
        asked = {**body, "requireApproval": requires}
        assert await analyst.refused("POST", KINDS[kind].path, asked) == FORBIDDEN
