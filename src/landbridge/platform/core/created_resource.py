"""Resource created by a request."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedResource:
    """Resource that a request id created, without personal data.

    `owner_id` is the resource or user above it in its path, if there is one. `status` is None for a
    resource without statuses; `is_final` is False while the request is still in progress.
    """

    id: UUID
    created_at: datetime
    updated_at: datetime
    owner_id: UUID | None = None
    status: str | None = None
    is_final: bool = True
