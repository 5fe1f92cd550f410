"""What a request made."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A thing that a request id stands for, without what is personal of it.

    `owner_id` is the thing or the user that it belongs to, where it is found below that; `status`
    is None for what has none, `is_final` False while something is still to become of the request.
    """

    id: UUID
    created_at: datetime
    updated_at: datetime
    owner_id: UUID | None = None
    status: str | None = None
    is_final: bool = True
