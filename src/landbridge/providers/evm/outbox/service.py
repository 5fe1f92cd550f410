"""The outbox of one chain: runs its steps, one worker at a time.

Correctness does not depend on the lease: it only keeps two workers from doing the same work.
"""

from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.mint_planner import MintPlanner
from landbridge.providers.evm.outbox.planner import OrderPlanner
from landbridge.providers.evm.outbox.relayers import Relayers
from landbridge.providers.evm.outbox.sending_step import SendingStep
from landbridge.providers.evm.outbox.signing_step import SigningStep
from landbridge.providers.evm.outbox.tracking_step import TrackingStep
from landbridge.providers.evm.signing.model import SignerUnavailable
from landbridge.providers.evm.start_check import check_chain

# Longer than any step takes; a worker that dies is replaced after this time.
_LEASE = timedelta(seconds=15)
_CHECK_AGAIN = timedelta(seconds=10)
# Between this process and the database: more than any round trip takes.
_SKEW_MAX = timedelta(minutes=1)

_log = structlog.stdlib.get_logger()


class ChainOutbox:
    """Signs, sends and follows the orders of one chain."""

    def __init__(self, context: ChainContext, *, owner: UUID) -> None:
        self.context = context
        self._owner = owner
        self._extend_at = context.clock.now()
        self._passed = False
        self._has_relayers = False
        self._check_at = context.clock.now()
        mints = MintPlanner(context.chain, context.client, context.database, context.bridges)
        self.planner = OrderPlanner(context.chain, context.client, context.signer, mints)
        self.relayers = Relayers(context)
        self.tracking = TrackingStep(context, self.planner)
        self.signing = SigningStep(context, self.relayers, self.planner)
        self.sending = SendingStep(context, self.relayers)

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
        except NodeUnavailable:
            return False
        return signed > 0

    async def _has_lease(self, at: datetime) -> bool:
        """Take the lease, or extend it once half of it has passed: a run often has nothing to do.

        The database compares its own times, which all workers share.
        """
        if at < self._extend_at:
            return True
        context = self.context

        async def work(tx: Tx) -> bool:
            now = await context.clock.in_database(tx)
            self._warn_about_clock(now - at)
            return await order_store.lease(
                tx, context.name, self._owner, at=now, expires_at=now + _LEASE
            )

        has_lease = await context.database.transact(work)
        if has_lease:
            self._extend_at = at + _LEASE // 2
        return has_lease

    def _warn_about_clock(self, delay: timedelta) -> None:
        """Log a clock that is wrong: orders are due by this process's time, so they would wait."""
        if abs(delay) > _SKEW_MAX:
            _log.warning(
                "chain.clock.skewed", chain=self.context.name, delay_s=delay // timedelta(seconds=1)
            )

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
        """Check the chain and its contracts once; a chain that fails is checked again later."""
        if self._passed or at < self._check_at:
            return self._passed
        context = self.context
        check = await check_chain(context.chain, context.clock)
        self._passed, self._check_at = check.is_usable, at + _CHECK_AGAIN
        if check.problems:
            _log.error("chain.check.failed", chain=context.name, reason=check.summary)
        return self._passed
