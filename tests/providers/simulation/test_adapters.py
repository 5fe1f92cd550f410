"""The sandbox's adapters, with any latency, and the faulty ones fulfil the ports' contract."""

import asyncio
import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from landbridge.platform.core.errors import InvariantBroken, Unavailable, Unclear
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.none import NoChains
from landbridge.providers.chains.port import ChainAction, ChainOrderState, Chains
from landbridge.providers.chains.sandbox import SandboxChains
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import RailPaymentState, Rails
from landbridge.providers.rails.sandbox import SandboxRails
from landbridge.providers.simulation.model import LatencyProfile, LatencyProfiles, SimulatedSystem
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders
from landbridge.providers.simulation.service import SimulatedState
from tests.make import make_org
from tests.providers.simulation.builders import make_scripted_orders
from tests.providers.simulation.contract import (
    AT,
    RailsContract,
    SandboxChainsContract,
    order,
    payment,
)
from tests.providers.simulation.external_state import carried, orders, paid_out
from tests.providers.simulation.faulty import FaultyChains, FaultyRails

REAL = LatencyProfiles(chains=LatencyProfile.REAL, rails=LatencyProfile.REAL)
SECOND = timedelta(seconds=1)


@pytest.fixture
def simulated_state(database: Database) -> SimulatedState:
    return SimulatedState(database)


@pytest.fixture
def scripted_orders(database: Database, simulated_state: SimulatedState) -> ScriptedOrders:
    return make_scripted_orders(database, simulated_state)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


@pytest.fixture
def chains(scripted_orders: ScriptedOrders) -> Chains:
    return SandboxChains(scripted_orders)


@pytest.fixture
def rails(scripted_orders: ScriptedOrders) -> Rails:
    return SandboxRails(scripted_orders)


class TestChains(SandboxChainsContract):
    async def test_orders_are_final_immediately(self, chains: Chains, org_id: UUID) -> None:
        sent = await chains.send(order(org_id, chain="ETHEREUM"))
        assert (sent.state, sent.expected_at) == (ChainOrderState.CONFIRMED, None)


class TestSlowChains(SandboxChainsContract):
    @pytest.fixture
    async def org_id(self, database: Database, simulated_state: SimulatedState) -> UUID:
        org_id = await make_org(database)
        await simulated_state.set_latencies(org_id, REAL, actor="test", at=AT)
        return org_id

    @pytest.mark.parametrize(
        ("chain", "action", "takes"),
        [
            ("POLYGON", ChainAction.TRANSFER, timedelta(seconds=6)),
            ("ETHEREUM", ChainAction.TRANSFER, timedelta(minutes=3)),
            ("SOLANA", ChainAction.BURN, timedelta(seconds=1)),
            ("BASE", ChainAction.MINT, timedelta(minutes=15, seconds=4)),
            ("ARBITRUM", ChainAction.MINT, timedelta(minutes=15, seconds=2)),
        ],
    )
    async def test_each_chain_has_its_latency(
        self, chains: Chains, org_id: UUID, chain: str, action: ChainAction, takes: timedelta
    ) -> None:
        chain_order = order(org_id, chain=chain, action=action)
        sent = await chains.send(chain_order)
        assert (sent.state, sent.expected_at) == (ChainOrderState.PENDING, AT + takes)
        before = await chains.find_status(org_id, chain_order.key, AT + takes - SECOND)
        assert before == sent
        after = await chains.find_status(org_id, chain_order.key, AT + takes)
        assert after is not None
        assert after.state is ChainOrderState.CONFIRMED


class TestFaultyChains(SandboxChainsContract):
    @pytest.fixture
    def chains(self, scripted_orders: ScriptedOrders) -> Chains:
        return FaultyChains(SandboxChains(scripted_orders))


class TestRails(RailsContract):
    async def test_orders_are_final_immediately(self, rails: Rails, org_id: UUID) -> None:
        paid = await rails.pay(payment(org_id, rail="swift"))
        assert (paid.state, paid.expected_at) == (RailPaymentState.SETTLED, None)


class TestSlowRails(RailsContract):
    @pytest.fixture
    async def org_id(self, database: Database, simulated_state: SimulatedState) -> UUID:
        org_id = await make_org(database)
        await simulated_state.set_latencies(org_id, REAL, actor="test", at=AT)
        return org_id

    async def test_a_payment_settles_by_the_calendar(self, rails: Rails, org_id: UUID) -> None:
        sent = payment(org_id, rail="ach")
        paid = await rails.pay(sent)
        # Two banking days later, at 8:30 a.m. in New York.
        settled = AT.replace(day=6, hour=13, minute=30)
        assert paid.expected_at == settled
        before = await rails.find_status(org_id, sent.key, settled - SECOND)
        assert before == paid
        same_day = await rails.pay(payment(org_id, rail="ach", is_same_day=True))
        assert same_day.expected_at == AT.replace(hour=18)


class TestFaultyRails(RailsContract):
    @pytest.fixture
    def rails(self, scripted_orders: ScriptedOrders) -> Rails:
        return FaultyRails(SandboxRails(scripted_orders))


async def test_a_key_never_carries_another_order(
    chains: Chains, rails: Rails, org_id: UUID
) -> None:
    key = uuid4()
    await chains.send(order(org_id, key=key))
    with pytest.raises(InvariantBroken, match="another order"):
        await chains.send(order(org_id, key=key, units=2_000_000))
    # The bank has a key space of its own.
    await rails.pay(payment(org_id, key=key))
    with pytest.raises(InvariantBroken, match="another order"):
        await rails.pay(payment(org_id, key=key, rail="wire"))


@pytest.mark.parametrize(
    ("currency", "pattern"),
    [
        ("eur", r"Pay by SEPA to IBAN DE\d{20}\."),
        ("brl", r"Pay by PIX with the key [0-9a-f-]{36}\."),
        ("mxn", r"Pay by SPEI to CLABE \d{18}\."),
        ("kes", r"Pay by bank transfer to account 9\d{15}\."),
        ("xof", r"Pay by bank transfer to account 9\d{15}\."),
    ],
)
async def test_other_currencies_have_an_instruction(
    rails: Rails, currency: str, pattern: str
) -> None:
    number = await rails.new_account_number(uuid4(), currency, uuid4())
    where = await rails.coordinates(uuid4(), currency, number)
    assert where is not None
    assert not where.rails
    assert re.fullmatch(pattern, where.instruction or "")


async def test_simulated_state_is_shared_by_processes(database: Database, org_id: UUID) -> None:
    one, other = (
        SandboxRails(make_scripted_orders(database)),
        SandboxRails(make_scripted_orders(database)),
    )
    sent = payment(org_id)
    assert await one.pay(sent) == await other.find_status(org_id, sent.key, AT)
    assert await paid_out(database, org_id) == {"usd:BANK": 10_000}


async def test_many_processes_may_send_the_same_orders_in_any_order(
    database: Database, org_id: UUID
) -> None:
    payments = [payment(org_id) for _ in range(150)]
    banks = [SandboxRails(make_scripted_orders(database)) for _ in range(3)]
    runs = [payments, payments[::-1], payments[50:] + payments[:50]]
    paid = await asyncio.gather(
        *(bank.pay(each) for bank, run in zip(banks, runs, strict=True) for each in run)
    )
    assert {each.state for each in paid} == {RailPaymentState.SETTLED}
    assert await paid_out(database, org_id) == {"usd:BANK": 150 * 10_000}


async def test_stored_orders_have_no_personal_data(
    database: Database, rails: Rails, chains: Chains, org_id: UUID
) -> None:
    await rails.pay(payment(org_id, returns=uuid4()))
    await chains.send(order(org_id, action=ChainAction.BURN))
    stored = str(await orders(database, org_id, SimulatedSystem.BANK))
    assert "Ada" not in stored
    assert "000123456789" not in stored
    assert await carried(database, org_id, "burn") == {"usdc:POLYGON": 1_000_000}


async def test_faults_occur_before_and_after_the_call(
    database: Database, rails: Rails, org_id: UUID
) -> None:
    faulty = FaultyRails(rails)
    sent = payment(org_id)
    faulty.raise_before_next = Unavailable("down")
    with pytest.raises(Unavailable):
        await faulty.pay(sent)
    assert not await orders(database, org_id, SimulatedSystem.BANK)
    faulty.raise_after_next = Unclear("no answer")
    with pytest.raises(Unclear):
        await faulty.pay(sent)
    assert set(await orders(database, org_id, SimulatedSystem.BANK)) == {sent.key}
    assert (await faulty.pay(sent)).state is RailPaymentState.SETTLED
    assert faulty.count("pay", sent.key) == 3
    assert set(await orders(database, org_id, SimulatedSystem.BANK)) == {sent.key}


async def test_faults_may_come_late_and_choose_their_orders(chains: Chains, org_id: UUID) -> None:
    faulty = FaultyChains(chains)
    faulty.only = lambda order: order.action is ChainAction.MINT
    faulty.fail_next, faulty.late_by = "no gas", timedelta(minutes=1)
    burnt = await faulty.send(order(org_id, action=ChainAction.BURN))
    assert burnt.state is ChainOrderState.CONFIRMED
    mint = order(org_id, action=ChainAction.MINT)
    assert (await faulty.send(mint)).state is ChainOrderState.PENDING
    ended = await faulty.find_status(org_id, mint.key, AT + timedelta(minutes=1))
    assert ended is not None
    assert (ended.state, ended.reason) == (ChainOrderState.FAILED, "no gas")
    faulty.is_silent = True
    with pytest.raises(Unavailable):
        await faulty.find_status(org_id, mint.key, AT)


async def test_production_has_neither_chain_nor_bank(org_id: UUID) -> None:
    with pytest.raises(Unavailable):
        await NoChains().send(order(org_id))
    with pytest.raises(Unavailable):
        await NoChains().find_status(org_id, uuid4(), AT)
    rails = NoRails()
    with pytest.raises(Unavailable):
        await rails.pay(payment(org_id))
    with pytest.raises(Unavailable):
        await rails.find_status(org_id, uuid4(), AT)
    with pytest.raises(Unavailable):
        await rails.new_account_number(org_id, "usd", uuid4())
    assert await rails.coordinates(org_id, "usd", "1") is None
