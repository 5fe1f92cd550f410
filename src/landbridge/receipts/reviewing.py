"""Verbs of those who decide about deposits that nobody takes: match by hand, or send back.

Guarantees:
- of any number who decide at once one does; the others are answered by what they find then;
- a deposit is matched in the transaction that moves what it pays, as it would be by itself;
- who decided, and why, is kept with the deposit; the comment is sealed like all of its words.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, ResourceConflict, Unavailable
from landbridge.core.pages import Window
from landbridge.core.tries import key_of_try
from landbridge.formats.texts import check_prose
from landbridge.rails.port import PaidState, Rails
from landbridge.receipts.model import (
    COMMENT_LENGTH_MAX,
    Receipt,
    Status,
    why_not_decide,
    why_not_return,
    why_not_settle,
)
from landbridge.receipts.service import Receipts, payment_back
from landbridge.web.caller import Caller, check_payer, check_reviewer
from landbridge.web.lookers import check_looker


class Matcher(Protocol):
    """Whoever knows what receipts pay, told by a person which of it this one does.

    Done before with the same, both answer as the first time. They raise `Refused`, with a sentence,
    where the deposit does not fit or waits for nobody; `Unavailable` and `Busy` while that can't be
    told.
    """

    async def take_for(self, receipt: Receipt, transfer_id: UUID) -> None:
        """Match a receipt with a record that waits, as if its reference had been right."""
        ...

    async def take_on(self, receipt: Receipt, account_id: UUID) -> None:
        """Match a receipt with a virtual account, as if it had arrived there."""
        ...


@dataclass(frozen=True, slots=True)
class DepositReviews:
    """Deposits that wait for a person."""

    receipts: Receipts
    matcher: Matcher
    rails: Rails
    clock: Clock

    async def queue(self, caller: Caller, window: Window) -> Sequence[Receipt]:
        """What waits, the longest waiting first; raises `RoleNotAllowed`."""
        check_looker(caller)
        return await self.receipts.queue(caller.org_id, window)

    async def get(self, caller: Caller, receipt_id: UUID) -> Receipt:
        """A deposit, whatever became of it; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_looker(caller)
        return await self.receipts.get(caller.org_id, receipt_id)

    async def match_transfer(
        self, caller: Caller, receipt_id: UUID, transfer_id: UUID, *, comment: str
    ) -> Receipt:
        """Match a deposit with an onramp that waits for one; done again, as the first time.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `ResourceNotFound`, `TransactionNotFound`,
        `FieldInvalid`, and `ResourceConflict` if it does not fit or is decided on already.
        """

        async def take(receipt: Receipt) -> None:
            await self.matcher.take_for(receipt, transfer_id)

        return await self._match(caller, receipt_id, comment, take)

    async def match_account(
        self, caller: Caller, receipt_id: UUID, account_id: UUID, *, comment: str
    ) -> Receipt:
        """Match a deposit with a virtual account; done again, as the first time.

        Raises as `match_transfer` does, with `AccountNotFound` for the account.
        """

        async def take(receipt: Receipt) -> None:
            await self.matcher.take_on(receipt, account_id)

        return await self._match(caller, receipt_id, comment, take)

    async def send_back(self, caller: Caller, receipt_id: UUID, *, comment: str) -> Receipt:
        """Give a deposit back to its sender; on its way back already, it is answered as it is.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `ResourceNotFound`, `FieldInvalid`, and
        `ResourceConflict` for one that does not wait for a person, or that the bank can't carry
        back: it waits on.
        """
        receipt = await self._decided(caller, receipt_id, comment)
        if receipt.status in {Status.RETURNING, Status.RETURNED}:
            return receipt
        at = self.clock.stamp(caller.clock_offset)
        if refusal := why_not_return(receipt, at):
            raise refusal
        if reason := await self.rails.why_not(payment_back(receipt, key=receipt.id, at=at)):
            raise ResourceConflict(f"the deposit can't go back by this bank: {reason}")
        if not await self.receipts.send_back(receipt, at):
            return await self._found(caller, receipt_id)
        return await self.receipts.get(caller.org_id, receipt_id)

    async def settle_outside(self, caller: Caller, receipt_id: UUID, *, comment: str) -> Receipt:
        """Note that the sender of a deposit has it back by other means; done again, as before.

        For a bank that refuses to carry it, or does not answer. Raises as `send_back` does, and
        `ResourceConflict` while the bank has the return under way, or once it is settled.
        """
        receipt = await self._commented(caller, receipt_id, comment)
        if receipt.status is Status.RETURNED:
            return await self.receipts.get(caller.org_id, receipt_id)
        if refusal := why_not_settle(receipt):
            raise refusal
        at = self.clock.stamp(caller.clock_offset)
        key = key_of_try(receipt.id, receipt.return_tries)
        with suppress(Unavailable):
            found = await self.rails.look(receipt.org_id, key, at)
            if found is not None and found.state is not PaidState.FAILED:
                raise ResourceConflict(
                    f"the bank says that the return is {found.state}: it is not settled outside"
                )
        if not await self.receipts.settle_outside(receipt, at):
            return await self._found(caller, receipt_id)
        return await self.receipts.get(caller.org_id, receipt_id)

    async def _found(self, caller: Caller, receipt_id: UUID) -> Receipt:
        """What somebody faster has made of a deposit that was to be sent back."""
        now = await self.receipts.get(caller.org_id, receipt_id)
        if now.status in {Status.RETURNING, Status.RETURNED}:
            return now
        raise why_not_decide(now) or _busy(receipt_id)

    async def _match(
        self,
        caller: Caller,
        receipt_id: UUID,
        comment: str,
        take: Callable[[Receipt], Awaitable[None]],
    ) -> Receipt:
        receipt = await self._decided(caller, receipt_id, comment)
        try:
            await take(receipt)
        except (Unavailable, Busy) as error:
            # Of two who decide at once, the slower one is told what the deposit is now.
            now = await self.receipts.get(caller.org_id, receipt_id)
            raise why_not_decide(now) or _busy(receipt_id) from error
        return await self.receipts.get(caller.org_id, receipt_id)

    async def _decided(self, caller: Caller, receipt_id: UUID, comment: str) -> Receipt:
        """The deposit with the decision on it; one that was decided on keeps who did that."""
        receipt = await self._commented(caller, receipt_id, comment)
        if why_not_return(receipt, self.clock.now(caller.clock_offset)) is None:
            return receipt
        return await self.receipts.get(caller.org_id, receipt_id)

    async def _commented(self, caller: Caller, receipt_id: UUID, comment: str) -> Receipt:
        """The deposit with who decides now, and why."""
        check_reviewer(caller)
        check_payer(caller)
        checked = check_prose("comment", comment, length_max=COMMENT_LENGTH_MAX)
        receipt = await self.receipts.get(caller.org_id, receipt_id)
        return replace(receipt, decided_by=caller.actor, comment=checked)


def _busy(receipt_id: UUID) -> Busy:
    return Busy(f"deposit {receipt_id} is being decided on by somebody else")
