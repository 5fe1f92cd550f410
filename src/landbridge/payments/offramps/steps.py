"""Worker steps of a due offramp. A run makes as many steps as possible.

Blockers are checked before each claim: frozen users or organisations, and the block list, before
the debit and before the payout, the bank account before the payout. Once the bank may have the
payout, only its answer counts. In a later run than its claim, no order is submitted while a party
is frozen, a payee blocked or its account suspended. Nothing is refunded while a failed payout is
reported as settled, by its provider or in a statement of the bank.

External coins need no debit. They are booked with the claim, and their fees are disbursements
(fee_disbursements.py), for which the payout does not wait.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

from landbridge.customers.bank_accounts.errors import (
    AccountDataInvalid,
    AccountNotFound,
    InactiveAccount,
)
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.verification.errors import VerificationMissing
from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.payments.bank_files.contradictions import find_contradiction
from landbridge.payments.engine.attention import mark_attention
from landbridge.payments.engine.outgoing_orders import (
    ACTOR,
    OrderSender,
    OutgoingOrder,
    run_until_waiting,
)
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.external_coins import ExternalCoins
from landbridge.payments.offramps.limit_usage import payees
from landbridge.payments.offramps.model import TRANSITIONS, Offramp, OfframpStatus, as_offramp
from landbridge.payments.offramps.orders import OfframpOrders
from landbridge.payments.offramps.service import Offramps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Unavailable

# Errors if a bank account that was valid when the offramp was requested is not valid any more.
_UNUSABLE = (AccountNotFound, InactiveAccount, AccountDataInvalid, VerificationMissing)


@dataclass(frozen=True, slots=True)
class OfframpSteps:
    """Advances offramps by deadlines and by answers of chains and banks."""

    offramps: Offramps
    orders: OfframpOrders
    order_sender: OrderSender
    external_coins: ExternalCoins
    parties: PaymentParties = field(kw_only=True)
    accounts: BankAccounts = field(kw_only=True)
    clock: Clock = field(kw_only=True)

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record; a concurrent change of the record is no error."""
        await run_until_waiting(
            record,
            lambda each: self._step(
                as_offramp(each), clock_offset, is_claimed_now=each is not record
            ),
        )

    async def find_order(self, record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        """Return the order that a record waits for; None if it waits for none."""
        offramp, orders = as_offramp(record), self.orders
        match offramp.status:
            case OfframpStatus.CRYPTO_PENDING:
                order = orders.debit(offramp, clock_offset)
                return replace(
                    order,
                    find_block_reason=lambda: self._find_block_reason(
                        offramp, *offramp.beneficiaries
                    ),
                )
            case OfframpStatus.FIAT_INITIATED | OfframpStatus.FIAT_PENDING:
                order = orders.payout(offramp, clock_offset)
                return replace(order, find_block_reason=lambda: self._why_withheld(offramp))
            case OfframpStatus.FIAT_FAILED:
                order = orders.refund(offramp, clock_offset)
                return replace(order, find_block_reason=lambda: self._why_not_refunded(offramp))
            case _:
                return None

    async def _step(
        self, offramp: Offramp, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Run the next step; return the advanced record, None if no step is possible now."""
        match offramp.status:
            case (
                OfframpStatus.PENDING_APPROVAL
                | OfframpStatus.OPEN_QUOTE
                | OfframpStatus.AWAITING_FUNDS
                | OfframpStatus.IN_REVIEW
            ):
                await self._end(offramp, clock_offset)
                return None
            case OfframpStatus.CRYPTO_INITIATED:
                return await self._claim_debit(offramp, clock_offset)
            case OfframpStatus.CRYPTO_PROCESSED:
                return await self._claim_payout(offramp, clock_offset)
            case status:
                order = await self.find_order(offramp.record, clock_offset)
                if order is None:
                    raise InvariantBroken(f"an offramp that is {status} has no due step")
                # A refund has no claim, so no earlier step has checked that its coins still exist.
                has_checked = is_claimed_now and status is not OfframpStatus.FIAT_FAILED
                try:
                    return await self.order_sender.run(
                        offramp.record, order, clock_offset, is_claimed_now=has_checked
                    )
                except Unavailable:
                    if status is OfframpStatus.FIAT_FAILED:
                        await self._mark_contradiction(offramp.record)
                    raise

    async def _mark_contradiction(self, record: Transfer) -> None:
        if reason := await self._find_contradiction(record):
            await mark_attention(self.offramps.ledger, record, reason)

    async def _end(self, offramp: Offramp, clock_offset: timedelta) -> None:
        """Expire an offramp past its deadline, also during a review."""
        at = self.clock.stamp(clock_offset)
        match offramp.state:
            case OfframpStatus.PENDING_APPROVAL:
                await self.offramps.expire_approval(offramp, ACTOR, at)
            case OfframpStatus.AWAITING_FUNDS if await self.external_coins.are_coming(offramp):
                # The coins were found in time, but are not final yet.
                await self.external_coins.wait_longer(offramp, clock_offset)
            case OfframpStatus.OPEN_QUOTE | OfframpStatus.AWAITING_FUNDS:
                await self.offramps.expire(offramp, ACTOR, at)
            case status:
                raise InvariantBroken(f"an offramp reviewed at {status} has no due step")

    async def _claim_debit(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        if offramp.is_external:
            return await self._take_in(offramp, clock_offset)
        reason = await self._find_block_reason(offramp, *offramp.beneficiaries)
        if reason is None:
            return await self.order_sender.advance(
                offramp.record, TRANSITIONS, OfframpStatus.CRYPTO_PENDING, clock_offset=clock_offset
            )
        at = self.clock.stamp(clock_offset)
        return await self._advance(
            transitions.ended(
                offramp,
                OfframpStatus.NOT_INITIATED,
                change_type=OfframpStatus.NOT_INITIATED.lower(),
                reason=reason,
                actor=ACTOR,
                at=at,
            )
        )

    async def _take_in(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        """Book external coins, and create the disbursements of their fees."""
        reason = await self._find_block_reason(offramp)
        if reason is not None:
            # A party is frozen or a payee blocked: the coins, which have arrived, are returned.
            return await self._fail(offramp, reason, clock_offset)
        move = transitions.external_coins_booked(
            offramp, actor=ACTOR, at=self.clock.stamp(clock_offset)
        )
        return await self.offramps.fee_disbursements.book_external_coins(
            offramp, move, clock_offset
        )

    async def _claim_payout(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        reason = await self._find_block_reason(offramp) or await self._why_unusable(offramp)
        if reason is not None:
            return await self._fail(offramp, reason, clock_offset)
        return await self.order_sender.advance(
            offramp.record,
            TRANSITIONS,
            OfframpStatus.FIAT_INITIATED,
            clock_offset=clock_offset,
            journal=transitions.payout_claimed(offramp),
        )

    async def _fail(
        self, offramp: Offramp, reason: str, clock_offset: timedelta
    ) -> Transfer | None:
        at = self.clock.stamp(clock_offset)
        change_type = OfframpStatus.FIAT_FAILED.lower()
        return await self._advance(
            transitions.failed(offramp, change_type=change_type, reason=reason, actor=ACTOR, at=at)
        )

    async def _advance(self, move: AdvanceTransfer) -> Transfer | None:
        moved = await self.offramps.ledger.advance(move, TRANSITIONS)
        return moved if isinstance(moved, Transfer) else None

    async def _find_block_reason(self, offramp: Offramp, *beneficiaries: UUID) -> str | None:
        user_ids = (*offramp.party_user_ids, *beneficiaries)
        return await self.parties.find_block_reason(
            offramp.record.org_id, user_ids, payees(offramp)
        )

    async def _why_not_refunded(self, offramp: Offramp) -> str | None:
        """Return why the coins can't be refunded now: lost, or the payout may be settled."""
        record = offramp.record
        if reason := await self.external_coins.why_gone(offramp):
            return reason
        return await self._find_contradiction(record)

    async def _find_contradiction(self, record: Transfer) -> str | None:
        return await self.offramps.database.read(
            lambda tx: find_contradiction(tx, record.org_id, record.id)
        )

    async def _why_withheld(self, offramp: Offramp) -> str | None:
        """Return why a claimed payout is not sent now.

        A deleted bank account is no reason, because it would block the payout for ever.
        """
        org_id, account_id = offramp.record.org_id, offramp.details.account_id
        reason = await self._find_block_reason(offramp)
        return reason or await self.accounts.find_suspension(org_id, account_id)

    async def _why_unusable(self, offramp: Offramp) -> str | None:
        details = offramp.details
        try:
            await self.accounts.check_usable(
                offramp.record.org_id, details.destination_user_id, details.account_id
            )
        except _UNUSABLE as error:
            return error.message
        return None
