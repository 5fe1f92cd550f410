"""Deposits of coins that a local chain's faucet creates."""

import asyncio
from dataclasses import dataclass

from landbridge.customers.chain_deposits.model import deposit_id
from landbridge.customers.wallets.model import DEPOSIT_KIND, Wallet
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import Busy, Upstream
from landbridge.platform.core.money import Money
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.providers.evm.faucet import Faucet

# Local chains finalise within ten seconds.
_TIMEOUT_S = 60
_POLL_S = 0.2
# The only log of the transaction is that of the transfer.
_POSITION = 0
# In the result of an idempotency key.
_HASH = "transactionHash"


@dataclass(frozen=True, slots=True)
class Minting:
    """Creates coins on one local chain."""

    ledger: Ledger
    faucet: Faucet
    idempotency_keys: IdempotencyKeys

    async def mint_deposit(
        self, wallet: Wallet, money: Money, key: IdempotencyKey | None
    ) -> Transfer:
        """Create coins at a wallet's address, and return the deposit once it is credited.

        A repeated request waits for the coins of the first one. Raises `Busy` if the node does not
        answer, if the deposit takes more than a minute, or if it is unknown whether an earlier
        request with this key has created them.
        """
        transaction_hash = await self._transaction(wallet, money, key)
        id_ = deposit_id(wallet.chain, transaction_hash, _POSITION)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                while True:
                    try:
                        return await self.ledger.get(wallet.org_id, DEPOSIT_KIND, id_)
                    except TransactionNotFound:
                        await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise Busy(
                f"the coins were sent in {transaction_hash}, but are not final yet; don't send "
                "them again"
            ) from error

    async def _transaction(self, wallet: Wallet, money: Money, key: IdempotencyKey | None) -> str:
        if key is not None and key.is_replay:
            if _HASH not in key.result:
                raise Busy(
                    "an earlier request with this Idempotency-Key may have sent the coins; look at "
                    "the balance, and use another key if they are missing"
                )
            return key.result[_HASH]
        try:
            sent = await self.faucet.mint(money.asset.currency, wallet.address, money.units)
        except Upstream as error:
            raise Busy(str(error)) from error
        if key is not None:
            await self.idempotency_keys.set_result(key, {_HASH: sent})
        return sent
