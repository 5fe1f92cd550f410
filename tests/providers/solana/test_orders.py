"""Orders on Solana through every accident: drops, expiry, forks, kills, failures, two workers."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from aiohttp import web

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainOrder, ChainOrderState
from landbridge.providers.evm.outbox.model import OutboxState
from landbridge.providers.solana.outbox.service import SolanaOutbox
from landbridge.providers.solana.outbox.tracking_step import EXPIRY_MARGIN
from landbridge.providers.solana.rpc import ExpiryView, SolanaClient
from tests.providers.solana.local_chain import BLOCKHASH_BLOCKS
from tests.providers.solana.solana_orders import (
    attempts_of,
    free_lease,
    make_due,
    new_address,
    new_order,
    run,
    run_until_final,
    sent_order,
    status,
    stored,
)
from tests.solana_world import COIN, SolanaWorld, solana_world
from tests.tenants import make_user

EXPIRED_AFTER = BLOCKHASH_BLOCKS + EXPIRY_MARGIN + 10


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def another_outbox(world: SolanaWorld) -> SolanaOutbox:
    """Return the outbox of another worker."""
    container = wire(
        world.settings, world.container.database, Clock(await take_node(world.container.database))
    )
    assert container.evm is not None
    assert container.evm.solana is not None
    return container.evm.solana.outbox


async def test_a_dropped_transaction_is_sent_again_with_the_same_bytes(world: SolanaWorld) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN})
    world.chain.drops = 3
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    (attempt,) = await attempts_of(world, order)
    assert world.chain.received.count(attempt.signature) >= 4
    assert (world.units(payee), attempt.is_success) == (COIN, True)
    assert attempt.paid_lamports is not None
    # Fees of two signatures, and the rent of the payee's new account.
    assert 2_000_000 < attempt.paid_lamports < 2_100_000


async def test_an_expired_transaction_is_signed_anew_once(world: SolanaWorld) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN})
    world.chain.drops = 1
    await run(world)
    (first,) = await attempts_of(world, order)
    world.chain.mine(EXPIRED_AFTER)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    old, new = await attempts_of(world, order)
    assert old == replace(first, sent_at=old.sent_at)
    assert (new.step, new.is_success, old.is_success) == (1, True, None)
    assert new.unit_price > old.unit_price
    world.chain.submit(old.raw)
    assert world.units(payee) == COIN


async def test_a_transaction_that_may_still_land_is_not_signed_anew(world: SolanaWorld) -> None:
    order = await sent_order(world, {new_address(): COIN})
    world.chain.drops = 1
    await run(world)
    # Expired for the latest block, and not yet beyond doubt for the finalized one.
    world.chain.mine(BLOCKHASH_BLOCKS + 5)
    await run(world)
    assert len(await attempts_of(world, order)) == 1
    assert (await stored(world, order)).state is OutboxState.SENT


async def test_signing_anew_without_waiting_pays_twice(world: SolanaWorld) -> None:
    """Control: an outbox that does not wait for the expiry."""
    context = world.outbox.context
    hasty = SolanaOutbox(
        replace(context, client=cast("Any", _HastyClient(context.client))), owner=new_id()
    )
    await free_lease(world)
    payee = new_address()
    user = await make_user(world.org, chains=["SOLANA"])
    order = await new_order(world, {payee: COIN}, user=user)
    world.mint(order.source, COIN)
    await world.container.chains.send(order)
    world.chain.drops = 1
    await hasty.run_once()
    await hasty.run_once()
    old, new = await attempts_of(world, order)
    # The first one was on its way all the time.
    world.chain.submit(old.raw)
    assert world.chain.landed.keys() >= {old.signature, new.signature}
    assert world.units(payee) == 2 * COIN


class _HastyClient:
    """Client that takes every transaction for expired that is not on the chain yet."""

    def __init__(self, inner: SolanaClient) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def expiry_view(self, signatures: Sequence[str]) -> ExpiryView:
        view = await self._inner.expiry_view(signatures)
        return msgspec.structs.replace(view, height=view.height + 10**6)


async def test_a_fork_that_drops_a_transaction_delays_it(world: SolanaWorld) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN})
    await run(world)
    (attempt,) = await attempts_of(world, order)
    await world.outbox.run_once()
    assert (await stored(world, order)).state is OutboxState.MINED
    assert (await status(world, order)).state is ChainOrderState.PENDING
    world.chain.fork_away(attempt.signature)
    assert world.units(payee) == 0
    await world.outbox.run_once()
    assert (await stored(world, order)).state is OutboxState.SENT
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    assert world.units(payee) == COIN
    assert len(await attempts_of(world, order)) == 1


async def test_a_node_without_the_blocks_leaves_the_decision_to_people(world: SolanaWorld) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN})
    await run(world)
    (attempt,) = await attempts_of(world, order)
    # It was paid, and the only node has neither kept nor searched those blocks.
    world.node.hidden.add(attempt.signature)
    world.chain.mine(EXPIRED_AFTER)
    world.chain.first_slot = world.chain.slot - 10
    await make_due(world)
    await run(world)
    found = await stored(world, order)
    assert found.reason == (
        "waits for a person: no node has kept the blocks that could have its transaction"
    )
    assert len(await attempts_of(world, order)) == 1
    assert world.container.evm is not None
    closing = world.container.evm.order_closing
    assert await closing.find_open(order.org_id, order.record_id, is_paid=True) == [found]
    # Another node knows it.
    world.node.hidden.clear()
    with pytest.raises(ResourceConflict, match="can still be final"):
        await closing.find_open(order.org_id, order.record_id, is_paid=True)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    assert world.units(payee) == COIN


async def test_two_workers_at_once_sign_and_pay_once(world: SolanaWorld) -> None:
    other = await another_outbox(world)
    await other.relayers.prepare()
    payees = [new_address() for _ in range(4)]
    orders = [await sent_order(world, {payee: COIN}) for payee in payees]
    for _ in range(6):
        # Both believe that they have the lease.
        for each in (world.outbox, other):
            each._passed = True  # pyright: ignore[reportPrivateUsage]
        await make_due(world)
        await asyncio.gather(
            *(each.signing.run() for each in (world.outbox, other)),
            *(each.sending.run() for each in (world.outbox, other)),
            *(each.tracking.run() for each in (world.outbox, other)),
        )
        world.chain.mine()
    for order in orders:
        assert (await stored(world, order)).state is OutboxState.FINAL
        assert len(await attempts_of(world, order)) == 1
    assert [world.units(each) for each in payees] == [COIN] * 4
    assert other.context.client is not world.outbox.context.client
    await other.context.client.close()
    await other.context.signer.close()


class Killed(BaseException):
    """The worker's process ends here."""


class _Dying:
    """Stands for an object; the n-th call of these methods is the last one of the process."""

    def __init__(self, inner: Any, names: set[str], point: list[int], *, is_after: bool) -> None:
        self._inner = inner
        self._names = names
        self._point = point
        self._is_after = is_after

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if name not in self._names:
            return member

        async def call(*arguments: Any, **named: Any) -> Any:
            self._point[0] -= 1
            if self._point[0] == 0 and not self._is_after:
                raise Killed
            result = await member(*arguments, **named)
            if self._point[0] == 0:
                raise Killed
            return result

        return call


def dying_outbox(world: SolanaWorld, point: int, *, is_after: bool) -> SolanaOutbox:
    """Return an outbox that dies at its n-th call that signs, sends, reads or commits."""
    context, left = world.outbox.context, [point]

    def dying(inner: Any, *names: str) -> Any:
        return _Dying(inner, set(names), left, is_after=is_after)

    return SolanaOutbox(
        replace(
            context,
            client=dying(context.client, "send", "expiry_view", "transaction", "simulate"),
            database=dying(context.database, "transact"),
            signer=dying(context.signer, "sign_message"),
        ),
        owner=world.org.org_id,
    )


@pytest.mark.parametrize("is_after", [False, True])
async def test_a_worker_killed_at_any_point_pays_once(
    world: SolanaWorld, *, is_after: bool
) -> None:
    async def pay_until_killed(order: ChainOrder, outbox: SolanaOutbox) -> bool:
        try:
            while (await stored(world, order)).state is not OutboxState.FINAL:
                await make_due(world)
                await run(world, outbox)
        except Killed:
            return True
        return False

    point, was_killed = 0, True
    while was_killed:
        point += 1
        payee = new_address()
        order = await sent_order(world, {payee: COIN})
        await free_lease(world)
        was_killed = await pay_until_killed(order, dying_outbox(world, point, is_after=is_after))
        await free_lease(world)
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        assert world.units(payee) == COIN
        assert len(await attempts_of(world, order)) == 1
    assert point > 8


@pytest.mark.parametrize("trouble", ["html", "silence", "refusal"])
async def test_nodes_in_trouble_decide_nothing(world: SolanaWorld, trouble: str) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN})
    await run(world)
    before = await stored(world, order)
    match trouble:
        case "html":
            world.node.respond = lambda: web.Response(text="<html>", content_type="text/html")
        case "silence":
            world.node.respond = lambda: web.Response(status=503)
        case _:
            world.node.respond = lambda: web.json_response({"error": {"code": -32005}})
    await run(world)
    assert await stored(world, order) == before
    world.node.respond = None
    world.outbox.context.client._pool._nodes[0].due_at = None  # pyright: ignore[reportPrivateUsage]
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    assert world.units(payee) == COIN


async def test_a_frozen_recipient_fails_the_order_and_nothing_is_paid(world: SolanaWorld) -> None:
    payee = new_address()
    world.mint(payee, 1)
    world.freeze(payee)
    order = await sent_order(world, {new_address(): COIN, payee: COIN})
    found = await run_until_final(world, order)
    assert (found.state, found.reason) == (
        OutboxState.REJECTED,
        "the token's issuer has blocked an address of the transfer",
    )
    assert world.units(payee) == 1
    assert not await attempts_of(world, order)


async def test_an_account_frozen_after_the_simulation_fails_the_order_once_final(
    world: SolanaWorld,
) -> None:
    payee = new_address()
    world.mint(payee, 1)
    order = await sent_order(world, {payee: COIN})
    world.chain.drops = 1
    await run(world)
    world.freeze(payee)
    found = await run_until_final(world, order)
    assert (found.state, found.reason) == (
        OutboxState.REVERTED,
        "the token's issuer has blocked an address of the transfer",
    )
    (attempt,) = await attempts_of(world, order)
    assert (attempt.is_success, attempt.paid_lamports) == (False, 10_000)
    assert world.units(payee) == 1


async def test_an_order_waits_for_coins(world: SolanaWorld) -> None:
    user = await make_user(world.org, chains=["SOLANA"])
    payee = new_address()
    order = await new_order(world, {payee: COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    await run(world)
    found = await stored(world, order)
    assert (found.state, found.reason) == (
        OutboxState.CREATED,
        "waits for coins at the paying address",
    )
    world.mint(order.source, COIN)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def test_orders_of_one_wallet_do_not_count_on_the_same_coins(world: SolanaWorld) -> None:
    user = await make_user(world.org, chains=["SOLANA"])
    first = await new_order(world, {new_address(): COIN}, user=user)
    second = await new_order(world, {new_address(): COIN}, user=user, is_funded=False)
    for each in (first, second):
        await world.container.chains.send(each)
    await run(world)
    states = sorted([(await stored(world, each)).state for each in (first, second)])
    assert states == [OutboxState.CREATED, OutboxState.MINED]


async def test_a_relayer_without_coins_waits_and_raises_an_alarm(
    tmp_path: Path, own_database: Database
) -> None:
    async with solana_world(tmp_path, own_database) as world:
        for each in await world.outbox.relayers.prepare():
            world.chain._restore(each.address, None)  # pyright: ignore[reportPrivateUsage]
        order = await sent_order(world, {new_address(): COIN})
        await run(world)
        found = await stored(world, order)
        assert found.reason == "waits for a relayer: none has native coins to send"
        await world.fund_relayers()
        assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def test_an_address_that_is_no_wallet_is_refused(world: SolanaWorld) -> None:
    order = await sent_order(world, {world.tokens["usdc"].address: COIN})
    found = await run_until_final(world, order)
    assert (found.state, found.reason) == (
        OutboxState.REJECTED,
        "the recipient's address is not one of a wallet",
    )


async def test_a_token_of_the_newer_program_is_transferred(world: SolanaWorld) -> None:
    payee = new_address()
    order = await sent_order(world, {payee: COIN}, currency="usdg")
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    assert world.units(payee, "usdg") == COIN


async def test_recent_prices_are_paid_up_to_the_cap(tmp_path: Path, own_database: Database) -> None:
    async with solana_world(tmp_path, own_database, more="priority_fee_cap = 5000") as world:
        world.node.fees = [100, 3_000, 200]
        order = await sent_order(world, {new_address(): COIN})
        await run_until_final(world, order)
        world.node.fees = [90_000] * 3
        dear = await sent_order(world, {new_address(): COIN})
        await run_until_final(world, dear)
        assert (await attempts_of(world, order))[0].unit_price == 200
        assert (await attempts_of(world, dear))[0].unit_price == 5_000
