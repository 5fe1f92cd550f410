"""The worker process on an existing database, and its command.

It imports neither the API nor the pages.
"""

import asyncio

import click
import uvloop

from landbridge.app.cli_runtime import read_settings_with_database
from landbridge.app.container import make_key, open_container
from landbridge.app.process_lifecycle import on_signals, set_up_logs, watching
from landbridge.app.settings import Settings
from landbridge.app.worker import work
from landbridge.platform.db.schema_watch import SchemaWatch
from landbridge.platform.db.wakeups import due_wakeups
from landbridge.platform.db.worker_shares import dividing
from landbridge.platform.http.dns import shorten_resolver_timeouts
from landbridge.platform.http.fair_semaphore import raise_descriptors


async def run_worker(settings: Settings, dsn: str, *, parent: int | None) -> None:
    """Work until SIGTERM or SIGINT; steps in progress are finished first.

    Raises `SchemaNewer` if it ended because a newer version has migrated the database.
    """
    raise_descriptors()
    shorten_resolver_timeouts()
    make_key(settings)
    stop = asyncio.Event()
    on_signals(stop.set)
    async with (
        open_container(settings, dsn, name="worker") as container,
        due_wakeups(dsn) as wakeup,
        dividing(dsn, container.worker_share),
    ):
        container.due_notifier.start(wakeup.set)
        if container.providers is not None:
            await container.providers.start()
        schema = SchemaWatch(container.database)
        async with watching(parent, schema, stop.set):
            await work(container, stop, wakeup)
    schema.raise_if_newer()


@click.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    chosen, dsn = read_settings_with_database()
    set_up_logs(chosen)
    uvloop.run(run_worker(chosen, dsn, parent=parent))
