"""A real server and the system's Chromium, once for all tests of a process.

Everything that the browser asks of another host is refused, and fails the test.
"""

import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, async_playwright, expect

from tests.app.processes.server_process import Served, served
from tests.conftest import new_database

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 30_000
# Otherwise what is expected has five seconds, in which pages renew themselves but once.
expect.set_options(timeout=PATIENCE_MS)

Opened = Callable[..., AbstractAsyncContextManager[Page]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Every process does this for every test: `Path.parents` takes 50 times as long.
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker("long")
            if _CHROMIUM is None:
                item.add_marker(pytest.mark.skip("no Chromium here: apt-get install chromium"))


@pytest.fixture(scope="session")
async def site(server_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """`landbridge serve`, with a worker, on a database of its own."""
    folder = tmp_path_factory.mktemp("site") / "data"
    async with new_database(server_dsn, is_migrated=False) as dsn:
        with served(folder, database_url=dsn) as server:
            yield server


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        # As root in a container there is no sandbox to be had; the pages are our own.
        browser = await playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture
def opened(browser: Browser, site: Served) -> Opened:
    """Opens a page in a browser of its own, without JavaScript; on a phone if it is said."""

    @asynccontextmanager
    async def open_page(
        viewport: dict[str, int] | None = None, *, scheme: str = "light"
    ) -> AsyncGenerator[Page]:
        is_phone = viewport is not None
        context = await browser.new_context(
            base_url=f"http://127.0.0.1:{site.port}",
            viewport={"width": 1280, "height": 900} | (viewport or {}),  # pyright: ignore[reportArgumentType]
            has_touch=is_phone,
            is_mobile=is_phone,
            java_script_enabled=False,
            color_scheme="dark" if scheme == "dark" else "light",
        )
        context.set_default_timeout(PATIENCE_MS)
        foreign: list[str] = []

        async def only_ours(route: Route) -> None:
            if urlsplit(route.request.url).hostname in {"127.0.0.1", "localhost"}:
                await route.continue_()
            else:
                foreign.append(route.request.url)
                await route.abort()

        await context.route("**/*", only_ours)
        page = await context.new_page()
        complaints: list[str] = []
        # A form that is to be mended comes back with 422, which the browser remarks upon.
        page.on(
            "console",
            lambda message: None if " 422 " in message.text else complaints.append(message.text),
        )
        yield page
        await context.close()
        assert not foreign, f"the page asked {foreign}"
        assert not complaints, f"the browser says {complaints}"

    return open_page
