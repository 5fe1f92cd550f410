"""Deposits of coins that a local chain's faucet creates."""

import asyncio

from landbridge.customers.chain_deposits.model import deposit_id
from landbridge.customers.wallets.model import DEPOSIT_KIND, Wallet
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import Busy, Upstream
from landbridge.platform.core.money import Money
from landbridge.providers.evm.faucet import Faucet

# Local chains finalise within ten seconds.
_TIMEOUT_S = 60
_POLL_S = 0.2
# The only log of the transaction is that of the transfer.
_POSITION = 0


async def mint_deposit(ledger: Ledger, faucet: Faucet, wallet: Wallet, money: Money) -> Transfer:
    """Create coins at a wallet's address, and return the deposit once it is credited.

    Raises `Busy` if the node does not answer, or if the deposit takes more than a minute.
    """
    try:
        transaction_hash = await faucet.mint(money.asset.currency, wallet.address, money.units)
    except Upstream as error:
        raise Busy(str(error)) from error
    id_ = deposit_id(wallet.chain, transaction_hash, _POSITION)
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            while True:
                try:
                    return await ledger.get(wallet.org_id, DEPOSIT_KIND, id_)
                except TransactionNotFound:
                    await asyncio.sleep(_POLL_S)
    except TimeoutError as error:
        raise Busy(
            f"the coins were sent in {transaction_hash}, but are not final yet; don't send them "
            "again"
        ) from error
