"""Relayers of Solana: they pay fees, and the rent of new token accounts.

A transaction has no nonce, so any number of them may be under way.
"""

import structlog

from landbridge.platform.db.pool import Tx
from landbridge.platform.formats.key_derivation import solana_user
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.metrics import RELAYER_BALANCE, RELAYERS_LOW
from landbridge.providers.evm.outbox.model import SendingAccount
from landbridge.providers.evm.signing.model import SigningKey
from landbridge.providers.solana.outbox.context import SolanaContext

_log = structlog.stdlib.get_logger()


class SolanaRelayers:
    """Relayers of Solana."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context
        self._keys: dict[int, SigningKey] = {}

    async def prepare(self) -> list[SendingAccount]:
        """Register the configured number of relayers, and return all relayers."""
        context = self._context
        found = await context.database.single(lambda tx: stored_orders.relayers(tx, context.name))
        known = {each.relayer_index for each in found}
        if known >= set(range(context.chain.relayers)):
            return found
        keys = [await self.key(index) for index in range(context.chain.relayers)]

        async def work(tx: Tx) -> list[SendingAccount]:
            for index, key in enumerate(keys):
                await stored_orders.add_account(
                    tx, context.name, key.address, relayer_index=index, next_nonce=0
                )
            return await stored_orders.relayers(tx, context.name)

        return await context.database.transact(work)

    async def key(self, index: int) -> SigningKey:
        """Return the signing key of a relayer."""
        known = self._keys.get(index)
        if known is None:
            seed, path = await self._context.relayer_seeds.relayer_seed(), solana_user(index)
            address = await self._context.signer.address(seed, path)
            known = self._keys[index] = SigningKey(seed=seed, path=path, address=address)
        return known

    async def usable(self) -> list[tuple[SigningKey, int]]:
        """Return keys and spendable lamports of the relayers that can send now.

        Reads and stores their lamports. A relayer below the floor is left out, with an alarm.
        """
        context = self._context
        found = await self.prepare()
        balances = {each.address: await context.client.balance(each.address) for each in found}
        at = context.clock.now()
        await context.database.transact(
            lambda tx: stored_orders.set_balances(tx, context.name, balances, at)
        )
        floor = context.chain.relayer_floor_units
        low = [each for each in found if balances[each.address] <= floor]
        RELAYERS_LOW.labels(context.name).set(len(low))
        for address, lamports in balances.items():
            # A lamport is a billionth of a SOL.
            RELAYER_BALANCE.labels(context.name, address).set(lamports)
        if low:
            _log.warning("chain.relayers.low", chain=context.name, count=len(low))
        return [
            (await self.key(each.relayer_index or 0), balances[each.address])
            for each in found
            if each not in low
        ]
