"""Deliveries of exchanges: send pending messages to other providers, and follow payments.

Guarantees:
- A message is recorded, with a key that never changes, before it is sent. If a worker is killed,
  the message is sent again, and the other provider recognises it by the key.
- Nothing is sent inside a database transaction.
- Only the first answer counts. A missing or invalid answer decides nothing.
- The confirmation is recorded once the payment has ended: with its chain transaction, or as
  canceled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import structlog

from landbridge.customers.payment_screening.model import is_awaiting
from landbridge.customers.travel_exchanges import queue_store, store
from landbridge.customers.travel_exchanges.model import (
    Exchange,
    ExchangeData,
    ExchangeDirection,
    ExchangeStatus,
    PendingMessage,
    follow_at,
    retry_at,
)
from landbridge.customers.travel_exchanges.service import TravelExchanges
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx
from landbridge.providers.trp.port import (
    InquiryAnswer,
    InquiryResolution,
    OtherVasps,
    TransferConfirmation,
    TransferInquiry,
    VaspUnreachable,
)

_log = structlog.stdlib.get_logger()

# Status in which the coins of a payment have arrived; all kinds of payments have it.
_COMPLETED: Final = "COMPLETED"
_PROBLEM_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class ExchangeDeliveries:
    """Sends the messages of all organisations; `transitions` are those of payments, by kind.

    `vasps` sends messages by the Travel Rule Protocol; `providers` has the connected providers
    that send them instead, by name. An exchange keeps to the way that it began with.
    """

    exchanges: TravelExchanges
    vasps: OtherVasps
    ledger: Ledger
    transitions: Mapping[str, Transitions[Any]]
    providers: Mapping[str, OtherVasps] = field(default_factory=dict[str, OtherVasps])

    async def run(self, exchange: Exchange) -> None:
        """Do what is due for an exchange that was claimed (dispatcher.py)."""
        data = await self.exchanges.database.read(lambda tx: self.exchanges.open(tx, exchange))
        if data is None:
            # The data were erased in the meantime, so nothing is due any more.
            return
        is_ours = exchange.direction is ExchangeDirection.OUTGOING
        if is_ours and exchange.pending_message is not PendingMessage.CONFIRMATION:
            payment = await self._payment(exchange)
            if payment is None or self._has_ended(payment):
                await self._conclude(exchange, payment)
                return
        if exchange.pending_message is None:
            if exchange.provider is not None and exchange.status is ExchangeStatus.OPEN:
                await self._read_answer(exchange, data)
            next_at = follow_at(exchange.updated_at, self.exchanges.clock.now())
            await self.exchanges.database.single(
                lambda tx: queue_store.postpone(tx, exchange, next_at)
            )
            return
        try:
            await self._send(exchange, exchange.pending_message, data)
        except VaspUnreachable as error:
            problem = str(error)[:_PROBLEM_MAX]
            next_at = retry_at(exchange.attempts, self.exchanges.clock.now())
            await self.exchanges.database.single(
                lambda tx: queue_store.set_problem(tx, exchange, problem, next_at)
            )
            _log.info("travel_rule.not_sent", id=str(exchange.id), reason=problem)

    async def _read_answer(self, exchange: Exchange, data: ExchangeData) -> None:
        """Repeat a delivered inquiry, which returns its present answer, and store the answer."""
        try:
            answer = await self._inquire(exchange, data)
            await self._take(exchange, answer)
        except VaspUnreachable as error:
            _log.info("travel_rule.not_sent", id=str(exchange.id), reason=str(error)[:_PROBLEM_MAX])

    async def _inquire(self, exchange: Exchange, data: ExchangeData) -> InquiryResolution:
        callback = self.exchanges.callback_url(exchange.org_id, data.secret)
        inquiry = _inquiry(exchange, data, callback)
        return await self._vasps(exchange).inquire(data.url, exchange.request_identifier, inquiry)

    def _vasps(self, exchange: Exchange) -> OtherVasps:
        """Return the client of an exchange. Raises `VaspUnreachable` if its provider is removed."""
        if exchange.provider is None:
            return self.vasps
        found = self.providers.get(exchange.provider)
        if found is None:
            raise VaspUnreachable(f"provider {exchange.provider} is not in the providers file")
        return found

    async def _send(self, exchange: Exchange, message: PendingMessage, data: ExchangeData) -> None:
        """Send a message, and record its delivery and answer. Raises `VaspUnreachable`."""
        key = exchange.request_identifier
        match message:
            case PendingMessage.INQUIRY:
                answer = await self._inquire(exchange, data)
                # Store the answer before the delivery: a lost answer is then requested again.
                await self._take(exchange, answer)
                next_at = follow_at(exchange.updated_at, self.exchanges.clock.now())
                await self._set_delivered(exchange, next_at)
            case PendingMessage.RESOLUTION:
                callback = self.exchanges.callback_url(exchange.org_id, data.secret)
                resolution = _resolution(exchange, data, callback)
                await self._vasps(exchange).resolve(data.url, key, resolution)
                await self._set_delivered(exchange, None)
            case PendingMessage.CONFIRMATION:
                hash_ = exchange.transaction_hash
                confirmation = TransferConfirmation(transaction_hash=hash_)
                await self._vasps(exchange).confirm(data.url, key, confirmation)
                await self._set_delivered(exchange, None)

    async def _take(self, exchange: Exchange, answer: InquiryResolution) -> None:
        try:
            await self.answer(exchange.org_id, exchange.id, answer)
        except (FieldInvalid, ResourceConflict):
            raise VaspUnreachable("the answer was not valid") from None

    async def answer(self, org_id: UUID, exchange_id: UUID, answer: InquiryResolution) -> None:
        """Store the answer to an inquiry of ours, once; its payment continues after an approval.

        Raises `FieldInvalid` for an invalid URL for the confirmation, and `ResourceConflict` if an
        earlier answer was the opposite. A repeated answer has no effect. If the payment has ended
        in the meantime, an approval is answered with the cancellation.
        """
        if answer.answer is InquiryAnswer.PENDING:
            return
        # An answer of a connected provider has no URL: the provider takes the confirmation.
        url = answer.callback
        if url is not None:
            url = self.vasps.check_url("callback", url)
        offset = await self.exchanges.clock_offset(org_id)

        async def work(tx: Tx) -> Exchange | None:
            found = await store.lock(tx, org_id, exchange_id)
            data = None if found is None else await self.exchanges.open(tx, found)
            if found is None or data is None:
                return None
            after = _answered(found, answer, self.exchanges.clock.now())
            if after is None:
                return None
            new = ExchangeData(
                ivms101=data.ivms101,
                url=url or data.url,
                secret=data.secret,
                comment=answer.comment,
            )
            sealed = await self.exchanges.seal(tx, found, new)
            after = replace(after, sealed_data=sealed)
            await self.exchanges.advance_in(tx, found, after, offset)
            return after

        stored = await self.exchanges.database.transact(work)
        if stored is not None and stored.status is ExchangeStatus.APPROVED:
            await self._continue(stored)

    async def _continue(self, exchange: Exchange) -> None:
        """Make the payment of an approved exchange due."""
        payment = await self._payment(exchange)
        if payment is not None and is_awaiting(payment):
            offset = await self.exchanges.orgs.clock_offset(exchange.org_id)
            await self.ledger.postpone(payment, self.exchanges.clock.now(offset))

    async def _set_delivered(self, exchange: Exchange, next_at: datetime | None) -> None:
        await self.exchanges.database.single(
            lambda tx: queue_store.set_delivered(tx, exchange, next_at)
        )

    async def _payment(self, exchange: Exchange) -> Transfer | None:
        if exchange.transfer_id is None:
            return None
        return await self.ledger.find(exchange.org_id, exchange.transfer_id)

    def _has_ended(self, payment: Transfer) -> bool:
        return self.transitions[payment.kind].is_terminal(payment.status)

    async def _conclude(self, exchange: Exchange, payment: Transfer | None) -> None:
        """Record the end of a payment; it is reported only if the inquiry was approved."""
        now = self.exchanges.clock.now()
        is_approved = exchange.status is ExchangeStatus.APPROVED
        hash_ = None if payment is None else _transaction(payment)
        is_sent = is_approved and hash_ is not None
        if is_approved and hash_ is None and payment is not None and payment.status == _COMPLETED:
            # The coins were sent, but their transaction is not known, so nothing can be reported.
            await self.exchanges.database.single(
                lambda tx: queue_store.postpone(tx, exchange, retry_at(20, now))
            )
            return
        after = replace(
            exchange,
            status=ExchangeStatus.CONFIRMED if is_sent else ExchangeStatus.CANCELLED,
            transaction_hash=hash_ if is_sent else None,
            pending_message=PendingMessage.CONFIRMATION if is_approved else None,
            next_attempt_at=now if is_approved else None,
            updated_at=now,
        )
        offset = await self.exchanges.clock_offset(exchange.org_id)
        await self.exchanges.database.transact(
            lambda tx: self.exchanges.advance_in(tx, exchange, after, offset)
        )


def _answered(before: Exchange, answer: InquiryResolution, now: datetime) -> Exchange | None:
    """Return an exchange after an answer; None if the answer changes nothing.

    Raises `ResourceConflict` if an earlier answer was the opposite.
    """
    if before.direction is not ExchangeDirection.OUTGOING:
        return None
    is_approval = answer.answer is InquiryAnswer.APPROVED
    if before.status is ExchangeStatus.OPEN:
        return replace(
            before,
            status=ExchangeStatus.APPROVED if is_approval else ExchangeStatus.REJECTED,
            wallet_address=answer.address if is_approval else before.wallet_address,
            pending_message=None,
            next_attempt_at=now,
            updated_at=now,
        )
    contrary = ExchangeStatus.REJECTED if is_approval else ExchangeStatus.APPROVED
    if before.status is contrary:
        raise ResourceConflict(f"this inquiry is {before.status}: it was answered already")
    is_late = before.status is ExchangeStatus.CANCELLED and before.version == _CANCELLED_UNANSWERED
    if is_late and is_approval:
        return replace(
            before,
            pending_message=PendingMessage.CONFIRMATION,
            next_attempt_at=now,
            updated_at=now,
        )
    return None


# Version of an exchange that was recorded (1) and then canceled (2) without an answer.
_CANCELLED_UNANSWERED: Final = 2


def _transaction(payment: Transfer) -> str | None:
    """Return the hash of the chain transaction that paid the destination; None without one.

    For a bridge, this is the transaction that mints the coins.
    """
    if payment.status != _COMPLETED:
        return None
    facts = payment.facts
    found: str | None = facts.get("mint_transaction_hash") or facts.get("transaction_hash")
    return found


def _inquiry(exchange: Exchange, data: ExchangeData, callback: str) -> TransferInquiry:
    return TransferInquiry(
        org_id=exchange.org_id,
        host=exchange.host,
        wallet_address=exchange.wallet_address or "",
        token=exchange.token or "",
        amount=Decimal(exchange.amount),
        callback=callback,
        ivms101=data.ivms101,
    )


def _resolution(exchange: Exchange, data: ExchangeData, callback: str) -> InquiryResolution:
    """Return our answer to an inquiry. Its only free text is a reviewer's comment."""
    if exchange.status is ExchangeStatus.REJECTED:
        return InquiryResolution(answer=InquiryAnswer.REJECTED, comment=data.comment)
    return InquiryResolution(
        answer=InquiryAnswer.APPROVED, address=exchange.wallet_address, callback=callback
    )
