"""Every kind of payment that supports approvals, over HTTP: held, decided, expired."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.customers.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.orgs.service import Orgs
from tests.contract.resources import ACCOUNT
from tests.customers.bank_accounts.verified import verify
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
TICK = timedelta(milliseconds=50)  # longer than all timestamps of a test take

Body = Callable[[Tenant, str, str], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class ApprovalKind:
    """Kind of payment: its body for 10 usdc, its lifetime, and its status after an approval."""

    path: str
    body: Body
    lifetime: timedelta
    approved: str

    def approval_of(self, details: dict[str, Any]) -> dict[str, Any] | None:
        """Return the approval of a reply; batches have it in their receipt."""
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
    "WALLET.TRANSFER": ApprovalKind(TRANSFERS, _transfer, WEEK, "CREATED"),
    "WALLET.TRANSFER.BATCH": ApprovalKind(BATCHES, _batch, WEEK, "CREATED"),
    "WALLET.BRIDGE": ApprovalKind(BRIDGES, _bridge, WEEK, "OPEN_QUOTE"),
    "OFFRAMP": ApprovalKind("/v2/offramps", _offramp, DAY, "OPEN_QUOTE"),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@dataclass
class ApprovalScenario:
    """Payer with 25 usdc, and a recipient."""

    org: Tenant
    clock: FrozenClock
    payer: str
    payee: str

    async def request_payment(self, name: str, *, requires: bool = True) -> dict[str, Any]:
        """Create a payment of 10 usdc pending approval; return its details."""
        kind = KINDS[name]
        body = await kind.body(self.org, self.payer, self.payee)
        created = await self.org.post(kind.path, {**body, "requireApproval": requires})
        assert created["transferType"] == name
        return created["transferDetails"]

    async def get(self, name: str, transfer: str) -> dict[str, Any]:
        return (await self.org.get(f"{KINDS[name].path}/{transfer}"))["transferDetails"]

    async def funds(self) -> tuple[str, str]:
        """Return the payer's balance on POLYGON, and its available part."""
        path = f"/v2/users/{self.payer}/wallets/balance"
        found = await self.org.get(path, chain="POLYGON", currency="usdc")
        return found["displayBalance"], found["availableBalance"]

    async def check_books(self) -> None:
        audited = await audit(
            self.org.container.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id
        )
        assert audited.is_clean, table(audited)


class SignIn(Orgs):
    """Authenticates members by a token each, as the dashboard does by a session."""

    people: ClassVar[dict[str, Caller]] = {}

    @override
    async def authenticate(self, secret: str) -> Caller:
        return self.people.get(secret) or await super().authenticate(secret)


@dataclass
class Team:
    """Team members of an organisation."""

    org: Tenant

    def sign_in(self, role: MemberRole, member_id: UUID | None = None) -> Tenant:
        """Return the organisation with this person signed in."""
        member = SignedInMember(member_id or new_id(), role)
        caller = Caller(self.org.org_id, None, timedelta(), member=member)
        word = f"{member.id} {role}"
        SignIn.people[word] = caller
        return replace(self.org, caller=caller, key=word)


@pytest.fixture
async def team(scenario: ApprovalScenario) -> AsyncIterator[Team]:
    container = scenario.org.container
    orgs = SignIn(container.database, container.clock, container.settings.mode)
    async with served(replace(container, orgs=orgs)) as client:
        yield Team(replace(scenario.org, client=client))


@pytest.fixture
async def scenario(still_org: Tenant, still_clock: FrozenClock) -> ApprovalScenario:
    chains = ["POLYGON", "BASE"]
    payer = await make_user(still_org, funds="25", chains=chains, lastName="Approval")
    return ApprovalScenario(
        still_org, still_clock, payer, await make_user(still_org, chains=chains)
    )


def _spendable(funds: tuple[str, str]) -> tuple[str, int]:
    """Return the available balance in coins and in smallest units."""
    return funds[0], int(funds[1])


@every_kind
async def test_pending_payment_holds_its_funds_and_shows_its_approval(
    scenario: ApprovalScenario, kind: str
) -> None:
    created = await scenario.request_payment(kind)
    assert created["status"] == "PENDING_APPROVAL"
    approval = KINDS[kind].approval_of(created)
    assert approval is not None
    assert approval["votes"] == []
    assert (approval["status"], approval["transferId"]) == ("PENDING", created["id"])
    assert (approval["transferType"], approval["fromDashboard"]) == (kind, False)
    assert approval["initiatorProfileId"] == str(scenario.org.caller.id)
    (listed,) = (await scenario.org.get(APPROVALS))["approvals"]
    assert (listed["id"], listed["transferType"]) == (approval["id"], kind)
    assert _spendable(await scenario.funds()) == ("25", 15_000_000)
    # A pending payment stays pending, whatever the worker does.
    await run_due(scenario.org)
    assert (await scenario.get(kind, created["id"]))["status"] == "PENDING_APPROVAL"
    # Ten of the fifteen that are left, and then no more.
    await scenario.request_payment(kind)
    body = await KINDS[kind].body(scenario.org, scenario.payer, scenario.payee)
    for requires in (True, False):
        again = {**body, "requireApproval": requires, "requestId": str(new_id())}
        answer = await scenario.org.send("POST", KINDS[kind].path, again)
        assert refusal(answer) == "400 INSUFFICIENT_BALANCE"
    await scenario.check_books()


@every_kind
async def test_approved_payment_continues(scenario: ApprovalScenario, kind: str) -> None:
    created = await scenario.request_payment(kind)
    approval = KINDS[kind].approval_of(created) or {}
    decided = await scenario.org.post(f"{APPROVALS}/{approval['id']}/approve", {"comment": "fine"})
    assert decided["status"] == "APPROVED"
    after = await scenario.get(kind, created["id"])
    assert after["status"] == KINDS[kind].approved
    shown = KINDS[kind].approval_of(after) or {}
    assert (shown["status"], shown["votes"]) == ("APPROVED", None)
    # The hold lasts until the coins are spent.
    assert _spendable(await scenario.funds()) == ("25", 15_000_000)
    if after["status"] == "OPEN_QUOTE":
        quote = "/quote" if kind == "OFFRAMP" else ""
        await scenario.org.post(f"{KINDS[kind].path}/{created['id']}{quote}/accept")
    scenario.clock.at += timedelta(seconds=1)
    await run_due(scenario.org)
    assert (await scenario.get(kind, created["id"]))["status"] == "COMPLETED"
    assert _spendable(await scenario.funds()) == ("15", 15_000_000)
    await scenario.check_books()


@every_kind
async def test_rejected_payment_fails_and_releases_its_funds(
    scenario: ApprovalScenario, kind: str
) -> None:
    created = await scenario.request_payment(kind)
    approval = KINDS[kind].approval_of(created) or {}
    await scenario.org.post(f"{APPROVALS}/{approval['id']}/reject", {"reason": "Ada Canary"})
    after = await scenario.get(kind, created["id"])
    assert after["status"] == "REJECTED"
    assert after["failedReason"]
    assert "Canary" not in after["failedReason"]
    shown = KINDS[kind].approval_of(after) or {}
    assert shown["status"] == "REJECTED"
    assert [(vote["vote"], vote["comment"]) for vote in shown["votes"]] == [
        ("REJECT", "Ada Canary")
    ]
    assert _spendable(await scenario.funds()) == ("25", 25_000_000)
    await run_due(scenario.org)
    assert (await scenario.get(kind, created["id"])) == after
    await scenario.check_books()


@every_kind
async def test_undecided_payment_expires_exactly_at_its_deadline(
    scenario: ApprovalScenario, kind: str
) -> None:
    created = await scenario.request_payment(kind)
    approval = KINDS[kind].approval_of(created) or {}
    deadline = datetime.fromisoformat(approval["createdAt"]) + KINDS[kind].lifetime
    scenario.clock.at = deadline - TICK
    await run_due(scenario.org)
    assert (await scenario.get(kind, created["id"]))["status"] == "PENDING_APPROVAL"
    scenario.clock.at = deadline
    await run_due(scenario.org)
    after = await scenario.get(kind, created["id"])
    assert after["status"] == "EXPIRED"
    assert after["failedReason"]
    shown = KINDS[kind].approval_of(after) or {}
    assert (shown["status"], shown["votes"]) == ("EXPIRED", None)
    assert _spendable(await scenario.funds()) == ("25", 25_000_000)
    assert (await scenario.org.get(APPROVALS))["count"] == 0
    await scenario.check_books()


@every_kind
async def test_the_last_moment_still_decides(scenario: ApprovalScenario, kind: str) -> None:
    created = await scenario.request_payment(kind)
    approval = KINDS[kind].approval_of(created) or {}
    deadline = datetime.fromisoformat(approval["createdAt"]) + KINDS[kind].lifetime
    scenario.clock.at = deadline - TICK
    await scenario.org.post(f"{APPROVALS}/{approval['id']}/approve")
    assert (await scenario.get(kind, created["id"]))["status"] == KINDS[kind].approved


@every_kind
async def test_sandbox_clock_expires_the_approval(scenario: ApprovalScenario, kind: str) -> None:
    created = await scenario.request_payment(kind)
    seconds = int(KINDS[kind].lifetime.total_seconds())
    await scenario.org.post("/v2/sandbox/clock/advance", {"seconds": seconds - 60})
    assert (await scenario.get(kind, created["id"]))["status"] == "PENDING_APPROVAL"
    scenario.clock.at += TICK
    await scenario.org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    assert (await scenario.get(kind, created["id"]))["status"] == "EXPIRED"


@every_kind
async def test_repeated_request_creates_no_second_approval(
    scenario: ApprovalScenario, kind: str
) -> None:
    body = {
        **await KINDS[kind].body(scenario.org, scenario.payer, scenario.payee),
        "requireApproval": True,
    }
    first = await scenario.org.post(KINDS[kind].path, body)
    assert await scenario.org.post(KINDS[kind].path, body) == first
    assert (await scenario.org.get(APPROVALS))["count"] == 1
    assert _spendable(await scenario.funds()) == ("25", 15_000_000)


@every_kind
async def test_an_altered_payment_is_never_approved(scenario: ApprovalScenario, kind: str) -> None:
    created = await scenario.request_payment(kind)
    approval = KINDS[kind].approval_of(created) or {}
    await scenario.org.container.database.rows(
        "update transfers set source_units = source_units + 1 where org_id = $1 and id = $2",
        *(scenario.org.org_id, UUID(created["id"])),
    )
    for verb in ("approve", "reject"):
        answer = await scenario.org.send("POST", f"{APPROVALS}/{approval['id']}/{verb}")
        assert refusal(answer) == "409 RESOURCE_CONFLICT"


@every_kind
async def test_members_payment_always_needs_an_admin(
    scenario: ApprovalScenario, team: Team, kind: str
) -> None:
    member, admin = team.sign_in(MemberRole.MEMBER), team.sign_in(MemberRole.ADMIN)
    created = await replace(scenario, org=member).request_payment(kind, requires=False)
    assert created["status"] == "PENDING_APPROVAL"
    approval = KINDS[kind].approval_of(created) or {}
    assert approval["fromDashboard"] is True
    assert approval["initiatorProfileId"] == str(member.caller.id)
    path = f"{APPROVALS}/{approval['id']}"
    for outsider in (member, team.sign_in(MemberRole.MEMBER), team.sign_in(MemberRole.ANALYST)):
        for verb in ("approve", "reject"):
            assert await outsider.refused("POST", f"{path}/{verb}") == FORBIDDEN
        assert await outsider.refused("GET", APPROVALS) == FORBIDDEN
    # Promoted meanwhile, they still cannot decide on their own request.
    promoted = team.sign_in(MemberRole.ADMIN, member.caller.id)
    assert await promoted.refused("POST", f"{path}/approve") == FORBIDDEN
    assert (await admin.post(f"{path}/approve"))["status"] == "APPROVED"
    assert (await scenario.get(kind, created["id"]))["status"] == KINDS[kind].approved
    await scenario.check_books()


@every_kind
async def test_admins_payment_continues_without_an_approval(
    scenario: ApprovalScenario, team: Team, kind: str
) -> None:
    admin = replace(scenario, org=team.sign_in(MemberRole.ADMIN))
    created = await admin.request_payment(kind, requires=False)
    assert created["status"] == KINDS[kind].approved
    assert KINDS[kind].approval_of(created) is None
    # Unless they request a second approval.
    approval = KINDS[kind].approval_of(await admin.request_payment(kind)) or {}
    assert await admin.org.refused("POST", f"{APPROVALS}/{approval['id']}/approve") == FORBIDDEN
    second = team.sign_in(MemberRole.ADMIN)
    assert (await second.post(f"{APPROVALS}/{approval['id']}/approve"))["status"] == "APPROVED"


@every_kind
async def test_analyst_cannot_create_payments(
    scenario: ApprovalScenario, team: Team, kind: str
) -> None:
    body = await KINDS[kind].body(scenario.org, scenario.payer, scenario.payee)
    analyst = team.sign_in(MemberRole.ANALYST)
    for requires in (True, False):
        request = {**body, "requireApproval": requires}
        assert await analyst.refused("POST", KINDS[kind].path, request) == FORBIDDEN
