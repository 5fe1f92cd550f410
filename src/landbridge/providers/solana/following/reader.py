"""Reads the transfers into a token account from its finalized transactions.

Guarantees:
- what is read explains the account: its units before and all changes since add up to its units now.
  A node that leaves out a transaction, or has not kept it, is not believed;
- transactions up to the slot at which the chain was first followed are left out.
"""

from collections import defaultdict
from collections.abc import Sequence

from landbridge.platform.core.gather import gather_in_order
from landbridge.providers.evm.following.model import BlockRef, ChainUnsettled, LoggedTransfer
from landbridge.providers.solana.chain_data import ChainTransaction
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.following.history import (
    list_transactions,
    read_transaction,
    units_around,
)
from landbridge.providers.solana.following.model import (
    AccountReading,
    FollowedAccount,
    FoundTransfers,
)
from landbridge.providers.solana.rpc import SolanaClient

# An account with more new transactions is read in parts.
_READ_MAX = 500
# Nothing finalized is undone, so blocks are known by their slots alone.
FINAL_HASH = "finalized"


class TokenAccountReader:
    """Reads token accounts. Every method raises `NodeUnavailable` and `ChainUnsettled`."""

    def __init__(self, chain: SolanaChain, client: SolanaClient) -> None:
        self.chain = chain
        self.client = client

    async def read(
        self,
        account: FollowedAccount,
        before: AccountReading | None,
        *,
        start_slot: int,
        slot: int,
        units: int,
    ) -> FoundTransfers:
        """Return the transfers into an account that has had `units` at `slot`.

        `before` is its last reading; what is not above `start_slot` is left out.
        """
        until = None if before is None else before.last_signature
        listed = await list_transactions(
            self.client, account.address, until=until, after=start_slot, slot=slot
        )
        part = listed[:_READ_MAX]
        read = await gather_in_order(
            read_transaction(self.client, each) for each in part if each.err is None
        )
        changes = [(each, self._change(account, each)) for each in read]
        # The first transaction shows what it had when the chain was first followed.
        first = self._units(account, read[0])[0] if read else units
        units_before = first if before is None else before.units
        units_after = units_before + sum(change for _, change in changes)
        if part == listed and units_after != units:
            raise ChainUnsettled(f"transactions of {account.address} are missing")
        transfers = [
            self._transfer(account, transaction, change)
            for transaction, change in changes
            if change > 0
        ]
        last = part[-1] if part else None
        reading = AccountReading(
            org_id=account.org_id,
            address=account.address,
            last_signature=until if last is None else last.signature,
            units=max(units_after, 0),
            slot=slot,
        )
        return FoundTransfers(transfers, reading)

    def _change(self, account: FollowedAccount, transaction: ChainTransaction) -> int:
        """Return the units that a transaction has added to an account, below zero if taken."""
        before, after = self._units(account, transaction)
        return after - before

    def _units(self, account: FollowedAccount, transaction: ChainTransaction) -> tuple[int, int]:
        """Return the units of an account before and after a transaction."""
        mint = self.chain.tokens[account.currency].address
        return units_around(transaction, account.address, mint)

    def _transfer(
        self, account: FollowedAccount, transaction: ChainTransaction, units: int
    ) -> LoggedTransfer:
        mint = self.chain.tokens[account.currency].address
        return LoggedTransfer(
            transaction_hash=transaction.transaction.signatures[0],
            log_index=transaction.addresses.index(account.address),
            block=BlockRef(transaction.slot, FINAL_HASH),
            currency=account.currency,
            contract_address=mint,
            source=_sender(transaction, mint),
            destination=account.owner,
            amount_units=units,
        )


def _sender(transaction: ChainTransaction, mint: str) -> str:
    """Return the wallet that has lost the most of a token; of new coins, who paid the fee."""
    addresses, meta = transaction.addresses, transaction.meta
    changes: defaultdict[str, int] = defaultdict(int)
    for balances, sign in ((meta.pre_token_balances, -1), (meta.post_token_balances, 1)):
        for each in balances:
            if each.mint == mint:
                changes[each.owner or addresses[each.account_index]] += sign * each.units
    sender = min(changes, key=lambda owner: changes[owner], default=addresses[0])
    return sender if changes[sender] < 0 else addresses[0]


def newest_slot(found: Sequence[FoundTransfers]) -> int:
    """Return the latest slot at which accounts were read."""
    return max(each.reading.slot for each in found)
