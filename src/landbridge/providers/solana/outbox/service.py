"""The outbox of Solana: runs its steps, one worker at a time.

Correctness does not depend on the lease: it only keeps two workers from doing the same work.
"""

from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.signing.model import SignerUnavailable
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.relayers import SolanaRelayers
from landbridge.providers.solana.outbox.sending_step import TransactionSendingStep
from landbridge.providers.solana.outbox.signing_step import MessageSigningStep
from landbridge.providers.solana.outbox.tracking_step import SignatureTrackingStep
from landbridge.providers.solana.start_check import check_solana

# Longer than any step takes; a worker that dies is replaced after this time.
_LEASE = timedelta(seconds=30)
_CHECK_AGAIN = timedelta(seconds=10)

_log = structlog.stdlib.get_logger()


class SolanaOutbox:
    """Signs, sends and follows the orders of Solana."""

    def __init__(self, context: SolanaContext, *, owner: UUID) -> None:
        self.context = context
        self._owner = owner
        now = context.clock.now()
        self._extend_at, self._check_at, self._passed = now, now, False
        self._has_relayers = False
        self.relayers = SolanaRelayers(context)
        self.tracking = SignatureTrackingStep(context)
        self.signing = MessageSigningStep(context, self.relayers)
        self.sending = TransactionSendingStep(context)

    async def run_once(self) -> bool:
        """Do what is due; return whether more may be due at once.

        False as well while another worker works on this chain, or its nodes can't be reached.
        """
        at = self.context.clock.now()
        if not await self._has_lease(at):
            return False
        try:
            if not await self._is_checked(at):
                return False
            await self.tracking.run()
            signed = await self._sign()
            await self.sending.run()
        except NodeUnavailable as error:
            _log.warning("chain.nodes.unavailable", chain=self.context.name, reason=str(error))
            return False
        return signed > 0

    async def _has_lease(self, at: datetime) -> bool:
        """Take the lease, or extend it once half of it has passed."""
        if at < self._extend_at:
            return True
        context = self.context

        async def work(tx: Tx) -> bool:
            now = await context.clock.in_database(tx)
            return await stored_orders.lease(
                tx, context.name, self._owner, at=now, expires_at=now + _LEASE
            )

        has_lease = await context.database.transact(work)
        self._extend_at = at + _LEASE // 2 if has_lease else at
        return has_lease

    async def _sign(self) -> int:
        """Sign what is due. Without the signer, what is signed is still sent."""
        try:
            if not self._has_relayers:
                # Before the first order: an operator sends native coins to their addresses.
                await self.relayers.prepare()
                self._has_relayers = True
            return await self.signing.run()
        except SignerUnavailable as error:
            _log.warning("chain.signer.unavailable", chain=self.context.name, reason=str(error))
            return 0

    async def _is_checked(self, at: datetime) -> bool:
        """Check nodes and tokens once; what fails is checked again later."""
        if self._passed or at < self._check_at:
            return self._passed
        context = self.context
        check = await check_solana(context.chain, context.clock)
        self._passed, self._check_at = check.is_usable, at + _CHECK_AGAIN
        if check.problems:
            _log.error("chain.check.failed", chain=context.name, reason=check.summary)
        return self._passed
