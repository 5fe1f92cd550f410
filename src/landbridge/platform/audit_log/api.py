"""Routes of the audit log: /v2/audit-log. Ours."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.platform.audit_log.model import DECIDING, ActorType, AuditLogEntry, AuditLogFilters
from landbridge.platform.audit_log.service import AuditLog
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, query, some_of, text
from landbridge.platform.http.list_query import optional_id, parse_choices
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of

# Kinds of changes with facts that the audit log shows: settings, decisions. Facts about money and
# about people are not shown.
_KINDS_WITH_FACTS = (
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
    "ADDRESS_POLICY",
    "SWAP_PROVIDERS",
    "MEMBER",
    "CHAIN.",
    "NUMBER",
    "PAYEE",
    "RECONCILIATION.",
    "TRAVEL_RULE",
)
_WORD_LENGTH_MAX = 100

_ActorTypes = Annotated[
    list[str] | None,
    query(
        "actorType",
        some_of(ActorType),
        description="Only what these did: key, member, cli, person, worker, bank, rule; repeated "
        "or with commas. The first four if left out.",
    ),
]
_ActorId = Annotated[
    str | None,
    query("actorId", text(_WORD_LENGTH_MAX), description="Only what this key or member did."),
]
_Kind = Annotated[
    str | None, query("kind", text(_WORD_LENGTH_MAX), description="Only this kind, as in API_KEY.")
]
_ObjectId = Annotated[
    str | None, query("objectId", IDENTIFIER, description="Only what happened to this object.")
]


class ActorReply(WireStruct, frozen=True):
    """Actor of a change; `id` is null for commands, the worker, the bank and rules."""

    type: str
    id: str | None


class AuditLogEntryReply(WireStruct, frozen=True):
    """An action. `at` is in the organisation's time."""

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
    """A page, newest first; pass `nextCursor` as `cursor` to continue."""

    count: int
    entries: list[AuditLogEntryReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class AuditLogRoutes(Controller):
    """Read the audit log."""

    path = "/v2/audit-log"
    tags = ("Service",)

    @get(summary="List who did what", operation_id="auditLog.list")
    async def page(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        audit_log: NamedDependency[AuditLog],
        window: NamedDependency[PageWindow],
        actor_type: _ActorTypes = None,
        actor_id: _ActorId = None,
        kind: _Kind = None,
        object_id: _ObjectId = None,
    ) -> AuditLogReply:
        """Newest first. Entries can't be edited.

        A page has some more entries than requested if several were recorded at the same time, and
        fewer if a search scanned very many; continue while there is a `nextCursor`.
        """
        filters = AuditLogFilters(
            actor_types=parse_choices("actorType", actor_type, ActorType) or DECIDING,
            actor_id=_short("actorId", actor_id),
            kind=_short("kind", kind),
            object_id=optional_id("objectId", object_id),
        )
        found = await audit_log.page(request.user.org_id, filters, window)
        return AuditLogReply(
            count=len(found.entries),
            entries=[_reply(each) for each in found.entries],
            next_cursor=msgspec.UNSET if found.next is None else moment(found.next),
        )


def _reply(entry: AuditLogEntry) -> AuditLogEntryReply:
    return reply_of(
        entry,
        AuditLogEntryReply,
        at=moment(entry.occurred_at),
        actor=ActorReply(type=entry.actor_type, id=entry.actor_id),
        what=entry.change_type,
        object_id=str(entry.object_id),
        facts=_facts(entry.kind, entry.facts),
    )


def _facts(kind: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change's numbers, strings and booleans, if its kind's facts are shown."""
    if not kind.startswith(_KINDS_WITH_FACTS):
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
