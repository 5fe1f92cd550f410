"""Returns at a provider that a person settles by other means: the provider never pays them then."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.rails.port import RailPayment, RailPaymentState
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.model import ProviderOrder
from landbridge.providers.sidecar.withheld_orders import CALL_MAX
from tests.onramps import make_onramp, make_payer, onramp_of
from tests.providers.sidecar.deposit_world import DepositScenario, deposit_scenario
from tests.tenants import refusal, sentence

PAYOUTS = "/v1/payouts"


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[DepositScenario]:
    async with deposit_scenario(database, tmp_path) as scenario:
        yield scenario


async def test_a_worker_that_is_about_to_pay_finds_it_settled(world: DepositScenario) -> None:
    payment, order = await _begin_return(world)
    settled = await world.org.post(_settle(payment), {"comment": "paid in cash"})
    assert settled["status"] == "RETURNED"
    # This worker has read the deposit before.
    paid = await world.org.container.rails.pay(order)
    assert paid.state is RailPaymentState.FAILED
    assert PAYOUTS not in world.bank.calls


async def test_a_return_is_not_settled_while_a_call_is_running(world: DepositScenario) -> None:
    payment, order = await _begin_return(world)
    await _begin_call(world, order, order.at)
    # The provider has not got it yet.
    answer = await world.org.send("POST", _settle(payment), {"comment": "paid in cash"})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "on its way" in sentence(answer)
    assert (await world.deposits())[0]["status"] == "RETURNING"


async def test_a_call_that_ended_without_an_answer_is_given_up(world: DepositScenario) -> None:
    payment, order = await _begin_return(world)
    found = await _begin_call(world, order, order.at - CALL_MAX)
    settled = await world.org.post(_settle(payment), {"comment": "paid in cash"})
    assert settled["status"] == "RETURNED"
    database = world.org.container.database
    assert not await database.transact(lambda tx: order_store.begin_call(tx, found, order.at))
    assert (await world.org.container.rails.pay(order)).state is RailPaymentState.FAILED
    assert PAYOUTS not in world.bank.calls


async def test_a_return_that_the_provider_has_accepted_is_not_settled(
    world: DepositScenario,
) -> None:
    payment, order = await _begin_return(world)
    world.bank.return_state = "pending"
    await world.org.container.rails.pay(order)
    answer = await world.org.send("POST", _settle(payment), {"comment": "paid in cash"})
    assert "pending at the bank" in sentence(answer).lower()
    world.bank.return_state = "no such state"
    with pytest.raises((Unavailable, Unclear)):
        await world.org.container.rails.find_status(order.org_id, order.key, order.at)
    answer = await world.org.send("POST", _settle(payment), {"comment": "paid in cash"})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert (await world.deposits())[0]["status"] == "RETURNING"


async def _begin_return(world: DepositScenario) -> tuple[IncomingPayment, RailPayment]:
    """Return a deposit that is being returned, and the payment that a worker is about to send."""
    container = world.org.container
    onramp = await make_onramp(world.org, await make_payer(world.org), 100)
    number = (await onramp_of(world.org, onramp["id"])).details.account_number or ""
    credit = world.bank.add(number, "12.34")
    await world.container_poll(container)
    found = await container.incoming_payments.find(world.org.org_id, f"{world.name}:{credit['id']}")
    assert found is not None
    at = container.clock.stamp(world.org.caller.clock_offset)
    payment = await container.incoming_payments.begin_return(found, at)
    assert payment is not None
    return payment, return_payment(payment, key=payment.id, at=at)


async def _begin_call(world: DepositScenario, order: RailPayment, at: datetime) -> ProviderOrder:
    """Count a call of a worker that has not reached the provider yet."""

    async def begin(tx: Tx) -> ProviderOrder | None:
        await order_store.add(tx, order, world.name)
        found = await order_store.find(tx, order.org_id, order.key)
        return found and await order_store.begin_call(tx, found, at)

    found = await world.org.container.database.transact(begin)
    assert found is not None
    return found


def _settle(payment: IncomingPayment) -> str:
    return f"/v2/reviews/deposits/{payment.id}/settle"
