"""`make screenshots`: every page of the dashboard as a picture in screenshots/, to be looked at.

Each in three ways: wide and light, wide and dark, and on a phone. A sandbox of its own is served
for it, with one of everything in it.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from landbridge.sandbox.scenarios.client import connected
from tests.app.processes.server_process import KEY, served
from tests.browser.dashboard.conftest import PHONE, WIDE
from tests.browser.dashboard.furnishing import furnish
from tests.browser.dashboard.people import ADMIN, OUTSIDE, PASSWORD, sign_in
from tests.sources import ROOT

FOLDER = ROOT / "screenshots"
_WAYS: Mapping[str, tuple[dict[str, int], str]] = {
    "": (WIDE, "light"),
    "-dark": (WIDE, "dark"),
    "-phone": (PHONE, "light"),
}


async def take(chromium: str) -> None:
    """Take all pictures."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory(prefix="landbridge-screenshots-") as folder:
        settings = {
            "admin_email": ADMIN,
            "admin_password": PASSWORD,
            "unmatched_deposits": "hold",
        }
        with served(Path(folder) / "data", **settings) as server:
            base = f"http://127.0.0.1:{server.port}"
            async with connected(base, KEY) as client, async_playwright() as playwright:
                # The pages are our own; as root in a container there is no sandbox to be had.
                browser = await playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox"]
                )
                page = await browser.new_page(base_url=base)
                await sign_in(page, ADMIN, PASSWORD)
                world = await furnish(server, client, page)
                for suffix in _WAYS:
                    await _take_all(browser, base, world.pages(), suffix)
                await browser.close()


async def _take_all(
    browser: Browser,
    base: str,
    pages: Mapping[str, str],
    suffix: str,
) -> None:
    viewport, scheme = _WAYS[suffix]
    context = await browser.new_context(
        base_url=base,
        viewport=viewport,  # pyright: ignore[reportArgumentType]
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    await _take(page, OUTSIDE, suffix)
    await sign_in(page, ADMIN, PASSWORD)
    await _take(page, pages, suffix)
    await context.close()


async def _take(page: Page, pages: Mapping[str, str], suffix: str) -> None:
    for name, path in pages.items():
        await page.goto(path)
        await page.screenshot(path=FOLDER / f"{name}{suffix}.png", full_page=True)


def main() -> int:
    """Take the pictures, if there is a browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.stderr.write("There is no Chromium here: apt-get install chromium.\n")
        return 1
    asyncio.run(take(chromium))
    sys.stdout.write(f"{len(list(FOLDER.iterdir()))} pictures are in {FOLDER}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
