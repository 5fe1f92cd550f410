"""Deliveries: listing and resending.

Guarantees:
- A resent delivery is retried for another 24 hours, and keeps its `eventId`.
- Resending everything since a time includes pending deliveries: none is lost, and none overtakes an
  earlier event of its object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.developers.events.model import Event, EventKey
from landbridge.developers.events.service import Events
from landbridge.developers.webhooks import delivery_list_store as lists
from landbridge.developers.webhooks import receiver_responses, resend_store
from landbridge.developers.webhooks.delivery_list_store import DeliverySearch
from landbridge.developers.webhooks.model import (
    DELIVERY_KIND,
    KIND,
    PENDING_MAX,
    READ_AGAIN_EVERY,
    RESENT_MAX,
    RETRY_WINDOW,
    Delivery,
    DeliveryFilters,
    DeliveryPage,
    ResendResult,
    ResendSelection,
)
from landbridge.developers.webhooks.repeated_requests import stored_result
from landbridge.developers.webhooks.resend_store import Progress
from landbridge.developers.webhooks.service import Endpoints
from landbridge.platform.changes import service as changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.pagination import PagePosition, PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim

# Newest deliveries that one page of a search scans.
SCAN_MAX = 10_000
# Deliveries of one event: some for each endpoint, one more for each replay round.
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
_CHANGE_KIND = "resend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """Deliveries of all organisations, for as long as events are retained."""

    database: Database
    clock: Clock
    events: Events
    endpoints: Endpoints
    scan_max: int = SCAN_MAX

    async def page(
        self,
        caller: Caller,
        endpoint_id: UUID,
        filters: DeliveryFilters,
        window: PageWindow,
        after: PagePosition | None,
    ) -> DeliveryPage:
        """Return deliveries to an endpoint, newest first. A long search may end a page early.

        `after` is the end of the previous page and overrides the window's `before`. Raises
        `ResourceNotFound` for an unknown endpoint.
        """
        await self.endpoints.get(caller.org_id, endpoint_id)
        search = DeliverySearch(
            org_id=caller.org_id,
            endpoint_id=endpoint_id,
            filters=filters,
            before=after or window.position,
            since=max(window.since, self._since(caller.clock_offset)),
            scan_max=self.scan_max,
        )

        async def work(tx: Tx) -> DeliveryPage:
            found = await lists.page(tx, search, window.limit)
            if len(found) == window.limit:
                last = found[-1]
                return DeliveryPage(deliveries=found, next=PagePosition(last.created_at, last.id))
            return DeliveryPage(deliveries=found, next=await lists.end(tx, search))

        found = await self.database.transact(work)
        return replace(found, deliveries=await self._opened(caller.org_id, found.deliveries))

    async def page_of_event(
        self,
        caller: Caller,
        endpoint_id: UUID,
        key: EventKey,
        *,
        filters: DeliveryFilters,
        window: PageWindow,
        after: PagePosition | None,
    ) -> DeliveryPage:
        """Return the deliveries of an event to one endpoint; none for an unknown event."""
        await self.endpoints.get(caller.org_id, endpoint_id)
        event = (await self.events.find(caller.org_id, [key])).get(key)
        found = () if event is None else await self.of_event(caller.org_id, event)
        before = after or window.position
        since = max(window.since, self._since(caller.clock_offset))
        matching = [
            each
            for each in found
            if each.endpoint_id == endpoint_id
            and since <= each.created_at
            and before.precedes(each)
            and _matches(each, filters)
        ]
        page = matching[: window.limit]
        end = PagePosition(page[-1].created_at, page[-1].id) if matching != page else None
        return DeliveryPage(deliveries=page, next=end)

    async def of_event(self, org_id: UUID, event: Event) -> Sequence[Delivery]:
        """Return an event's deliveries to all endpoints, newest first, with their last attempts."""
        found = await self.database.single(
            lambda tx: lists.of_event(
                tx, org_id, event.key, place=event.change.place, limit=OF_EVENT_MAX
            )
        )
        return await self._opened(org_id, found)

    async def get(self, caller: Caller, endpoint_id: UUID, delivery_id: UUID) -> Delivery:
        """Return a delivery with its attempts; raises `ResourceNotFound`."""
        await self.endpoints.get(caller.org_id, endpoint_id)
        found = await self.database.single(
            lambda tx: self._get(tx, caller, endpoint_id, delivery_id)
        )
        return (await self._opened(caller.org_id, [found]))[0]

    async def resend(
        self,
        caller: Caller,
        endpoint_id: UUID,
        delivery_id: UUID,
        *,
        claim: Claim = no_claim,
    ) -> Delivery:
        """Retry a delivery at once, whatever its status.

        A delivery behind an earlier event of the same object still waits for it. Raises
        `ResourceNotFound`, and `RoleNotAllowed`.
        """
        check_editor(caller)
        at = self.clock.now(caller.clock_offset)

        async def work(tx: Tx) -> Delivery:
            await self._lock(tx, caller.org_id, endpoint_id)
            await self._get(tx, caller, endpoint_id, delivery_id)
            await claim(tx, delivery_id)
            # Version of the delivery, not of the endpoint, so its worker need not restart.
            await changes.append_next_change(
                tx,
                org_id=caller.org_id,
                object_id=delivery_id,
                kind=DELIVERY_KIND,
                change_type=_CHANGE_KIND,
                actor=caller.actor,
                at=at,
                facts={"webhookId": str(endpoint_id)},
            )
            await resend_store.resend(
                tx=tx,
                org_id=caller.org_id,
                endpoint_id=endpoint_id,
                delivery_id=delivery_id,
                at=at,
                deadline_at=at + RETRY_WINDOW,
            )
            return await self._get(tx, caller, endpoint_id, delivery_id)

        resent = await self.database.transact(work)
        return (await self._opened(caller.org_id, [resent]))[0]

    async def resend_since(
        self,
        caller: Caller,
        endpoint_id: UUID,
        since: datetime,
        only: ResendSelection,
        *,
        claim: Claim = no_claim,
    ) -> ResendResult:
        """Deliver again what happened at or after this organisation time.

        Events past their retention are not resent. Raises `FieldInvalid` for a future time,
        `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` if the same was requested just
        before or too many deliveries are pending.
        """
        check_editor(caller)
        at = self.clock.now(caller.clock_offset)
        if since > at:
            raise FieldInvalid("since is still to come", field="since")
        since = max(since, self._since(caller.clock_offset))
        match only:
            case ResendSelection.ALL:
                return await self._resend_all(caller, endpoint_id, since, at, claim=claim)
            case ResendSelection.FAILED:
                return await self._resend_failed(caller, endpoint_id, since, at, claim=claim)

    async def _resend_all(
        self, caller: Caller, endpoint_id: UUID, since: datetime, at: datetime, *, claim: Claim
    ) -> ResendResult:
        org_id = caller.org_id
        position, real_now = await self.events.position_at(org_id, since), self.clock.now()
        has_begun = False
        begun = ResendResult(since=since, only=ResendSelection.ALL, count=None, has_more=False)

        async def work(tx: Tx) -> None:
            nonlocal has_begun
            now = await self._lock(tx, org_id, endpoint_id)
            if has_begun and now.replay_requested_at == real_now:
                return  # by an attempt whose commit was not acknowledged
            await claim(tx, endpoint_id, stored_result(begun))
            if (
                now.replay_requested_at is not None
                and real_now < now.replay_requested_at + READ_AGAIN_EVERY
            ):
                raise ResourceConflict(_JUST_BEGUN)
            has_begun = True
            # Unread events are delivered anyway and must not be skipped.
            then = Progress(now.version, min(now.read_to, position), now.round + 1, real_now)
            facts = {"since": since.isoformat(), "only": ResendSelection.ALL}
            await _record_change(tx, caller, endpoint_id, now, facts=facts, at=at)
            await resend_store.read_again(tx, org_id, endpoint_id, then, since=since, at=at)

        await self.database.transact(work)
        return begun

    async def _resend_failed(
        self, caller: Caller, endpoint_id: UUID, since: datetime, at: datetime, *, claim: Claim
    ) -> ResendResult:
        org_id = caller.org_id

        async def work(tx: Tx) -> ResendResult:
            progress = await self._lock(tx, org_id, endpoint_id)
            if await resend_store.pending(tx, org_id, endpoint_id) > PENDING_MAX:
                raise ResourceConflict(_TOO_MANY_WAIT)
            facts = {"since": since.isoformat(), "only": ResendSelection.FAILED}
            await _record_change(tx, caller, endpoint_id, progress, facts=facts, at=at)
            count = await resend_store.resend_failed(
                tx=tx,
                org_id=org_id,
                endpoint_id=endpoint_id,
                since=since,
                limit=RESENT_MAX,
                at=at,
                deadline_at=at + RETRY_WINDOW,
            )
            has_more = await resend_store.has_failed(tx, org_id, endpoint_id, since=since)
            resent = ResendResult(
                since=since, only=ResendSelection.FAILED, count=count, has_more=has_more
            )
            await claim(tx, endpoint_id, stored_result(resent))
            return resent

        return await self.database.transact(work)

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
        """Return the deliveries with their responses, except those whose owner was erased."""
        return await receiver_responses.opened(self.database, self.endpoints.vault, org_id, found)

    def _since(self, offset: timedelta) -> datetime:
        """Return the earliest retained time."""
        return self.clock.now(offset) - self.events.retention


async def _record_change(
    tx: Tx,
    caller: Caller,
    endpoint_id: UUID,
    progress: Progress,
    *,
    facts: Mapping[str, str],
    at: datetime,
) -> None:
    """Record in the log who requested the resend."""
    seq = progress.version + 1
    await resend_store.count(tx, caller.org_id, endpoint_id, seq)
    await changes.append_change(
        tx,
        org_id=caller.org_id,
        object_id=endpoint_id,
        seq=seq,
        kind=KIND,
        change_type=_CHANGE_KIND,
        actor=caller.actor,
        at=at,
        facts=facts,
    )


def _matches(delivery: Delivery, filters: DeliveryFilters) -> bool:
    statuses, types = filters.statuses, filters.event_types
    return (statuses is None or delivery.status in statuses) and (
        types is None or delivery.event_type in types
    )
