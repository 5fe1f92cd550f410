"""Lost answers, dropped and replaced transactions, reorganisations, stolen nonces and reverts."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from eth_account import Account
from structlog.testing import capture_logs

from landbridge.app.container import sealer
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.key_derivation import EVM_RELAYERS
from landbridge.providers.chains.port import ChainOrderState
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox.model import OutboxState, TransactionAttempt
from landbridge.providers.evm.outbox.plans import VALIDITY_S
from landbridge.providers.evm.signing.model import UnsignedTransaction
from landbridge.providers.evm.signing.seeds import Seeds
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    free_lease,
    make_due,
    make_late,
    make_resent,
    new_address,
    new_order,
    relayers,
    resume,
    run,
    run_until,
    run_until_final,
    sent_order,
    set_token,
    status,
    stored,
)
from tests.providers.evm.outbox.failing_ports import FailingPort
from tests.tenants import make_user

pytestmark = pytest.mark.long


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database, replace_after_s=60) as world:
        yield world


async def pay_again(world: ChainWorld) -> None:
    """Pay another order: whatever the chain has lost before it must be there first."""
    order = await sent_order(world, {new_address(): COIN})
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


def request_of(attempt: TransactionAttempt) -> UnsignedTransaction:
    return msgspec.json.decode(attempt.request, type=UnsignedTransaction)


async def test_an_answer_of_sending_is_lost(world: ChainWorld) -> None:
    """Row 5: the node has the transaction, and nobody was told."""

    async def lose(work: Callable[[], Awaitable[Any]]) -> Any:
        await work()
        raise NodeUnavailable("the answer is lost")

    client = cast("Any", FailingPort(world.client, lose, {"send_raw"}))
    order = await sent_order(world, {new_address(): COIN})
    outbox = another_outbox(world, client=client)
    found = await run_until(world, order, OutboxState.FINAL, outbox=outbox)
    assert found.state is OutboxState.FINAL
    await check_paid_once(world, order)
    assert len(await attempts_of(world, order)) == 1


async def test_a_dropped_transaction_is_sent_again(world: ChainWorld) -> None:
    """Row 7: the same bytes, at each time."""
    order = await sent_order(world, {new_address(): COIN})
    await run(world)
    (attempt,) = await attempts_of(world, order)
    assert world.rpc.call("anvil_dropTransaction", attempt.hash) == attempt.hash
    world.mine()
    await run(world)
    assert (await stored(world, order)).state is OutboxState.SENT
    await make_resent(world)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
    assert len(await attempts_of(world, order)) == 1


@pytest.mark.parametrize("is_first_mined", [True, False])
async def test_a_replaced_transaction_pays_once(world: ChainWorld, *, is_first_mined: bool) -> None:
    """Row 8: either of the two may be mined, and never both."""
    order = await sent_order(world, {new_address(): COIN})
    await run(world)
    await make_late(world)
    await run(world)
    first, second = await attempts_of(world, order)
    assert (first.nonce, first.account) == (second.nonce, second.account)
    assert second.fees.max_fee_wei * 8 >= first.fees.max_fee_wei * 9
    assert second.fees.tip_wei * 8 >= first.fees.tip_wei * 9
    await run(world)
    if is_first_mined:
        world.rpc.call("anvil_dropTransaction", second.hash)
        world.rpc.call("eth_sendRawTransaction", f"0x{first.raw.hex()}")
        world.mine()
    found = await run_until_final(world, order)
    assert found.state is OutboxState.FINAL
    assert found.transaction_hash == (first if is_first_mined else second).hash
    await check_paid_once(world, order)


@pytest.mark.parametrize("state", [OutboxState.MINED, OutboxState.CONFIRMED])
async def test_a_reorganisation_removes_a_payment(world: ChainWorld, state: OutboxState) -> None:
    """Rows 10 and 14: what was reported as paid stays so, and is paid again by the same bytes."""
    order = await sent_order(world, {new_address(): COIN})
    world.mine(3)
    await run_until(world, order, state)
    before = await status(world, order)
    world.reorganise(3)
    await run(world)
    found = await stored(world, order)
    assert found.state is OutboxState.SENT
    assert (await status(world, order)).state is before.state
    await make_resent(world)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
    assert len(await attempts_of(world, order)) == 1


async def test_a_reorganisation_moves_a_payment_to_another_block(world: ChainWorld) -> None:
    """Row 11: confirmations begin again."""
    order = await sent_order(world, {new_address(): COIN})
    await run_until(world, order, OutboxState.CONFIRMED)
    (before,) = await attempts_of(world, order)
    world.rpc.call("anvil_reorg", 3, [[f"0x{before.raw.hex()}", 2]])
    await run(world)
    (after,) = await attempts_of(world, order)
    assert after.block_hash != before.block_hash
    found = await stored(world, order)
    assert found.state is OutboxState.MINED
    assert found.confirmed_at is not None
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


async def test_a_nonce_used_by_somebody_else_stops_the_account(world: ChainWorld) -> None:
    """Row 12: nothing more is sent before a person resumes the account."""
    order = await sent_order(world, {new_address(): COIN})
    await run(world)
    (attempt,) = await attempts_of(world, order)
    world.rpc.call("anvil_dropTransaction", attempt.hash)
    thief = await thief_key(world)
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**11}
    stolen = Account.sign_transaction(
        {"chainId": 137, "nonce": attempt.nonce, "to": new_address(), "value": 1, "gas": 21_000,
         "data": b"", **fees},
        thief,
    )  # fmt: skip
    world.rpc.call("eth_sendRawTransaction", f"0x{bytes(stolen.raw_transaction).hex()}")
    for _ in range(FINAL_DEPTH + 4):
        world.mine()
        await make_late(world)
        await run(world)
    (relayer,) = await relayers(world)
    assert relayer.stopped_at is not None
    assert relayer.stopped_reason is not None
    assert f"nonce {attempt.nonce} " in relayer.stopped_reason
    assert (await status(world, order)).state is ChainOrderState.PENDING
    assert await world.balance("usdc", order.legs[0].address) == 0
    other = await sent_order(world, {new_address(): COIN})
    count = len(await attempts_of(world, order))
    for _ in range(3):
        await make_due(world)
        await make_late(world)
        await run(world)
        world.mine()
    assert await attempts_of(world, other) == []
    assert len(await attempts_of(world, order)) == count
    await resume(world, relayer)
    for each in (order, other):
        assert (await run_until_final(world, each)).state is OutboxState.FINAL
        await check_paid_once(world, each)
    assert len(await attempts_of(world, order)) == count + 1
    (relayer,) = await relayers(world)
    assert relayer.stopped_at is None


async def thief_key(world: ChainWorld) -> bytes:
    """Return the private key of the first relayer, as a thief of the seed has it."""
    seed = await world.outbox.context.relayer_seeds.relayer_seed()
    return Seeds(sealer(world.settings)).key(seed, (*EVM_RELAYERS, 0)).private.secret


async def send_after(
    world: ChainWorld, attempt: TransactionAttempt, change: Callable[[], None]
) -> None:
    """Let a change of the chain be mined before a transaction that was sent already."""
    world.rpc.call("anvil_dropTransaction", attempt.hash)
    change()
    world.rpc.call("eth_sendRawTransaction", f"0x{attempt.raw.hex()}")
    world.mine()


async def test_a_payment_that_reverts_fails_when_it_can_no_longer_be_paid(
    world: ChainWorld,
) -> None:
    """Row 13: not before its block is final and its signed authorization has expired."""
    recipient = new_address()
    order = await sent_order(world, {recipient: COIN}, currency="usdt")
    await run(world)
    (attempt,) = await attempts_of(world, order)
    await send_after(world, attempt, lambda: set_token(world, "setBlocked", recipient, True))  # noqa: FBT003
    for _ in range(FINAL_DEPTH + 2):
        await run(world)
        assert (await stored(world, order)).state is OutboxState.MINED
        world.mine()
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    found = await run_until_final(world, order)
    assert found.state is OutboxState.REVERTED
    assert (await status(world, order)).state is ChainOrderState.FAILED
    assert await world.balance("usdt", recipient) == 0
    await pay_again(world)


async def test_a_reverted_authorization_that_somebody_submits_later_counts_as_paid(
    world: ChainWorld,
) -> None:
    recipient = new_address()
    order = await sent_order(world, {recipient: COIN}, currency="usdt")
    await run(world)
    (attempt,) = await attempts_of(world, order)
    await send_after(world, attempt, lambda: set_token(world, "setBlocked", recipient, True))  # noqa: FBT003
    world.mine(FINAL_DEPTH)
    await run(world)
    set_token(world, "setBlocked", recipient, False)  # noqa: FBT003
    submit_as_another(world, attempt)
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


def submit_as_another(world: ChainWorld, attempt: TransactionAttempt) -> str:
    """Submit what an attempt submits, from an account of the node; return the hash."""
    request = request_of(attempt)
    hash_ = world.rpc.call(
        "eth_sendTransaction",
        {
            "from": world.rpc.accounts()[3],
            "to": request.destination,
            "data": f"0x{request.data.hex()}",
            "gas": hex(1_000_000),
        },
    )
    world.mine()
    return hash_


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_somebody_else_submits_our_authorization_first(
    world: ChainWorld, currency: str
) -> None:
    user = await make_user(world.org)
    if currency == "usdt":
        # The account delegates already.
        first = await new_order(world, {new_address(): COIN}, currency=currency, user=user)
        await world.container.chains.send(first)
        await run_until_final(world, first)
    order = await new_order(world, {new_address(): COIN}, currency=currency, user=user)
    await world.container.chains.send(order)
    await run(world)
    (attempt,) = await attempts_of(world, order)
    hashes: list[str] = []
    await send_after(world, attempt, lambda: hashes.append(submit_as_another(world, attempt)))
    found = await run_until_final(world, order)
    assert found.state is OutboxState.FINAL
    assert found.transaction_hash == hashes[0]
    assert (await status(world, order)).state is ChainOrderState.CONFIRMED
    await check_paid_once(world, order)


async def test_a_payment_before_its_signature_counts_once_it_is_final(world: ChainWorld) -> None:
    """A node that simulates an authorization could submit it; a reorganisation may undo that."""
    order = await sent_order(world, {new_address(): COIN})
    data: list[bytes] = []

    async def refuse(**named: Any) -> int:
        data.append(named["data"])
        raise NodeUnavailable("the node submits it instead")

    class Client:
        def __getattr__(self, name: str) -> Any:
            return refuse if name == "estimate_gas" else getattr(world.client, name)

    await run(world, another_outbox(world, client=cast("Any", Client())))
    await free_lease(world)
    assert (await stored(world, order)).state is OutboxState.CREATED
    token = world.outbox.context.chain.tokens["usdc"].address
    request = {"from": world.rpc.accounts()[3], "to": token, "data": f"0x{data[0].hex()}"}
    world.rpc.call("eth_sendTransaction", request)
    world.mine()
    await make_due(world)
    await run(world)
    assert (await stored(world, order)).state is OutboxState.CREATED
    world.reorganise(1)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


async def test_a_lost_delegation_does_not_lose_the_next_payment(
    tmp_path: Path, own_database: Database
) -> None:
    """The second payment is mined before the first one, which had the delegation."""
    async with chain_world(tmp_path, own_database, relayers=2) as world:
        user = await make_user(world.org)
        first = await new_order(world, {new_address(): COIN}, currency="usdt", user=user)
        second = await new_order(world, {new_address(): COIN}, currency="usdt", user=user)
        await world.container.chains.send(first)
        await run_until(world, first, OutboxState.MINED)
        await world.container.chains.send(second)
        # The relayer that is not busy takes it.
        await run(world)
        one, two = [await attempts_of(world, each) for each in (first, second)]
        world.rpc.call("anvil_dropTransaction", two[0].hash)
        depth = int(world.rpc.call("eth_blockNumber"), 16) - (one[0].block_number or 0) + 1
        world.reorganise(depth)
        world.rpc.call("eth_sendRawTransaction", f"0x{two[0].raw.hex()}")
        world.mine()
        await make_resent(world)
        for order in (first, second):
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)


class _LateClock(Clock):
    """The clock of a machine that is a day behind; the database has the right time."""

    def _real_us(self) -> int:
        return super()._real_us() - 86_400_000_000


async def test_a_worker_with_a_wrong_clock_says_so(world: ChainWorld) -> None:
    order = await sent_order(world, {new_address(): COIN})
    late = another_outbox(world, clock=_LateClock(98))
    await free_lease(world)
    with capture_logs() as logs:
        assert not await late.run_once()
    (found,) = [each for each in logs if each["event"] == "chain.clock.skewed"]
    assert 86_340 < found["delay_s"] < 86_460
    # What waited is paid by a worker that has the right time.
    await free_lease(world)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
