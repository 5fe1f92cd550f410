"""Every place where a payment waits for a provider, and every way in which that can fail for ever.

For each there is a verb for two people that ends the payment, with nobody's money lost. What needs
no provider ends by time: that is in the tests of each flow.
"""

from collections.abc import AsyncIterator
from itertools import product

import pytest

from landbridge.db.pool import Database
from landbridge.wiring.kinds import MOVES
from tests.flows.resolutions.stuck_world import STAGES, Fault, Stage, World, stuck_world
from tests.payouts import check_books

# What ends by itself: a refusal of what may fail.
REFUSABLE = {
    ("WALLET.TRANSFER", "send"): "FAILED",
    ("WALLET.TRANSFER.BATCH", "send"): "FAILED",
    ("WALLET.BRIDGE", "approve"): "SOURCE_FAILED",
    ("WALLET.BRIDGE", "burn"): "SOURCE_FAILED",
    ("WALLET.BRIDGE", "mint"): "DESTINATION_FAILED",
    ("OFFRAMP", "debit"): "CRYPTO_FAILED",
    ("OFFRAMP", "payout"): "CRYPTO_RETURNED",
    ("ONRAMP", "delivery"): "FIAT_RETURNED",
}
TEN = 10_000_000


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    async with stuck_world(database) as world:
        yield world


@pytest.mark.parametrize(("stage", "fault"), list(product(STAGES, Fault)), ids=str)
async def test_every_stuck_payment_has_a_way_out(world: World, stage: Stage, fault: Fault) -> None:
    ends_by_itself = fault is Fault.REFUSES and (stage.kind, stage.name) in REFUSABLE
    if ends_by_itself:
        made = await world.open(stage, fault)
        await world.pass_time(hours=1)
        assert (await world.record(made)).status == REFUSABLE[stage.kind, stage.name]
        return
    for action, end in stage.ends.items():
        if action == "CONFIRM" and fault in {Fault.REFUSES, Fault.FORGETS, Fault.ABSENT}:
            continue  # nothing was carried out
        if action != "CONFIRM" and fault in {Fault.TAKES_IN_SILENCE, Fault.PENDING}:
            continue  # it was carried out, or will be
        await _ends(world, stage, fault, action, end)


async def _ends(world: World, stage: Stage, fault: Fault, action: str, end: str) -> None:
    before = await world.spendable()
    made = await world.open(stage, fault)
    # Longer than any of them takes when all goes well.
    for _ in range(4):
        await world.pass_time(hours=50)
    record = await world.record(made)
    assert not MOVES[stage.kind].is_terminal(record.status), (stage, fault, record.status)
    # A person sees it, and what can be decided.
    stuck = (await world.cast.org.get("/v2/stuck"))["stuck"]
    assert made["id"] in {each["id"] for each in stuck}
    assert action in await world.desk.actions(made["id"])
    if fault is not Fault.PENDING and action == "REDIRECT":
        world.heal()
    resolved = await world.desk.resolve(made["id"], action)
    assert resolved["status"] == "COMPLETED", resolved
    world.heal()
    for _ in range(4):
        await world.pass_time(hours=13)
    assert (await world.record(made)).status == end
    assert {code: units for code, units in (await world.in_transit()).items() if units} == {}
    rows = await world.cast.org.house.database.rows(
        "select id from accounts where org_id = $1 and held <> 0", world.cast.org.org_id
    )
    assert list(rows) == []
    assert await world.spendable() - before == _change(stage, action, end)
    await check_books(world.cast.org)


def _change(stage: Stage, action: str, end: str) -> int:
    """How many units of usdc the payer has more or less at an end than before the payment."""
    if stage.kind == "ONRAMP":
        return TEN if end == "COMPLETED" else 0
    # What was settled outside reached the payer there.
    return -TEN if end == "COMPLETED" or action == "SETTLE_OUTSIDE" else 0
