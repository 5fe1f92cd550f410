"""Relayers: the accounts that pay gas. Their keys are separate from those of users.

A relayer is registered with the nonce that the chain reports. After that only the stored nonce
counts, never the chain's.
"""

from collections.abc import Mapping

import structlog

from landbridge.platform.db.pool import Tx
from landbridge.platform.formats.key_derivation import EVM_RELAYERS
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.metrics import RELAYER_BALANCE, RELAYERS_LOW
from landbridge.providers.evm.outbox.model import SendingAccount
from landbridge.providers.evm.signing.model import SigningKey

_GWEI = 10**9

_log = structlog.stdlib.get_logger()


class Relayers:
    """Relayers of one chain."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context
        self._keys: dict[str, SigningKey] = {}
        # True if every relayer that could pay has as many transactions in flight as configured.
        self.are_full = False

    async def prepare(self) -> list[SendingAccount]:
        """Register the configured number of relayers, and return all relayers of the chain."""
        context = self._context
        found = await context.database.single(lambda tx: attempt_store.relayers(tx, context.name))
        known = {each.relayer_index for each in found}
        for index in range(context.chain.relayers):
            if index not in known:
                key = await self.key(index)
                nonce = await context.client.nonce(key.address, BlockTag.LATEST)
                await context.database.transact(
                    lambda tx, key=key, index=index, nonce=nonce: attempt_store.add_account(
                        tx, context.name, key.address, relayer_index=index, next_nonce=nonce
                    )
                )
        if len(known) < context.chain.relayers:
            found = await context.database.single(
                lambda tx: attempt_store.relayers(tx, context.name)
            )
        return found

    async def key(self, index: int) -> SigningKey:
        """Return the signing key of a relayer."""
        seed = await self._context.relayer_seeds.relayer_seed()
        path = (*EVM_RELAYERS, index)
        address = await self._context.signer.address(seed, path)
        key = SigningKey(seed=seed, path=path, address=address)
        self._keys[address] = key
        return key

    async def key_of(self, account: SendingAccount) -> SigningKey:
        """Return the signing key of a registered relayer."""
        index = account.relayer_index
        assert index is not None
        return self._keys.get(account.address) or await self.key(index)

    async def usable(self) -> dict[str, SendingAccount]:
        """Return the relayers that can send now, by address, the least busy first.

        Reads and stores their native coins. Left out are relayers below the floor, stopped ones,
        and those with as many transactions in flight as configured.
        """
        context = self._context
        accounts = await self.prepare()
        balances = {each.address: await context.client.balance(each.address) for each in accounts}
        at = context.clock.now()

        async def store(tx: Tx) -> Mapping[str, int]:
            await attempt_store.set_balances(tx, context.name, balances, at)
            return await attempt_store.in_flight(tx, context.name)

        busy = await context.database.transact(store)
        low = [
            each for each in accounts if balances[each.address] < context.chain.relayer_floor_wei
        ]
        RELAYERS_LOW.labels(context.name).set(len(low))
        for each in accounts:
            RELAYER_BALANCE.labels(context.name, each.address).set(balances[each.address] // _GWEI)
        if low:
            _log.warning("chain.relayers.low", chain=context.name, count=len(low))
        solvent = [each for each in accounts if each.stopped_at is None and each not in low]
        usable = [
            each for each in solvent if busy.get(each.address, 0) < context.chain.in_flight_max
        ]
        self.are_full = bool(solvent) and not usable
        usable.sort(key=lambda each: busy.get(each.address, 0))
        return {each.address: each for each in usable}
