"""Every stuck payment can be resolved.

For every stage at which a payment waits for a provider, and every permanent fault there, two people
can end the payment without a loss. Waits without a provider end by time; each flow tests its own.
"""

from collections.abc import AsyncIterator, Sequence
from itertools import product
from typing import Any

import pytest

from landbridge.app.container.registry import TRANSITIONS
from landbridge.platform.db.pool import Database
from tests.matrices import each_value_once
from tests.payments.resolutions.stuck_world import STAGES, Fault, Stage, World, stuck_world
from tests.payouts import check_books

# Combinations that end by themselves: a refusal of an order that may fail.
REFUSABLE = {
    ("WALLET.TRANSFER", "send"): "FAILED",
    ("WALLET.TRANSFER.BATCH", "send"): "FAILED",
    ("WALLET.BRIDGE", "approve"): "SOURCE_FAILED",
    ("WALLET.BRIDGE", "burn"): "SOURCE_FAILED",
    ("WALLET.BRIDGE", "mint"): "DESTINATION_FAILED",
    ("WALLET.SWAP", "collect"): "FAILED",
    ("WALLET.SWAP", "send"): "FAILED",
    ("OFFRAMP", "debit"): "CRYPTO_FAILED",
    ("OFFRAMP", "payout"): "CRYPTO_RETURNED",
    ("ONRAMP", "delivery"): "FIAT_RETURNED",
}
TEN = 10_000_000


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    async with stuck_world(database) as world:
        yield world


def _dimensions(case: Sequence[Any]) -> tuple[str, Fault]:
    stage, fault = case
    return str(stage), fault


@pytest.mark.parametrize(
    ("stage", "fault"), each_value_once(product(STAGES, Fault), values=_dimensions), ids=str
)
async def test_every_stuck_payment_can_be_resolved(
    world: World, stage: Stage, fault: Fault
) -> None:
    ends_by_itself = fault is Fault.REFUSES and (stage.kind, stage.name) in REFUSABLE
    if ends_by_itself:
        created = await world.open(stage, fault)
        await world.pass_time(hours=1)
        assert (await world.record(created)).status == REFUSABLE[stage.kind, stage.name]
        return
    for action, end in stage.ends.items():
        if action == "CONFIRM" and fault in {Fault.REFUSES, Fault.FORGETS, Fault.ABSENT}:
            continue  # not executed
        if action != "CONFIRM" and fault in {Fault.TAKES_IN_SILENCE, Fault.PENDING}:
            continue  # executed, or will be
        await _ends(world, stage, fault, action, end)


async def _ends(world: World, stage: Stage, fault: Fault, action: str, end: str) -> None:
    before = await world.spendable()
    created = await world.open(stage, fault)
    # Longer than any stage takes without a fault.
    for _ in range(4):
        await world.pass_time(hours=50)
    record = await world.record(created)
    assert not TRANSITIONS[stage.kind].is_terminal(record.status), (stage, fault, record.status)
    # A reviewer sees it, with the possible resolutions.
    stuck = (await world.cast.org.get("/v2/stuck"))["stuck"]
    assert created["id"] in {each["id"] for each in stuck}
    assert action in await world.team.actions(created["id"])
    if fault is not Fault.PENDING and action == "REDIRECT":
        world.heal()
    resolved = await world.team.resolve(created["id"], action)
    assert resolved["status"] == "COMPLETED", resolved
    world.heal()
    for _ in range(4):
        await world.pass_time(hours=13)
    assert (await world.record(created)).status == end
    assert {code: units for code, units in (await world.in_transit()).items() if units} == {}
    rows = await world.cast.org.container.database.rows(
        "select id from accounts where org_id = $1 and held <> 0", world.cast.org.org_id
    )
    assert list(rows) == []
    assert await world.spendable() - before == _change(stage, action, end)
    await check_books(world.cast.org)


def _change(stage: Stage, action: str, end: str) -> int:
    """Return the change of the payer's units of usdc by the payment and its resolution."""
    if stage.kind == "ONRAMP":
        return TEN if end == "COMPLETED" else 0
    # An external settlement reached the payer outside the platform.
    return -TEN if end == "COMPLETED" or action == "SETTLE_OUTSIDE" else 0
