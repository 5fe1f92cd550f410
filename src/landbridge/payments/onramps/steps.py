"""Worker steps of a due onramp.

Each order is claimed, called and recorded (payments/engine/outgoing_orders.py). The transition to
CRYPTO_INITIATED claims the delivery of the coins; the transition to FIAT_FAILED or CRYPTO_FAILED
claims the return of the deposit.
Nothing is sent for a deposit that a provider has reported as reversed, until people decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.verification.errors import VerificationMissing
from landbridge.ledger.model import Transfer
from landbridge.payments.bank_files.contradictions import find_contradiction
from landbridge.payments.engine.attention import attention, mark_attention
from landbridge.payments.engine.order_channels import chain_channel, rail_channel, until_settled
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.outgoing_orders import (
    ACTOR,
    OrderRefund,
    OrderSender,
    OutgoingOrder,
    run_until_waiting,
)
from landbridge.payments.engine.resolution_actions import ResolutionInstruction
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.engine.scripted_outcomes import scripted_deposit_failure
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.limits.model import PaymentDestination
from landbridge.payments.onramps import transitions
from landbridge.payments.onramps.model import (
    EXPIRING,
    RETURN,
    RETURNING,
    TRANSITIONS,
    Onramp,
    OnrampStatus,
    as_onramp,
)
from landbridge.payments.onramps.request import KYC_RAILS
from landbridge.payments.onramps.service import Onramps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken, Unavailable
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, OrderLeg
from landbridge.providers.rails.port import RailPayment, RailPaymentStatus, Rails

_REVERSED = "its bank took the deposit back: request DEPOSIT_REVERSED"
_REVERSED_IN_TRANSIT = "its bank took the deposit back: request FAIL, then DEPOSIT_REVERSED"
# Interval of checks whether a person has closed a provider's report of a reversal.
_REVERSED_PAUSE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnrampSteps:
    """Advances onramps by deadlines and by answers of chains and banks."""

    onramps: Onramps
    order_sender: OrderSender
    incoming_payments: IncomingPayments
    chains: Chains
    rails: Rails
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the next steps of a due record as far as possible.

        A concurrent change of the record is no error. Raises `Unavailable` and `Unclear` while an
        external system gives no answer.
        """
        await run_until_waiting(
            record,
            lambda each: self._step(
                as_onramp(each), clock_offset, is_claimed_now=each is not record
            ),
        )

    async def _step(
        self, onramp: Onramp, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Run one step and return the advanced record; None if no step is possible now."""
        if onramp.state in EXPIRING:
            await self._expire(onramp, clock_offset)
            return None
        match onramp.status:
            case OnrampStatus.FIAT_PENDING:
                return await self._claim(onramp, clock_offset)
            case status:
                order = self._find_order(onramp, clock_offset)
                if order is None:
                    raise InvariantBroken(f"an onramp that is {status} has no due step")
                # No claim checks whether a deposit may be returned.
                has_checked = is_claimed_now and status not in RETURNING
                try:
                    return await self.order_sender.run(
                        onramp.record, order, clock_offset, is_claimed_now=has_checked
                    )
                except Unavailable:
                    await self._mark_problem(onramp)
                    raise

    async def _mark_problem(self, onramp: Onramp) -> None:
        """Mark an onramp of which nothing is sent before a person has cleared something up."""
        record, deposit_id = onramp.record, onramp.details.incoming_payment_id
        is_returning = onramp.status in RETURNING
        reason: str | None = None
        if await self._is_reversed(onramp):
            reason = _REVERSED if is_returning else _REVERSED_IN_TRANSIT
        elif is_returning and deposit_id is not None:
            reason = await self.onramps.database.read(
                lambda tx: find_contradiction(tx, record.org_id, deposit_id)
            )
        if reason is not None:
            await mark_attention(self.onramps.ledger, record, reason)

    async def find_order(self, record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        """Return the order that a record waits for; None if it waits for none."""
        return self._find_order(as_onramp(record), clock_offset)

    def _find_order(self, onramp: Onramp, clock_offset: timedelta) -> OutgoingOrder | None:
        match onramp.status:
            case OnrampStatus.CRYPTO_INITIATED | OnrampStatus.CRYPTO_PENDING | OnrampStatus.UNKNOWN:
                return self._delivery(onramp, clock_offset)
            case OnrampStatus.FIAT_FAILED | OnrampStatus.CRYPTO_FAILED:
                return self._return(onramp, clock_offset)
            case _:
                return None

    async def _expire(self, onramp: Onramp, clock_offset: timedelta) -> None:
        """Expire the onramp, unless the bank has an unprocessed deposit that arrived in time.

        All deposits of a currency arrive on one account, so the unprocessed deposit may be another
        onramp's.
        """
        number, due_at = onramp.details.account_number, onramp.record.due_at
        if (
            onramp.state is OnrampStatus.AWAITING_FUNDS
            and number is not None
            and due_at is not None
        ):
            org_id = onramp.record.org_id
            if await self.incoming_payments.has_new(org_id, number, before=due_at):
                raise Unavailable("a deposit that arrived in time is not processed yet")
        await self.onramps.expire(onramp, ACTOR, self.clock.stamp(clock_offset))

    async def _claim(self, onramp: Onramp, clock_offset: timedelta) -> Transfer | None:
        """Claim the delivery of the coins, or the return of the fiat if they can't be delivered."""
        if await self._is_reversed(onramp):
            until = self.clock.now(clock_offset) + _REVERSED_PAUSE
            await self.onramps.ledger.postpone(
                onramp.record, until, attention(onramp.record, _REVERSED)
            )
            return None
        reason = await self._find_failure_reason(onramp)
        at = self.clock.stamp(clock_offset)
        if reason is None:
            move = transitions.claimed(onramp, actor=ACTOR, at=at)
        else:
            move = transitions.failed(onramp, reason=reason, actor=ACTOR, at=at)
        moved = await self.onramps.ledger.advance(move, TRANSITIONS)
        return moved if isinstance(moved, Transfer) else None

    async def _is_reversed(self, onramp: Onramp) -> bool:
        payment_id = onramp.details.incoming_payment_id
        return payment_id is not None and await self.incoming_payments.is_reversed(
            onramp.record.org_id, payment_id
        )

    async def _find_withheld_reason(self, onramp: Onramp) -> str | None:
        """Return why claimed coins are not sent now; None if they may be sent."""
        if reason := await self._find_block_reason(onramp):
            return reason
        return _REVERSED_IN_TRANSIT if await self._is_reversed(onramp) else None

    async def _find_return_block(self, onramp: Onramp) -> str | None:
        """Return why the deposit is not sent back now; None if it may be."""
        return _REVERSED if await self._is_reversed(onramp) else None

    async def _find_failure_reason(self, onramp: Onramp) -> str | None:
        """Return why nothing may be delivered now; None if it may.

        Reasons are a deposit that did not clear, a user who is frozen or no longer verified, and a
        blocked destination.
        """
        org_id, user_id = onramp.record.org_id, onramp.record.user_id
        if reason := scripted_deposit_failure(onramp.record) or await self._find_block_reason(
            onramp
        ):
            return reason
        rail = KYC_RAILS[onramp.source.asset.currency]
        try:
            await self.onramps.verification.check_active(org_id, user_id, rail)
        except VerificationMissing as error:
            return error.message
        return None

    async def _find_block_reason(self, onramp: Onramp) -> str | None:
        org_id, details = onramp.record.org_id, onramp.details
        user_ids = (onramp.record.user_id, details.destination_user_id, *onramp.part_user_ids)
        addresses = (details.destination_address, *(each.address for each in details.parts))
        payees = map(PaymentDestination.listed, addresses)
        return await self.onramps.parties.find_block_reason(org_id, user_ids, payees)

    def _delivery(self, onramp: Onramp, clock_offset: timedelta) -> OutgoingOrder:
        """Build the delivery: one chain transaction with every part of a settlement rule."""
        record, details = onramp.record, onramp.details
        parties = [(part.address, money) for part, money in onramp.parts]
        order = ChainOrder(
            org_id=record.org_id,
            key=order_key(record, "send"),
            record_id=record.id,
            action=ChainAction.TRANSFER,
            chain=onramp.destination.asset.chain,
            source=details.source_address,
            wallet_id=None,
            legs=tuple(
                OrderLeg(address, money)
                for address, money in [*parties, (details.destination_address, onramp.remainder)]
                if money.units
            ),
            at=self.clock.now(clock_offset),
        )
        return OutgoingOrder(
            channel=chain_channel(self.chains, order),
            transitions=TRANSITIONS,
            initiated=OnrampStatus.CRYPTO_INITIATED,
            pending=OnrampStatus.CRYPTO_PENDING,
            done=OnrampStatus.COMPLETED,
            failed=OnrampStatus.CRYPTO_FAILED,
            unknown=OnrampStatus.UNKNOWN,
            find_block_reason=lambda: self._find_withheld_reason(onramp),
            done_journal=transitions.delivered(onramp),
            failed_journal=transitions.back_in_transit(onramp),
        )

    def _return(self, onramp: Onramp, clock_offset: timedelta) -> OutgoingOrder:
        """Build the order that returns the deposit; it is retried until it settles."""
        record = onramp.record
        key = retry_key(record, RETURN)

        async def payment() -> RailPayment:
            account_id = onramp.details.return_account_id
            return await self.returned(onramp, account_id, key, self.clock.now(clock_offset))

        channel = rail_channel(self.rails, record.org_id, key, payment, facts=_nothing)
        return OutgoingOrder(
            channel=until_settled(channel, RETURN),
            transitions=TRANSITIONS,
            initiated=onramp.status,
            done=OnrampStatus.FIAT_RETURNED,
            find_block_reason=lambda: self._find_return_block(onramp),
            done_journal=transitions.returned(onramp),
            refund=OrderRefund(
                name=RETURN,
                status=OnrampStatus.FIAT_RETURNED,
                journal=transitions.returned(onramp),
                # Settled by other means, the fiat has left the bank as well.
                outside_journal=transitions.returned(onramp),
            ),
        )

    async def return_destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts that redirect the return to a bank account of the user.

        Raises `FieldInvalid`, and `LimitExceeded` for an account that a list excludes.
        """
        account_id = instruction.account_id
        if account_id is None:
            raise FieldInvalid(
                "address is for refunds in coins; this one goes to a bank account", field="address"
            )
        now = self.clock.now(clock_offset)
        key = retry_key(record, RETURN)
        onramp = as_onramp(record)
        payment = await self.returned(onramp, account_id, key, now)
        if reason := await self.rails.rejection_reason(payment):
            raise FieldInvalid(f"accountId can't be paid: {reason}", field="accountId")
        target = PaymentDestination(
            name=str(account_id), usd=onramp.deposit.decimal, account_id=account_id
        )
        await self.onramps.parties.limits.check_listed(record.org_id, target, is_approved=True)
        return {"return_account_id": str(account_id)}

    async def returned(
        self, onramp: Onramp, account_id: UUID | None, key: UUID, at: datetime
    ) -> RailPayment:
        """Build the payment that returns a deposit to its sender, or to an account of its user.

        Raises the errors of `Accounts.check_usable` for an account that cannot be paid.
        """
        record, incoming_payment_id = onramp.record, onramp.details.incoming_payment_id
        if incoming_payment_id is None:
            raise InvariantBroken(f"onramp {record.id} has no deposit that could go back")
        incoming_payment = await self.incoming_payments.get(record.org_id, incoming_payment_id)
        payment = return_payment(incoming_payment, key=key, at=at)
        if account_id is None:
            return payment
        account = await self.onramps.accounts.check_usable(
            record.org_id, record.user_id, account_id
        )
        payee = {
            "type": account.type,
            "accountHolder": account.holder,
            account.type: account.bank,
        }
        return replace(
            payment,
            payee=payee,
            rail=account.payment_rail or incoming_payment.rail,
            account_id=account_id,
        )


def _nothing(paid: RailPaymentStatus) -> Mapping[str, Any]:
    del paid
    return {}
