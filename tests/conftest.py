"""One real PostgreSQL for the whole run, one migrated database per test process.

Tests share the process's database and keep apart by organisation, as tenants do; a test that
breaks things on purpose takes `own_database`. Set TEST_DATABASE_URL to run on a server
of your own (PostgreSQL 15 or newer, 300 connections); without it the embedded server is started in
a temporary directory.
"""

import asyncio
import io
import os
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx2
import pytest
from hypothesis import HealthCheck, settings

from landbridge import logs
from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.ids import new_id
from landbridge.db.embedded.server import EmbeddedPostgres
from landbridge.db.migrate import migrate
from landbridge.db.pool import Database
from landbridge.ledger.service import Ledger
from landbridge.orgs.service import take_lane
from landbridge.wiring import House, wire
from tests.lost_commits.database import MODES
from tests.tenants import SETTINGS, Tenant, make_tenant, served

# How long an example takes says how busy the machine is, and nothing about what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

_URL = "TEST_DATABASE_URL"
_stops: list[EmbeddedPostgres] = []
_folders: list["tempfile.TemporaryDirectory[str]"] = []

# Races open some fifty, several test processes race at once, and who finds no place answers 503.
_CONNECTIONS_MAX = 300


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs tests on a database which loses the answers to its commits."""
    parser.addoption(
        "--lost-commits",
        choices=[each for each in MODES if each],
        help="lose the answer to each commit: once, or at all attempts but the last",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start the server once: in the controller, before any test process exists."""
    if hasattr(config, "workerinput") or os.environ.get(_URL) or config.option.collectonly:
        return
    folder = tempfile.TemporaryDirectory(prefix="landbridge-tests-")
    server = EmbeddedPostgres.start(Path(folder.name), say=print)
    asyncio.run(_make_room(server.dsn))
    server.stop()
    server = EmbeddedPostgres.start(Path(folder.name), say=print)
    _folders.append(folder)
    _stops.append(server)
    os.environ[_URL] = server.dsn


async def _make_room(dsn: str) -> None:
    """Have the server's next start allow for more connections."""
    database = await Database.connect(dsn, name="tests", size_max=1)
    await database.rows(f"alter system set max_connections = {_CONNECTIONS_MAX}")
    await database.close()


def pytest_unconfigure() -> None:
    """Stop what we started."""
    for server in _stops:
        server.stop()
    for folder in _folders:
        folder.cleanup()
    _stops.clear()
    _folders.clear()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that touch the database, and leave out those that this run is not for."""
    left_out: list[pytest.Item] = []
    is_long_run = "long" in config.option.markexpr
    loses_commits = config.getoption("--lost-commits") is not None
    for item in items:
        if "server_dsn" in getattr(item, "fixturenames", ()):
            item.add_marker("db")
        if item.get_closest_marker("long") is not None and not is_long_run:
            left_out.append(item)
        mark = item.get_closest_marker("one_commit")
        if mark is not None and loses_commits:
            item.add_marker(pytest.mark.skip(reason=mark.kwargs["reason"]))
    config.hook.pytest_deselected(items=left_out)
    items[:] = [each for each in items if each not in set(left_out)]


def on_server(dsn: str, name: str) -> str:
    """The same server's DSN, for the database `name`."""
    parts = urlsplit(dsn)
    return urlunsplit(parts._replace(path=f"/{name}"))


@asynccontextmanager
async def new_database(server_dsn: str, *, is_migrated: bool = True) -> AsyncGenerator[str]:
    """The DSN of a database that nobody else has, dropped in the end."""
    name = f"landbridge_test_{new_id().hex}"
    server = await Database.connect(server_dsn, name="tests", size_max=1)
    await server.rows(f"create database {name}")
    made = on_server(server_dsn, name)
    if is_migrated:
        database = await Database.connect(made, name="tests", size_max=2)
        await migrate(database)
        await database.close()
    yield made
    await server.rows(f"drop database if exists {name} with (force)")
    await server.close()


@pytest.fixture(scope="session")
def server_dsn() -> str:
    return os.environ[_URL]


@pytest.fixture(scope="session")
async def dsn(server_dsn: str) -> AsyncIterator[str]:
    """The DSN of this test process's own migrated database."""
    async with new_database(server_dsn) as made:
        yield made


@pytest.fixture(scope="session")
def database_type(pytestconfig: pytest.Config) -> type[Database]:
    """`Database`, or one that loses the answers to its commits (`--lost-commits`)."""
    return MODES[pytestconfig.getoption("--lost-commits")]


@pytest.fixture(scope="session")
async def database(dsn: str, database_type: type[Database]) -> AsyncIterator[Database]:
    database = await database_type.connect(dsn, name="tests", size_max=12)
    yield database
    await database.close()


@pytest.fixture
async def own_dsn(server_dsn: str) -> AsyncIterator[str]:
    """A migrated database that this test alone may break."""
    async with new_database(server_dsn) as made:
        yield made


@pytest.fixture
async def own_database(own_dsn: str, database_type: type[Database]) -> AsyncIterator[Database]:
    database = await database_type.connect(own_dsn, name="tests", size_max=12)
    yield database
    await database.close()


@pytest.fixture(scope="session")
def clock() -> Clock:
    return Clock(lane=7)


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


@pytest.fixture(scope="session", autouse=True)
def log_stream() -> Iterator[io.BytesIO]:
    """What the process logs, as JSON lines: loggers keep the stream that they first wrote to."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, write_through=True)
    terminal, sys.stderr = sys.stderr, stream
    try:
        logs.set_up(level="debug", is_json=True)
    finally:
        sys.stderr = terminal
    yield written
    stream.detach()


@pytest.fixture
def logged(log_stream: io.BytesIO) -> Callable[[], str]:
    """What has been logged since this test began."""
    begin = len(log_stream.getvalue())

    def since() -> str:
        return log_stream.getvalue()[begin:].decode()

    return since


@pytest.fixture(scope="session")
async def house(database: Database) -> House:
    """Every service, on this test process's database."""
    return wire(SETTINGS, database, Clock(await take_lane(database)))


@pytest.fixture(scope="session")
async def client(house: House) -> AsyncIterator[httpx2.AsyncClient]:
    """HTTP without a key; `org` has one."""
    async with served(house) as client:
        yield client


@pytest.fixture
async def org(house: House, client: httpx2.AsyncClient) -> Tenant:
    """An organisation of this test's own."""
    return await make_tenant(house, client)


@pytest.fixture
async def other_org(house: House, client: httpx2.AsyncClient) -> Tenant:
    """A stranger to `org`."""
    return await make_tenant(house, client, name="Other")


@pytest.fixture(scope="session")
async def still_client(
    database: Database,
) -> AsyncIterator[tuple[House, FrozenClock, httpx2.AsyncClient]]:
    clock = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC), lane=await take_lane(database))
    house = wire(SETTINGS, database, clock)
    async with served(house) as client:
        yield house, clock, client


@pytest.fixture
def still_clock(
    still_client: tuple[House, FrozenClock, httpx2.AsyncClient],
) -> FrozenClock:
    """The time of `still_org`, which passes when a test moves `at`; never back."""
    clock = still_client[1]
    # On the hour: what is stamped a moment ahead crosses no midnight by that. After all stamps: a
    # test that moved the clock back would have those of the next one run ahead by hours.
    latest = max(clock.at, clock.stamp())
    clock.at = (latest + timedelta(hours=1)).replace(minute=0, second=0, microsecond=0)
    return clock


@pytest.fixture
async def still_org(
    still_client: tuple[House, FrozenClock, httpx2.AsyncClient], still_clock: FrozenClock
) -> Tenant:
    """An organisation of this test's own, in a house whose clock stands still."""
    house, _, client = still_client
    return await make_tenant(house, client)
