"""Start of a container: connects to the database, checks it, and wires the services over it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from landbridge.app.container.container import Container, wire
from landbridge.app.settings import Settings
from landbridge.ledger.functions import check_functions
from landbridge.platform.core.clock import Clock, ReadingClock, StandbyClock
from landbridge.platform.core.errors import ReadOnlyServer
from landbridge.platform.db.migrate import MigrationRejected, pending
from landbridge.platform.db.pool import Database
from landbridge.platform.db.promotion import run_on_promotion
from landbridge.platform.db.replica import Replica
from landbridge.platform.orgs.clock_nodes import ClockNodeLease
from landbridge.platform.orgs.database_mode import claim_mode


@asynccontextmanager
async def open_container(
    settings: Settings,
    dsn: str,
    *,
    name: str,
    writes: bool = True,
    reads_on_standby: bool = False,
) -> AsyncGenerator[Container]:
    """Connect and wire. `name` appears in pg_stat_activity; without `writes` nothing is stamped.

    With `reads_on_standby` a standby can be read until it is promoted. Without, and with `writes`,
    it raises `ReadOnlyServer`.

    Raises `MigrationRejected` if the database does not have the tables of this version,
    `ModeMismatch` if it was begun in another mode, and `SealBroken` if a master key that sealed
    something is missing or another one.
    """
    async with AsyncExitStack() as stack:
        database = await _connect(settings, dsn, name=name, size_max=settings.pool_size)
        stack.push_async_callback(database.close)
        await _check_tables(database)
        await claim_mode(database, settings.mode)
        is_standby = reads_on_standby and not await database.is_writable()
        lease = ClockNodeLease(database)
        await stack.enter_async_context(lease.renewing())
        clock = StandbyClock() if is_standby else await _clock(lease, writes=writes)
        container = wire(settings, database, clock)
        await database.transact(container.vault.check_seal)
        if isinstance(clock, StandbyClock):
            begun = _begin_on(settings, container, clock, lease)
            await stack.enter_async_context(_promotable(settings, dsn, name, database, begun))
        try:
            yield container
        finally:
            await _close(container)
        # A standby notes no use of keys.
        with suppress(ReadOnlyServer):
            await container.orgs.note_use()


async def _connect(settings: Settings, dsn: str, *, name: str, size_max: int) -> Database:
    return await Database.connect(
        settings.pooler_url or dsn,
        name=name,
        size_max=size_max,
        pooler=settings.pooler,
        replica=await _replica(settings, name),
    )


async def _replica(settings: Settings, name: str) -> Replica | None:
    dsn = settings.read_database_url
    if dsn is None:
        return None
    return await Replica.open(dsn, name=name, size_max=settings.pool_size)


async def _check_tables(database: Database) -> None:
    if missing := await pending(database):
        names = ", ".join(each.name for each in missing)
        raise MigrationRejected(
            f"The database lacks migrations ({names}). Run `landbridge migrate` first."
        )
    await check_functions(database)


async def _clock(lease: ClockNodeLease, *, writes: bool) -> Clock:
    return Clock(await lease.acquire()) if writes else ReadingClock()


def _begin_on(
    settings: Settings, container: Container, clock: StandbyClock, lease: ClockNodeLease
) -> Callable[[], Awaitable[None]]:
    """Return what does on the promotion what a start on a primary does."""
    database = container.database

    async def begin() -> None:
        await claim_mode(database, settings.mode)
        await database.transact(container.vault.check_seal)
        clock.begin(await lease.acquire())

    return begin


@asynccontextmanager
async def _promotable(
    settings: Settings,
    dsn: str,
    name: str,
    database: Database,
    begin: Callable[[], Awaitable[None]],
) -> AsyncGenerator[None]:
    async with AsyncExitStack() as stack:
        probe = await _connect(settings, dsn, name=f"{name} promotion", size_max=1)
        stack.push_async_callback(probe.close)
        async with run_on_promotion(database, probe, begin):
            yield


async def _close(container: Container) -> None:
    await container.scheduler.close()
    await container.incoming_payment_steps.close()
    await container.bank_file_writer.close()
    await container.inbox_reader.close()
    await container.verification.runner.close()
    await container.dispatcher.close()
    await container.exchange_dispatcher.close()
    await container.egress.close()
    await container.vasp_egress.close()
    for each in (container.evm, container.providers):
        if each is not None:
            await each.close()
