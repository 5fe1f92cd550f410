"""Runs the steps of one chain's outbox, in one worker at a time; for EVM chains and others.

Correctness does not depend on the lease, which only keeps two workers from doing the same work.
"""

from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.signing.model import SignerUnavailable
from landbridge.providers.evm.start_check import ChainCheck

_CHECK_AGAIN = timedelta(seconds=10)
# Maximum difference between the clocks of this process and the database; no round trip takes
# longer.
_SKEW_MAX = timedelta(minutes=1)

_log = structlog.stdlib.get_logger()


class RunContext(Protocol):
    """What a runner needs of its chain's context."""

    @property
    def name(self) -> str:
        """Return the name of the chain, as it is stored."""
        ...

    @property
    def clock(self) -> Clock:
        """Return the clock of this process."""
        ...

    @property
    def database(self) -> Database:
        """Return the database with the orders and leases."""
        ...


class OutboxRunner(ABC):
    """Runs the outbox of one chain.

    `lease` is longer than any step takes; after it, another worker replaces one that died.
    """

    def __init__(self, context: RunContext, *, owner: UUID, lease: timedelta) -> None:
        self._runs = context
        self._owner = owner
        self._lease = lease
        now = context.clock.now()
        self._extend_at, self._check_at = now, now
        self._passed = False
        self._has_relayers = False

    @abstractmethod
    async def _check(self) -> ChainCheck:
        """Check the chain, and its contracts or tokens."""

    @abstractmethod
    async def _prepare_relayers(self) -> None:
        """Derive the relayers' addresses, before the first order."""

    @abstractmethod
    async def _follow(self) -> None:
        """Follow transactions that were sent."""

    @abstractmethod
    async def _sign_due(self) -> int:
        """Sign due orders; return the number of orders that were due."""

    @abstractmethod
    async def _send(self) -> None:
        """Send signed transactions."""

    async def run_once(self) -> bool:
        """Run all steps once; return whether more may be due at once.

        Returns False while another worker has the chain's lease, or no node can be reached.
        """
        at = self._runs.clock.now()
        if not await self._has_lease(at):
            return False
        try:
            if not await self._is_checked(at):
                return False
            await self._follow()
            signed = await self._sign()
            await self._send()
        except NodeUnavailable:
            return False
        return signed > 0

    async def _has_lease(self, at: datetime) -> bool:
        """Take the lease, or extend it once half of it has passed: a run often has nothing to do.

        The database compares the lease with its own clock, which all workers share.
        """
        if at < self._extend_at:
            return True
        runs = self._runs

        async def work(tx: Tx) -> bool:
            now = await runs.clock.in_database(tx)
            self._warn_about_clock(now - at)
            return await order_store.lease(
                tx, runs.name, self._owner, at=now, expires_at=now + self._lease
            )

        has_lease = await runs.database.transact(work)
        if has_lease:
            self._extend_at = at + self._lease // 2
        return has_lease

    def _warn_about_clock(self, delay: timedelta) -> None:
        """Log that the clock of this process is wrong: due times are compared with it."""
        if abs(delay) > _SKEW_MAX:
            _log.warning(
                "chain.clock.skewed", chain=self._runs.name, delay_s=delay // timedelta(seconds=1)
            )

    async def _sign(self) -> int:
        """Sign due orders. Without the signer, signed transactions are still sent."""
        try:
            if not self._has_relayers:
                # Derived before the first order, so that an operator can send native coins to the
                # relayers.
                await self._prepare_relayers()
                self._has_relayers = True
            return await self._sign_due()
        except SignerUnavailable as error:
            _log.warning("chain.signer.unavailable", chain=self._runs.name, reason=str(error))
            return 0

    async def _is_checked(self, at: datetime) -> bool:
        """Return whether the chain was checked; a check that fails is repeated later."""
        if self._passed or at < self._check_at:
            return self._passed
        check = await self._check()
        self._passed, self._check_at = check.is_usable, at + _CHECK_AGAIN
        if check.problems:
            _log.error("chain.check.failed", chain=self._runs.name, reason=check.summary)
        return self._passed
