"""Wake-ups: due work is announced once committed, and a lost connection is replaced."""

import asyncio

import pytest

from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.wakeups import DueNotifier, due_wakeups

PATIENCE_S = 10.0
# Long enough that a notification which is not held back would have arrived.
QUIET_S = 0.2
_LISTENERS = """
select pg_terminate_backend(pid)
from pg_stat_activity
where query like 'LISTEN%' and datname = current_database()
"""


async def is_woken(wakeup: asyncio.Event, timeout_s: float = PATIENCE_S) -> bool:
    await wait_for_event(wakeup, timeout_s)
    is_set = wakeup.is_set()
    wakeup.clear()
    return is_set


async def test_many_notifications_wake_a_listener_once(
    own_database: Database, own_dsn: str
) -> None:
    notifier = DueNotifier(own_database)
    notifier.start()
    async with due_wakeups(own_dsn) as wakeup:
        # Records that became due before the start are found at the start.
        assert await is_woken(wakeup)
        for _ in range(100):
            notifier.notify()
        assert await is_woken(wakeup)
        assert not await is_woken(wakeup, QUIET_S)


async def test_notification_in_a_transaction_waits_for_its_commit(
    own_database: Database, own_dsn: str
) -> None:
    notifier = DueNotifier(own_database)
    notifier.start()
    async with due_wakeups(own_dsn) as wakeup:
        assert await is_woken(wakeup)

        async def work(tx: Tx) -> None:
            await notifier.notify_in(tx)
            assert not await is_woken(wakeup, QUIET_S)

        await own_database.transact(work)
        assert await is_woken(wakeup)


@pytest.mark.long
async def test_lost_listener_is_replaced(own_database: Database, own_dsn: str) -> None:
    notifier = DueNotifier(own_database)
    notifier.start()
    async with due_wakeups(own_dsn) as wakeup:
        assert await is_woken(wakeup)
        assert await own_database.rows(_LISTENERS)
        # The new connection wakes once for what was missed.
        assert await is_woken(wakeup)
        notifier.notify()
        assert await is_woken(wakeup)


async def test_command_sends_no_notifications(own_database: Database, own_dsn: str) -> None:
    notifier = DueNotifier(own_database)
    async with due_wakeups(own_dsn) as wakeup:
        assert await is_woken(wakeup)
        notifier.notify()
        await own_database.transact(notifier.notify_in)
        assert not await is_woken(wakeup, QUIET_S)


async def test_a_worker_wakes_itself(own_database: Database) -> None:
    woken = asyncio.Event()
    notifier = DueNotifier(own_database)
    notifier.start(woken.set)
    notifier.notify()
    assert woken.is_set()
