"""Dispatcher of exchanges: sends due messages, several concurrently.

Guarantees:
- A provider that answers slowly, or never, delays only its own messages: the concurrent messages of
  one organisation, and of one host in it, are bounded.
- A message that fails unexpectedly stops no other one.
- Messages about an organisation's payments come before its answers to inquiries, because anybody
  may send inquiries.
"""

import asyncio
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from landbridge.customers.travel_exchanges import queue_store
from landbridge.customers.travel_exchanges.deliveries import ExchangeDeliveries
from landbridge.customers.travel_exchanges.model import LEASE, Exchange
from landbridge.platform.db.failures import logged_failures

# Most messages in progress: in a worker, of one organisation, and of one host in it.
RUNNING_MAX: Final = 64
ORG_RUNNING_MAX: Final = 8
HOST_RUNNING_MAX: Final = 4
_SHUTDOWN_WAIT_S: Final = 3.0


@dataclass(slots=True)
class ExchangeDispatcher:
    """Sends the messages of all organisations; one in each worker."""

    deliveries: ExchangeDeliveries
    _running: dict[asyncio.Task[None], Exchange] = field(
        default_factory=dict["asyncio.Task[None]", Exchange], init=False
    )

    async def run_once(self, org_ids: Collection[UUID]) -> bool:
        """Start due messages within the limits; return whether more may be started now."""
        exchanges = self.deliveries.exchanges
        now = exchanges.clock.now()
        by_org = Counter(each.org_id for each in self._running.values())
        by_host = Counter((each.org_id, each.host) for each in self._running.values())
        free = RUNNING_MAX - len(self._running)
        takers = [each for each in org_ids if by_org[each] < ORG_RUNNING_MAX]
        full = [each for each, count in by_host.items() if count >= HOST_RUNNING_MAX]
        if not takers or free <= 0:
            return False
        due = await exchanges.database.read(
            lambda tx: queue_store.due(
                tx,
                takers,
                now,
                except_hosts=full,
                org_max=ORG_RUNNING_MAX,
                host_max=HOST_RUNNING_MAX,
                limit=free,
            )
        )
        started = 0
        for each in due:
            host = (each.org_id, each.host)
            if by_org[each.org_id] >= ORG_RUNNING_MAX or by_host[host] >= HOST_RUNNING_MAX:
                continue
            claimed = await exchanges.database.single(
                lambda tx, found=each: queue_store.claim(tx, found, now + LEASE)
            )
            if claimed:
                by_org[each.org_id] += 1
                by_host[host] += 1
                started += 1
                task = asyncio.create_task(self._run(each))
                self._running[task] = each
                task.add_done_callback(self._running.pop)
        return started == free

    async def finish(self) -> None:
        """Wait until all messages in progress have ended."""
        while self._running:
            await asyncio.gather(*self._running)

    async def close(self) -> None:
        """Wait a while for messages in progress, then cancel them: another worker sends them."""
        running = list(self._running)
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=_SHUTDOWN_WAIT_S)
        for each in late:
            each.cancel()
        for each in late:
            with suppress(asyncio.CancelledError):
                await each

    async def _run(self, exchange: Exchange) -> None:
        with logged_failures(
            busy="travel_rule.busy", failed="travel_rule.failed", id=str(exchange.id)
        ):
            await self.deliveries.run(exchange)
