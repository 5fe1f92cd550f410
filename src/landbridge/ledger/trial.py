"""A trial: what is done only to see what would come of it, and leaves nothing behind.

On its way a create makes what is missing for it: accounts of a wallet that is older than an asset,
an organisation's first address. In a trial that is read as empty, and not made.
"""

from contextvars import ContextVar
from uuid import UUID


class Trial:
    """What a trial found missing of the books, as (id, wallet, asset) of accounts."""

    __slots__ = ("missing",)

    def __init__(self) -> None:
        self.missing: list[tuple[UUID, UUID, str]] = []


# Of what is done now; None for what is meant.
TRIAL: ContextVar[Trial | None] = ContextVar("trial", default=None)
