"""What no single request shows: doubtful commits, races with deposits, production, who may."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar
from uuid import UUID, uuid4

import msgspec
import pytest
from typing_extensions import override

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, ProfileFrozen, Refused, ResourceNotFound, RoleNotAllowed
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.kyc.model import Rail
from landbridge.orgs.model import Mode
from landbridge.orgs.service import take_lane
from landbridge.quotes.errors import RouteInvalid
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import shared_seed
from landbridge.rails.sandbox import SandboxRails
from landbridge.receipts.model import Sender
from landbridge.sandbox.virtual_deposits import Made
from landbridge.simulation.errors import SandboxOnly
from landbridge.verification.model import case_id
from landbridge.virtual_accounts import rule_model
from landbridge.virtual_accounts.destinations import Destinations, Route
from landbridge.virtual_accounts.model import KIND, Status
from landbridge.virtual_accounts.rule_reading import Asked, read_rule
from landbridge.virtual_accounts.rule_wire import NewRule
from landbridge.web.caller import Member, Role
from landbridge.wiring import House, wire
from tests.db.test_lost_commits import Forgetful, told
from tests.onramps import check_books, settle
from tests.simulation.made import make_playing
from tests.tenants import SETTINGS, Tenant, good, held, served

from .made import (
    RULES,
    account_body,
    at,
    deposit_body,
    make_account,
    make_receiver,
    make_rule,
    percentage,
    rule_body,
)

T = TypeVar("T")
TO_POLYGON = Route(
    source_currency="usd",
    destination_currency="usdc",
    chain=Chain.POLYGON,
    external_wallet_id=None,
)
TO_ETHEREUM = replace(TO_POLYGON, chain=Chain.ETHEREUM)


def asked(fraction: str) -> Asked:
    """A rule with one part."""
    body = rule_body(percentage(fraction))
    return read_rule(msgspec.convert(body, NewRule, strict=False))


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org`, in a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    yield Tenant(house, org.client, org.caller, org.key)
    await database.close()


@pytest.fixture
async def real(org: Tenant) -> House:
    """A house of production, over the same database."""
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    return wire(settings, org.house.database, Clock(await take_lane(org.house.database)))


class Forgetting(SandboxRails):
    """A bank that hands out one account number again and again, `times` times."""

    times = 0

    @override
    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        if seed == shared_seed(org_id, currency):
            return await super().new_account_number(org_id, currency, seed)
        self.times -= 1
        chosen = seed if self.times < 0 else UUID(int=7)
        return await super().new_account_number(org_id, currency, chosen)


async def test_two_accounts_never_have_one_number(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    rails = Forgetting(make_playing(org.house.database))
    clock = Clock(await take_lane(org.house.database))
    accounts = wire(SETTINGS, org.house.database, clock, rails=rails).virtual_accounts
    rails.times = 8
    first = await accounts.create(org.caller, user, TO_POLYGON)
    second = await accounts.create(org.caller, user, TO_POLYGON)
    assert first.account_number != second.account_number
    rails.times = 100
    with pytest.raises(Busy):
        await accounts.create(org.caller, user, TO_POLYGON)


class Meeting(SandboxRails):
    """A bank whose first number for an account is the one that onramps are paid on."""

    meets = True

    @override
    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        chosen = shared_seed(org_id, currency) if self.meets else seed
        self.meets = False
        return await super().new_account_number(org_id, currency, chosen)


async def test_no_account_has_the_number_on_which_onramps_are_paid(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    rails = Meeting(make_playing(org.house.database))
    clock = Clock(await take_lane(org.house.database))
    house = wire(SETTINGS, org.house.database, clock, rails=rails)
    account = await house.virtual_accounts.create(org.caller, user, TO_POLYGON)
    assert account.account_number != await house.onramps.account_number(org.org_id, "usd")


async def test_an_account_is_opened_and_changed_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_receiver(org))
    accounts, caller = doubtful.house.virtual_accounts, doubtful.caller
    opened = await accounts.create(caller, user, TO_POLYGON)
    assert len((await org.get(at(str(user))))["data"]) == 1
    assert await org.house.virtual_accounts.get(org.org_id, user, opened.id) == opened
    moved = await accounts.update(caller, user, opened.id, TO_ETHEREUM)
    assert (moved.chain, moved.version) == (Chain.ETHEREUM, 2)
    closed = await accounts.deactivate(caller, user, opened.id)
    again = await accounts.reactivate(caller, user, opened.id)
    assert (closed.status, again.status, again.version) == (Status.DEACTIVATED, Status.ACTIVATED, 4)
    assert [seq for _, seq in await told(org, org.org_id, KIND)] == [1, 2, 3, 4]


class Beaten(Database):
    """Undoes what writes a request, once, after which somebody else is faster: `between`."""

    between: Callable[[], Awaitable[object]] | None = None

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        if self.between is None:
            return await super().transact(work)

        async def undone(tx: Tx) -> T:
            before = await tx.fetchval("select count(*) from settlement_rule_requests")
            done = await work(tx)
            if await tx.fetchval("select count(*) from settlement_rule_requests") != before:
                raise _Undone
            return done

        try:
            return await super().transact(undone)
        except _Undone:
            between, self.between = self.between, None
            await between()
            return await super().transact(work)


class _Undone(Exception):
    pass


async def test_an_attempt_that_was_undone_made_nothing(dsn: str, org: Tenant) -> None:
    database = await Beaten.connect(dsn, name="tests", size_max=2)
    assert isinstance(database, Beaten)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    async with served(house) as client:
        beaten, body = Tenant(house, client, org.caller, org.key), rule_body(percentage("0.1"))
        made = await org.post(RULES, rule_body(percentage("0.2")))
        for path in (RULES, f"{RULES}/{made['id']}/update"):
            body["requestId"] = str(uuid4())
            # A task of its own: a request sees nothing of another's context.
            database.between = lambda path=path: asyncio.create_task(org.post(path, body))
            answer = await beaten.send("POST", path, body)
            assert good(answer)["id"]
            assert answer.headers.get("Idempotent-Replayed") == "true", path
            assert database.between is None
    await database.close()


async def test_a_rule_is_made_changed_applied_and_deleted_once(
    org: Tenant, doubtful: Tenant
) -> None:
    user = UUID(await make_receiver(org))
    house, caller = doubtful.house, doubtful.caller
    account = await house.virtual_accounts.create(caller, user, TO_POLYGON)
    rule = await house.settlement_rules.create(caller, asked("0.1"), request_id=uuid4())
    changed = await house.settlement_rules.update(caller, rule.id, asked("0.2"), request_id=uuid4())
    assert (changed.parts[0].value, changed.version) == (Decimal("0.2"), 2)
    applied = await house.virtual_accounts.apply_rule(caller, user, account.id, rule.id)
    removed = await house.virtual_accounts.remove_rule(caller, user, account.id)
    assert (applied.version, removed.version) == (2, 3)
    await house.settlement_rules.delete(caller, rule.id)
    kinds = await told(org, org.org_id, rule_model.KIND)
    assert kinds == [("create", 1), ("update", 2), ("delete", 3)]
    with pytest.raises(ResourceNotFound):
        await house.settlement_rules.delete(caller, rule.id)


async def test_a_rule_is_not_read_for_an_account_that_has_changed(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    accounts = org.house.virtual_accounts
    first = await accounts.create(org.caller, user, TO_POLYGON)
    assert await accounts.rule_of(org.org_id, first) is None
    rule = UUID((await make_rule(org))["id"])
    applied = await accounts.apply_rule(org.caller, user, first.id, rule)
    found = await accounts.rule_of(org.org_id, applied)
    assert found is not None
    assert found.id == rule
    await accounts.remove_rule(org.caller, user, first.id)
    with pytest.raises(Busy):
        await accounts.rule_of(org.org_id, applied)


async def test_deposits_while_everything_changes_lose_no_cent(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org, percentage(0.5)))["id"]
    other = (await make_rule(org, percentage(0.25), chain="ETHEREUM"))["id"]
    path = at(user, account, "simulate-deposit")

    async def change() -> None:
        for _ in range(3):
            await org.send("POST", at(user, account, f"settlement-rules/{rule}"))
            await org.send("POST", f"{RULES}/{rule}/update", rule_body(percentage(0.25)))
            await org.send("DELETE", at(user, account, "settlement-rules"))
            await org.send("POST", at(user, account, "update"), account_body("ETHEREUM"))
            await org.send("POST", at(user, account, f"settlement-rules/{other}"))
            await org.send("DELETE", at(user, account, "settlement-rules"))
            await org.send("POST", at(user, account, "update"), account_body())

    async def pay() -> None:
        for _ in range(6):
            await org.post(path, deposit_body("10"))
            await settle(org)

    await asyncio.gather(change(), pay())
    while rows := await org.house.database.rows(
        "select id from receipts where org_id = $1 and status = 'NEW'", org.org_id
    ):
        assert len(rows) <= 6
        await settle(org)
    rows = await org.house.database.rows(
        "select t.status, t.details::text as details, t.destination_units as units"
        " from transfers t where t.org_id = $1 and t.kind = 'ONRAMP'",
        org.org_id,
    )
    assert [row["status"] for row in rows] == ["COMPLETED"] * 6
    details = [msgspec.json.decode(row["details"]) for row in rows]
    shared = sum(part["units"] for each in details for part in each["parts"])
    kept = [Decimal(await held(org, user, chain=chain)) for chain in ("POLYGON", "ETHEREUM")]
    assert sum(kept) + Decimal(shared).scaleb(-6) == 60
    await check_books(org)


async def test_production_has_no_bank_and_makes_up_no_deposits(org: Tenant, real: House) -> None:
    user = UUID(await make_receiver(org))
    account = UUID((await make_account(org, str(user)))["id"])
    with pytest.raises(RouteInvalid, match="no bank is connected"):
        await real.virtual_accounts.create(org.caller, user, TO_POLYGON)
    rails = SandboxRails(make_playing(org.house.database))
    outside = replace(TO_POLYGON, chain=None, external_wallet_id=uuid4())
    with pytest.raises(RouteInvalid, match="no chain is connected"):
        await Destinations(real.wallets, rails, can_leave=False).find(org.org_id, user, outside)
    with pytest.raises(RouteInvalid, match="no chain is connected"):
        await real.settlement_rules.create(org.caller, asked("0.1"), request_id=uuid4())
    found = await real.virtual_accounts.get(org.org_id, user, account)
    assert await real.virtual_accounts.instructions(found) is None
    service = replace(org.house.simulated_deposits, mode=Mode.PRODUCTION)
    house = replace(org.house, simulated_deposits=service)
    with pytest.raises(SandboxOnly):
        await house.simulated_deposits.make(
            org.caller,
            user,
            account,
            Made(
                money=Money.parse("1", FIAT["usd"]),
                rail="ach",
                sender=Sender(),
                reference=None,
                description=None,
            ),
            request_id=uuid4(),
            request={},
        )


async def test_a_revoked_verification_opens_and_wakes_no_account(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await org.post(at(user, account, "deactivate"))
    case = case_id(UUID(user), Rail.USD)
    await org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    refused = "403 USER_COMPLIANCE_VERIFICATION_FAILED"
    assert await org.refused("POST", at(user, account, "reactivate")) == refused
    assert await org.refused("POST", at(user), account_body()) == refused


@pytest.mark.parametrize("kind", ["frozen", "analyst"])
async def test_who_may_not_pay_changes_nothing(org: Tenant, kind: str) -> None:
    user = UUID(await make_receiver(org))
    account = UUID((await make_account(org, str(user)))["id"])
    rule = UUID((await make_rule(org))["id"])
    caller, refusal = replace(org.caller, is_org_frozen=True), ProfileFrozen
    if kind == "analyst":
        caller = replace(org.caller, key_id=None, member=Member(uuid4(), Role.ANALYST))
        refusal = RoleNotAllowed
    accounts, rules = org.house.virtual_accounts, org.house.settlement_rules
    refused: type[Refused] = refusal
    for attempt in (
        accounts.create(caller, user, TO_POLYGON),
        accounts.update(caller, user, account, TO_ETHEREUM),
        accounts.deactivate(caller, user, account),
        accounts.reactivate(caller, user, account),
        accounts.apply_rule(caller, user, account, rule),
        accounts.remove_rule(caller, user, account),
        rules.create(caller, asked("0.1"), request_id=uuid4()),
        rules.update(caller, rule, asked("0.1"), request_id=uuid4()),
        rules.delete(caller, rule),
    ):
        with pytest.raises(refused):
            await attempt
