"""From events to requests: what is shown, in the endpoint's spelling, and the proof of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog

from landbridge import __version__
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy
from landbridge.db.pool import Database
from landbridge.events.envelopes import envelope
from landbridge.events.model import Event
from landbridge.events.names import is_wanted, spelled
from landbridge.events.service import Events
from landbridge.web.outbound import Answer, Outbound
from landbridge.webhooks import answers
from landbridge.webhooks.delivering.bag import Parcel
from landbridge.webhooks.delivering.forced import ForcedDeliveries, ForcedDelivery
from landbridge.webhooks.delivering.partitions import Partitions
from landbridge.webhooks.flags import Flags
from landbridge.webhooks.model import (
    ANSWER_BYTES_MAX,
    ATTEMPT_TIMEOUT_S,
    EXCERPT_LENGTH_MAX,
    KIND,
    Delivery,
    Endpoint,
    Spelling,
)
from landbridge.webhooks.service import Endpoints
from landbridge.webhooks.signing import Signer

_log = structlog.stdlib.get_logger()

_WHY_NOT_SHOWN = "this event could not be shown; this is our fault"
_FIXED = {"Content-Type": "application/json", "User-Agent": f"Landbridge/{__version__}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """What couriers work with."""

    database: Database
    clock: Clock
    events: Events
    endpoints: Endpoints
    outbound: Outbound
    forced: ForcedDeliveries
    flags: Flags
    partitions: Partitions


@dataclass(frozen=True, slots=True)
class Letter:
    """A request that is ready to be sent."""

    body: bytes
    headers: dict[str, str]


def is_for(endpoint: Endpoint, event: Event) -> bool:
    """Whether an endpoint is told of an event."""
    if event.change.at < endpoint.begins_at:
        return False
    if event.change.kind == KIND:
        # A test is for the endpoint that it tests, whatever that one listens to.
        return event.change.object_id == endpoint.id
    return is_wanted(endpoint.event_types, event.type)


def held_until(parcel: Parcel, now: datetime) -> datetime | None:
    """Until when a sandbox lets a parcel wait; None if it may go."""
    until = None if parcel.forced is None else parcel.forced.waits_until
    return until if until is not None and now < until else None


async def pack(
    office: Office, org_id: UUID, events: Sequence[Event], rows: Sequence[Delivery | None]
) -> list[Parcel]:
    """A parcel of each event; with its row, if it has one, and what was answered to that."""
    if not events:
        return []
    known = [each for each in rows if each is not None]
    known = await answers.opened(office.database, office.endpoints.vault, org_id, known)
    by_id = {each.id: each for each in known}
    shown = await _shown(office.events, org_id, events)
    about = [(each.change.object_id, each.change.at) for each in events]
    forced = await _planned(office.forced, org_id, about)
    return [
        Parcel(event, data, row and by_id[row.id], forced.get(event.change.object_id))
        for event, data, row in zip(events, shown, rows, strict=True)
    ]


async def _planned(
    forced: ForcedDeliveries, org_id: UUID, about: Sequence[tuple[UUID, datetime]]
) -> Mapping[UUID, ForcedDelivery]:
    """What a sandbox makes of each; nothing if that can't be found out."""
    try:
        return await forced.of(org_id, about)
    except Busy:
        raise
    except Exception as error:  # noqa: BLE001  a plan must not stop what it is not about
        _log.error("webhooks.plan_not_found", org_id=str(org_id), exc_info=error)
        return {}


async def _shown(events: Events, org_id: UUID, wanted: Sequence[Event]) -> Sequence[bytes | None]:
    """What each shows; None for one that can't be shown, which must not hold up the others."""
    try:
        return await events.shown(org_id, wanted)
    except Busy:
        raise
    except Exception as error:  # noqa: BLE001  one event must not stop the others
        if len(wanted) == 1:
            key = wanted[0].key.text
            _log.error("webhooks.event_not_shown", event_id=key, exc_info=error)
            return [None]
    return [(await _shown(events, org_id, [each]))[0] for each in wanted]


async def letters(
    endpoint: Endpoint, signer: Signer, parcels: Sequence[Parcel], *, now: datetime, real: datetime
) -> list[Letter]:
    """The request of each parcel; `now` is the organisation's time, `real` ours.

    Signing takes longer than all the rest together, so it is done beside it, several at once.
    """
    is_created = endpoint.spelling is Spelling.CREATED
    types = [spelled(each.event.type, is_created=is_created) for each in parcels]
    bodies = [
        envelope(each.event, each.data or b"null", type_=type_, timestamp=now)
        for each, type_ in zip(parcels, types, strict=True)
    ]
    ids = [each.event.key.text for each in parcels]
    proofs = await asyncio.to_thread(_proofs, signer, ids, bodies, real)
    return [
        Letter(
            body,
            {
                **_FIXED,
                **proof,
                "Landbridge-Event-Id": event_id,
                "Landbridge-Event-Type": type_,
                "Landbridge-Attempt": str(each.row.attempt_count + 1 if each.row else 1),
            },
        )
        for each, type_, event_id, body, proof in zip(
            parcels, types, ids, bodies, proofs, strict=True
        )
    ]


def unsent(parcel: Parcel, at: datetime) -> Answer | None:
    """What stands for an answer if nothing is sent: it can't be shown, or a sandbox fails it."""
    if parcel.data is None:
        return Answer(None, _WHY_NOT_SHOWN, None, 0)
    until = None if parcel.forced is None else parcel.forced.fails_until
    if parcel.forced is None or until is None or at >= until:
        return None
    return Answer(None, parcel.forced.error, None, 0)


async def post(
    office: Office, endpoint: Endpoint, parcel: Parcel, letter: Letter
) -> Sequence[Answer]:
    """Send it; twice at once if a sandbox says so."""
    copies = 2 if parcel.forced is not None and parcel.forced.is_twice else 1
    if copies == 1:
        return [await _post(office, endpoint, letter)]
    return await asyncio.gather(*(_post(office, endpoint, letter) for _ in range(copies)))


async def _post(office: Office, endpoint: Endpoint, letter: Letter) -> Answer:
    return await office.outbound.post(
        endpoint.url,
        body=letter.body,
        headers=letter.headers,
        timeout_s=ATTEMPT_TIMEOUT_S,
        read_max=ANSWER_BYTES_MAX,
        text_max=EXCERPT_LENGTH_MAX,
        share=endpoint.org_id,
    )


def _proofs(
    signer: Signer, ids: Sequence[str], bodies: Sequence[bytes], at: datetime
) -> list[dict[str, str]]:
    return [
        signer.headers(event_id=event_id, body=body, at=at)
        for event_id, body in zip(ids, bodies, strict=True)
    ]
