"""Paying token accounts: whether the chain has transfers out of them that the database lacks.

Guarantees:
- while it has one, as after a restore of an older backup, nothing is signed for the account: that
  transfer may have paid the order;
- the follower stops the owner of such an account, in the database transaction that stores the
  account's reading. It sends nothing until an admin resumes it.

What the follower has not read yet is read before an order is signed. Signed bytes are stored before
they are sent, so what is looked for after the chain has listed it is in the database if it is ours.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import structlog

from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.following import progress as cursors
from landbridge.providers.evm.following.model import ChainUnsettled
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import PlanWait
from landbridge.providers.solana.chain_data import Commitment, SignatureInfo
from landbridge.providers.solana.following import progress
from landbridge.providers.solana.following.history import units_before_and_after
from landbridge.providers.solana.following.model import FollowedAccount, FoundTransfers
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.programs import account_of
from landbridge.providers.solana.rpc import SIGNATURES_MAX

_log = structlog.stdlib.get_logger()

# Transactions of others that are read of one account at once; an order waits until all are read.
_READ_MAX = 50
# Calls in progress, as of the follower.
_CALLS_MAX = 8
_NODES = PlanWait("waits for the chain's nodes")
_STOPPED = PlanWait(stored_orders.WAITS_FOR_ADDRESS)
_UNREAD = PlanWait("waits until the transactions of the paying address are read")


async def stop_senders(
    tx: Tx, chain: Network, found: Sequence[FoundTransfers], at: datetime
) -> None:
    """Stop the owners of accounts that have sent what the database lacks."""
    sent = [(part.account, each) for part in found for each in part.sent]
    if not sent:
        return
    known = await attempt_store.known_signatures(
        tx, [(account.org_id, each) for account, each in sent]
    )
    for owner in sorted({account.owner for account, each in sent if each not in known}):
        await stored_orders.add_account(tx, chain, owner, relayer_index=None, next_nonce=0)
        reason = stored_orders.SENT_BEFORE
        if await stored_orders.stop(tx, chain, owner, at, reason, next_nonce=0):
            _log.error("chain.account.stopped", chain=chain, account=owner, reason=reason)


class PayingAccounts:
    """Checks the paying accounts of orders before these are signed."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context
        self._calls = asyncio.Semaphore(_CALLS_MAX)
        # Signatures of others' transactions that took nothing out, by account: read only once.
        self._harmless: dict[str, set[str]] = {}

    async def find_waits(
        self, orders: Sequence[OutboxOrder], slot: int
    ) -> Mapping[tuple[str, str], PlanWait]:
        """Return what orders of these paying addresses and currencies wait for, if anything.

        `slot` is one that the chain has reached.
        """
        tokens = self._context.chain.tokens
        accounts = {
            (each.source, each.currency): FollowedAccount(
                each.org_id,
                each.source,
                each.currency,
                account_of(each.source, tokens[each.currency]),
            )
            for each in orders
        }

        async def read(tx: Tx) -> tuple[Mapping[str, str | None], int, set[str]]:
            chain, owners = Network.SOLANA, {owner for owner, _ in accounts}
            # Before the stops: what was read by then has stopped its account by then.
            last = await progress.last_signatures(tx, accounts.values())
            start = await cursors.start_number(tx, chain)
            return last, start, await stored_orders.stopped(tx, chain, owners)

        last, start, stopped = await self._context.database.read(read)
        checked = {key: each for key, each in accounts.items() if each.owner not in stopped}
        waits = await gather_in_order(
            self._check(each, last.get(each.address), start, slot) for each in checked.values()
        )
        found = {key: wait for key, wait in zip(checked, waits, strict=True) if wait is not None}
        return found | {key: _STOPPED for key in accounts if key not in checked}

    async def _check(
        self, account: FollowedAccount, until: str | None, start: int, slot: int
    ) -> PlanWait | None:
        """Return what an account's orders wait for; those up to the slot `start` do not count."""
        try:
            async with self._calls:
                listed = await self._context.client.signatures(
                    account.address,
                    until=until,
                    before=None,
                    min_slot=slot,
                    commitment=Commitment.CONFIRMED,
                )
            if len(listed) == SIGNATURES_MAX and listed[-1].slot > start:
                return _UNREAD
            unread = [each for each in listed if each.err is None and each.slot > start]
            if not unread:
                self._harmless.pop(account.address, None)
                return None
            return await self._check_unread(account, unread)
        except (NodeUnavailable, NodeError):
            return _NODES

    async def _check_unread(
        self, account: FollowedAccount, unread: Sequence[SignatureInfo]
    ) -> PlanWait | None:
        keys: list[tuple[UUID, str]] = [(account.org_id, each.signature) for each in unread]
        known = await self._context.database.single(
            lambda tx: attempt_store.known_signatures(tx, keys)
        )
        harmless = self._harmless.get(account.address, set()) & {each.signature for each in unread}
        self._harmless[account.address] = harmless
        others = [each for each in unread if each.signature not in known | harmless]
        read = others[-_READ_MAX:]
        try:
            sends = await gather_in_order(self._is_sent(account, each) for each in read)
        except ChainUnsettled:
            return _NODES
        harmless.update(
            each.signature for each, is_sent in zip(read, sends, strict=True) if not is_sent
        )
        return _UNREAD if any(sends) or len(read) < len(others) else None

    async def _is_sent(self, account: FollowedAccount, info: SignatureInfo) -> bool:
        """Whether a transaction has taken units out of an account."""
        async with self._calls:
            found = await self._context.client.transaction(
                info.signature, commitment=Commitment.CONFIRMED
            )
        if found is None:
            raise ChainUnsettled(f"transaction {info.signature} is listed, and not found")
        mint = self._context.chain.tokens[account.currency].address
        before, after = units_before_and_after(found, account.address, mint)
        return after < before
