"""Who is calling: what every route knows after the gate."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State


@dataclass(frozen=True, slots=True)
class Caller:
    """The organisation behind an API key, and its clock."""

    org_id: UUID
    key_id: UUID
    clock_offset: timedelta

    @property
    def actor(self) -> str:
        """How the change log names this caller."""
        return f"key:{self.key_id}"


ApiRequest: TypeAlias = Request[Caller, None, State]
