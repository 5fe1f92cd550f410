"""Webhooks of providers, and the queries that they cause.

Guarantees:
- A webhook says that an order changed, or that there are credits, but not how. The provider is
  queried, so webhooks that are late, repeated, replayed or out of order decide nothing.
- Only a webhook signed with its provider's secret is accepted, and only for orders of that
  provider.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

import msgspec
import structlog

from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, KeyInvalid, ResourceNotFound, Unavailable, Unclear
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.error_responses import BodyTooLarge
from landbridge.providers.sidecar import (
    application_store,
    credit_store,
    order_store,
    screening_store,
)
from landbridge.providers.sidecar.model import ProviderOrder
from landbridge.providers.sidecar.orders import ProviderRails
from landbridge.providers.sidecar.protocol import SidecarWebhook
from landbridge.providers.sidecar.screener import ProviderScreener
from landbridge.providers.sidecar.screenings import ProviderScreening
from landbridge.providers.sidecar.signing import (
    WEBHOOK_ID_HEADER,
    SignatureInvalid,
    SignedPurpose,
    is_webhook_id,
    verify,
)

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 50
# Maximum bytes of a sidecar's webhook, which has a single key.
_SIDECAR_BYTES_MAX = 4 * 1024
# Time after which a provider that did not answer is queried again.
_RETRY = timedelta(minutes=1)


class WebhookNews(Protocol):
    """Content of a webhook."""

    @property
    def keys(self) -> Sequence[UUID]:
        """Return our keys of the payouts, screenings and applications that changed."""
        ...

    @property
    def credits(self) -> bool:
        """Return whether there are new credits."""
        ...


class WebhookReader(Protocol):
    """Package that verifies webhooks of its provider."""

    async def read_webhook(self, headers: Mapping[str, str], body: bytes) -> WebhookNews:
        """Return the content of a webhook; raises `KeyInvalid`, `Unavailable` and `Unclear`."""
        ...


# Function called in a transaction with the provider, our key and the time.
ExchangeNote = Callable[[Tx, str, UUID, datetime], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class ProviderWebhooks:
    """Receives webhooks, and lets the worker query what they announce.

    `rails` is None without a providers file: then no provider is known. `readers` are the packages;
    all other providers are sidecars, which sign their webhooks. `note_exchange` marks the answer to
    a travel rule inquiry to be read; it returns whether the key is one of this provider.
    """

    database: Database
    ledger: Ledger
    clock: Clock
    rails: ProviderRails | None
    screener: ProviderScreener | None = None
    readers: Mapping[str, WebhookReader] = field(default_factory=dict[str, WebhookReader])
    note_exchange: ExchangeNote | None = None

    async def receive(self, provider: str, headers: Mapping[str, str], body: bytes) -> None:
        """Verify a webhook, and mark its order or credits to be queried.

        Names of headers are in lower case. Raises `ResourceNotFound` and `KeyInvalid`, and `Busy`
        if a package can't verify it now.
        """
        settings = None if self.rails is None else self.rails.routes.sidecars.get(provider)
        if settings is None:
            raise ResourceNotFound("there is no such provider")
        if (reader := self.readers.get(provider)) is not None:
            await self._read(provider, reader, headers, body)
            return
        if len(body) > _SIDECAR_BYTES_MAX:
            raise BodyTooLarge
        webhook_id, at = headers.get(WEBHOOK_ID_HEADER, ""), self.clock.now()
        try:
            verify(
                settings.keys,
                headers,
                SignedPurpose.WEBHOOK,
                webhook_id,
                body,
                at_s=int(at.timestamp()),
            )
            message = msgspec.json.decode(body, type=SidecarWebhook)
        except (SignatureInvalid, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise KeyInvalid("this webhook is not validly signed") from None
        if not is_webhook_id(webhook_id):
            raise KeyInvalid("this webhook has no valid id")
        if not await self.database.transact(
            lambda tx: self._note(tx, provider, message, webhook_id, at)
        ):
            raise ResourceNotFound("there is no such order, and no such poll")

    async def _read(
        self, provider: str, reader: WebhookReader, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Let a package verify a webhook, and mark what it announces; unknown keys are ignored."""
        try:
            news = await reader.read_webhook(headers, body)
        except (Unavailable, Unclear) as error:
            _log.warning("provider.webhook_unread", provider=provider, reason=str(error))
            raise Busy("this webhook can't be read now") from error
        # Ids of a provider's webhooks have many forms, if they exist: a repeated webhook causes
        # another query.
        webhook_id, at = str(new_id()), self.clock.now()
        for key in news.keys:
            message = SidecarWebhook(key=key)
            await self.database.transact(
                lambda tx, message=message: self._note(tx, provider, message, webhook_id, at)
            )
        if news.credits:
            message = SidecarWebhook(credits=True)
            await self.database.transact(
                lambda tx: self._note(tx, provider, message, webhook_id, at)
            )

    async def _note(
        self, tx: Tx, provider: str, message: SidecarWebhook, webhook_id: str, at: datetime
    ) -> bool:
        """Mark what a webhook announces to be queried; return whether all of it is known."""
        is_known = message.key is not None or message.credits
        if (key := message.key) is not None:
            is_known &= (
                await order_store.note_webhook(tx, provider, key, webhook_id, at=at)
                or await screening_store.note_webhook(tx, provider, key, at=at)
                or await application_store.note_webhook(tx, provider, key, at=at)
                or (
                    self.note_exchange is not None
                    and await self.note_exchange(tx, provider, key, at)
                )
            )
        if message.credits:
            is_known &= await credit_store.poll_soon(tx, provider, at)
        return is_known

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Query what webhooks have announced; return whether there may be more."""
        if self.rails is None:
            return False
        until = self.clock.now()
        found = await self.database.single(
            lambda tx: order_store.due(tx, list(offsets), until, limit=BATCH_SIZE)
        )
        # Queries are concurrent, so that a provider without an answer delays the batch only once.
        await asyncio.gather(
            *(
                self._recheck(each, self.rails, self.clock.now(offsets[each.org_id]), until)
                for each in found
            )
        )
        more = await self._recheck_screenings(offsets)
        return more or len(found) == BATCH_SIZE

    async def _recheck(
        self, order: ProviderOrder, rails: ProviderRails, at: datetime, until: datetime
    ) -> None:
        # Every failure postpones the query: those that fail each time must not fill every batch.
        next_at: datetime | None = until + _RETRY
        with logged_failures(busy="provider.busy", failed="provider.failed", order=str(order.key)):
            try:
                await self._query(order, rails, at)
                next_at = None
            except (Unavailable, Unclear) as error:
                _log.debug("provider.unanswered", order=str(order.key), reason=str(error))
            finally:
                await self.database.transact(
                    lambda tx: order_store.end_recheck(tx, order, until=until, next_at=next_at)
                )

    async def _recheck_screenings(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Query the screenings that webhooks have announced; return whether there may be more."""
        screener, until = self.screener, self.clock.now()
        if screener is None:
            return False
        found = await self.database.single(
            lambda tx: screening_store.due(tx, list(offsets), until, limit=BATCH_SIZE)
        )
        await asyncio.gather(
            *(
                self._recheck_screening(each, screener, self.clock.now(offsets[each.org_id]), until)
                for each in found
            )
        )
        return len(found) == BATCH_SIZE

    async def _recheck_screening(
        self,
        screening: ProviderScreening,
        screener: ProviderScreener,
        at: datetime,
        until: datetime,
    ) -> None:
        next_at: datetime | None = until + _RETRY
        key = screening.key
        with logged_failures(busy="provider.busy", failed="provider.failed", order=str(key)):
            try:
                answered = await screener.recheck(screening, at)
                if answered is not None and answered.state is not screening.state:
                    await self._look_now(screening.org_id, key, at)
                next_at = None
            except (Unavailable, Unclear) as error:
                _log.debug("provider.unanswered", order=str(key), reason=str(error))
            finally:
                await self.database.transact(
                    lambda tx: screening_store.end_recheck(
                        tx, screening, until=until, next_at=next_at
                    )
                )

    async def _query(self, order: ProviderOrder, rails: ProviderRails, at: datetime) -> None:
        """Query an order; if its state changed, make its record due now."""
        found = await rails.query(order, at)
        if found is None or found.state is order.state:
            return
        await self._look_now(order.org_id, order.record_id, at)

    async def _look_now(self, org_id: UUID, record_id: UUID, at: datetime) -> None:
        record = await self.ledger.find(org_id, record_id)
        if record is not None and record.due_at is not None and record.due_at > at:
            await self.ledger.postpone(record, at)
