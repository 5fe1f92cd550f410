"""Transfers from outside in the soak, and the check that each is credited once.

A sender outside knows nothing of reorganisations. If one took its transaction away, it sends either
the same bytes again, or another transaction with the same nonce, and the first never returns.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from chains.rpc import RpcError
from eth_account import Account

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import audit, table
from landbridge.platform.formats.evm_addresses import checked_evm_address, keccak256
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.chain_world import NETWORK, ChainWorld
from tests.customers.chain_deposits.chain_world import end_leases
from tests.providers.evm.anvil import CHAIN_ID

CURRENCIES = ("usdc", "usdt")

_SENDERS = 4
_COINS = 10**12
_TRANSFER = f"0x{keccak256(b'Transfer(address,address,uint256)').hex()}"
_GWEI = 10**9


@dataclass(frozen=True)
class OutsideSender:
    """Account outside, and all that it has signed by nonce."""

    address: str
    key: bytes
    signed: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))


class OutsideTransfers:
    """Sends coins from outside to wallets of users: `wallets` by address."""

    def __init__(
        self, world: ChainWorld, wallets: Mapping[str, UUID], chance: random.Random
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._world = world
        self._wallets = wallets
        self._chance = chance
        self._senders: list[OutsideSender] = []
        self._first_block = 0

    async def prepare(self, *, blocks: int) -> None:
        """Fund the senders, mine some blocks, and begin to follow the chain there."""
        world, container = self._world, self._world.container
        for _ in range(_SENDERS):
            account = Account.create()
            self._senders.append(OutsideSender(account.address, bytes(account.key)))
            world.rpc.call(
                "eth_sendTransaction",
                {"from": world.rpc.accounts()[1], "to": account.address, "value": hex(10**20)},
            )
            for currency in CURRENCIES:
                await world.mint(currency, account.address, _COINS)
        world.mine(blocks)
        assert container.chain_deposit_steps is not None
        await container.chain_deposit_steps.run_once({})
        await end_leases(container.database)
        self._first_block = await self.followed_block("start_number")

    def send(self) -> None:
        """Send a transfer, or again one that is in no block."""
        sender = self._chance.choice(self._senders)
        nonce = int(self._rpc("eth_getTransactionCount", sender.address, "latest"), 16)
        signed = sender.signed[nonce]
        if signed and self._chance.random() < 1 / 2:
            self.counts["sent again"] += self._send(self._chance.choice(signed))
            return
        raw = self._sign(sender, nonce)
        is_sent = self._send(raw)
        if is_sent:
            self.counts["replaced" if signed else "sent"] += 1
            signed.append(raw)

    async def is_settled(self, *, block: int) -> bool:
        """Return whether all up to a block is final, and each deposit credited or taken back."""
        (row,) = await self._world.container.database.rows(
            "select count(*) from chain_deposits where status in ('CONFIRMED', 'ORPHANED')"
        )
        return not row["count"] and await self.followed_block("final_number") >= block

    async def followed_block(self, name: str) -> int:
        """Return a block of the cursor of the chain, by its column."""
        rows = await self._world.container.database.rows(
            "select start_number, final_number from chain_cursors where chain = $1", NETWORK.value
        )
        return rows[0][name]

    async def check(self) -> None:
        """Check that ledger and chain agree at the final block, by transfer and by balance."""
        world, org = self._world, self._world.org
        final = await self.followed_block("final_number")
        on_chain = self._logged(final)
        rows = await world.container.database.rows(
            "select d.transaction_hash, d.position, d.status, d.credits, d.wallet_id, d.units,"
            " d.asset, (select count(*) from transfers t where t.kind = 'WALLET.DEPOSIT'"
            "  and t.details ->> 'transaction_hash' = d.transaction_hash) as credited,"
            " (select count(*) from transfers t where t.kind = 'WALLET.DEPOSIT.REVERSAL'"
            "  and t.details ->> 'transaction_hash' = d.transaction_hash) as reversed"
            " from chain_deposits d"
        )
        kept = {each["transaction_hash"] for each in rows if each["credited"] > each["reversed"]}
        assert kept == on_chain
        for each in rows:
            is_kept = each["transaction_hash"] in on_chain
            assert each["status"] == ("COMPLETED" if is_kept else "REVERSED")
            assert each["credited"] == each["credits"] == each["reversed"] + is_kept
        self.counts["credited"] = len(kept)
        self.counts["taken back"] = sum(each["reversed"] for each in rows)
        for address, wallet_id in self._wallets.items():
            for currency in CURRENCIES:
                asset = TOKENS[Chain.POLYGON, currency].asset
                account = await world.container.ledger.account(org.org_id, wallet_id, asset)
                assert account.available_units == self._balance(currency, address, final)
        found = await audit(world.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
        assert found.is_clean, table(found)

    def _sign(self, sender: OutsideSender, nonce: int) -> str:
        token = self._token(self._chance.choice(CURRENCIES))
        destination = self._chance.choice(list(self._wallets))
        units = self._chance.randint(1, 10**6)
        price = 2 * _GWEI * 2 ** min(len(sender.signed[nonce]), 10)
        signed = Account.sign_transaction(
            {
                "type": 2,
                "chainId": CHAIN_ID,
                "nonce": nonce,
                "to": token,
                "value": 0,
                "data": f"0xa9059cbb{int(destination, 16):064x}{units:064x}",
                "gas": 200_000,
                "maxFeePerGas": price,
                "maxPriorityFeePerGas": price // 2,
            },
            sender.key,
        )
        return f"0x{bytes(signed.raw_transaction).hex()}"

    def _send(self, raw: str) -> bool:
        try:
            self._rpc("eth_sendRawTransaction", raw)
        except RpcError:  # it waits already, or another one with its nonce does
            return False
        return True

    def _logged(self, last: int) -> Collection[str]:
        """Return the transactions up to a block that paid one of the wallets, each by one log."""
        recipients = [f"0x{int(each, 16):064x}" for each in self._wallets]
        logs = self._rpc(
            "eth_getLogs",
            {
                "fromBlock": hex(self._first_block + 1),
                "toBlock": hex(last),
                "address": [self._token(each) for each in CURRENCIES],
                "topics": [_TRANSFER, None, recipients],
            },
        )
        hashes = [str(each["transactionHash"]) for each in logs]
        assert len(set(hashes)) == len(hashes)
        return set(hashes)

    def _balance(self, currency: str, address: str, block: int) -> int:
        request = {"to": self._token(currency), "data": f"0x70a08231{int(address, 16):064x}"}
        return int(self._rpc("eth_call", request, hex(block)), 16)

    def _token(self, currency: str) -> str:
        token = self._world.outbox.context.chain.tokens[currency]
        return checked_evm_address(token.address)

    def _rpc(self, method: str, *params: object) -> Any:
        return self._world.rpc.call(method, *params)
