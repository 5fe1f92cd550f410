"""The sandbox's adapters, fast and slow, and the faulty ones keep the contract of the ports."""

import asyncio
import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from landbridge.chains.none import NoChains
from landbridge.chains.port import Action, Chains, SentState
from landbridge.chains.sandbox import SandboxChains
from landbridge.core.errors import Broken, Unavailable, Unclear
from landbridge.db.pool import Database
from landbridge.rails.none import NoRails
from landbridge.rails.port import PaidState, Rails
from landbridge.rails.sandbox import SandboxRails
from landbridge.simulation.model import Pace, Paces, Part
from landbridge.simulation.playing import Playing
from landbridge.simulation.service import Memory
from tests.make import make_org
from tests.simulation.contract import AT, ChainsContract, RailsContract, order, payment
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.simulation.made import make_playing
from tests.simulation.outside import carried, orders, paid_out

REAL = Paces(chains=Pace.REAL, rails=Pace.REAL)
SECOND = timedelta(seconds=1)


@pytest.fixture
def memory(database: Database) -> Memory:
    return Memory(database)


@pytest.fixture
def playing(database: Database, memory: Memory) -> Playing:
    return make_playing(database, memory)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


@pytest.fixture
def chains(playing: Playing) -> Chains:
    return SandboxChains(playing)


@pytest.fixture
def rails(playing: Playing) -> Rails:
    return SandboxRails(playing)


class TestChains(ChainsContract):
    async def test_all_is_final_at_once(self, chains: Chains, org_id: UUID) -> None:
        sent = await chains.send(order(org_id, chain="ETHEREUM"))
        assert (sent.state, sent.expected_at) == (SentState.CONFIRMED, None)


class TestSlowChains(ChainsContract):
    @pytest.fixture
    async def org_id(self, database: Database, memory: Memory) -> UUID:
        org_id = await make_org(database)
        await memory.set_paces(org_id, REAL, actor="test", at=AT)
        return org_id

    @pytest.mark.parametrize(
        ("chain", "action", "takes"),
        [
            ("POLYGON", Action.TRANSFER, timedelta(seconds=6)),
            ("ETHEREUM", Action.TRANSFER, timedelta(minutes=3)),
            ("SOLANA", Action.BURN, timedelta(seconds=1)),
            ("BASE", Action.MINT, timedelta(minutes=15, seconds=4)),
            ("ARBITRUM", Action.MINT, timedelta(minutes=15, seconds=2)),
        ],
    )
    async def test_each_chain_takes_its_time(
        self, chains: Chains, org_id: UUID, chain: str, action: Action, takes: timedelta
    ) -> None:
        asked = order(org_id, chain=chain, action=action)
        sent = await chains.send(asked)
        assert (sent.state, sent.expected_at) == (SentState.PENDING, AT + takes)
        before = await chains.look(org_id, asked.key, AT + takes - SECOND)
        assert before == sent
        after = await chains.look(org_id, asked.key, AT + takes)
        assert after is not None
        assert after.state is SentState.CONFIRMED


class TestFaultyChains(ChainsContract):
    @pytest.fixture
    def chains(self, playing: Playing) -> Chains:
        return FaultyChains(SandboxChains(playing))


class TestRails(RailsContract):
    async def test_all_is_final_at_once(self, rails: Rails, org_id: UUID) -> None:
        paid = await rails.pay(payment(org_id, rail="swift"))
        assert (paid.state, paid.expected_at) == (PaidState.SETTLED, None)


class TestSlowRails(RailsContract):
    @pytest.fixture
    async def org_id(self, database: Database, memory: Memory) -> UUID:
        org_id = await make_org(database)
        await memory.set_paces(org_id, REAL, actor="test", at=AT)
        return org_id

    async def test_a_payment_settles_by_the_calendar(self, rails: Rails, org_id: UUID) -> None:
        asked = payment(org_id, rail="ach")
        paid = await rails.pay(asked)
        # Two banking days later at half past eight in New York.
        settled = AT.replace(day=6, hour=13, minute=30)
        assert paid.expected_at == settled
        before = await rails.look(org_id, asked.key, settled - SECOND)
        assert before == paid
        same_day = await rails.pay(payment(org_id, rail="ach", is_same_day=True))
        assert same_day.expected_at == AT.replace(hour=18)


class TestFaultyRails(RailsContract):
    @pytest.fixture
    def rails(self, playing: Playing) -> Rails:
        return FaultyRails(SandboxRails(playing))


async def test_a_key_never_carries_another_order(
    chains: Chains, rails: Rails, org_id: UUID
) -> None:
    key = uuid4()
    await chains.send(order(org_id, key=key))
    with pytest.raises(Broken, match="another order"):
        await chains.send(order(org_id, key=key, units=2_000_000))
    # The bank has keys of its own.
    await rails.pay(payment(org_id, key=key))
    with pytest.raises(Broken, match="another order"):
        await rails.pay(payment(org_id, key=key, rail="wire"))


@pytest.mark.parametrize(
    ("currency", "told"),
    [
        ("eur", r"Pay by SEPA to IBAN DE\d{20}\."),
        ("brl", r"Pay by PIX with the key [0-9a-f-]{36}\."),
        ("mxn", r"Pay by SPEI to CLABE \d{18}\."),
        ("kes", r"Pay by bank transfer to account 9\d{15}\."),
        ("xof", r"Pay by bank transfer to account 9\d{15}\."),
    ],
)
async def test_other_currencies_are_told_in_words(rails: Rails, currency: str, told: str) -> None:
    number = await rails.new_account_number(uuid4(), currency, uuid4())
    where = await rails.coordinates(uuid4(), currency, number)
    assert where is not None
    assert not where.rails
    assert re.fullmatch(told, where.instruction or "")


async def test_memory_is_one_for_all_processes(database: Database, org_id: UUID) -> None:
    one, other = SandboxRails(make_playing(database)), SandboxRails(make_playing(database))
    asked = payment(org_id)
    assert await one.pay(asked) == await other.look(org_id, asked.key, AT)
    assert await paid_out(database, org_id) == {"usd:BANK": 10_000}


async def test_many_processes_may_send_the_same_orders_in_any_order(
    database: Database, org_id: UUID
) -> None:
    asked = [payment(org_id) for _ in range(150)]
    banks = [SandboxRails(make_playing(database)) for _ in range(3)]
    runs = [asked, asked[::-1], asked[50:] + asked[:50]]
    paid = await asyncio.gather(
        *(bank.pay(each) for bank, run in zip(banks, runs, strict=True) for each in run)
    )
    assert {each.state for each in paid} == {PaidState.SETTLED}
    assert await paid_out(database, org_id) == {"usd:BANK": 150 * 10_000}


async def test_what_was_ordered_has_no_personal_data(
    database: Database, rails: Rails, chains: Chains, org_id: UUID
) -> None:
    await rails.pay(payment(org_id, returns=uuid4()))
    await chains.send(order(org_id, action=Action.BURN))
    kept = str(await orders(database, org_id, Part.BANK))
    assert "Ada" not in kept
    assert "000123456789" not in kept
    assert await carried(database, org_id, "burn") == {"usdc:POLYGON": 1_000_000}


async def test_faults_strike_before_and_after_the_call(
    database: Database, rails: Rails, org_id: UUID
) -> None:
    faulty = FaultyRails(rails)
    asked = payment(org_id)
    faulty.raise_before_next = Unavailable("down")
    with pytest.raises(Unavailable):
        await faulty.pay(asked)
    assert not await orders(database, org_id, Part.BANK)
    faulty.raise_after_next = Unclear("no answer")
    with pytest.raises(Unclear):
        await faulty.pay(asked)
    assert set(await orders(database, org_id, Part.BANK)) == {asked.key}
    assert (await faulty.pay(asked)).state is PaidState.SETTLED
    assert faulty.count("pay", asked.key) == 3
    assert set(await orders(database, org_id, Part.BANK)) == {asked.key}


async def test_faults_may_come_late_and_choose_their_orders(chains: Chains, org_id: UUID) -> None:
    faulty = FaultyChains(chains)
    faulty.only = lambda asked: asked.action is Action.MINT
    faulty.fail_next, faulty.late_by = "no gas", timedelta(minutes=1)
    burnt = await faulty.send(order(org_id, action=Action.BURN))
    assert burnt.state is SentState.CONFIRMED
    mint = order(org_id, action=Action.MINT)
    assert (await faulty.send(mint)).state is SentState.PENDING
    ended = await faulty.look(org_id, mint.key, AT + timedelta(minutes=1))
    assert ended is not None
    assert (ended.state, ended.reason) == (SentState.FAILED, "no gas")
    faulty.is_silent = True
    with pytest.raises(Unavailable):
        await faulty.look(org_id, mint.key, AT)


async def test_production_has_neither_chain_nor_bank(org_id: UUID) -> None:
    with pytest.raises(Unavailable):
        await NoChains().send(order(org_id))
    with pytest.raises(Unavailable):
        await NoChains().look(org_id, uuid4(), AT)
    rails = NoRails()
    with pytest.raises(Unavailable):
        await rails.pay(payment(org_id))
    with pytest.raises(Unavailable):
        await rails.look(org_id, uuid4(), AT)
    with pytest.raises(Unavailable):
        await rails.new_account_number(org_id, "usd", uuid4())
    assert await rails.coordinates(org_id, "usd", "1") is None
