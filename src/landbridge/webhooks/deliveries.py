"""What was delivered: looked at, and sent again.

Guarantees:
- what is sent again has another 24 hours, and keeps its `eventId`;
- everything since a time means what is still to be delivered, too: nothing that waits is lost by
  asking for more, nor does it overtake an earlier event of its object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.changes import service as changes
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.events.model import Event, EventKey
from landbridge.events.service import Events
from landbridge.web.caller import Caller, check_editor
from landbridge.webhooks import answers, resend_store
from landbridge.webhooks import delivery_list_store as lists
from landbridge.webhooks.model import (
    DELIVERY_KIND,
    KIND,
    PATIENCE,
    PENDING_MAX,
    READ_AGAIN_EVERY,
    RESENT_MAX,
    Delivery,
    DeliveryFilters,
    DeliveryPage,
    DeliveryPosition,
    Resending,
    Resent,
)
from landbridge.webhooks.resend_store import Progress
from landbridge.webhooks.service import Endpoints

# Of the newest deliveries, for one page of a search.
LOOKED_AT_MAX = 10_000
# Of one event: some for each endpoint, one more for each round.
OF_EVENT_MAX = 100
_UNKNOWN = "there is no such delivery to this endpoint"
_JUST_BEGUN = (
    "everything was asked for again here less than "
    f"{READ_AGAIN_EVERY // timedelta(seconds=1)} seconds ago; wait, and ask once"
)
_TOO_MANY_WAIT = (
    f"more than {PENDING_MAX} deliveries to this endpoint wait already; ask again once they are "
    "delivered"
)
# Of the log of changes.
_WHAT = "resend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """Deliveries of all organisations, for as long as events are kept."""

    database: Database
    clock: Clock
    events: Events
    endpoints: Endpoints
    looked_at_max: int = LOOKED_AT_MAX

    async def page(
        self,
        caller: Caller,
        endpoint_id: UUID,
        filters: DeliveryFilters,
        window: Window,
        after: DeliveryPosition | None,
    ) -> DeliveryPage:
        """Deliveries to an endpoint, newest first. A search through very many may end a page early.

        `after` is where the page before ended, and wins over the window's `before`. Raises
        `ResourceNotFound` for an endpoint that is not there.
        """
        await self.endpoints.get(caller.org_id, endpoint_id)
        before = after or DeliveryPosition(*_bound(window))
        since = max(window.since, self._since(caller.clock_offset))

        async def work(tx: Tx) -> DeliveryPage:
            found = await lists.page(
                *(tx, caller.org_id, endpoint_id),
                filters=filters,
                before=before,
                since=since,
                looked_at_max=self.looked_at_max,
                limit=window.limit,
            )
            if len(found) == window.limit:
                last = found[-1]
                return DeliveryPage(
                    deliveries=found, next=DeliveryPosition(last.created_at, last.id)
                )
            end = await lists.end(
                *(tx, caller.org_id, endpoint_id),
                filters=filters,
                before=before,
                since=since,
                looked_at_max=self.looked_at_max,
            )
            return DeliveryPage(deliveries=found, next=end)

        found = await self.database.transact(work)
        return replace(found, deliveries=await self._opened(caller.org_id, found.deliveries))

    async def page_of_event(
        self,
        caller: Caller,
        endpoint_id: UUID,
        key: EventKey,
        *,
        filters: DeliveryFilters,
        window: Window,
        after: DeliveryPosition | None,
    ) -> DeliveryPage:
        """What an event came to at an endpoint; nothing for one that there is not."""
        await self.endpoints.get(caller.org_id, endpoint_id)
        event = (await self.events.find(caller.org_id, [key])).get(key)
        found = () if event is None else await self.of_event(caller.org_id, event)
        before = after or DeliveryPosition(*_bound(window))
        since = max(window.since, self._since(caller.clock_offset))
        wanted = [
            each
            for each in found
            if each.endpoint_id == endpoint_id
            and since <= each.created_at
            and (each.created_at, each.id) < before
            and _fits(each, filters)
        ]
        shown = wanted[: window.limit]
        end = DeliveryPosition(shown[-1].created_at, shown[-1].id) if wanted != shown else None
        return DeliveryPage(deliveries=shown, next=end)

    async def of_event(self, org_id: UUID, event: Event) -> Sequence[Delivery]:
        """What an event came to at every endpoint, newest first, each with its last attempt."""
        found = await self.database.single(
            lambda tx: lists.of_event(
                tx, org_id, event.key, event_tx=event.change.tx, limit=OF_EVENT_MAX
            )
        )
        return await self._opened(org_id, found)

    async def get(self, caller: Caller, endpoint_id: UUID, delivery_id: UUID) -> Delivery:
        """A delivery with its attempts; raises `ResourceNotFound`."""
        await self.endpoints.get(caller.org_id, endpoint_id)
        found = await self.database.single(
            lambda tx: self._get(tx, caller, endpoint_id, delivery_id)
        )
        return (await self._opened(caller.org_id, [found]))[0]

    async def resend(self, caller: Caller, endpoint_id: UUID, delivery_id: UUID) -> Delivery:
        """Try a delivery again at once, whatever became of it.

        One that waits for an earlier event of the same object goes on waiting for it. Raises
        `ResourceNotFound`, and `RoleNotAllowed`.
        """
        check_editor(caller)
        at = self.clock.now(caller.clock_offset)

        async def work(tx: Tx) -> Delivery:
            await self._lock(tx, caller.org_id, endpoint_id)
            await self._get(tx, caller, endpoint_id, delivery_id)
            # Of the delivery, not of the endpoint: whoever delivers there need not begin anew.
            await changes.tell_next(
                tx,
                org_id=caller.org_id,
                object_id=delivery_id,
                kind=DELIVERY_KIND,
                what=_WHAT,
                actor=caller.actor,
                at=at,
                facts={"webhookId": str(endpoint_id)},
            )
            await resend_store.resend(
                *(tx, caller.org_id, endpoint_id, delivery_id),
                at=at,
                gives_up_at=at + PATIENCE,
            )
            return await self._get(tx, caller, endpoint_id, delivery_id)

        resent = await self.database.transact(work)
        return (await self._opened(caller.org_id, [resent]))[0]

    async def resend_since(
        self, caller: Caller, endpoint_id: UUID, since: datetime, only: Resending
    ) -> Resent:
        """Deliver again what happened at this moment of the organisation or later.

        Of what is older than events are kept, nothing is. Raises `FieldInvalid` for a moment that
        is still to come, `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` where the
        same was asked for just before, or too much waits already.
        """
        check_editor(caller)
        at = self.clock.now(caller.clock_offset)
        if since > at:
            raise FieldInvalid("since is still to come", field="since")
        since = max(since, self._since(caller.clock_offset))
        match only:
            case Resending.ALL:
                return await self._resend_all(caller, endpoint_id, since, at)
            case Resending.FAILED:
                return await self._resend_failed(caller, endpoint_id, since, at)

    async def _resend_all(
        self, caller: Caller, endpoint_id: UUID, since: datetime, at: datetime
    ) -> Resent:
        org_id = caller.org_id
        place, real = await self.events.place_of(org_id, since), self.clock.now()
        has_begun = False

        async def work(tx: Tx) -> None:
            nonlocal has_begun
            now = await self._lock(tx, org_id, endpoint_id)
            if has_begun and now.read_again_at == real:
                return  # by an attempt whose commit was not heard of
            if now.read_again_at is not None and real < now.read_again_at + READ_AGAIN_EVERY:
                raise ResourceConflict(_JUST_BEGUN)
            has_begun = True
            # What was not read yet is delivered anyway, and must not be skipped.
            then = Progress(now.version, min(now.read_to, place), now.round + 1, real)
            facts = {"since": since.isoformat(), "only": Resending.ALL}
            await _tell(tx, caller, endpoint_id, now, facts=facts, at=at)
            await resend_store.read_again(tx, org_id, endpoint_id, then, since=since, at=at)

        await self.database.transact(work)
        return Resent(since=since, only=Resending.ALL, count=None, has_more=False)

    async def _resend_failed(
        self, caller: Caller, endpoint_id: UUID, since: datetime, at: datetime
    ) -> Resent:
        org_id = caller.org_id

        async def work(tx: Tx) -> tuple[int, bool]:
            progress = await self._lock(tx, org_id, endpoint_id)
            if await resend_store.pending(tx, org_id, endpoint_id) > PENDING_MAX:
                raise ResourceConflict(_TOO_MANY_WAIT)
            facts = {"since": since.isoformat(), "only": Resending.FAILED}
            await _tell(tx, caller, endpoint_id, progress, facts=facts, at=at)
            count = await resend_store.resend_failed(
                *(tx, org_id, endpoint_id),
                since=since,
                limit=RESENT_MAX,
                at=at,
                gives_up_at=at + PATIENCE,
            )
            return count, await resend_store.has_failed(tx, org_id, endpoint_id, since=since)

        count, has_more = await self.database.transact(work)
        return Resent(since=since, only=Resending.FAILED, count=count, has_more=has_more)

    async def _lock(self, tx: Tx, org_id: UUID, endpoint_id: UUID) -> Progress:
        progress = await resend_store.lock(tx, org_id, endpoint_id)
        if progress is None:
            raise ResourceNotFound(f"there is no webhook {endpoint_id}")
        return progress

    async def _get(self, tx: Tx, caller: Caller, endpoint_id: UUID, delivery_id: UUID) -> Delivery:
        since = self._since(caller.clock_offset)
        found = await lists.find(tx, caller.org_id, endpoint_id, delivery_id, since=since)
        if found is None:
            raise ResourceNotFound(_UNKNOWN)
        return found

    async def _opened(self, org_id: UUID, found: Sequence[Delivery]) -> Sequence[Delivery]:
        """With what was answered, unless whose that is was erased."""
        return await answers.opened(self.database, self.endpoints.vault, org_id, found)

    def _since(self, offset: timedelta) -> datetime:
        """The earliest moment of which anything is kept."""
        return self.clock.now(offset) - self.events.kept


async def _tell(
    tx: Tx,
    caller: Caller,
    endpoint_id: UUID,
    progress: Progress,
    *,
    facts: Mapping[str, str],
    at: datetime,
) -> None:
    """Who asked for it stands in the log."""
    seq = progress.version + 1
    await resend_store.count(tx, caller.org_id, endpoint_id, seq)
    await changes.tell(
        tx,
        org_id=caller.org_id,
        object_id=endpoint_id,
        seq=seq,
        kind=KIND,
        what=_WHAT,
        actor=caller.actor,
        at=at,
        facts=facts,
    )


def _bound(window: Window) -> tuple[datetime, UUID]:
    position = window.position
    return position.created_at.astimezone(UTC), position.id


def _fits(delivery: Delivery, filters: DeliveryFilters) -> bool:
    statuses, types = filters.statuses, filters.event_types
    return (statuses is None or delivery.status in statuses) and (
        types is None or delivery.event_type in types
    )
