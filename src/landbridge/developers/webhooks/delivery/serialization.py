"""Serialization: turns events into signed requests in the endpoint's spelling."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog

from landbridge import __version__
from landbridge.developers.events.envelopes import envelope
from landbridge.developers.events.model import Event
from landbridge.developers.events.names import matches_any, sent_type
from landbridge.developers.events.service import Events
from landbridge.developers.webhooks import receiver_responses
from landbridge.developers.webhooks.delivery.delivery_queue import QueuedEvent
from landbridge.developers.webhooks.delivery.partitions import Partitions
from landbridge.developers.webhooks.delivery.scripted_outcomes import (
    ScriptedDeliveries,
    ScriptedDelivery,
)
from landbridge.developers.webhooks.flags import EndpointFlags
from landbridge.developers.webhooks.model import (
    ANSWER_BYTES_MAX,
    ATTEMPT_TIMEOUT_S,
    EXCERPT_LENGTH_MAX,
    KIND,
    Delivery,
    Endpoint,
    EventNameSpelling,
)
from landbridge.developers.webhooks.service import Endpoints
from landbridge.developers.webhooks.signing import Signer
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.db.clock_check import ClockCheck
from landbridge.platform.db.pool import Database
from landbridge.platform.http.egress import Egress, EgressResponse

_log = structlog.stdlib.get_logger()

_PAYLOAD_FAILED = "this event could not be shown; this is our fault"
_FIXED_HEADERS = {"Content-Type": "application/json", "User-Agent": f"Landbridge/{__version__}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerDependencies:
    """Dependencies of endpoint workers."""

    database: Database
    clock: Clock
    events: Events
    endpoints: Endpoints
    egress: Egress
    scripted_deliveries: ScriptedDeliveries
    flags: EndpointFlags
    partitions: Partitions
    clock_check: ClockCheck


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A signed request ready to send."""

    body: bytes
    headers: dict[str, str]


def is_for(endpoint: Endpoint, event: Event) -> bool:
    """Return whether an endpoint receives an event."""
    if event.change.occurred_at < endpoint.starts_at:
        return False
    if event.change.kind == KIND:
        # A test event goes to the tested endpoint, whatever its patterns are.
        return event.change.object_id == endpoint.id
    return matches_any(endpoint.event_types, event.type)


def delayed_until(queued: QueuedEvent, now: datetime) -> datetime | None:
    """Return until when a scripted outcome delays an event; None if it may be sent."""
    until = None if queued.scripted is None else queued.scripted.waits_until
    return until if until is not None and now < until else None


async def queue_events(
    deps: WorkerDependencies,
    org_id: UUID,
    events: Sequence[Event],
    rows: Sequence[Delivery | None],
) -> list[QueuedEvent]:
    """Return a queued event for each event, with its row and stored responses if any."""
    if not events:
        return []
    known = [each for each in rows if each is not None]
    known = await receiver_responses.opened(deps.database, deps.endpoints.vault, org_id, known)
    by_id = {each.id: each for each in known}
    payloads = await _payloads(deps.events, org_id, events)
    occurred = [(each.change.object_id, each.change.occurred_at) for each in events]
    planned = await _planned(deps.scripted_deliveries, org_id, occurred)
    return [
        QueuedEvent(event, data, row and by_id[row.id], planned.get(event.change.object_id))
        for event, data, row in zip(events, payloads, rows, strict=True)
    ]


async def _planned(
    scripted_deliveries: ScriptedDeliveries,
    org_id: UUID,
    occurred: Sequence[tuple[UUID, datetime]],
) -> Mapping[UUID, ScriptedDelivery]:
    """Return the scripted outcome of each event; nothing if they cannot be read."""
    try:
        return await scripted_deliveries.of(org_id, occurred)
    except Busy:
        raise
    except Exception as error:  # noqa: BLE001  a failing plan must not stop deliveries
        _log.error("webhooks.plan_not_found", org_id=str(org_id), exc_info=error)
        return {}


async def _payloads(
    reader: Events, org_id: UUID, events: Sequence[Event]
) -> Sequence[bytes | None]:
    """Return the payloads; None for one that fails, so that it does not block the others."""
    try:
        return await reader.payloads(org_id, events)
    except Busy:
        raise
    except Exception as error:  # noqa: BLE001  one event must not stop the others
        if len(events) == 1:
            key = events[0].key.text
            _log.error("webhooks.event_not_shown", event_id=key, exc_info=error)
            return [None]
    return [(await _payloads(reader, org_id, [each]))[0] for each in events]


async def sign_requests(
    endpoint: Endpoint,
    signer: Signer,
    batch: Sequence[QueuedEvent],
    *,
    now: datetime,
    signed_at: datetime,
) -> list[SignedRequest]:
    """Return the signed requests; `now` is the organisation's time, `signed_at` is real time.

    Signing takes longer than all other work, so several run concurrently in threads.
    """
    is_created = endpoint.event_name_spelling is EventNameSpelling.CREATED
    patterns = endpoint.event_types
    types = [sent_type(each.event.type, patterns, is_created=is_created) for each in batch]
    bodies = [
        envelope(each.event, each.data or b"null", type_=type_, timestamp=now)
        for each, type_ in zip(batch, types, strict=True)
    ]
    ids = [each.event.key.text for each in batch]
    signatures = await asyncio.to_thread(_sign_all, signer, ids, bodies, signed_at)
    return [
        SignedRequest(
            body,
            {
                **_FIXED_HEADERS,
                **signature,
                "Landbridge-Event-Id": event_id,
                "Landbridge-Event-Type": type_,
                "Landbridge-Attempt": str(each.row.attempt_count + 1 if each.row else 1),
            },
        )
        for each, type_, event_id, body, signature in zip(
            batch, types, ids, bodies, signatures, strict=True
        )
    ]


def unsent_outcome(queued: QueuedEvent, at: datetime) -> EgressResponse | None:
    """Return the outcome of an event that is not sent: no payload, or a scripted failure."""
    if queued.data is None:
        return EgressResponse(None, _PAYLOAD_FAILED, None, 0)
    until = None if queued.scripted is None else queued.scripted.fails_until
    if queued.scripted is None or until is None or at >= until:
        return None
    return EgressResponse(None, queued.scripted.error, None, 0)


async def post(
    deps: WorkerDependencies, endpoint: Endpoint, queued: QueuedEvent, signed: SignedRequest
) -> Sequence[EgressResponse]:
    """Send the request; twice at once if scripted so."""
    copies = 2 if queued.scripted is not None and queued.scripted.is_twice else 1
    if copies == 1:
        return [await _post(deps, endpoint, signed)]
    return await asyncio.gather(*(_post(deps, endpoint, signed) for _ in range(copies)))


async def _post(
    deps: WorkerDependencies, endpoint: Endpoint, signed: SignedRequest
) -> EgressResponse:
    return await deps.egress.post(
        endpoint.url,
        body=signed.body,
        headers=signed.headers,
        timeout_s=ATTEMPT_TIMEOUT_S,
        read_max=ANSWER_BYTES_MAX,
        text_max=EXCERPT_LENGTH_MAX,
        share=endpoint.org_id,
    )


def _sign_all(
    signer: Signer, ids: Sequence[str], bodies: Sequence[bytes], at: datetime
) -> list[dict[str, str]]:
    return [
        signer.headers(event_id=event_id, body=body, at=at)
        for event_id, body in zip(ids, bodies, strict=True)
    ]
