"""Lost commit answers, races with deposits, production mode and roles of virtual accounts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar
from uuid import UUID, uuid4

import msgspec
import pytest
from typing_extensions import override

from landbridge.app.container import Container, wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from landbridge.payments.incoming_payments.model import IncomingPaymentSender
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.virtual_accounts import rule_model
from landbridge.payments.virtual_accounts.destinations import (
    DeliveryDestinations,
    NewVirtualAccount,
)
from landbridge.payments.virtual_accounts.model import KIND, VirtualAccountStatus
from landbridge.payments.virtual_accounts.rule_parsing import RuleRequest, parse_rule
from landbridge.payments.virtual_accounts.rule_schemas import NewRule
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    Busy,
    ProfileFrozen,
    Refused,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.none import NoChains
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import shared_seed
from landbridge.providers.rails.sandbox import SandboxRails
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.sandbox.deposits import VirtualDepositRequest
from tests.onramps import check_books, settle
from tests.payments.virtual_accounts.virtual_account_setup import (
    OUTSIDE,
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
from tests.platform.db.test_lost_commits import Forgetful, changes_of_kind
from tests.providers.simulation.builders import make_scripted_orders
from tests.tenants import SETTINGS, Tenant, good, held, register, served

T = TypeVar("T")
TO_POLYGON = NewVirtualAccount("usd", "usdc", Chain.POLYGON)
TO_ETHEREUM = NewVirtualAccount("usd", "usdc", Chain.ETHEREUM)


def rule_request(fraction: str) -> RuleRequest:
    """Build a rule with one part."""
    body = rule_body(percentage(fraction))
    return parse_rule(msgspec.convert(body, NewRule, strict=False))


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org` on a database that runs every transaction twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    yield Tenant(container, org.client, org.caller, org.key)
    await database.close()


@pytest.fixture
async def real(org: Tenant) -> Container:
    """Production container over the same database."""
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    return wire(settings, org.container.database, Clock(await take_node(org.container.database)))


class Forgetting(SandboxRails):
    """Bank that issues the same account number `times` times."""

    times = 0

    @override
    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        if seed == shared_seed(org_id, currency):
            return await super().new_account_number(org_id, currency, seed)
        self.times -= 1
        chosen = seed if self.times < 0 else UUID(int=7)
        return await super().new_account_number(org_id, currency, chosen)


async def test_account_numbers_are_unique(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    rails = Forgetting(make_scripted_orders(org.container.database))
    clock = Clock(await take_node(org.container.database))
    accounts = wire(SETTINGS, org.container.database, clock, rails=rails).virtual_accounts
    rails.times = 4
    first = await accounts.create(org.caller, user, TO_POLYGON)
    second = await accounts.create(org.caller, user, TO_POLYGON)
    assert first.account_number != second.account_number
    rails.times = 100
    with pytest.raises(Busy):
        await accounts.create(org.caller, user, TO_POLYGON)


class Meeting(SandboxRails):
    """Bank whose first account number is the one used for onramps."""

    meets = True

    @override
    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        chosen = shared_seed(org_id, currency) if self.meets else seed
        self.meets = False
        return await super().new_account_number(org_id, currency, chosen)


async def test_virtual_account_number_differs_from_onramp_accounts(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    rails = Meeting(make_scripted_orders(org.container.database))
    clock = Clock(await take_node(org.container.database))
    container = wire(SETTINGS, org.container.database, clock, rails=rails)
    account = await container.virtual_accounts.create(org.caller, user, TO_POLYGON)
    assert account.account_number != await container.onramps.account_number(org.org_id, "usd")


async def test_lost_commit_answer_opens_and_changes_an_account_once(
    org: Tenant, doubtful: Tenant
) -> None:
    user = UUID(await make_receiver(org))
    accounts, caller = doubtful.container.virtual_accounts, doubtful.caller
    created = await accounts.create(caller, user, TO_POLYGON)
    assert len((await org.get(at(str(user))))["data"]) == 1
    assert await org.container.virtual_accounts.get(org.org_id, user, created.id) == created
    moved = await accounts.update(caller, user, created.id, TO_ETHEREUM)
    assert (moved.chain, moved.version) == (Chain.ETHEREUM, 2)
    closed = await accounts.deactivate(caller, user, created.id)
    again = await accounts.reactivate(caller, user, created.id)
    assert (closed.status, again.status, again.version) == (
        VirtualAccountStatus.DEACTIVATED,
        VirtualAccountStatus.ACTIVATED,
        4,
    )
    assert [seq for _, seq in await changes_of_kind(org, org.org_id, KIND)] == [1, 2, 3, 4]


class Beaten(Database):
    """Database that rolls back a request once, and then runs `between` as a faster rival."""

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


async def test_rolled_back_attempt_creates_nothing(dsn: str, org: Tenant) -> None:
    database = await Beaten.connect(dsn, name="tests", size_max=2)
    assert isinstance(database, Beaten)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    async with served(container) as client:
        beaten, body = Tenant(container, client, org.caller, org.key), rule_body(percentage("0.1"))
        created = await org.post(RULES, rule_body(percentage("0.2")))
        for path in (RULES, f"{RULES}/{created['id']}/update"):
            body["requestId"] = str(uuid4())
            # A separate task: a request does not share another's context.
            database.between = lambda path=path: asyncio.create_task(org.post(path, body))
            answer = await beaten.send("POST", path, body)
            assert good(answer)["id"]
            assert answer.headers.get("Idempotent-Replayed") == "true", path
            assert database.between is None
    await database.close()


async def test_lost_commit_answer_changes_a_rule_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_receiver(org))
    container, caller = doubtful.container, doubtful.caller
    account = await container.virtual_accounts.create(caller, user, TO_POLYGON)
    rule = await container.settlement_rules.create(caller, rule_request("0.1"), request_id=uuid4())
    changed = await container.settlement_rules.update(
        caller, rule.id, rule_request("0.2"), request_id=uuid4()
    )
    assert (changed.parts[0].value, changed.version) == (Decimal("0.2"), 2)
    applied = await container.virtual_accounts.apply_rule(caller, user, account.id, rule.id)
    removed = await container.virtual_accounts.remove_rule(caller, user, account.id)
    assert (applied.version, removed.version) == (2, 3)
    await container.settlement_rules.delete(caller, rule.id)
    kinds = await changes_of_kind(org, org.org_id, rule_model.KIND)
    assert kinds == [("create", 1), ("update", 2), ("delete", 3)]
    with pytest.raises(ResourceNotFound):
        await container.settlement_rules.delete(caller, rule.id)


async def test_rule_of_a_changed_account_is_not_read(org: Tenant) -> None:
    user = UUID(await make_receiver(org))
    accounts = org.container.virtual_accounts
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
    while rows := await org.container.database.rows(
        "select id from incoming_payments where org_id = $1 and status = 'NEW'", org.org_id
    ):
        assert len(rows) <= 6
        await settle(org)
    rows = await org.container.database.rows(
        "select t.status, t.details::text as details, t.destination_units as units"
        " from transfers t where t.org_id = $1 and t.kind = 'ONRAMP'",
        org.org_id,
    )
    assert [row["status"] for row in rows] == ["COMPLETED"] * 6
    details = [msgspec.json.decode(row["details"]) for row in rows]
    shared = sum(part["units"] for each in details for part in each["parts"])
    balances = [Decimal(await held(org, user, chain=chain)) for chain in ("POLYGON", "ETHEREUM")]
    assert sum(balances) + Decimal(shared).scaleb(-6) == 60
    await check_books(org)


async def test_production_has_no_bank_and_simulates_no_deposits(
    org: Tenant, real: Container
) -> None:
    user = UUID(await make_receiver(org))
    account = UUID((await make_account(org, str(user)))["id"])
    with pytest.raises(RouteInvalid, match="no connected bank"):
        await real.virtual_accounts.create(org.caller, user, TO_POLYGON)
    rails = SandboxRails(make_scripted_orders(org.container.database))
    external = await register(org, str(user), OUTSIDE)
    outside = NewVirtualAccount("usd", "usdc", external_wallet_id=UUID(external))
    with pytest.raises(RouteInvalid, match="no connected chain"):
        await DeliveryDestinations(
            real.wallets,
            rails,
            chains=NoChains(),
            address_policies=real.address_policies,
            limits=real.limits,
            clock=real.clock,
        ).find(org.caller, user, outside)
    with pytest.raises(RouteInvalid, match="no connected chain"):
        await real.settlement_rules.create(org.caller, rule_request("0.1"), request_id=uuid4())
    found = await real.virtual_accounts.get(org.org_id, user, account)
    assert await real.virtual_accounts.instructions(found) is None
    service = replace(org.container.simulated_deposits, mode=Mode.PRODUCTION)
    container = replace(org.container, simulated_deposits=service)
    with pytest.raises(SandboxOnly):
        await container.simulated_deposits.make(
            org.caller,
            user,
            account,
            VirtualDepositRequest(
                money=Money.parse("1", FIAT["usd"]),
                rail="ach",
                sender=IncomingPaymentSender(),
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
async def test_unauthorised_caller_changes_nothing(org: Tenant, kind: str) -> None:
    user = UUID(await make_receiver(org))
    account = UUID((await make_account(org, str(user)))["id"])
    rule = UUID((await make_rule(org))["id"])
    caller, refusal = replace(org.caller, is_org_frozen=True), ProfileFrozen
    if kind == "analyst":
        caller = replace(
            org.caller, key_id=None, member=SignedInMember(uuid4(), MemberRole.ANALYST)
        )
        refusal = RoleNotAllowed
    accounts, rules = org.container.virtual_accounts, org.container.settlement_rules
    refused: type[Refused] = refusal
    for attempt in (
        accounts.create(caller, user, TO_POLYGON),
        accounts.update(caller, user, account, TO_ETHEREUM),
        accounts.deactivate(caller, user, account),
        accounts.reactivate(caller, user, account),
        accounts.apply_rule(caller, user, account, rule),
        accounts.remove_rule(caller, user, account),
        rules.create(caller, rule_request("0.1"), request_id=uuid4()),
        rules.update(caller, rule, rule_request("0.1"), request_id=uuid4()),
        rules.delete(caller, rule),
    ):
        with pytest.raises(refused):
            await attempt
