"""Delivery writer: stores the read cursor and the outcomes of deliveries in one transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.developers.webhooks import receiver_responses
from landbridge.developers.webhooks.delivery import delivery_store, lease_store
from landbridge.developers.webhooks.delivery.counts import delivered
from landbridge.developers.webhooks.delivery.delivery_queue import WriteBatch
from landbridge.developers.webhooks.delivery.lease_store import EndpointLease, LeaseState
from landbridge.developers.webhooks.delivery.serialization import WorkerDependencies
from landbridge.developers.webhooks.flags import EndpointFlags
from landbridge.developers.webhooks.model import Delivery, DeliveryStatus, Endpoint
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault
from landbridge.reporting import delivery_counts


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of a write.

    `checked` are the objects that were checked, `pending` those that still have pending rows.
    `version` is the endpoint's if we changed its flag.
    """

    lease_state: LeaseState
    checked: Collection[UUID]
    pending: Collection[UUID]
    is_flagged: bool
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryWriter:
    """One batch for one transaction; `until` is real time, `at` the organisation's."""

    lease: EndpointLease
    endpoint: Endpoint
    batch: WriteBatch
    until: datetime
    at: datetime
    is_flagged: bool
    vault: Vault

    async def commit(self, deps: WorkerDependencies) -> WriteResult | None:
        """Write the whole batch in a transaction; return None if nothing may be written any more.

        That is so if the lease is lost, or if the clock is ahead: by it deliveries are given up.
        """
        if await deps.clock_check.is_ahead():
            return None
        await deps.partitions.create()
        return await deps.database.transact(lambda tx: self.write(tx, deps.flags))

    async def write(self, tx: Tx, flags: EndpointFlags) -> WriteResult | None:
        """Write the whole batch; return None and write nothing if the lease is lost."""
        lease_state = await lease_store.renew(
            tx,
            self.lease,
            round_=self.endpoint.round,
            version=self.endpoint.version,
            until=self.until,
            read_to=self.batch.read_to,
        )
        if lease_state is None:
            return None
        ids = (self.endpoint.org_id, self.endpoint.id)
        new, changed = self.batch.new, self.batch.changed
        sealed = await receiver_responses.seal(
            tx, self.vault, self.endpoint.org_id, (*new, *changed)
        )
        if new:
            await delivery_store.add(tx, *ids, sealed[: len(new)])
        if changed:
            await delivery_store.change(tx, *ids, sealed[len(new) :])
        retried = [each for each in changed if each.status is DeliveryStatus.PENDING]
        if retried:
            await delivery_store.wait_behind(tx, *ids, retried)
        await delivery_counts.count(tx, *ids, delivered((*new, *changed)))
        checked = self._objects_to_check()
        pending = await self._release_waiting(tx, checked) if checked else ()
        is_flagged, version = await self._flag(tx, flags)
        return WriteResult(lease_state, checked, pending, is_flagged, version)

    def _objects_to_check(self) -> set[UUID]:
        """Return the objects whose next event may now be first."""
        finished = [
            each for each in self.batch.changed if each.status is not DeliveryStatus.PENDING
        ]
        waiting_rows = [
            each
            for each in self.batch.new
            if each.status is DeliveryStatus.PENDING and each.due_at is None
        ]
        return {each.key.object_id for each in (*finished, *waiting_rows)}

    async def _release_waiting(self, tx: Tx, objects: Collection[UUID]) -> set[UUID]:
        """Make the first pending row of each object due; return the objects that have any."""
        ids = (self.endpoint.org_id, self.endpoint.id)
        firsts = await delivery_store.first(tx, *ids, objects)
        waiting = [each for each in firsts if each.due_at is None]
        if waiting:
            await delivery_store.make_due(tx, *ids, waiting, self.at)
        return {each.object_id for each in firsts}

    async def _flag(self, tx: Tx, flags: EndpointFlags) -> tuple[bool, int | None]:
        """Update the endpoint's flag; return whether it is set, and its version if changed."""
        rows = (*self.batch.new, *self.batch.changed)
        given_up = [each for each in rows if each.status is DeliveryStatus.GIVEN_UP]
        if given_up:
            return True, await flags.set_flag(tx, self.endpoint, _reason(given_up[-1]), self.at)
        if self.is_flagged and any(each.status is DeliveryStatus.DELIVERED for each in rows):
            version = await flags.clear_flag(tx, self.endpoint, self.at)
            return version is None, version
        return self.is_flagged, None


def _reason(row: Delivery) -> str:
    last = row.attempts[-1] if row.attempts else None
    if last is None or last.status is None:
        return last.error if last is not None and last.error is not None else "never tried"
    return f"answered {last.status}"
