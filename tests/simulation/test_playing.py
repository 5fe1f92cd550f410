"""The sandbox's chains and bank keep to plans, and to their ports' promises all the same."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.chains.port import Action, Order, SentState
from landbridge.chains.sandbox import SandboxChains
from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.rails.port import PaidState, Payment
from landbridge.rails.sandbox import SandboxRails
from landbridge.simulation.model import Part
from landbridge.simulation.plans import read_plan
from tests.make import make_org
from tests.simulation.contract import AT, order, payment
from tests.simulation.made import make_forcing, make_playing
from tests.simulation.outside import orders

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


@pytest.fixture
def chains(database: Database) -> SandboxChains:
    return SandboxChains(make_playing(database))


@pytest.fixture
def rails(database: Database) -> SandboxRails:
    return SandboxRails(make_playing(database))


async def _planned(database: Database, org_id: UUID, text: str) -> UUID:
    """The id of a record with this plan."""
    record_id, plan = new_id(), read_plan(text)
    await database.transact(lambda tx: make_forcing(database).keep(tx, org_id, record_id, plan))
    return record_id


async def _order(database: Database, org_id: UUID, text: str) -> Order:
    return replace(order(org_id), record_id=await _planned(database, org_id, text))


async def _payment(database: Database, org_id: UUID, text: str) -> Payment:
    return replace(payment(org_id), record_id=await _planned(database, org_id, text))


async def test_what_is_refused_is_refused_for_good_and_never_arrived(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "chain_send=reject")
    for _ in range(2):
        with pytest.raises(Rejected, match="the chain refused the transaction"):
            await chains.send(asked)
    assert await chains.look(org_id, asked.key, AT + HOUR) is None
    # What is given back goes under another key, and arrives.
    back = await chains.send(replace(asked, key=new_id()))
    assert back.state is SentState.CONFIRMED


@pytest.mark.parametrize(("outcome", "has_arrived"), [("timeout", True), ("lost", False)])
async def test_the_first_call_alone_has_no_answer(
    database: Database, org_id: UUID, chains: SandboxChains, outcome: str, *, has_arrived: bool
) -> None:
    asked = await _order(database, org_id, f"chain_send={outcome}")
    with pytest.raises(Unclear):
        await chains.send(asked)
    found = await chains.look(org_id, asked.key, AT)
    assert (found is not None) == has_arrived
    assert (await chains.send(asked)).state is SentState.CONFIRMED


async def test_of_many_who_call_at_once_one_has_no_answer(database: Database, org_id: UUID) -> None:
    asked = await _payment(database, org_id, "payout=timeout")
    banks = [SandboxRails(make_playing(database)) for _ in range(3)]
    answers = await asyncio.gather(
        *(banks[place % 3].pay(asked) for place in range(12)), return_exceptions=True
    )
    assert sum(isinstance(each, Unclear) for each in answers) == 1
    assert sum(not isinstance(each, BaseException) for each in answers) == 11
    assert len(await orders(database, org_id, Part.BANK)) == 1


async def test_a_chain_that_is_away_takes_the_order_when_it_is_back(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "chain_send=late:1h")
    for at in (AT, AT + HOUR - SECOND):
        with pytest.raises(Unavailable):
            await chains.send(replace(asked, at=at))
        assert await chains.look(org_id, asked.key, at) is None
    sent = await chains.send(replace(asked, at=AT + HOUR))
    assert sent.state is SentState.CONFIRMED


async def test_a_late_one_is_late_at_any_pace_and_stays_what_it_is(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "confirmation=late:1h")
    sent = await chains.send(asked)
    assert (sent.state, sent.expected_at) == (SentState.PENDING, AT + HOUR)
    assert await chains.send(replace(asked, at=AT + HOUR - SECOND)) == sent
    ended = await chains.look(org_id, asked.key, AT + HOUR)
    assert ended is not None
    assert (ended.state, ended.transaction_hash) == (SentState.CONFIRMED, sent.transaction_hash)


async def test_a_silent_chain_answers_nothing_until_the_delay_is_over(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "confirmation=timeout:30h")
    sent = await chains.send(asked)
    assert sent.state is SentState.PENDING
    assert sent.expected_at is not None
    for at in (sent.expected_at, AT + 30 * HOUR - SECOND):
        with pytest.raises(Unavailable):
            await chains.look(org_id, asked.key, at)
        with pytest.raises(Unavailable):
            await chains.send(replace(asked, at=at))
    ended = await chains.look(org_id, asked.key, AT + 30 * HOUR)
    assert ended is not None
    assert ended.state is SentState.CONFIRMED


async def test_a_payment_that_comes_back_was_taken_first(
    database: Database, org_id: UUID, rails: SandboxRails
) -> None:
    asked = await _payment(database, org_id, "payout=return:3d")
    taken = await rails.pay(asked)
    back_at = AT + timedelta(days=3)
    assert (taken.state, taken.expected_at, taken.reason) == (PaidState.PENDING, back_at, None)
    back = await rails.look(org_id, asked.key, back_at)
    assert back is not None
    assert back.state is PaidState.FAILED
    assert back.reason == "the bank returned the payment, as the sandbox was asked"
    assert back.tracking == taken.tracking


async def test_steps_of_one_order_go_together(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "chain_send=timeout;confirmation=reject")
    with pytest.raises(Unclear):
        await chains.send(asked)
    sent = await chains.send(asked)
    assert sent.state is SentState.FAILED
    assert sent.reason == "the transaction failed on the chain, as the sandbox was asked"


async def test_minting_has_a_step_of_its_own(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "chain_send=reject;mint=lost")
    mint = replace(asked, action=Action.MINT, key=new_id())
    with pytest.raises(Unclear):
        await chains.send(mint)
    assert (await chains.send(mint)).state is SentState.CONFIRMED
    with pytest.raises(Rejected):
        await chains.send(asked)


async def test_a_plan_is_its_organisations_own(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    asked = await _order(database, org_id, "chain_send=reject")
    stranger = replace(asked, org_id=await make_org(database))
    assert (await chains.send(stranger)).state is SentState.CONFIRMED
