"""Soak: payouts and deposits on a chain that is disturbed at random, while processes die.

It has two parts. In the first, orders are paid, and reorganisations take back blocks that are
confirmed, but no final ones. In the second, all orders are final, and reorganisations take back
deposits that are credited.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chains.rpc import RpcError

from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.providers.chains.port import ChainOrder
from landbridge.providers.evm.outbox.model import FINAL_STATES
from tests.chain_world import ChainWorld
from tests.customers.chain_deposits.chain_world import end_leases
from tests.platform.db.embedded_servers import kill as kill_server
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    check_nonces,
    free_lease,
    make_late,
    new_address,
    new_order,
)
from tests.providers.evm.outbox.soak_deposits import CURRENCIES, OutsideTransfers
from tests.providers.evm.outbox.soak_node import SoakNode
from tests.tenants import make_user

WORKERS = 2
# How often each disturbance is chosen, after each was chosen once. "late" makes transactions be
# sent again and replaced.
_ACTIONS = {
    "mine": 60,
    "transfer from outside": 30,
    "reorganise": 12,
    "drop": 10,
    "late": 8,
    "kill": 6,
    "signer": 8,
    "postgres": 3,
    "node pauses": 2,
    "node": 2,
}
# Deeper than the confirmations of the soak, shallower than its finality.
REORG_MAX = 4
CONFIRMATIONS, FINALITY = REORG_MAX - 1, 2 * REORG_MAX
_ROOT = Path(__file__).parents[4]
_QUIET_S = 120.0


async def create_orders(world: ChainWorld, count: int, *, users: int = 4) -> list[ChainOrder]:
    """Store orders of several users and the treasury, each to addresses of its own."""
    payers = [None, *[await make_user(world.org) for _ in range(users)]]
    orders: list[ChainOrder] = []
    for place in range(count):
        legs = {new_address(): COIN + place for _ in range(3 if place % 10 == 0 else 1)}
        order = await new_order(
            world,
            legs,
            currency="usdt" if place % 4 == 0 else "usdc",
            user=payers[place % len(payers)],
        )
        orders.append(order)
    # No reorganisation takes back the coins.
    world.mine(FINALITY)
    for order in orders:
        await world.container.chains.send(order)
    return orders


class Soak:
    """Disturbs a world until its orders are paid; `counts` says how often it did what."""

    def __init__(
        self,
        world: ChainWorld,
        server: EmbeddedPostgres,
        folder: Path,
        chance: random.Random,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._world = world
        self._server = server
        self._folder = folder
        self._chance = chance
        self._node = SoakNode(world, folder, chance)
        self._outside: OutsideTransfers | None = None
        self._workers: list[subprocess.Popen[bytes]] = []
        self._signer: subprocess.Popen[bytes] | None = None

    async def run(
        self, orders: Sequence[ChainOrder], *, seconds: float, deep_reorganisations: int
    ) -> None:
        """Disturb for some time, let the workers finish in peace, and take back credits."""
        wallets = {each.source: each.wallet_id for each in orders if each.wallet_id is not None}
        self._outside = OutsideTransfers(self._world, wallets, self._chance)
        await self._outside.prepare(blocks=FINALITY)
        self._node.keep()
        self._start_signer()
        try:
            self._workers = [self._start_worker() for _ in range(WORKERS)]
            await self._disturb_all(seconds)
            await self._settle()
            await self._check(orders)
            # Final orders are not paid again, so their blocks stay.
            self._node.keep()
            for _ in range(deep_reorganisations):
                await self._lose_credits()
            await self._settle()
            await self._check(orders)
        finally:
            for each in self._workers:
                self._kill(each)
            self._kill_signer()
            self._node.close()
        self.counts["blocks lost by the node"] = self._node.blocks_lost
        self.counts += self._outside.counts

    async def _disturb_all(self, seconds: float) -> None:
        ends_s = time.monotonic() + seconds
        for action in self._chance.sample(list(_ACTIONS), len(_ACTIONS)):
            self._outside_transfers.send()
            self._world.mine()
            await self._disturb(action)
        while time.monotonic() < ends_s:
            (action,) = self._chance.choices(list(_ACTIONS), list(_ACTIONS.values()))
            await self._disturb(action)
            await asyncio.sleep(0.1)

    async def _settle(self) -> None:
        """Mine until all orders are final, and all deposits are credited or taken back."""
        self._world.mine()
        block = self._node.height()
        ends_s = time.monotonic() + _QUIET_S
        while time.monotonic() < ends_s and not (
            not await self._open_count() and await self._outside_transfers.is_settled(block=block)
        ):
            self._replace_dead_workers()
            self._world.mine()
            await asyncio.sleep(0.1)

    async def _check(self, orders: Sequence[ChainOrder]) -> None:
        assert await self._open_count() == 0
        await check_recipients(self._world, orders)
        await self._outside_transfers.check()
        await check_treasury(self._world, orders)
        await check_nonces(self._world)

    async def _lose_credits(self) -> None:
        """Let deposits be credited, and take their blocks back; some return, some do not."""
        outside, chance = self._outside_transfers, self._chance
        self._node.keep()
        for _ in range(3):
            outside.send()
            self._world.mine()
        block = self._node.height()
        self._world.mine(FINALITY)
        ends_s = time.monotonic() + _QUIET_S
        while await outside.followed_block("final_number") < block:
            assert time.monotonic() < ends_s
            self._replace_dead_workers()
            await asyncio.sleep(0.1)
        if chance.random() < 1 / 2:
            await self._disturb("kill")
        self._node.reorganise(FINALITY + chance.randint(1, 3))
        for _ in range(chance.randint(0, 4)):
            outside.send()
            self._world.mine()
        await self._disturb(chance.choice(["kill", "mine", "node", "postgres", "node pauses"]))
        # Sometimes what has not returned by now is taken back before it returns.
        self._world.mine(chance.randint(1, 2 * FINALITY))

    @property
    def _outside_transfers(self) -> OutsideTransfers:
        assert self._outside is not None
        return self._outside

    async def _disturb(self, action: str) -> None:
        self.counts[action] += 1
        self._replace_dead_workers()
        match action:
            case "mine":
                self._world.mine()
            case "transfer from outside":
                self._outside_transfers.send()
            case "reorganise":
                self._node.reorganise(self._chance.randint(1, REORG_MAX))
            case "drop":
                self._drop()
            case "late":
                await make_late(self._world)
            case "postgres":
                # As the out-of-memory killer does; it recovers from its log.
                kill_server(self._server)
                await asyncio.sleep(self._chance.random())
                await asyncio.to_thread(self._server.ensure_running)
            case "node pauses":
                await self._node.pause()
            case "node":
                await self._node.kill(blocks_max=REORG_MAX)
            case "kill":
                place = self._chance.randrange(WORKERS)
                self._kill(self._workers[place])
                await free_lease(self._world)
                await end_leases(self._world.container.database)
                self._workers[place] = self._start_worker()
            case _:
                self._kill_signer()
                await asyncio.sleep(0.2)
                self._start_signer()

    def _drop(self) -> None:
        """Drop a transaction that waits in the node's pool."""
        pool = self._world.rpc.call("txpool_content")["pending"]
        hashes = [each["hash"] for of_account in pool.values() for each in of_account.values()]
        if hashes:
            try:
                self._world.rpc.call("anvil_dropTransaction", self._chance.choice(hashes))
            except RpcError:
                self.counts["not dropped"] += 1

    def _start_signer(self) -> None:
        settings = self._world.settings
        self._signer = self._start_process(
            "soak_signer", settings.chains_file, settings.signer_path, self._folder
        )

    def _kill_signer(self) -> None:
        if self._signer is not None:
            self._kill(self._signer)

    def _start_worker(self) -> "subprocess.Popen[bytes]":
        settings = self._world.settings
        return self._start_process(
            "soak_worker", self._server.dsn, settings.chains_file, settings.signer_path
        )

    def _start_process(self, module: str, *arguments: object) -> "subprocess.Popen[bytes]":
        with (self._folder / f"{module}.log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.{module}", *map(str, arguments)],
                cwd=_ROOT,
                stdout=log,
                stderr=log,
            )

    def _replace_dead_workers(self) -> None:
        """Start those again that have ended by themselves, as a service manager does."""
        for place, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self.counts["worker ended"] += 1
                self._workers[place] = self._start_worker()

    def _kill(self, worker: "subprocess.Popen[bytes]") -> None:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()

    async def _open_count(self) -> int:
        rows = await self._world.outbox.context.database.rows(
            "select state, count(*) as count from chain_orders group by state"
        )
        return sum(row["count"] for row in rows if row["state"] not in FINAL_STATES)


async def check_recipients(world: ChainWorld, orders: Sequence[ChainOrder]) -> None:
    """Check that each recipient, who has no other order, has exactly its units."""
    for order in orders:
        for leg in order.legs:
            currency = leg.money.asset.currency
            assert await world.balance(currency, leg.address) == leg.money.units


async def check_treasury(world: ChainWorld, orders: Sequence[ChainOrder]) -> None:
    """Check that the treasury, to which nothing came, has paid just the coins of these orders."""
    for source in {each.source for each in orders if each.wallet_id is None}:
        for currency in CURRENCIES:
            assert await world.balance(currency, source) == 0


async def pay_naively(
    world: ChainWorld, orders: Sequence[ChainOrder], chance: random.Random, *, deaths: float
) -> None:
    """Pay as an outbox would that sends first and records after.

    `deaths` is the part of all payments after which it dies in between.
    """
    recorded: set[object] = set()
    while len(recorded) < len(orders):
        for order in orders:
            if order.key in recorded:
                continue
            (leg,) = order.legs
            token = world.outbox.context.chain.tokens[leg.money.asset.currency].address
            data = f"0xa9059cbb{int(leg.address, 16):064x}{leg.money.units:064x}"
            world.rpc.call("anvil_impersonateAccount", order.source)
            world.rpc.call("anvil_setBalance", order.source, hex(10**18))
            request = {"from": order.source, "to": token, "data": data, "gas": hex(200_000)}
            world.rpc.call("eth_sendTransaction", request)
            world.mine()
            if chance.random() >= deaths:
                recorded.add(order.key)
