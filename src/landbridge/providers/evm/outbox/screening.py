"""What the outbox needs of the screening of addresses."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID


class DestinationScreening(Protocol):
    """Screens the destinations of orders once more before they are signed."""

    async def find_refusals(
        self, payments: Sequence[tuple[UUID, Sequence[str]]]
    ) -> list[str | None]:
        """Return for each payment why its organisation may not pay its addresses; None if it may.

        Each is an organisation and the destinations. The sentence is shown to customers.
        """
        ...
