"""One real PostgreSQL per test run, one migrated database per test process.

Tests share the process's database, each with its own organisation, as tenants do; a test that
breaks things on purpose takes `own_database`. Set TEST_DATABASE_URL to use your own server
(PostgreSQL 15 or newer, 300 connections); without it the embedded server is started in a temporary
directory.
"""

import asyncio
import functools
import gc
import io
import os
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import uvloop
from _pytest.unraisableexception import gc_collect_iterations_key
from hypothesis import HealthCheck, settings

from landbridge.app.container import Container, wire
from landbridge.dashboard import page_budget
from landbridge.ledger.service import Ledger
from landbridge.platform import logs
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import ClockNodeLease, take_node
from tests.cluster.databases import make_distributed_template, running_cluster
from tests.cluster.left_out import LEFT_OUT
from tests.forked_workers import fork_workers
from tests.lost_commits.database import MODES
from tests.server import RunServer, drop_template, make_template, on_server
from tests.tenants import SETTINGS, Tenant, make_tenant, served

# The duration of an example depends on the load of the machine, not on the tested code.
# `make test` has fewer examples than the long tests, which run everything that plays at random.
settings.register_profile(
    "unhurried",
    max_examples=100 if "HYPOTHESIS_PROFILE" in os.environ else 30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unhurried")

_URL = "TEST_DATABASE_URL"
_TEMPLATE = "TEST_TEMPLATE_DATABASE"
_TESTS = Path(__file__).parent
# Behaviour that may differ between versions of PostgreSQL: the statements, which are all prepared;
# migrations, locks, isolation, and commit order; and the ordinary path of each flow.
_VERSION_DEPENDENT = (
    "ledger",
    "platform/changes",
    "platform/db",
    "races",
    "sandbox/scenarios/test_every_event.py",
    "test_sql_rules.py",
)
# What our own processes do when one is killed, or behind a pooler, is the same on each version.
_OF_PROCESSES = ("kill", "test_pooler", "test_worker_shares")
_stops: list[Callable[[], None]] = []
_RECURSION_LIMIT = 1000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs tests on a database which loses the answers to its commits."""
    parser.addoption(
        "--lost-commits",
        choices=[each for each in MODES if each],
        help="lose the answer to each commit: once, or at all attempts but the last",
    )


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def pytest_configure(config: pytest.Config) -> None:
    """Replace a signal handler and a habit of pytest that cost time."""
    # For other interpreters, pytest collects garbage five times in the end, which takes a second.
    config.stash[gc_collect_iterations_key] = 1
    # As Python's own handler does. `asyncio.Runner` replaces that one at every test and fixture,
    # and then formats the task with everything it refers to: a twentieth of the CPU time.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the server once: in the controller, while another process collects the tests."""
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    _stops.append(fork_workers(session.config))
    if _URL not in os.environ:
        server = RunServer.start()
        _stops.append(server.stop)
        os.environ[_URL] = server.dsn
    nodes = running_cluster()
    if nodes is not None:
        os.environ[_TEMPLATE] = asyncio.run(make_distributed_template(nodes))
        return
    template = asyncio.run(make_template(os.environ[_URL]))
    os.environ[_TEMPLATE] = template
    if len(_stops) == 1:
        _stops.append(lambda: asyncio.run(drop_template(os.environ[_URL], template)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Name the server to a test process, which may have been forked before there was one."""
    node.workerinput["environ"] = {
        name: os.environ[name] for name in (_URL, _TEMPLATE) if name in os.environ
    }


def pytest_unconfigure() -> None:
    """Stop or remove what this run has started."""
    for stop in _stops:
        stop()
    _stops.clear()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing else where only `versions` is tested: collecting took two thirds of it."""
    is_other = collection_path.suffix == ".py" and not _depends_on_version(collection_path)
    return True if is_other and config.option.markexpr.startswith("versions and ") else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage meanwhile: what is collected stays. It takes an eighth of the CPU time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exempt imported and collected objects from garbage collection, a seventh of the CPU time.

    py_ecc, which signing for chains brings, raises the recursion limit to 100,000 on import. Deeply
    nested input would then overflow the C stack instead of being refused.
    """
    sys.setrecursionlimit(_RECURSION_LIMIT)
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that use the database, and deselect those of other runs."""
    left_out: set[pytest.Item] = set()
    is_long_run = "long" in config.option.markexpr
    loses_commits = config.getoption("--lost-commits") is not None
    depends_on_version = functools.cache(_depends_on_version)
    is_on_cluster = running_cluster() is not None
    for item in items:
        if depends_on_version(item.path):
            item.add_marker("versions")
        if "server_dsn" in getattr(item, "fixturenames", ()):
            item.add_marker("db")
        if item.get_closest_marker("long") is not None and not is_long_run:
            left_out.add(item)
        if is_on_cluster and (
            reasons := [why for each, why in LEFT_OUT.items() if _is_of(item, each)]
        ):
            item.add_marker(pytest.mark.skip(reason=reasons[0]))
        mark = item.get_closest_marker("one_commit")
        if mark is not None and loses_commits:
            item.add_marker(pytest.mark.skip(reason=mark.kwargs["reason"]))
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [each for each in items if each not in left_out]
    # Tests of the sources first, hence in one process: each process parses all files once.
    items.sort(key=lambda item: item.path.parent != _TESTS)


def _is_of(item: pytest.Item, name: str) -> bool:
    """Return whether a test is this one, or one of its parameters, module or directory."""
    return item.nodeid == name or item.nodeid.startswith((f"{name}[", f"{name}::", f"{name}/"))


def _depends_on_version(path: Path) -> bool:
    name = path.relative_to(_TESTS).as_posix()
    return name.startswith(_VERSION_DEPENDENT) and not any(each in name for each in _OF_PROCESSES)


@asynccontextmanager
async def new_database(
    server_dsn: str, *, is_migrated: bool = True, copied: str | None = None
) -> AsyncGenerator[str]:
    """Create a database of its own; yield its DSN, and drop it in the end.

    `copied` is the DSN of a database without connections that it starts as a copy of.
    """
    name = f"landbridge_test_{new_id().hex}"
    if is_migrated and (nodes := running_cluster()) is not None:
        yield await nodes.copy_database(name, os.environ[_TEMPLATE])
        await nodes.drop_database(name)
        return
    server = await Database.connect(server_dsn, name="tests", size_max=1)
    template = os.environ[_TEMPLATE] if is_migrated else "template1"
    if copied is not None:
        template = urlsplit(copied).path.removeprefix("/")
    await server.rows(f"create database {name} template {template} strategy file_copy")
    try:
        yield on_server(server_dsn, name)
    finally:
        await server.rows(f"drop database if exists {name} with (force)")
        await server.close()


@pytest.fixture(scope="session")
def _asyncio_loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Run tests on the event loop of our servers, which takes a tenth less CPU time.

    It replaces a fixture of pytest-asyncio. Its hook `pytest_asyncio_loop_factories` is a parameter
    of coroutines only, so fixtures of the session would be made anew for each other test.
    """
    return uvloop.new_event_loop


@pytest.fixture(scope="session")
def server_dsn() -> str:
    return os.environ[_URL]


@pytest.fixture(scope="session")
async def dsn(server_dsn: str) -> AsyncIterator[str]:
    """DSN of this test process's own migrated database."""
    async with new_database(server_dsn) as created:
        yield created


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
    """Migrated database that only this test uses and may break."""
    async with new_database(server_dsn) as created:
        yield created


@pytest.fixture
async def own_database(own_dsn: str, database_type: type[Database]) -> AsyncIterator[Database]:
    database = await database_type.connect(own_dsn, name="tests", size_max=12)
    yield database
    await database.close()


@pytest.fixture(scope="session")
def clock() -> Clock:
    return Clock(node=7)


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


@pytest.fixture(scope="session", autouse=True)
def log_stream() -> Iterator[io.BytesIO]:
    """Logs of the process as JSON lines: loggers keep the first stream that they wrote to."""
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
    """Function that returns the logs since this test began."""
    begin = len(log_stream.getvalue())

    def since() -> str:
        return log_stream.getvalue()[begin:].decode()

    return since


@pytest.fixture(scope="session")
async def container(database: Database) -> Container:
    """All services, on this test process's database."""
    # Leased, because other clocks of the run would get its node again after a hundred more.
    return wire(SETTINGS, database, Clock(await ClockNodeLease(database).acquire()))


@pytest.fixture(scope="session")
async def client(container: Container) -> AsyncIterator[httpx2.AsyncClient]:
    """HTTP without a key; `org` has one."""
    async with served(container) as client:
        yield client


@pytest.fixture
def unlimited_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test that reads every page wait for no budget (`dashboard/page_budget.py`)."""
    monkeypatch.setattr(page_budget, "_BURST_S", float("inf"))


@pytest.fixture
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """An organisation of this test's own."""
    return await make_tenant(container, client)


@pytest.fixture
async def other_org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """Organisation other than `org`."""
    return await make_tenant(container, client, name="Other")


@pytest.fixture(scope="session")
async def still_client(
    database: Database,
) -> AsyncIterator[tuple[Container, FrozenClock, httpx2.AsyncClient]]:
    clock = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC), node=await take_node(database))
    container = wire(SETTINGS, database, clock)
    async with served(container) as client:
        yield container, clock, client


@pytest.fixture
def still_clock(
    still_client: tuple[Container, FrozenClock, httpx2.AsyncClient],
) -> FrozenClock:
    """Clock of `still_org`, which a test advances by setting `at`; never back."""
    clock = still_client[1]
    # On the hour, so that a timestamp slightly ahead crosses no midnight. After all timestamps:
    # otherwise a test that moved the clock back would put those of the next test hours ahead.
    latest = max(clock.at, clock.stamp())
    clock.at = (latest + timedelta(hours=1)).replace(minute=0, second=0, microsecond=0)
    return clock


@pytest.fixture
async def still_org(
    still_client: tuple[Container, FrozenClock, httpx2.AsyncClient], still_clock: FrozenClock
) -> Tenant:
    """Organisation for one test, in a container with a stopped clock."""
    container, _, client = still_client
    return await make_tenant(container, client)
