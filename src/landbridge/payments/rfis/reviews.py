"""Reviews of payments: opens, answers and closes requests for information; the review queue.

Guarantees:
- A request is opened with the transition into review and closed with the transition out of it, in
  one transaction, so a payment is in review exactly as long as its request is open.
- Of concurrent calls that open, close or cancel, one makes the transition; the others get the
  resulting state.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.rfis.model import IN_REVIEW, TEXT_LENGTH_MAX, Rfi, RfiStatus
from landbridge.payments.rfis.service import Rfis
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_prose
from landbridge.platform.http.caller import Caller, check_reviewer
from landbridge.platform.http.reviewer_access import check_reviewer_access


class ReviewableFlow(Protocol):
    """Builds the transitions of a flow's payments into and out of a review."""

    @property
    def transitions(self) -> Transitions[Any]:
        """The flow's transition table."""
        ...

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition to IN_REVIEW; raises `ResourceConflict` if it is refused."""
        ...

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition from IN_REVIEW back to the previous status."""
        ...


@dataclass(frozen=True, slots=True)
class TransferReviewCase:
    """Payment with its requests for information, oldest first."""

    record: Transfer
    rfis: tuple[Rfi, ...]

    @property
    def latest(self) -> Rfi | None:
        """The open request, or else the last one."""
        return self.rfis[-1] if self.rfis else None


@dataclass(frozen=True, slots=True)
class TransferReviews:
    """Reviews of payments; `flows` are the reviewable flows, by kind."""

    rfis: Rfis
    ledger: Ledger
    database: Database
    clock: Clock
    flows: Mapping[str, ReviewableFlow]

    async def queue(
        self, caller: Caller, statuses: Collection[RfiStatus], window: QueueWindow
    ) -> Sequence[TransferReviewCase]:
        """List requests of these statuses with their payments, oldest first.

        A payment with several requests is listed once for each. Raises `RoleNotAllowed`.
        """
        check_reviewer_access(caller)
        found = await self.rfis.queue(caller.org_id, statuses, window)
        # Read concurrently, so that the ledger batches the lookups.
        records = await asyncio.gather(
            *(self._record(caller.org_id, each.transfer_id) for each in found)
        )
        return [
            TransferReviewCase(record, (each,)) for record, each in zip(records, found, strict=True)
        ]

    async def get(self, caller: Caller, transfer_id: UUID) -> TransferReviewCase:
        """Get a payment, reviewed or not; raises `RoleNotAllowed` and `TransactionNotFound`."""
        check_reviewer_access(caller)
        return await self._review(await self._record(caller.org_id, transfer_id))

    async def open(self, caller: Caller, transfer_id: UUID, *, question: str) -> TransferReviewCase:
        """Open a request about a payment, which is in review from then on.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for a
        payment that is final or in review already.
        """
        check_reviewer(caller)
        checked = check_prose("question", question, length_max=TEXT_LENGTH_MAX)
        rfi_id, at = new_id(), self.clock.stamp(caller.clock_offset)

        async def attempt(record: Transfer, flow: ReviewableFlow) -> Transfer | CommitOutcome:
            move = flow.into_review(record, actor=caller.actor, at=at)

            async def work(tx: Tx) -> Transfer | CommitOutcome:
                moved = await self.ledger.advance_in(tx, move, flow.transitions)
                if isinstance(moved, Transfer):
                    await self.rfis.create_in(
                        tx, record, question=checked, actor=caller.actor, at=at, rfi_id=rfi_id
                    )
                return moved

            return await self.database.transact(work)

        return await self._retry_until_moved(
            caller, transfer_id, attempt, is_done=lambda rfi: rfi.id == rfi_id
        )

    async def answer(
        self, caller: Caller, transfer_id: UUID, *, answer: str, file_ids: Sequence[str]
    ) -> TransferReviewCase:
        """Record the answer with uploaded files; the payment stays in review.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict`
        without an open request, or if another answer was given before.
        """
        check_reviewer(caller)
        checked = check_prose("answer", answer, length_max=TEXT_LENGTH_MAX)
        record = await self._record(caller.org_id, transfer_id)
        at = self.clock.stamp(caller.clock_offset)
        updated = await self.database.transact(
            lambda tx: self.rfis.answer_in(
                tx,
                record,
                answer=checked,
                file_ids=file_ids,
                actor=caller.actor,
                at=at,
            )
        )
        if updated is None:
            raise _no_open_request(transfer_id)
        return await self._review(record)

    async def close(
        self, caller: Caller, transfer_id: UUID, *, comment: str | None = None
    ) -> TransferReviewCase:
        """Close the open request of a payment, which continues; idempotent.

        Raises `RoleNotAllowed`, `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for a
        payment that never had a request.
        """
        check_reviewer(caller)
        checked = comment and check_prose("comment", comment, length_max=TEXT_LENGTH_MAX)
        at = self.clock.stamp(caller.clock_offset)

        async def close_in(tx: Tx, rfi: Rfi) -> None:
            await self.rfis.close_in(
                tx,
                caller.org_id,
                transfer_id,
                actor=caller.actor,
                at=at,
                comment=checked,
                rfi_id=rfi.id,
            )

        async def attempt(record: Transfer, flow: ReviewableFlow) -> Transfer | CommitOutcome:
            latest = (await self._review(record)).latest
            if latest is None:
                raise _no_open_request(transfer_id)
            if not latest.is_open or record.status != IN_REVIEW:
                # Read again: the request may have been opened since the record was read.
                record = await self._record(caller.org_id, transfer_id)
            if not latest.is_open:
                return record
            if record.status != IN_REVIEW:
                # The payment expired during the review, so only the request is closed.
                await self.database.transact(lambda tx: close_in(tx, latest))
                return record
            move = flow.out_of_review(record, actor=caller.actor, at=at)

            async def work(tx: Tx) -> Transfer | CommitOutcome:
                moved = await self.ledger.advance_in(tx, move, flow.transitions)
                if isinstance(moved, Transfer):
                    await close_in(tx, latest)
                return moved

            return await self.database.transact(work)

        return await self._retry_until_moved(caller, transfer_id, attempt, is_done=lambda _: False)

    @optimistic_retry("the transaction was changed concurrently; try again")
    async def _retry_until_moved(
        self,
        caller: Caller,
        transfer_id: UUID,
        attempt: Callable[[Transfer, ReviewableFlow], Awaitable[Transfer | CommitOutcome]],
        *,
        is_done: Callable[[Rfi], bool],
    ) -> TransferReviewCase | None:
        """Run `attempt`; None, after a concurrent change, lets the decorator run it again.

        `is_done` recognises the result of an earlier attempt with an unconfirmed commit.
        """
        record = await self._record(caller.org_id, transfer_id)
        moved = await attempt(record, self.flows[record.kind])
        if isinstance(moved, Transfer):
            return await self._review(moved)
        if moved not in {CommitOutcome.STALE, CommitOutcome.LATE, CommitOutcome.EARLY}:
            raise InvariantBroken(f"a review resulted in {moved}")
        found = await self._review(await self._record(caller.org_id, transfer_id))
        if any(is_done(each) for each in found.rfis):
            return found
        return None

    async def _record(self, org_id: UUID, transfer_id: UUID) -> Transfer:
        """Return a reviewable payment; raises `TransactionNotFound`."""
        found = await self.ledger.find(org_id, transfer_id)
        if found is None or found.kind not in self.flows:
            raise TransactionNotFound(f"there is no onramp or offramp {transfer_id}")
        return found

    async def _review(self, record: Transfer) -> TransferReviewCase:
        found = await self.rfis.of(record.org_id, [record.id])
        return TransferReviewCase(record, tuple(found.get(record.id, ())))


def _no_open_request(transfer_id: UUID) -> ResourceConflict:
    return ResourceConflict(f"transaction {transfer_id} has no open request for information")
