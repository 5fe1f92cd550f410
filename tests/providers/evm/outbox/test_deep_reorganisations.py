"""Reorganisations below the final block: what was reported as paid stays so, and is paid again."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from eth_account import Account
from structlog.testing import capture_logs

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainOrder, ChainOrderState
from landbridge.providers.evm.chain_data import BlockHeader, BlockTag
from landbridge.providers.evm.outbox.model import AttemptKind, OutboxState, SendingAccount
from landbridge.providers.evm.outbox.overview_service import OutboxOverview
from landbridge.providers.evm.outbox.plans import VALIDITY_S
from landbridge.providers.evm.signing.model import SignerUnavailable
from tests.chain_world import FINAL_DEPTH, NETWORK, ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    free_lease,
    make_due,
    make_resent,
    new_address,
    new_order,
    relayers,
    resume,
    run,
    run_until_final,
    sent_order,
    set_token,
    status,
    stored,
)
from tests.providers.evm.outbox.failing_ports import FailingPort
from tests.providers.evm.outbox.test_accidents import pay_again, send_after, thief_key
from tests.tenants import make_user

pytestmark = pytest.mark.long


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database, replace_after_s=60) as world:
        yield world


async def final_order(
    world: ChainWorld, recipient: str, *, currency: str = "usdc", of_user: bool = True
) -> ChainOrder:
    """Return an order that is final."""
    order = await sent_order(world, {recipient: COIN}, currency=currency, of_user=of_user)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    return order


async def lose(world: ChainWorld, order: ChainOrder) -> None:
    """Remove the blocks with the order's transactions from the chain, and nothing before them."""
    first = min(each.block_number or 0 for each in await attempts_of(world, order))
    world.reorganise(_head(world) - first + 1)


async def check_unpaid(world: ChainWorld, order: ChainOrder, count: int = 1) -> None:
    """Check that nothing was paid, and that the payment was told otherwise."""
    assert await world.balance(_currency(order), order.legs[0].address) == 0
    assert (await status(world, order)).state is ChainOrderState.CONFIRMED
    overview = OutboxOverview(world.container.database)
    assert (await overview.open_orders(NETWORK.value, None)).unpaid == count


@pytest.mark.parametrize(("currency", "of_user"), [("usdc", True), ("usdt", True), ("usdt", False)])
async def test_a_final_payment_is_sent_again(
    world: ChainWorld, currency: str, *, of_user: bool
) -> None:
    """Row 14: the same bytes, without another payment to wake them up."""
    order = await final_order(world, new_address(), currency=currency, of_user=of_user)
    before = await attempts_of(world, order)
    await lose(world, order)
    with capture_logs() as logs:
        await run(world)
    (line,) = [each for each in logs if each["event"] == "chain.payments.reopened"]
    assert (line["log_level"], line["count"]) == ("error", 1)
    assert (await stored(world, order)).state is OutboxState.SENT
    await check_unpaid(world, order)
    await make_resent(world)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
    assert [each.hash for each in await attempts_of(world, order)] == [each.hash for each in before]


@pytest.mark.parametrize("recipients", [1, 2])
async def test_all_transactions_of_a_wallet_that_pays_its_gas_are_sent_again(
    tmp_path: Path, own_database: Database, recipients: int
) -> None:
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        order = await sent_order(world, {new_address(): COIN for _ in range(recipients)})
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        before = {each.hash for each in await attempts_of(world, order)}
        assert len(before) > 1
        await lose(world, order)
        await run(world)
        await check_unpaid(world, order)
        for _ in range(4):
            await make_resent(world)
            await run(world)
            world.mine()
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)
        assert {each.hash for each in await attempts_of(world, order)} == before


async def test_a_final_payment_in_another_block_is_final_again(world: ChainWorld) -> None:
    order = await final_order(world, new_address())
    (before,) = await attempts_of(world, order)
    depth = _head(world) - (before.block_number or 0) + 1
    world.rpc.call("anvil_reorg", depth, [[f"0x{before.raw.hex()}", 1]])
    world.rpc.call("anvil_mine", "0x1")
    await run(world)
    assert (await stored(world, order)).state is not OutboxState.SENT
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    (after,) = await attempts_of(world, order)
    assert after.block_hash != before.block_hash
    await check_paid_once(world, order)


async def test_payments_below_the_reorganisation_stay_final(world: ChainWorld) -> None:
    # All their coins are there before the first payment.
    orders = [
        await new_order(world, {new_address(): COIN}, user=await make_user(world.org))
        for _ in range(3)
    ]
    for each in orders:
        await world.container.chains.send(each)
        assert (await run_until_final(world, each)).state is OutboxState.FINAL
    kept, *lost = orders
    await lose(world, lost[0])
    with capture_logs() as logs:
        await run(world)
    assert [each["count"] for each in logs if each["event"] == "chain.payments.reopened"] == [2]
    assert (await stored(world, kept)).state is OutboxState.FINAL
    await make_resent(world)
    for order in (*lost, kept):
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_an_authorization_that_has_expired_is_signed_again(
    world: ChainWorld, currency: str
) -> None:
    order = await final_order(world, new_address(), currency=currency)
    await lose(world, order)
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    world.mine()
    await run(world)
    await check_unpaid(world, order)
    await make_resent(world)
    with capture_logs() as logs:
        found = await run_until_final(world, order)
    assert "chain.payment.lost" in {each["event"] for each in logs}
    assert (found.state, found.step) == (OutboxState.FINAL, 1)
    await check_paid_once(world, order)


async def test_a_payment_that_is_refused_now_waits_for_a_person(world: ChainWorld) -> None:
    """It is never given up: the ledger says that it was paid."""
    recipient = new_address()
    order = await final_order(world, recipient, currency="usdt")
    await lose(world, order)
    set_token(world, "setBlocked", recipient, True)  # noqa: FBT003
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    for _ in range(2 * FINAL_DEPTH):
        await make_resent(world)
        await make_due(world)
        await run(world)
        world.mine()
    found = await stored(world, order)
    assert (found.state, found.step) == (OutboxState.CREATED, 1)
    assert found.reason == "waits for a person: the token's contract refuses the transfer"
    await check_unpaid(world, order)
    set_token(world, "setBlocked", recipient, False)  # noqa: FBT003
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


async def test_a_nonce_used_by_another_party_stops_the_account(world: ChainWorld) -> None:
    """Rows 12 and 14: it is paid again once a person has resumed the account."""
    order = await final_order(world, new_address())
    await lose(world, order)
    relayer = await steal_nonce(world, order)
    await check_unpaid(world, order)
    await resume(world, relayer)
    found = await run_until_final(world, order)
    assert (found.state, found.step) == (OutboxState.FINAL, 1)
    await check_paid_once(world, order)


async def test_a_failed_payment_whose_nonce_is_taken_is_not_signed_again(world: ChainWorld) -> None:
    order = await failed_order(world)
    await lose(world, order)
    set_token(world, "setBlocked", order.legs[0].address, False)  # noqa: FBT003
    relayer = await steal_nonce(world, order)
    assert (await stored(world, order)).state is OutboxState.SENT
    await resume(world, relayer)
    assert (await stored(world, order)).state is OutboxState.REVERTED
    await pay_again(world)
    assert (await stored(world, order)).state is OutboxState.REVERTED
    assert (await status(world, order)).state is ChainOrderState.FAILED
    assert await world.balance("usdt", order.legs[0].address) == 0


async def steal_nonce(world: ChainWorld, order: ChainOrder) -> SendingAccount:
    """Let another party use up the nonce of an order; return the relayer, which is stopped."""
    nonce = (await attempts_of(world, order))[0].nonce
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**11}
    stolen = Account.sign_transaction(
        {"chainId": 137, "nonce": nonce, "to": new_address(), "value": 1, "gas": 21_000,
         "data": b"", **fees},
        await thief_key(world),
    )  # fmt: skip
    world.rpc.call("eth_sendRawTransaction", f"0x{bytes(stolen.raw_transaction).hex()}")
    for _ in range(FINAL_DEPTH + 4):
        world.mine()
        await make_resent(world)
        await run(world)
    (relayer,) = await relayers(world)
    assert relayer.stopped_at is not None
    return relayer


@pytest.mark.parametrize("sponsor", ["eip7702", "top-up"])
async def test_a_failed_payment_that_leaves_the_chain_is_not_paid(
    tmp_path: Path, own_database: Database, sponsor: str
) -> None:
    """Its money was released. What refused it may have ended, and its bytes are known."""
    async with chain_world(tmp_path, own_database, sponsor=[sponsor]) as world:
        order = await failed_order(world)
        await lose(world, order)
        set_token(world, "setBlocked", order.legs[0].address, False)  # noqa: FBT003
        with capture_logs() as logs:
            await run(world)
        assert "chain.payments.reopened" in {each["event"] for each in logs}
        assert (await stored(world, order)).state is OutboxState.SENT
        assert (await status(world, order)).state is ChainOrderState.FAILED
        world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
        for _ in range(2 * FINAL_DEPTH):
            await make_resent(world)
            await run(world)
            world.mine()
        found = await run_until_final(world, order)
        assert found.state is OutboxState.REVERTED
        assert (await status(world, order)).state is ChainOrderState.FAILED
        assert await world.balance("usdt", order.legs[0].address) == 0
        assert [each.kind for each in await attempts_of(world, order) if each.is_payment] == [
            AttemptKind.ORIGINAL,
            AttemptKind.CANCELLATION,
        ]
        await pay_again(world)


async def test_a_failed_payment_is_not_sent_again_while_its_nonce_can_not_be_used_up(
    tmp_path: Path, own_database: Database
) -> None:
    """The signer is down: the bytes could pay, as what refused them has ended."""

    async def fail(_work: Callable[[], Awaitable[Any]]) -> Any:
        raise SignerUnavailable("the signer is down")

    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        order = await failed_order(world)
        await lose(world, order)
        set_token(world, "setBlocked", order.legs[0].address, False)  # noqa: FBT003
        signer = FailingPort(world.outbox.context.signer, fail, {"sign_transaction"})
        outbox = another_outbox(world, signer=cast("Any", signer))
        await free_lease(world)
        for _ in range(4):
            await make_resent(world)
            await run(world, outbox)
            world.mine()
        assert (await stored(world, order)).state is OutboxState.SENT
        assert await world.balance("usdt", order.legs[0].address) == 0


async def test_a_failed_payment_that_returns_to_the_chain_and_fails_stays_failed(
    world: ChainWorld,
) -> None:
    order = await failed_order(world)
    before = await attempts_of(world, order)
    (attempt,) = before
    depth = _head(world) - (attempt.block_number or 0) + 1
    world.rpc.call("anvil_reorg", depth, [[f"0x{attempt.raw.hex()}", 1]])
    world.mine()
    await run(world)
    assert (await stored(world, order)).state is OutboxState.MINED
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    assert (await run_until_final(world, order)).state is OutboxState.REVERTED
    (after,) = await attempts_of(world, order)
    assert (after.hash, after.block_hash == attempt.block_hash) == (attempt.hash, False)
    assert await world.balance("usdt", order.legs[0].address) == 0
    await pay_again(world)


async def test_a_failed_payment_that_another_chain_has_carried_out_raises_an_alarm(
    tmp_path: Path, own_database: Database
) -> None:
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        order = await failed_order(world)
        *prepared, attempt = await attempts_of(world, order)
        first = min(each.block_number or 0 for each in prepared)
        raws = [[f"0x{each.raw.hex()}", place] for place, each in enumerate([*prepared, attempt])]
        # Without the block that refused the recipient.
        world.rpc.call("anvil_reorg", _head(world) - first + 1, raws)
        world.mine()
        with capture_logs() as logs:
            await run(world)
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
        assert "chain.payment.late" in {each["event"] for each in logs}
        assert (await status(world, order)).state is ChainOrderState.FAILED
        await check_paid_once(world, order)
        await pay_again(world)


async def failed_order(world: ChainWorld) -> ChainOrder:
    """Return an order that has failed: its transaction has reverted, and is final."""
    order = await sent_order(world, {new_address(): COIN}, currency="usdt")
    await run(world)
    while not (attempts := [each for each in await attempts_of(world, order) if each.is_payment]):
        world.mine()
        await run(world)
    await send_after(world, attempts[0], _block_recipient(world, order))
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    assert (await run_until_final(world, order)).state is OutboxState.REVERTED
    return order


def _block_recipient(world: ChainWorld, order: ChainOrder) -> Callable[[], None]:
    return lambda: set_token(world, "setBlocked", order.legs[0].address, True)  # noqa: FBT003


async def test_a_node_that_is_behind_reopens_nothing(world: ChainWorld) -> None:
    order = await final_order(world, new_address())
    (attempt,) = await attempts_of(world, order)
    behind = (attempt.block_number or 0) - 1

    class Client:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        async def block(self, number: int | BlockTag) -> BlockHeader | None:
            if number is BlockTag.LATEST:
                return await world.client.block(behind)
            assert isinstance(number, int)
            return await world.client.block(number) if number <= behind else None

    await free_lease(world)
    await another_outbox(world, client=cast("Any", Client())).run_once()
    assert (await stored(world, order)).state is OutboxState.FINAL


def _head(world: ChainWorld) -> int:
    return int(world.rpc.call("eth_blockNumber"), 16)


def _currency(order: ChainOrder) -> str:
    return order.legs[0].money.asset.currency
