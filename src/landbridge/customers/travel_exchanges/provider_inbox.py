"""Inbox of a connected provider: inquiries and confirmations that other VASPs have sent to us.

Guarantees:
- A message is acknowledged to the provider only after it was stored, or refused for good. After a
  crash the provider returns it again, and it is stored once.
- A message counts only for an organisation that the provider serves, and a confirmation only for an
  inquiry that came by the same provider.
- A message that is invalid, or can't be stored yet, is returned again and delays no other one: once
  such messages fill a page, they are refused and acknowledged.
- A page that can't be read because it is too long is requested again with fewer messages.
- No data of a message are logged.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Protocol, TypeVar
from uuid import UUID

import msgspec
import structlog

from landbridge.customers.travel_exchanges import queue_store, store
from landbridge.customers.travel_exchanges.model import (
    Exchange,
    ExchangeData,
    ExchangeDirection,
    ExchangeStatus,
)
from landbridge.customers.travel_exchanges.service import new_secret, secret_hash
from landbridge.customers.travel_exchanges.vasp_messages import VaspMessages
from landbridge.platform.core.errors import (
    Busy,
    FieldInvalid,
    ResourceConflict,
    ResourceNotFound,
    Unavailable,
    Unclear,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar.travel_protocol import (
    INBOX_MAX,
    RawTravelInbox,
    TravelInboundConfirmation,
    TravelInboundInquiry,
    TravelMessageId,
)
from landbridge.providers.trp.port import TransferConfirmation
from landbridge.providers.trp.protocol import check_depth

T = TypeVar("T", TravelInboundInquiry, TravelInboundConfirmation)

_log = structlog.stdlib.get_logger()

# Most pages that one poll reads.
_PAGES_MAX: Final = 20
_INVALID: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class TravelInbox(Protocol):
    """Client of a provider that receives messages of other VASPs."""

    async def read_inbox(
        self, limit: int, *, inquiries: Sequence[str] = (), confirmations: Sequence[str] = ()
    ) -> RawTravelInbox:
        """Acknowledge messages by id, and return others. Raises `Unavailable` and `Unclear`."""
        ...


@dataclass(slots=True)
class ProviderInbox:
    """Reads the messages at the provider `name`; each worker does so at the interval `every`."""

    name: str
    reader: TravelInbox
    messages: VaspMessages
    every: timedelta
    _next_at: datetime | None = field(default=None, init=False)
    # Messages per page; halved after a page that could not be read.
    _limit: int = field(default=INBOX_MAX, init=False)

    async def note_webhook(self, tx: Tx, provider: str, key: UUID, at: datetime) -> bool:
        """Make an inquiry of ours due now; False unless it was sent by this provider."""
        return await queue_store.note_webhook(tx, provider, key, at)

    async def run_once(self) -> bool:
        """Read the messages if the interval has passed; always return False, as none remain."""
        now = self.messages.exchanges.clock.now()
        if self._next_at is not None and now < self._next_at:
            return False
        self._next_at = now + self.every
        inquiries: list[str] = []
        confirmations: list[str] = []
        try:
            for _ in range(_PAGES_MAX):
                page = await self.reader.read_inbox(
                    self._limit, inquiries=inquiries, confirmations=confirmations
                )
                inquiries = await self._take(
                    page.inquiries, TravelInboundInquiry, self._store_inquiry
                )
                confirmations = await self._take(
                    page.confirmations, TravelInboundConfirmation, self._store_confirmation
                )
                if not inquiries and not confirmations:
                    self._limit = INBOX_MAX
                    return False
        except Unavailable as error:
            _log.debug("provider.unanswered", provider=self.name, reason=str(error))
        except Unclear as error:
            if self._limit == INBOX_MAX:
                _log.warning("provider.problem", provider=self.name, reason=str(error))
            self._limit = max(self._limit // 2, 1)
        return False

    async def _take(
        self,
        raw: Sequence[msgspec.Raw],
        kind: type[T],
        store_one: Callable[[T], Awaitable[bool]],
    ) -> list[str]:
        """Store messages of a kind; return the ids of those to acknowledge."""
        received: list[str] = []
        waiting: list[str] = []
        for each in raw:
            try:
                message = msgspec.json.decode(each, type=kind)
            except _INVALID:
                self._refuse("no valid message")
                waiting += _readable_id(each)
                continue
            try:
                is_stored = await store_one(message)
            except Busy:
                self._refuse("too many inquiries wait for people")
                is_stored = False
            except (FieldInvalid, ResourceConflict, ResourceNotFound) as error:
                self._refuse(str(error))
                is_stored = True
            (received if is_stored else waiting).append(message.id)
        if len(raw) == INBOX_MAX and not received:
            # Acknowledge the whole page, otherwise later messages would never be returned.
            self._refuse(f"{len(waiting)} messages that can't be stored fill an answer")
            return waiting
        return received

    def _refuse(self, reason: str) -> None:
        _log.warning("provider.message_refused", provider=self.name, reason=reason)

    async def _store_inquiry(self, message: TravelInboundInquiry) -> bool:
        exchanges = self.messages.exchanges
        org_id, amount = message.org_id, Decimal(message.amount)
        self._check_org(org_id)
        setting = await exchanges.setting(org_id)
        if not setting.is_on:
            raise ResourceNotFound("the organisation exchanges nothing")
        if amount <= 0:
            raise FieldInvalid("amount must be positive", field="amount")
        check_depth(message.ivms101)
        data = ExchangeData(ivms101=message.ivms101, url="", secret=new_secret())
        now = exchanges.clock.now()
        new = Exchange(
            org_id=org_id,
            id=new_id(),
            direction=ExchangeDirection.INCOMING,
            status=ExchangeStatus.OPEN,
            host=message.counterparty,
            request_identifier=message.id,
            # The connected provider has authenticated the sender.
            is_authenticated=True,
            wallet_address=message.wallet_address,
            token=message.token,
            amount=format(amount, "f"),
            callback_hash=secret_hash(data.secret),
            created_at=now,
            updated_at=now,
        )
        await self.messages.store_inquiry(setting, replace(new, provider=self.name), data)
        return True

    async def _store_confirmation(self, message: TravelInboundConfirmation) -> bool:
        """Store the result of a transfer; False while its inquiry waits for reviewers."""
        self._check_org(message.org_id)
        found = await self.messages.exchanges.database.single(
            lambda tx: store.find_inquiry(tx, message.org_id, message.counterparty, message.id)
        )
        if found is None or found.provider != self.name:
            raise ResourceNotFound("there is no such inquiry")
        if found.status is ExchangeStatus.OPEN:
            return False
        confirmation = TransferConfirmation(transaction_hash=message.transaction_hash)
        await self.messages.confirm(found, confirmation)
        return True

    def _check_org(self, org_id: UUID) -> None:
        if self.messages.exchanges.provider_of(org_id) != self.name:
            raise ResourceNotFound("the provider does not serve this organisation")


def _readable_id(raw: msgspec.Raw) -> list[str]:
    """Return the id of an invalid message in a list, which is empty if it has none."""
    try:
        return [msgspec.json.decode(raw, type=TravelMessageId).id]
    except _INVALID:
        return []
