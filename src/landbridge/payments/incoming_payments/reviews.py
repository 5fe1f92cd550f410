"""Reviews of unmatched deposits: people match a deposit, return it, or settle it outside.

Guarantees:
- Of several concurrent decisions one takes effect; the others get the resulting state.
- A deposit is matched in the transaction that advances the paid record, as in automatic matching.
- The deciding person and the comment are stored with the deposit; the comment is sealed like all
  its texts.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol
from uuid import UUID

from landbridge.payments.incoming_payments.model import (
    COMMENT_LENGTH_MAX,
    IncomingPayment,
    IncomingPaymentStatus,
    decision_refusal,
    return_refusal,
    settlement_refusal,
)
from landbridge.payments.incoming_payments.returns import ReturnOrders, return_payment
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, ResourceConflict, Unavailable, Unclear
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.core.retry_policy import key_of_attempt
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.texts import check_prose
from landbridge.platform.http.caller import Caller, check_payer, check_reviewer
from landbridge.platform.http.reviewer_access import check_reviewer_access
from landbridge.providers.rails.port import RailPaymentState, Rails


class ManualMatcher(Protocol):
    """Applies an incoming payment to the payment that a person chose.

    Repeating a match changes nothing. Both methods raise `Refused` with the reason if the deposit
    does not fit or is not awaited, and `Unavailable` or `Busy` while that can't be determined.
    """

    async def match_transfer(self, payment: IncomingPayment, transfer_id: UUID) -> None:
        """Match a deposit with a record that awaits one, as if it had the right reference."""
        ...

    async def match_account(self, payment: IncomingPayment, account_id: UUID) -> None:
        """Match a deposit with a virtual account, as if it had arrived there."""
        ...


@dataclass(frozen=True, slots=True)
class IncomingPaymentReviews:
    """Decisions of people on deposits. Without `orders`, no return can be stopped."""

    incoming_payments: IncomingPayments
    matcher: ManualMatcher
    rails: Rails
    clock: Clock
    database: Database
    orders: ReturnOrders | None

    async def queue(self, caller: Caller, window: QueueWindow) -> Sequence[IncomingPayment]:
        """List unmatched deposits, the longest waiting first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        return await self.incoming_payments.queue(caller.org_id, window)

    async def get(self, caller: Caller, payment_id: UUID) -> IncomingPayment:
        """Get a deposit in any status; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        return await self.incoming_payments.get(caller.org_id, payment_id)

    async def match_transfer(
        self, caller: Caller, payment_id: UUID, transfer_id: UUID, *, comment: str
    ) -> IncomingPayment:
        """Match a deposit with an onramp that awaits one; a repeated call returns the same result.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `ResourceNotFound`, `TransactionNotFound`,
        `FieldInvalid`, and `ResourceConflict` if it does not fit or is decided already.
        """
        return await self._match(
            caller,
            payment_id,
            comment,
            lambda payment: self.matcher.match_transfer(payment, transfer_id),
        )

    async def match_account(
        self, caller: Caller, payment_id: UUID, account_id: UUID, *, comment: str
    ) -> IncomingPayment:
        """Match a deposit with a virtual account; a repeated call returns the same result.

        Raises the errors of `match_transfer`, and `AccountNotFound` for the account.
        """
        return await self._match(
            caller,
            payment_id,
            comment,
            lambda payment: self.matcher.match_account(payment, account_id),
        )

    async def send_back(self, caller: Caller, payment_id: UUID, *, comment: str) -> IncomingPayment:
        """Return a deposit to its sender; if the return has been started, change nothing.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `ResourceNotFound`, `FieldInvalid`, and
        `ResourceConflict` if the deposit awaits no decision, or if the bank can't return it; it
        then stays unmatched.
        """
        payment = await self._with_decision(caller, payment_id, comment)
        if payment.status in {IncomingPaymentStatus.RETURNING, IncomingPaymentStatus.RETURNED}:
            return payment
        at = self.clock.stamp(caller.clock_offset)
        if refusal := return_refusal(payment, at):
            raise refusal
        if reason := await self.rails.rejection_reason(
            return_payment(payment, key=payment.id, at=at)
        ):
            raise ResourceConflict(f"this bank can't return the deposit: {reason}")
        if not await self.incoming_payments.send_back(payment, at):
            return await self._reread(caller, payment_id)
        return await self.incoming_payments.get(caller.org_id, payment_id)

    async def settle_outside(
        self, caller: Caller, payment_id: UUID, *, comment: str
    ) -> IncomingPayment:
        """Record that the sender of a deposit has it back by other means; idempotent.

        Used if the bank refuses the return, or does not answer. Raises the errors of `send_back`,
        and `ResourceConflict` while the bank executes the return, or once the return is settled.
        """
        payment = await self._with_comment(caller, payment_id, comment)
        if payment.status is IncomingPaymentStatus.RETURNED:
            return await self.incoming_payments.get(caller.org_id, payment_id)
        if refusal := settlement_refusal(payment):
            raise refusal
        at = self.clock.stamp(caller.clock_offset)
        key = key_of_attempt(payment.id, payment.return_attempts)
        # A worker that has read the deposit before this change may be about to return it.
        if not await self._is_withheld(payment, key, at):
            await self._give_up(payment, key, at)
        if not await self.incoming_payments.settle_outside(payment, at):
            now = await self.incoming_payments.get(caller.org_id, payment_id)
            if now.status is not IncomingPaymentStatus.RETURNED:
                raise _busy(payment_id)
            return now
        return await self.incoming_payments.get(caller.org_id, payment_id)

    async def _is_withheld(self, payment: IncomingPayment, key: UUID, at: datetime) -> bool:
        """Withhold a return that was not sent yet; return False if it may have been sent."""
        if self.orders is None:
            return False
        withhold = partial(
            self.orders.withhold_in,
            org_id=payment.org_id,
            key=key,
            incoming_payment_id=payment.id,
            money=payment.money,
            actor=payment.decided_by or "",
            at=at,
        )
        return await self.database.transact(withhold)

    async def _give_up(self, payment: IncomingPayment, key: UUID, at: datetime) -> None:
        """Withhold a return that was sent, but that the bank does not know or report on.

        Raises `ResourceConflict` if the bank has it, or may still get it.
        """
        with suppress(Unavailable, Unclear):
            found = await self.rails.find_status(payment.org_id, key, at)
            if found is not None and found.state is not RailPaymentState.FAILED:
                raise ResourceConflict(
                    f"the return is {found.state} at the bank: it can't be settled outside"
                )
        orders = self.orders
        if orders is not None and not await self.database.transact(
            lambda tx: orders.give_up_in(tx, payment.org_id, key, at=at)
        ):
            raise ResourceConflict(
                "the return is on its way to the bank, or was accepted there: try again in some "
                "minutes, once the bank answers"
            )

    async def _reread(self, caller: Caller, payment_id: UUID) -> IncomingPayment:
        """Return a deposit as a concurrent decision has left it."""
        now = await self.incoming_payments.get(caller.org_id, payment_id)
        if now.status in {IncomingPaymentStatus.RETURNING, IncomingPaymentStatus.RETURNED}:
            return now
        raise decision_refusal(now) or _busy(payment_id)

    async def _match(
        self,
        caller: Caller,
        payment_id: UUID,
        comment: str,
        match: Callable[[IncomingPayment], Awaitable[None]],
    ) -> IncomingPayment:
        payment = await self._with_decision(caller, payment_id, comment)
        try:
            await match(payment)
        except (Unavailable, Busy) as error:
            # The later of two concurrent decisions gets the result of the earlier one.
            now = await self.incoming_payments.get(caller.org_id, payment_id)
            raise decision_refusal(now) or _busy(payment_id) from error
        return await self.incoming_payments.get(caller.org_id, payment_id)

    async def _with_decision(
        self, caller: Caller, payment_id: UUID, comment: str
    ) -> IncomingPayment:
        """Return the deposit with the caller and the comment, unless a person decided before."""
        payment = await self._with_comment(caller, payment_id, comment)
        if return_refusal(payment, self.clock.now(caller.clock_offset)) is None:
            return payment
        return await self.incoming_payments.get(caller.org_id, payment_id)

    async def _with_comment(
        self, caller: Caller, payment_id: UUID, comment: str
    ) -> IncomingPayment:
        """Return the deposit with the deciding person and comment."""
        check_reviewer(caller)
        check_payer(caller)
        checked = check_prose("comment", comment, length_max=COMMENT_LENGTH_MAX)
        payment = await self.incoming_payments.get(caller.org_id, payment_id)
        return replace(payment, decided_by=caller.actor, comment=checked)


def _busy(payment_id: UUID) -> Busy:
    return Busy(f"deposit {payment_id} was decided concurrently; try again")
