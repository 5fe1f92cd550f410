"""What couriers before have written of events that the log is read for once more."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.changes.model import Place
from landbridge.db.pool import Tx
from landbridge.events.model import Event
from landbridge.events.service import Reading
from landbridge.webhooks.delivering import delivery_store
from landbridge.webhooks.model import Endpoint


@dataclass(slots=True)
class Left:
    """Rows of an endpoint's round behind the place that its log was read to.

    A courier that ended in the middle has left some: not all that it read was sent yet. Of an
    object everything before such a row is done with: it has a row too, or was not for the endpoint
    when it was read, and would come after what was sent by now.
    """

    endpoint: Endpoint
    # Behind that, nobody has written anything; None: nobody has anywhere.
    _end: Place | None = field(default=None, init=False)
    # Of each object the latest of them.
    _latest: dict[UUID, tuple[int, int]] = field(
        default_factory=dict[UUID, tuple[int, int]], init=False
    )

    async def look(self, tx: Tx) -> None:
        """Find out whether there are any; before the first is written.

        What waits behind a row that is gone is let go.
        """
        each = self.endpoint
        await delivery_store.let_go(tx, each.org_id, each.id)
        self._end = await delivery_store.last(
            tx, each.org_id, each.id, round_=each.round, after=each.read_to
        )
        if self._end is not None:
            self._latest = await delivery_store.latest(
                tx, each.org_id, each.id, round_=each.round, after=each.read_to
            )

    def sift(self, reading: Reading) -> Sequence[Event]:
        """The events of a reading that are not done with."""
        if self._end is None:
            return reading.events
        events = [each for each in reading.events if not self._is_done(each)]
        if reading.end >= self._end:
            self._end, self._latest = None, {}
        return events

    def _is_done(self, event: Event) -> bool:
        latest = self._latest.get(event.key.object_id)
        return latest is not None and (event.key.seq, event.key.part) <= latest
