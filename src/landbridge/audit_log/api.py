"""Routes of the audit log: /v2/audit-log. Ours."""

from collections.abc import Mapping
from typing import Annotated, Any

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from landbridge.audit_log.model import DECIDING, ActorType, Entry, Filters
from landbridge.audit_log.service import AuditLog
from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id, words
from landbridge.web.reply import Moment, WireStruct, moment

# Kinds whose facts are settings and decisions; those of money and of people stay out.
_TOLD = (
    "ORG",
    "API_KEY",
    "PRICE",
    "FEE",
    "CLOCK",
    "SANDBOX.",
    "BANK.",
    "APPROVAL",
    "WEBHOOK",
    "REPORT.",
    "LIMITS",
    "MEMBER",
)
_WORD_LENGTH_MAX = 100

_ActorTypes = Annotated[
    list[str] | None,
    QueryParameter(
        name="actorType",
        description="Only what these did: key, member, cli, person, worker, bank, rule; repeated "
        "or with commas. The first four if left out.",
    ),
]
_ActorId = Annotated[
    str | None,
    QueryParameter(name="actorId", description="Only what this key or member did."),
]
_Kind = Annotated[
    str | None, QueryParameter(name="kind", description="Only this kind, as in API_KEY.")
]
_ObjectId = Annotated[
    str | None, QueryParameter(name="objectId", description="Only what happened to this object.")
]


class ActorReply(WireStruct, frozen=True):
    """Who did it; `id` is null for commands, the worker, the bank and rules."""

    type: str
    id: str | None


class EntryReply(WireStruct, frozen=True):
    """What somebody did. `at` is in the organisation's time."""

    id: str
    at: Moment
    actor: ActorReply
    kind: str
    what: str
    object_id: str
    status_before: str | None
    status_after: str | None
    facts: dict[str, Any]


class AuditLogReply(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `cursor`."""

    count: int
    entries: list[EntryReply]
    next_cursor: Moment | None


class AuditLogRoutes(Controller):
    """Who did what."""

    path = "/v2/audit-log"
    tags = ("Service",)

    @get(summary="List who did what")
    async def page(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        audit_log: NamedDependency[AuditLog],
        window: NamedDependency[Window],
        actor_type: _ActorTypes = None,
        actor_id: _ActorId = None,
        kind: _Kind = None,
        object_id: _ObjectId = None,
    ) -> AuditLogReply:
        """Newest first. What is in here can't be edited.

        A page has some more entries than were asked for where several were made at one moment, and
        fewer where a search looked at very many; go on while there is a `nextCursor`.
        """
        filters = Filters(
            actor_types=words("actorType", actor_type, ActorType) or DECIDING,
            actor_id=_short("actorId", actor_id),
            kind=_short("kind", kind),
            object_id=optional_id("objectId", object_id),
        )
        found = await audit_log.page(request.user.org_id, filters, window)
        return AuditLogReply(
            count=len(found.entries),
            entries=[_reply(each) for each in found.entries],
            next_cursor=None if found.next is None else moment(found.next),
        )


def _reply(entry: Entry) -> EntryReply:
    return EntryReply(
        id=entry.id,
        at=moment(entry.at),
        actor=ActorReply(type=entry.actor_type, id=entry.actor_id),
        kind=entry.kind,
        what=entry.what,
        object_id=str(entry.object_id),
        status_before=entry.status_before,
        status_after=entry.status_after,
        facts=_facts(entry.kind, entry.facts),
    )


def _facts(kind: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that are numbers, words and answers to yes or no, of kinds whose facts are told."""
    if not kind.startswith(_TOLD):
        return {}
    return {
        name: value
        for name, value in facts.items()
        if isinstance(value, str | int | bool) or value is None
    }


def _short(name: str, text: str | None) -> str | None:
    if text is not None and len(text) > _WORD_LENGTH_MAX:
        raise FieldInvalid(f"{name} must have at most {_WORD_LENGTH_MAX} characters", field=name)
    return text
