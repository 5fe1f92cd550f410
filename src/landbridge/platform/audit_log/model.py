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
    PERSON = "person"  # of a hosted form, such as `person:terms`
    WORKER = "worker"
    BANK = "bank"
    RULE = "rule"


# Actors who decide: an organisation's programs, its people, its operator, its users.
DECIDING = frozenset({ActorType.KEY, ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})
# Rare actors: these have an index of their own.
PEOPLE = frozenset({ActorType.MEMBER, ActorType.CLI, ActorType.PERSON})


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogFilters:
    """Filters; None does not filter."""

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
        """Which change of which object."""
        return f"{self.object_id}.{self.seq}"

    @property
    def actor_type(self) -> str:
        """Return the first part of the actor."""
        return self.actor.partition(":")[0]

    @property
    def actor_id(self) -> str | None:
        """Return the second part of the actor, if it has one."""
        return self.actor.partition(":")[2] or None


@dataclass(frozen=True, slots=True)
class AuditLogPage:
    """Entries, newest first; `next` is the cursor, None at the end."""

    entries: Sequence[AuditLogEntry]
    next: datetime | None
