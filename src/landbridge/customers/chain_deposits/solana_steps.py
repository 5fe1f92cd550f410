"""Follows token accounts on Solana, and credits transfers into them once these are finalized.

The balances of the token accounts of all users' wallets and organisations' own addresses are read
together. An account with a changed balance is read transaction by transaction. Transfers in and out
between two readings can cancel each other out, so the accounts that were not read for longest are
read as well.

Deposits are reported only once they are final, because finality takes only some seconds.

Anybody can add transactions to an account. An account with very many, or one that can't be read,
delays the others only by seconds: each run reads a part of every account.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.customers.chain_deposits.cursor_lease import CursorLease
from landbridge.customers.chain_deposits.matching import (
    FoundDeposits,
    TransferMatcher,
    treasury_deposits,
)
from landbridge.customers.chain_deposits.metrics import FOLLOWED, HEAD
from landbridge.customers.chain_deposits.service import ChainDeposits
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Upstream
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.following import progress
from landbridge.providers.evm.following.model import (
    BlockRef,
    ChainCursor,
    LoggedTransfer,
)
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.solana.chain_data import Commitment
from landbridge.providers.solana.following import progress as account_progress
from landbridge.providers.solana.following.model import (
    AccountReading,
    FollowedAccount,
    FoundTransfers,
)
from landbridge.providers.solana.following.reader import (
    FINAL_HASH,
    TokenAccountReader,
    newest_slot,
)
from landbridge.providers.solana.outbox.paying_accounts import stop_senders
from landbridge.providers.solana.programs import account_of
from landbridge.providers.solana.rpc import ACCOUNTS_MAX

_log = structlog.stdlib.get_logger()

# Accounts with an unchanged balance that each run reads nevertheless.
_READ_ANYWAY = 5
# Slots after which an account is read despite an unchanged balance: about ten minutes.
_READ_ANYWAY_AFTER_SLOTS = 1_500
# Transactions that a run reads for the accounts of one node reply: it takes some seconds.
_TRANSACTIONS_MAX = 100


class SolanaDepositSteps:
    """Follows Solana on behalf of one worker process."""

    def __init__(
        self,
        database: Database,
        deposits: ChainDeposits,
        matcher: TransferMatcher,
        wallets: Wallets,
        clock: Clock,
        *,
        reader: TokenAccountReader,
    ) -> None:
        self._database = database
        self._deposits = deposits
        self._matcher = matcher
        self._wallets = wallets
        self._clock = clock
        self._reader = reader
        self._lease = CursorLease(database, clock)

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Credit what has arrived; return whether more may be pending.

        `offsets` are the clock offsets of all organisations. Nodes that do not answer are logged.
        """
        try:
            return await self._follow(offsets)
        except (Upstream, AnswerInvalid) as error:
            _unavailable(str(error))
            return False

    async def _follow(self, offsets: Mapping[UUID, timedelta]) -> bool:
        cursor = await self._lease.take(Network.SOLANA)
        if cursor is None:
            return await self._start()
        FOLLOWED.labels(Chain.SOLANA, "final").set(cursor.final.number)
        accounts = await self._accounts(offsets.keys())
        stored = await self._database.single(
            lambda tx: account_progress.of_orgs(tx, offsets.keys())
        )
        has_moved = False
        for start in range(0, len(accounts), ACCOUNTS_MAX):
            found = await self._read(accounts[start : start + ACCOUNTS_MAX], stored, cursor)
            if not found:
                continue
            moved = await self._credit(cursor, found, offsets)
            if moved is None:
                return True  # another worker was first
            cursor, has_moved = moved, True
        return has_moved

    async def _start(self) -> bool:
        """Begin to follow the chain, at its last finalized slot."""
        if await self._database.single(lambda tx: progress.has_cursor(tx, Network.SOLANA)):
            return False  # another worker follows it
        epoch = await self._reader.client.final_epoch()
        start = BlockRef(epoch.absolute_slot, FINAL_HASH)
        if await self._database.transact(lambda tx: progress.add_cursor(tx, Network.SOLANA, start)):
            _log.info("chain_deposits.started", chain=Network.SOLANA, block=start.number)
        return True

    async def _accounts(self, org_ids: Collection[UUID]) -> list[FollowedAccount]:
        """Return the token accounts of all organisations."""
        found: list[FollowedAccount] = []
        for org_id in org_ids:
            owners = await self._wallets.addresses(org_id, Chain.SOLANA)
            treasury = await self._wallets.find_treasury_address(org_id, Chain.SOLANA)
            found += [
                FollowedAccount(org_id, owner, currency, account_of(owner, token))
                for owner in (*owners, treasury)
                if owner
                for currency, token in self._reader.chain.tokens.items()
            ]
        return found

    async def _read(
        self,
        accounts: Sequence[FollowedAccount],
        stored: Mapping[str, AccountReading],
        cursor: ChainCursor,
    ) -> list[FoundTransfers]:
        """Return new transfers into those of these accounts that are due to be read."""
        addresses = [each.address for each in accounts]
        slot, units = await self._reader.client.token_units(
            addresses, Commitment.FINALIZED, min_slot=cursor.final.number
        )
        HEAD.labels(Chain.SOLANA).set(slot)
        now = dict(zip(addresses, units, strict=True))
        chosen = _to_read(accounts, stored, now, slot)

        async def read(account: FollowedAccount) -> FoundTransfers | None:
            try:
                return await self._reader.read(
                    account,
                    stored.get(account.address),
                    start_slot=cursor.start.number,
                    slot=slot,
                    units=now[account.address],
                    transactions_max=max(_TRANSACTIONS_MAX // len(chosen), 1),
                )
            except Upstream as error:
                reasons.add(str(error))
                return None  # the run continues with the other accounts

        reasons: set[str] = set()
        found = await gather_in_order(read(each) for each in chosen)
        for reason in sorted(reasons):
            _unavailable(reason)
        return [each for each in found if each is not None]

    async def _credit(
        self,
        cursor: ChainCursor,
        found: Sequence[FoundTransfers],
        offsets: Mapping[UUID, timedelta],
    ) -> ChainCursor | None:
        """Credit the transfers and store the readings; None if another worker was first."""
        transfers: list[LoggedTransfer] = [each for part in found for each in part.transfers]
        matched = await self._matcher.match(Chain.SOLANA, transfers)
        received = await self._matcher.match_treasuries(Chain.SOLANA, transfers)
        deposits = FoundDeposits(
            [
                each.deposit(Chain.SOLANA, each.transfer.log_index, self._clock, offsets)
                for each in matched
            ],
            treasury_deposits(Chain.SOLANA, received, self._clock, offsets),
        )
        slot = max(newest_slot(found), cursor.final.number)
        last = BlockRef(slot, FINAL_HASH)
        readings = [each.reading for each in found]

        async def store(tx: Tx) -> None:
            await account_progress.store(tx, readings)
            await stop_senders(tx, Network.SOLANA, found, self._clock.now())

        is_stored = await self._deposits.credit(cursor, last, deposits, offsets, also=store)
        if not is_stored:
            return None
        return ChainCursor(chain=cursor.chain, start=cursor.start, confirmed=last, final=last)


def _to_read(
    accounts: Sequence[FollowedAccount],
    stored: Mapping[str, AccountReading],
    units: Mapping[str, int],
    slot: int,
) -> list[FollowedAccount]:
    """Return accounts with a changed balance, and those that were not read for longest."""

    def has_changed(account: FollowedAccount) -> bool:
        before = stored.get(account.address)
        return units[account.address] != (0 if before is None else before.units)

    changed = [each for each in accounts if has_changed(each)]
    old = [
        each
        for each in accounts
        if each.address in stored
        and stored[each.address].slot < slot - _READ_ANYWAY_AFTER_SLOTS
        and each not in changed
    ]
    old.sort(key=lambda each: stored[each.address].slot)
    return changed + old[:_READ_ANYWAY]


def _unavailable(reason: str) -> None:
    _log.warning("chain_deposits.chain_unavailable", chain=Chain.SOLANA, reason=reason)
