"""Verbs of those who review payments: ask, take the answer, close; the queue, one payment.

Guarantees:
- a request is opened with the move into review and closed with the move out of it, in one
  transaction, so a payment waits in review exactly as long as its request is open;
- of any number who open, close and cancel at once each move has one winner; the others are
  answered by what they find then.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, ResourceConflict
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_prose
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Move, Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.rfis.model import IN_REVIEW, TEXT_LENGTH_MAX, Rfi, Status
from landbridge.rfis.service import Rfis
from landbridge.web.caller import Caller, check_reviewer
from landbridge.web.lookers import check_looker

# How often a verb looks again after it has lost a race before it says so. Who wins moves the
# payment on, a worker in a hurry with each look: as often as one moves on its whole way.
_ATTEMPTS = 12


class Reviewed(Protocol):
    """A flow whose payments can be reviewed."""

    @property
    def moves(self) -> Moves[Any]:
        """The flow's table of moves."""
        ...

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move to IN_REVIEW; raises `ResourceConflict` at an end, or if it is there already."""
        ...

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move back from IN_REVIEW, where the payment goes on."""
        ...


@dataclass(frozen=True, slots=True)
class Review:
    """A payment and what was asked about it, the oldest request first."""

    record: Transfer
    rfis: tuple[Rfi, ...]

    @property
    def latest(self) -> Rfi | None:
        """The open request, or else the last one."""
        return self.rfis[-1] if self.rfis else None


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Reviews of payments; `flows` are those that can be reviewed, by kind."""

    rfis: Rfis
    ledger: Ledger
    database: Database
    clock: Clock
    flows: Mapping[str, Reviewed]

    async def queue(
        self, caller: Caller, statuses: Collection[Status], window: Window
    ) -> Sequence[Review]:
        """Requests of these statuses with their payments, the oldest first.

        Each is a review of its own, with this one request. Raises `RoleNotAllowed`.
        """
        check_looker(caller)
        found = await self.rfis.queue(caller.org_id, statuses, window)
        # Asked at once, so that the ledger looks them up together.
        records = await asyncio.gather(
            *(self._record(caller.org_id, each.transfer_id) for each in found)
        )
        return [Review(record, (each,)) for record, each in zip(records, found, strict=True)]

    async def get(self, caller: Caller, transfer_id: UUID) -> Review:
        """A payment, reviewed or not; raises `RoleNotAllowed` and `TransactionNotFound`."""
        check_looker(caller)
        return await self._review(await self._record(caller.org_id, transfer_id))

    async def open(self, caller: Caller, transfer_id: UUID, *, question: str) -> Review:
        """Ask about a payment, which waits in review from then on.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for
        a payment that is at an end or in review already.
        """
        check_reviewer(caller)
        checked = check_prose("question", question, length_max=TEXT_LENGTH_MAX)
        rfi_id, at = new_id(), self.clock.stamp(caller.clock_offset)

        async def once(record: Transfer, flow: Reviewed) -> Transfer | Outcome:
            move = flow.into_review(record, actor=caller.actor, at=at)

            async def work(tx: Tx) -> Transfer | Outcome:
                moved = await self.ledger.advance_in(tx, move, flow.moves)
                if isinstance(moved, Transfer):
                    await self.rfis.open_in(
                        tx, record, question=checked, actor=caller.actor, at=at, rfi_id=rfi_id
                    )
                return moved

            return await self.database.transact(work)

        return await self._moved(caller, transfer_id, once, is_done=lambda rfi: rfi.id == rfi_id)

    async def answer(
        self, caller: Caller, transfer_id: UUID, *, answer: str, file_ids: Sequence[str]
    ) -> Review:
        """Put down what was answered, with files that were uploaded; the payment still waits.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict`
        without an open request, or if it was answered in other words.
        """
        check_reviewer(caller)
        checked = check_prose("answer", answer, length_max=TEXT_LENGTH_MAX)
        record = await self._record(caller.org_id, transfer_id)
        at = self.clock.stamp(caller.clock_offset)
        answered = await self.database.transact(
            lambda tx: self.rfis.answer_in(
                tx,
                caller.org_id,
                transfer_id,
                answer=checked,
                file_ids=file_ids,
                actor=caller.actor,
                at=at,
            )
        )
        if answered is None:
            raise _nothing_open(transfer_id)
        return await self._review(record)

    async def close(
        self, caller: Caller, transfer_id: UUID, *, comment: str | None = None
    ) -> Review:
        """Close the open request of a payment, which goes on; done again, as the first time.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for
        a payment that never had a request.
        """
        check_reviewer(caller)
        checked = comment and check_prose("comment", comment, length_max=TEXT_LENGTH_MAX)
        at = self.clock.stamp(caller.clock_offset)

        async def close_in(tx: Tx, rfi: Rfi) -> None:
            await self.rfis.close_in(
                *(tx, caller.org_id, transfer_id),
                actor=caller.actor,
                at=at,
                comment=checked,
                rfi_id=rfi.id,
            )

        async def once(record: Transfer, flow: Reviewed) -> Transfer | Outcome:
            latest = (await self._review(record)).latest
            if latest is None:
                raise _nothing_open(transfer_id)
            if not latest.is_open or record.status != IN_REVIEW:
                # As it is now: the request may have been opened since the record was read.
                record = await self._record(caller.org_id, transfer_id)
            if not latest.is_open:
                return record
            if record.status != IN_REVIEW:
                # Its time ran out while it was in review: there is nothing to move.
                await self.database.transact(lambda tx: close_in(tx, latest))
                return record
            move = flow.out_of_review(record, actor=caller.actor, at=at)

            async def work(tx: Tx) -> Transfer | Outcome:
                moved = await self.ledger.advance_in(tx, move, flow.moves)
                if isinstance(moved, Transfer):
                    await close_in(tx, latest)
                return moved

            return await self.database.transact(work)

        return await self._moved(caller, transfer_id, once, is_done=lambda _: False)

    async def _moved(
        self,
        caller: Caller,
        transfer_id: UUID,
        once: Callable[[Transfer, Reviewed], Awaitable[Transfer | Outcome]],
        *,
        is_done: Callable[[Rfi], bool],
    ) -> Review:
        """Try until it has moved; `is_done` finds that an unheard-of commit was ours."""
        for _ in range(_ATTEMPTS):
            record = await self._record(caller.org_id, transfer_id)
            moved = await once(record, self.flows[record.kind])
            if isinstance(moved, Transfer):
                return await self._review(moved)
            if moved not in {Outcome.LOST, Outcome.LATE, Outcome.EARLY}:
                raise Broken(f"a review came out as {moved}")
            found = await self._review(await self._record(caller.org_id, transfer_id))
            if any(is_done(each) for each in found.rfis):
                return found
        raise Busy(f"transaction {transfer_id} is being moved by others")

    async def _record(self, org_id: UUID, transfer_id: UUID) -> Transfer:
        """A payment that can be reviewed; raises `TransactionNotFound`."""
        found = await self.ledger.find(org_id, transfer_id)
        if found is None or found.kind not in self.flows:
            raise TransactionNotFound(f"there is no onramp or offramp {transfer_id}")
        return found

    async def _review(self, record: Transfer) -> Review:
        found = await self.rfis.of(record.org_id, [record.id])
        return Review(record, tuple(found.get(record.id, ())))


def _nothing_open(transfer_id: UUID) -> ResourceConflict:
    return ResourceConflict(f"transaction {transfer_id} has no open request for information")
