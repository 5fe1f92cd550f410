"""The sandbox's chains and bank follow plans, and still give their ports' guarantees."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderState
from landbridge.providers.chains.sandbox import SandboxChains
from landbridge.providers.rails.port import RailPayment, RailPaymentState
from landbridge.providers.rails.sandbox import SandboxRails
from landbridge.providers.simulation.model import SimulatedSystem
from landbridge.providers.simulation.outcome_plans import read_plan
from tests.make import make_org
from tests.providers.simulation.builders import make_scripted_orders, make_scripted_outcomes
from tests.providers.simulation.contract import AT, order, payment
from tests.providers.simulation.external_state import orders

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make_org(database)


@pytest.fixture
def chains(database: Database) -> SandboxChains:
    return SandboxChains(make_scripted_orders(database))


@pytest.fixture
def rails(database: Database) -> SandboxRails:
    return SandboxRails(make_scripted_orders(database))


async def _planned(database: Database, org_id: UUID, text: str) -> UUID:
    """Return the id of a record with this plan."""
    record_id, plan = new_id(), read_plan(text)
    await database.transact(
        lambda tx: make_scripted_outcomes(database).store_plan(tx, org_id, record_id, plan)
    )
    return record_id


async def _order(database: Database, org_id: UUID, text: str) -> ChainOrder:
    return replace(order(org_id), record_id=await _planned(database, org_id, text))


async def _payment(database: Database, org_id: UUID, text: str) -> RailPayment:
    return replace(payment(org_id), record_id=await _planned(database, org_id, text))


async def test_a_rejected_order_stays_rejected_and_never_arrived(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    sent = await _order(database, org_id, "chain_send=reject")
    for _ in range(2):
        with pytest.raises(Rejected, match="the chain refused the transaction"):
            await chains.send(sent)
    assert await chains.find_status(org_id, sent.key, AT + HOUR) is None
    # The refund has another key, and arrives.
    back = await chains.send(replace(sent, key=new_id()))
    assert back.state is ChainOrderState.CONFIRMED


@pytest.mark.parametrize(("outcome", "has_arrived"), [("timeout", True), ("lost", False)])
async def test_the_first_call_alone_has_no_answer(
    database: Database, org_id: UUID, chains: SandboxChains, outcome: str, *, has_arrived: bool
) -> None:
    sent = await _order(database, org_id, f"chain_send={outcome}")
    with pytest.raises(Unclear):
        await chains.send(sent)
    found = await chains.find_status(org_id, sent.key, AT)
    assert (found is not None) == has_arrived
    assert (await chains.send(sent)).state is ChainOrderState.CONFIRMED


async def test_one_of_many_concurrent_calls_has_no_answer(database: Database, org_id: UUID) -> None:
    sent = await _payment(database, org_id, "payout=timeout")
    banks = [SandboxRails(make_scripted_orders(database)) for _ in range(3)]
    answers = await asyncio.gather(
        *(banks[index % 3].pay(sent) for index in range(12)), return_exceptions=True
    )
    assert sum(isinstance(each, Unclear) for each in answers) == 1
    assert sum(not isinstance(each, BaseException) for each in answers) == 11
    assert len(await orders(database, org_id, SimulatedSystem.BANK)) == 1


async def test_an_unreachable_chain_accepts_the_order_later(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    request = await _order(database, org_id, "chain_send=late:1h")
    for at in (AT, AT + HOUR - SECOND):
        with pytest.raises(Unavailable):
            await chains.send(replace(request, at=at))
        assert await chains.find_status(org_id, request.key, at) is None
    sent = await chains.send(replace(request, at=AT + HOUR))
    assert sent.state is ChainOrderState.CONFIRMED


async def test_a_late_order_is_late_at_any_latency(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    request = await _order(database, org_id, "confirmation=late:1h")
    sent = await chains.send(request)
    assert (sent.state, sent.expected_at) == (ChainOrderState.PENDING, AT + HOUR)
    assert await chains.send(replace(request, at=AT + HOUR - SECOND)) == sent
    ended = await chains.find_status(org_id, request.key, AT + HOUR)
    assert ended is not None
    assert (ended.state, ended.transaction_hash) == (
        ChainOrderState.CONFIRMED,
        sent.transaction_hash,
    )


async def test_a_silent_chain_answers_nothing_until_the_delay_is_over(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    request = await _order(database, org_id, "confirmation=timeout:30h")
    sent = await chains.send(request)
    assert sent.state is ChainOrderState.PENDING
    assert sent.expected_at is not None
    for at in (sent.expected_at, AT + 30 * HOUR - SECOND):
        with pytest.raises(Unavailable):
            await chains.find_status(org_id, request.key, at)
        with pytest.raises(Unavailable):
            await chains.send(replace(request, at=at))
    ended = await chains.find_status(org_id, request.key, AT + 30 * HOUR)
    assert ended is not None
    assert ended.state is ChainOrderState.CONFIRMED


async def test_a_returned_payment_was_accepted_first(
    database: Database, org_id: UUID, rails: SandboxRails
) -> None:
    sent = await _payment(database, org_id, "payout=return:3d")
    status = await rails.pay(sent)
    back_at = AT + timedelta(days=3)
    assert (status.state, status.expected_at, status.reason) == (
        RailPaymentState.PENDING,
        back_at,
        None,
    )
    back = await rails.find_status(org_id, sent.key, back_at)
    assert back is not None
    assert back.state is RailPaymentState.FAILED
    assert back.reason == "the bank returned the payment, as scripted in the sandbox"
    assert back.tracking == status.tracking


async def test_an_order_applies_all_its_scripted_steps(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    request = await _order(database, org_id, "chain_send=timeout;confirmation=reject")
    with pytest.raises(Unclear):
        await chains.send(request)
    sent = await chains.send(request)
    assert sent.state is ChainOrderState.FAILED
    assert sent.reason == "the transaction failed on the chain, as scripted in the sandbox"


async def test_minting_has_a_step_of_its_own(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    sent = await _order(database, org_id, "chain_send=reject;mint=lost")
    mint = replace(sent, action=ChainAction.MINT, key=new_id())
    with pytest.raises(Unclear):
        await chains.send(mint)
    assert (await chains.send(mint)).state is ChainOrderState.CONFIRMED
    with pytest.raises(Rejected):
        await chains.send(sent)


async def test_a_plan_is_its_organisations_own(
    database: Database, org_id: UUID, chains: SandboxChains
) -> None:
    sent = await _order(database, org_id, "chain_send=reject")
    outsider = replace(sent, org_id=await make_org(database))
    assert (await chains.send(outsider)).state is ChainOrderState.CONFIRMED
