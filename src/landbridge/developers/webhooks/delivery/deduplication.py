"""Deliveries already recorded for events that are read again after a restart."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.developers.events.service import EventBatch
from landbridge.developers.webhooks.delivery import delivery_store
from landbridge.developers.webhooks.model import Endpoint
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Tx


@dataclass(slots=True)
class RecordedDeliveries:
    """Rows of an endpoint's replay round after its read cursor.

    A worker that stopped midway leaves some, because it had not sent all that it read. Every
    earlier event of the same object is finished: it has a row too, or the endpoint did not
    subscribe to it when it was read, and sending it now would break the order.
    """

    endpoint: Endpoint
    # No row exists after this change; None: no row exists at all.
    _end: LogPosition | None = field(default=None, init=False)
    # The latest event of each object that has a row.
    _latest: dict[UUID, tuple[int, int]] = field(
        default_factory=dict[UUID, tuple[int, int]], init=False
    )

    async def load(self, tx: Tx) -> None:
        """Find recorded rows; called before the first write.

        Also releases deliveries that wait behind a deleted row.
        """
        each = self.endpoint
        await delivery_store.release_waiting(tx, each.org_id, each.id)
        self._end = await delivery_store.last(
            tx, each.org_id, each.id, round_=each.round, after=each.read_to
        )
        if self._end is not None:
            self._latest = await delivery_store.latest(
                tx, each.org_id, each.id, round_=each.round, after=each.read_to
            )

    def unrecorded(self, reading: EventBatch) -> Sequence[Event]:
        """Return the events of a batch that are not recorded yet."""
        if self._end is None:
            return reading.events
        events = [each for each in reading.events if not self._is_done(each)]
        if reading.end >= self._end:
            self._end, self._latest = None, {}
        return events

    def _is_done(self, event: Event) -> bool:
        latest = self._latest.get(event.key.object_id)
        return latest is not None and (event.key.seq, event.key.part) <= latest
