"""Entries of the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class ActorType(StrEnum):
    """Type of an actor."""

    KEY = "key"
    MEMBER = "member"
    CLI = "cli"
    PERSON = "person"  # a person on a hosted form, such as `person:terms`
    WORKER = "worker"
    BANK = "bank"
    RULE = "rule"


# Actors who decide: API keys, team members, the operator's commands, and people on hosted forms.
DECIDING = frozenset({ActorType.KEY, ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})
# Actors with few changes: an index of their own finds these.
PEOPLE = frozenset({ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogFilters:
    """Filters of the audit log; a filter that is None matches every change."""

    actor_types: frozenset[ActorType] = DECIDING
    actor_id: str | None = None
    kind: str | None = None
    object_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogEntry:
    """One change and its actor."""

    object_id: UUID
    seq: int
    occurred_at: datetime
    actor: str
    kind: str
    change_type: str
    status_before: str | None
    status_after: str | None
    facts: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Return the id of the entry: the object's id and the number of the change."""
        return f"{self.object_id}.{self.seq}"

    @property
    def actor_type(self) -> str:
        """Return the type of the actor: the part before the colon."""
        return self.actor.partition(":")[0]

    @property
    def actor_id(self) -> str | None:
        """Return the id of the actor: the part after the colon; None without one."""
        return self.actor.partition(":")[2] or None


@dataclass(frozen=True, slots=True)
class AuditLogPage:
    """Page of entries, newest first; `next` is the cursor of the next page, None on the last."""

    entries: Sequence[AuditLogEntry]
    next: datetime | None
