"""Opening a record: once per request id, with or without an approval."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.approvals.service import Approvals
from landbridge.core.errors import Refused
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening, Outcome, Transfer
from landbridge.ledger.service import Ledger, Opened
from landbridge.payments.amounts import too_little
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True)
class Drafted:
    """An opening with rows of the flow's own, which `beside` writes with it, once."""

    opening: Opening
    beside: Callable[[Tx], Awaitable[None]] | None


@dataclass(frozen=True, slots=True)
class Openings:
    """Opens records of any flow."""

    database: Database
    ledger: Ledger
    approvals: Approvals

    async def once(
        self,
        caller: Caller,
        opening: Awaitable[Opening | Drafted],
        moves: Moves[Any],
        *,
        kind: str,
        request_id: UUID,
        request: Mapping[str, Any],
        approval_within: timedelta | None,
    ) -> Transfer:
        """As `open`, for an opening that is still to be made, with all the checks of a create.

        What they refuse gives way to a replay: that is answered whatever has become of users,
        prices and balances since. Raises what `opening` and `open` do.
        """
        try:
            made = await opening
        except Refused:
            replayed = await self.ledger.find_replay(caller.org_id, request_id, kind, request)
            if replayed is None:
                raise
            return replayed
        draft = made if isinstance(made, Drafted) else Drafted(made, None)
        return await self.open(
            caller, draft.opening, moves, approval_within=approval_within, beside=draft.beside
        )

    async def open(
        self,
        caller: Caller,
        opening: Opening,
        moves: Moves[Any],
        *,
        approval_within: timedelta | None,
        beside: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> Transfer:
        """The record of the opening's request id, made now or before.

        With `approval_within` an approval is asked for in the same transaction, which lapses after
        that time; `beside` writes rows of the flow's own there, once. Raises `RequestIdTaken`, and
        `InsufficientBalance` naming `opening.source`.
        """
        if approval_within is None and beside is None:
            opened = await self.ledger.open(opening, moves)
        else:

            async def work(tx: Tx) -> Opened | Outcome:
                made = await self.ledger.open_in(tx, opening, moves)
                if isinstance(made, Opened) and not made.is_replay:
                    if beside is not None:
                        await beside(tx)
                    if approval_within is not None:
                        await self.approvals.ask(tx, caller, opening, lifetime=approval_within)
                return made

            opened = await self.database.transact(work)
        if isinstance(opened, Outcome):
            raise InsufficientBalance(too_little(opening.source))
        return opened.transfer
