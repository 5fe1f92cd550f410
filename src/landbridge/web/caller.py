"""Who is calling: what every route knows after the gate."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from landbridge.core.errors import RoleNotAllowed


@dataclass(frozen=True, slots=True)
class Caller:
    """The organisation behind an API key, its clock, and whether the key may decide reviews."""

    org_id: UUID
    key_id: UUID
    clock_offset: timedelta
    # The default is the weaker one, so that nobody becomes a reviewer by an oversight.
    can_review: bool = False

    @property
    def actor(self) -> str:
        """How the change log names this caller."""
        return f"key:{self.key_id}"


def check_reviewer(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide reviews."""
    if not caller.can_review:
        raise RoleNotAllowed


ApiRequest: TypeAlias = Request[Caller, None, State]
