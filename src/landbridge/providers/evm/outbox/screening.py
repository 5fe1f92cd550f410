"""What the outbox needs of the screening of addresses."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID


class DestinationScreening(Protocol):
    """Screens the destinations of orders once more before they are signed."""

    async def find_refusal(self, org_id: UUID, destinations: Sequence[str]) -> str | None:
        """Return why an organisation may not pay these addresses; None if it may.

        The sentence is shown to customers.
        """
        ...
