"""Accepting a quote: the money moves, and counts against the rules, in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Move, Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.limits.errors import LimitExceeded
from landbridge.limits.model import Over
from landbridge.limits.service import Limits


@dataclass(frozen=True, slots=True)
class Committing:
    """Moves accepted quotes on, within the rules."""

    database: Database
    ledger: Ledger
    limits: Limits

    async def advance(
        self,
        move: Move,
        moves: Moves[Any],
        *,
        is_approved: bool = False,
        beside: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> Transfer | Outcome:
        """As `Ledger.advance`; raises `LimitExceeded`, and nothing has moved then.

        `beside` writes rows of the flow's own with the move. A payment that `is_approved` is let
        past what only wants an approval.
        """
        is_ruled = await self.limits.has_rules(move.transfer.org_id)
        if beside is None and not is_ruled:
            return await self.ledger.advance(move, moves)

        async def work(tx: Tx) -> Transfer | Outcome:
            moved = await self.ledger.advance_in(tx, move, moves)
            if not isinstance(moved, Transfer):
                return moved
            if beside is not None:
                await beside(tx)
            # Last: what was used is kept in rows that many payments want.
            if is_ruled:
                await self._take(tx, moved, is_approved=is_approved)
            return moved

        return await self.database.transact(work)

    async def _take(self, tx: Tx, moved: Transfer, *, is_approved: bool) -> None:
        verdict = await self.limits.take_in(tx, moved, is_approved=is_approved)
        match verdict.over:
            case None:
                return
            case Over.REFUSE:
                raise LimitExceeded(verdict.sentence)
            case Over.APPROVE:
                raise LimitExceeded(
                    f"{verdict.sentence}; it would need an approval, which nobody asked for "
                    "when it was created"
                )
