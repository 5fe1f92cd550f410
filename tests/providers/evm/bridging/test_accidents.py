"""Accidents between burn and mint: the coins are minted exactly once, whatever happens."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from chains.attestations import Conduct

from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxState
from tests.bridge_world import COIN, FINAL_DEPTH, BridgeWorld, bridge_world
from tests.payouts import check_books
from tests.resolution_team import make_person
from tests.tenants import held

pytestmark = pytest.mark.long

POLYGON, BASE = Network.POLYGON, Network.BASE


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[BridgeWorld]:
    async with bridge_world(tmp_path, own_database) as world:
        yield world


async def check_minted_once(world: BridgeWorld, bridge: str, user: str) -> None:
    """Check that a bridge of ten coins is over, and its coins exist once, on the other chain."""
    await world.run_until(bridge, "COMPLETED")
    await world.finish()
    world.mine(FINAL_DEPTH + 1)
    await world.follow()
    assert await world.units("usdc", await world.address(user, Chain.POLYGON), POLYGON) == 15 * COIN
    assert await world.units("usdc", await world.address(user, Chain.BASE), BASE) == 10 * COIN
    assert await held(world.org, user) == "15"
    assert await held(world.org, user, chain="BASE") == "10"
    await check_books(world.org)


async def burned(world: BridgeWorld, user: str) -> tuple[str, str]:
    """Bridge ten coins until their burn is final; return the bridge's id and the burn's hash."""
    bridge = await world.accepted(user, 10)
    await world.run_until(bridge, "DESTINATION_PENDING")
    for _ in range(40):
        order = await world.order(bridge, "burn")
        if order is not None and order.state is OutboxState.FINAL:
            assert order.transaction_hash is not None
            return bridge, order.transaction_hash
        await world.work()
        world.mine()
    raise AssertionError("the burn does not become final")


@pytest.mark.parametrize(
    ("conduct", "reason"),
    [
        (Conduct.SLOW, "waits for the attestation of the burn"),
        (Conduct.SILENT, "waits: the attestation service"),
        (Conduct.WRONG_SIGNER, "waits: the chain refuses the attested message"),
        (Conduct.WRONG_MESSAGE, "waits: the attested messages are not of this burn"),
    ],
)
async def test_a_mint_waits_for_a_right_attestation(
    world: BridgeWorld, conduct: Conduct, reason: str
) -> None:
    user = await world.user(usdc=25)
    world.attestations.conduct = conduct
    bridge, _ = await burned(world, user)
    for _ in range(3):
        await world.work()
        world.mine()
    order = await world.order(bridge, "mint")
    assert order is not None
    assert (order.reason or "").startswith(reason)
    assert await world.status(bridge) == "DESTINATION_PENDING"
    assert not await world.attempts(bridge, "mint")
    world.attestations.conduct = Conduct.USUAL
    await check_minted_once(world, bridge, user)


async def test_a_message_that_another_party_has_submitted_counts_as_minted(
    world: BridgeWorld,
) -> None:
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SLOW
    bridge, burn = await burned(world, user)
    relayed = world.relay(burn)
    world.mine(FINAL_DEPTH + 1)
    await world.follow()
    # No deposit from outside, although the bridge does not know it yet.
    assert await held(world.org, user, chain="BASE") == "0"
    world.attestations.conduct = Conduct.USUAL
    await check_minted_once(world, bridge, user)
    assert not await world.attempts(bridge, "mint")
    operations = (await world.get(bridge))["receipt"]["operations"]
    assert operations["mint"]["transactionHash"] == relayed


async def test_a_message_that_another_party_submits_first_counts_as_minted(
    world: BridgeWorld,
) -> None:
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SLOW
    bridge, burn = await burned(world, user)
    world.attestations.conduct = Conduct.USUAL
    while not (attempts := await world.attempts(bridge, "mint")) or attempts[0].sent_at is None:
        await world.work()
        world.mine(on=POLYGON)
    # The higher tip is first in the block, so ours is reverted.
    tip = hex(10**12)
    relayed = world.relay(burn, maxPriorityFeePerGas=tip, maxFeePerGas=hex(2 * 10**12))
    await check_minted_once(world, bridge, user)
    receipt = world.rpcs[BASE].call("eth_getTransactionReceipt", attempts[0].hash)
    assert receipt["status"] == "0x0"
    order = await world.order(bridge, "mint")
    assert order is not None
    assert (order.state, order.transaction_hash) == (OutboxState.FINAL, relayed)


async def test_a_nonce_that_another_message_has_used_mints_nothing(world: BridgeWorld) -> None:
    """The service gives a burn the nonce of a message that the chain has carried out before."""
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SLOW
    first, burn = await burned(world, user)
    world.relay(burn)
    world.mine(FINAL_DEPTH + 1)
    second, other_burn = await burned(world, user)
    message, _ = world.minted(burn)
    world.attestations.forged_nonces[other_burn] = message[12:44]
    for _ in range(5):
        await world.work()
        world.mine()
    assert await world.status(second) == "DESTINATION_PENDING"
    order = await world.order(second, "mint")
    assert order is not None
    assert (order.reason, order.message_nonce) == (
        "waits: the chain refuses the attested message",
        None,
    )
    # Nothing is claimed, so both are minted once the service answers their own messages.
    world.attestations.forged_nonces.clear()
    world.attestations.conduct = Conduct.USUAL
    for bridge in (first, second):
        await world.run_until(bridge, "COMPLETED")
    world.mine(FINAL_DEPTH + 1)
    assert await world.units("usdc", await world.address(user, Chain.BASE), BASE) == 20 * COIN
    await check_books(world.org)


async def test_a_burn_that_a_reorganisation_removes_is_burned_again(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    before = await world.supply("usdc", POLYGON)
    bridge = await world.accepted(user, 10)
    await world.run_until(bridge, "DESTINATION_PENDING")
    order = await world.order(bridge, "burn")
    assert order is not None
    assert order.state is OutboxState.CONFIRMED
    await world.remove(bridge, "burn", on=POLYGON)
    assert await world.supply("usdc", POLYGON) == before
    # A burn that is not in the chain is not minted.
    for _ in range(3):
        await world.work()
        world.mine(on=BASE)
    assert not await world.attempts(bridge, "mint")
    await check_minted_once(world, bridge, user)
    assert await world.supply("usdc", POLYGON) == before - 10 * COIN


async def test_a_mint_that_a_reorganisation_removes_is_minted_again(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    bridge = await world.accepted(user, 10)
    await world.run_until(bridge, "COMPLETED")
    await world.remove(bridge, "mint", on=BASE)
    assert await world.units("usdc", await world.address(user, Chain.BASE), BASE) == 0
    await check_minted_once(world, bridge, user)


async def test_a_freeze_after_the_burn_delays_the_mint(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    bridge = await world.accepted(user, 10)
    await world.run_until(bridge, "SOURCE_PENDING")
    await world.work()
    await world.org.post(f"/v2/users/{user}/freeze", {"reason": "a"})
    await world.run_until(bridge, "DESTINATION_INITIATED")
    for _ in range(4):
        await world.work()
        world.mine()
    assert await world.status(bridge) == "DESTINATION_INITIATED"
    assert await world.order(bridge, "mint") is None
    assert (await world.get(bridge))["failedReason"] is None
    await world.org.post(f"/v2/users/{user}/unfreeze", {})
    await check_minted_once(world, bridge, user)


async def test_a_recipient_who_is_blocked_after_the_burn_is_waited_for(
    tmp_path: Path, own_database: Database
) -> None:
    async with bridge_world(tmp_path, own_database, into=Chain.ETHEREUM) as world:
        user, there = await world.user(usdt=10), Network.ETHEREUM
        world.attestations.conduct = Conduct.SLOW
        bridge = await world.accepted(user, 10, currency="usdt")
        await world.run_until(bridge, "DESTINATION_PENDING")
        address = await world.address(user, Chain.ETHEREUM)
        world.set_blocked(address, is_blocked=True)
        world.attestations.conduct = Conduct.USUAL
        for _ in range(12):
            await world.work()
            world.mine()
        order = await world.order(bridge, "mint")
        assert order is not None
        assert order.reason == "waits: the chain refuses the attested message"
        assert await world.status(bridge) == "DESTINATION_PENDING"
        world.set_blocked(address, is_blocked=False)
        await world.run_until(bridge, "COMPLETED")
        await world.finish()
        assert await world.units("usdt", address, there) == 10 * COIN
        await check_books(world.org)


class RefusingScreening:
    """Screening that has every destination on a list."""

    async def find_refusals(
        self, payments: Sequence[tuple[UUID, Sequence[str]]]
    ) -> list[str | None]:
        return ["a destination is on a sanctions list" for _ in payments]


async def test_a_sanctioned_recipient_is_minted_nothing_by_us(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SLOW
    bridge, burn = await burned(world, user)
    world.attestations.conduct = Conduct.USUAL
    refusing = await world.another_worker(screening=RefusingScreening())
    for _ in range(4):
        await world.work(refusing)
        world.mine()
    order = await world.order(bridge, "mint")
    assert order is not None
    assert order.reason == "waits for a person: a destination is on a sanctions list"
    assert not await world.attempts(bridge, "mint")
    # What another party submits is known, and booked.
    world.relay(burn)
    for _ in range(FINAL_DEPTH + 4):
        world.mine()
        await world.work(refusing)
    assert await world.status(bridge) == "COMPLETED"
    await world.another_worker()
    await check_minted_once(world, bridge, user)


async def test_people_confirm_a_stuck_mint_and_never_fail_it(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SILENT
    bridge, _ = await burned(world, user)
    reviewer = await make_person(world.org, "Rita", [KeyScope.REVIEW])
    found = await reviewer.get(f"/v2/reviews/resolutions/actions/{bridge}")
    assert [each["action"] for each in found["actions"]] == ["CONFIRM"]


async def test_the_pages_show_each_leg(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    bridge = await world.accepted(user, 10)
    await check_minted_once(world, bridge, user)
    orders = (await world.org.get(f"/v2/chains/orders/{bridge}"))["orders"]
    shown = [(each["action"], each["chain"], each["state"], each["amount"]) for each in orders]
    assert shown == [
        ("approve", "POLYGON", "FINAL", 10),
        ("burn", "POLYGON", "FINAL", 10),
        ("mint", "BASE", "FINAL", 10),
    ]
    assert [len(each["attempts"]) for each in orders] == [0, 1, 1]


async def test_a_freeze_before_the_burn_releases_the_coins(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    bridge = await world.accepted(user, 10)
    await world.org.post(f"/v2/users/{user}/freeze", {"reason": "a"})
    await world.run_until(bridge, "NOT_INITIATED", "SOURCE_FAILED")
    await world.org.post(f"/v2/users/{user}/unfreeze", {})
    assert await held(world.org, user) == "25"
    assert await world.order(bridge, "burn") is None
    await check_books(world.org)


async def test_a_message_is_carried_out_for_one_order(world: BridgeWorld) -> None:
    """Two burns of one transaction may be alike: each mint has a message of its own."""
    user = await world.user(usdc=25)
    world.attestations.conduct = Conduct.SILENT
    (one, _), (other, _) = await burned(world, user), await burned(world, user)
    orders = [await world.order(each, "mint") for each in (one, other)]
    claims: list[bool] = []
    for order in (*orders, orders[0]):
        assert order is not None
        claims.append(
            await world.container.database.transact(
                lambda tx, order=order: order_store.claim_message(tx, order, b"\7" * 32)
            )
        )
    assert claims == [True, False, False]
