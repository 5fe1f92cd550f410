"""Acceptance of quotes: the money moves and counts against the limits in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.payments.limits.model import LimitAction
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx


@dataclass(frozen=True, slots=True)
class QuoteAcceptance:
    """Advances accepted quotes, within the limits."""

    database: Database
    ledger: Ledger
    limits: Limits

    async def advance(
        self,
        move: AdvanceTransfer,
        transitions: Transitions[Any],
        *,
        is_approved: bool = False,
        write_related: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> Transfer | CommitOutcome:
        """Advance a record as `Ledger.advance` does, and count it against the limits.

        `write_related` writes rows of the flow's own in the same transaction. With `is_approved`,
        limits that only require an approval are passed. Raises `LimitExceeded`, and then writes
        nothing.
        """
        has_limits = await self.limits.has_rules(move.transfer.org_id)
        if write_related is None and not has_limits:
            return await self.ledger.advance(move, transitions)

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            moved = await self.ledger.advance_in(tx, move, transitions)
            if not isinstance(moved, Transfer):
                return moved
            if write_related is not None:
                await write_related(tx)
            # Last, because limit usage is kept in rows that many payments update.
            if has_limits:
                await self._take(tx, moved, is_approved=is_approved)
            return moved

        return await self.database.transact(work)

    async def _take(self, tx: Tx, moved: Transfer, *, is_approved: bool) -> None:
        verdict = await self.limits.evaluate_in(tx, moved, is_approved=is_approved)
        match verdict.over:
            case None:
                return
            case LimitAction.REFUSE:
                raise LimitExceeded(verdict.sentence)
            case LimitAction.APPROVE:
                raise LimitExceeded(
                    f"{verdict.sentence}; it needs an approval, which was not "
                    "requested when it was created"
                )
