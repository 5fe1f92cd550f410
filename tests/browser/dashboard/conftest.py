"""A server of its own with an admin, an organisation with one of everything, and browsers."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route

from landbridge.sandbox.scenarios.client import ScenarioClient, connected
from tests.app.processes.server_process import KEY, Served
from tests.browser.conftest import PATIENCE_MS
from tests.browser.dashboard.furnishing import furnish
from tests.browser.dashboard.people import ADMIN, PASSWORD, OpenDashboard, sign_in
from tests.conftest import new_database
from tests.dashboard.world import World

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 780}
_BROKEN = 500
# Console messages of correct pages: refusals have status 4xx, and a test may focus a field before
# the page sets the focus.
_REMARKS = ("Failed to load resource", "Autofocus processing was blocked")


@pytest.fixture(scope="session")
async def house_of(
    server_dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """`landbridge serve`, with a worker and a first admin, on a database of its own."""
    folder = tmp_path_factory.mktemp("dashboard") / "data"
    async with new_database(server_dsn, is_migrated=False) as dsn:
        settings = {"database_url": dsn, "unmatched_deposits": "hold"}
        with served_here(folder, **settings) as server:
            yield server


@contextmanager
def served_here(folder: Path, **settings: str) -> Generator[Served]:
    """A server under a name, as passkeys want it, with a first admin."""
    server = Served(folder)
    environment = {"api_key": KEY, "admin_email": ADMIN, "admin_password": PASSWORD, **settings}
    server.settings = {"public_url": f"http://localhost:{server.port}", **environment}
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="session")
async def api(house_of: Served) -> AsyncIterator[ScenarioClient]:
    """The API of that server, for what a test finds there."""
    async with connected(f"http://127.0.0.1:{house_of.port}", KEY) as client:
        yield client


@pytest.fixture(scope="session")
async def world(browser: Browser, house_of: Served, api: ScenarioClient) -> World:
    """One of everything."""
    async with dashboard_opener(browser, house_of)() as page:
        return await furnish(house_of, api, page)


@pytest.fixture
def open_dashboard(browser: Browser, house_of: Served) -> OpenDashboard:
    """Opens a browser of its own, with somebody signed in: the admin, unless it is said."""
    return dashboard_opener(browser, house_of)


def dashboard_opener(browser: Browser, container: Served) -> OpenDashboard:
    """As the fixture `open_dashboard`, at any server."""

    @asynccontextmanager
    async def open_page_of(
        email: str | None = ADMIN,
        password: str = PASSWORD,
        *,
        viewport: dict[str, int] | None = None,
        scheme: str = "light",
        scripts: bool = True,
    ) -> AsyncGenerator[Page]:
        context = await browser.new_context(
            base_url=f"http://localhost:{container.port}",
            viewport=viewport or WIDE,  # pyright: ignore[reportArgumentType]
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE_MS)
        foreign: list[str] = []

        async def only_ours(route: Route) -> None:
            if urlsplit(route.request.url).hostname == "localhost":
                await route.continue_()
            else:
                foreign.append(route.request.url)
                await route.abort()

        await context.route("**/*", only_ours)
        page = await context.new_page()
        complaints: list[str] = []
        broken: list[str] = []
        page.on(
            "console",
            lambda message: (
                None
                if any(each in message.text for each in _REMARKS)
                else complaints.append(message.text)
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "response",
            lambda response: broken.append(response.url) if response.status >= _BROKEN else None,
        )
        try:
            if email is not None:
                await sign_in(page, email, password)
            yield page
        finally:
            await context.close()
        assert not foreign, f"the page asked {foreign}"
        assert not complaints, f"the browser says {complaints}"
        assert not broken, f"the server could not answer {broken}"

    return open_page_of
