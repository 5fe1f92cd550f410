"""What a courier writes down at once: how far it has come, and what became of deliveries."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.privacy.service import Vault
from landbridge.reporting import deliveries
from landbridge.webhooks import answers
from landbridge.webhooks.delivering import delivery_store, turn_store
from landbridge.webhooks.delivering.bag import Load
from landbridge.webhooks.delivering.counting import delivered
from landbridge.webhooks.delivering.turn_store import Standing, Turn
from landbridge.webhooks.flags import Flags
from landbridge.webhooks.model import Delivery, DeliveryStatus, Endpoint


@dataclass(frozen=True, slots=True)
class Written:
    """What stands once a load is written.

    `checked` are the objects that were looked at, `pending` those that have pending rows still;
    `version` is the endpoint's if a flag of ours has changed it.
    """

    standing: Standing
    checked: Collection[UUID]
    pending: Collection[UUID]
    is_flagged: bool
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """A load, for one transaction; `until` is real time, `at` the organisation's."""

    turn: Turn
    endpoint: Endpoint
    load: Load
    until: datetime
    at: datetime
    is_flagged: bool
    vault: Vault

    async def write(self, tx: Tx, flags: Flags) -> Written | None:
        """Write it all, or nothing if the turn is lost: None."""
        standing = await turn_store.hold(
            tx,
            self.turn,
            round_=self.endpoint.round,
            version=self.endpoint.version,
            until=self.until,
            read_to=self.load.read_to,
        )
        if standing is None:
            return None
        ids = (self.endpoint.org_id, self.endpoint.id)
        new, changed = self.load.new, self.load.changed
        sealed = await answers.seal(tx, self.vault, self.endpoint.org_id, (*new, *changed))
        if new:
            await delivery_store.add(tx, *ids, sealed[: len(new)])
        if changed:
            await delivery_store.change(tx, *ids, sealed[len(new) :])
        again = [each for each in changed if each.status is DeliveryStatus.PENDING]
        if again:
            await delivery_store.wait_behind(tx, *ids, again)
        await deliveries.count(tx, *ids, delivered((*new, *changed)))
        checked = self._moved()
        pending = await self._let_go(tx, checked) if checked else ()
        is_flagged, version = await self._flag(tx, flags)
        return Written(standing, checked, pending, is_flagged, version)

    def _moved(self) -> set[UUID]:
        """Objects whose next event may have come to its turn."""
        finished = [each for each in self.load.changed if each.status is not DeliveryStatus.PENDING]
        behind = [
            each
            for each in self.load.new
            if each.status is DeliveryStatus.PENDING and each.due_at is None
        ]
        return {each.key.object_id for each in (*finished, *behind)}

    async def _let_go(self, tx: Tx, objects: Collection[UUID]) -> set[UUID]:
        """Make the first of each object due if nothing is before it; those that have any."""
        ids = (self.endpoint.org_id, self.endpoint.id)
        firsts = await delivery_store.first(tx, *ids, objects)
        waiting = [each for each in firsts if each.due_at is None]
        if waiting:
            await delivery_store.make_due(tx, *ids, waiting, self.at)
        return {each.object_id for each in firsts}

    async def _flag(self, tx: Tx, flags: Flags) -> tuple[bool, int | None]:
        """Whether the endpoint is flagged from now on, and its version if that is new."""
        rows = (*self.load.new, *self.load.changed)
        given_up = [each for each in rows if each.status is DeliveryStatus.GIVEN_UP]
        if given_up:
            return True, await flags.put_up(tx, self.endpoint, _reason(given_up[-1]), self.at)
        if self.is_flagged and any(each.status is DeliveryStatus.DELIVERED for each in rows):
            version = await flags.take_down(tx, self.endpoint, self.at)
            return version is None, version
        return self.is_flagged, None


def _reason(row: Delivery) -> str:
    last = row.attempts[-1] if row.attempts else None
    if last is None or last.status is None:
        return last.error if last is not None and last.error is not None else "never tried"
    return f"answered {last.status}"
