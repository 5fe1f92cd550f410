"""The built site: links, and in a browser pages, diagrams, search, dark mode; no other hosts."""

import os
import re
import shutil
from collections.abc import Generator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from playwright.async_api import Browser, ConsoleMessage, Request, expect

from tests.app.processes.server_process import Served
from tests.npm_tools import run_tool
from tests.sources import ROOT

BUILT, BASE = ROOT / "site/dist", "http://127.0.0.1/docs/site/"
LINK, ANCHOR = re.compile(r'<(?:a|link)\b[^>]* href="([^"]*)"'), re.compile(r'\bid="([^"]+)"')
PAGES = sorted(
    each.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
    for kind in ("start", "guides", "concepts", "reference", "internals")
    for each in (ROOT / "docs" / kind).glob("*.md")
)


@pytest.fixture(scope="module")
def built_site() -> Path:
    if shutil.which("npm") is None:
        pytest.skip("there is no npm here, which builds the site")
    run_tool(["make", "site"], ROOT, os.environ)
    return BUILT


async def test_site_works_in_a_browser(built_site: Path, browser: Browser, site: Served) -> None:
    page = await browser.new_page(base_url=f"http://127.0.0.1:{site.port}")
    hosts: set[str | None] = set()
    errors: list[str] = []

    def note_request(request: Request) -> None:
        hosts.add(urlsplit(request.url).hostname)

    def note_error(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("request", note_request)
    page.on("console", note_error)
    await page.goto("/docs/site/")
    await page.get_by_role("link", name="First swap").first.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("First swap")
    await page.goto("/docs/site/start/first-offramp.html")
    await page.locator("label", has_text="TypeScript").first.click()
    await expect(page.get_by_text("new Landbridge()").last).to_be_visible()
    # All examples of this page and of others follow.
    await expect(page.get_by_text("await lb.offramps.create(").last).to_be_visible()
    await page.goto("/docs/site/start/first-webhook.html")
    await expect(page.get_by_text("new Landbridge()").last).to_be_visible()
    await page.goto("/docs/site/reference/swaps.html")
    await expect(page.locator(".mermaid svg")).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.locator(".VPLocalSearchBox input").fill("exactly once")
    await expect(page.locator(".VPLocalSearchBox .result").first).to_be_visible()
    await page.keyboard.press("Escape")
    await page.get_by_role("switch").first.click()
    await expect(page.locator("html.dark")).to_be_visible()
    await page.goto("/docs/site/api/index.html")
    # Further operations are drawn when they are scrolled to.
    await expect(page.locator('[data-path="/v2/users"]').first).to_be_visible()
    assert hosts == {"127.0.0.1"}
    assert errors == []
    assert (built_site / "llms.txt").is_file()


async def test_every_page_is_on_the_site(built_site: Path) -> None:
    missing = [each for each in PAGES if not (built_site / each).is_file()]
    assert missing == []


def test_every_link_of_the_site_leads_to_a_file_and_a_heading(built_site: Path) -> None:
    pages = {
        each.relative_to(built_site).as_posix(): each.read_text(encoding="utf-8")
        for each in built_site.rglob("*.html")
    }
    anchors = {path: set(ANCHOR.findall(text)) for path, text in pages.items()}
    findings = {
        f"{page}: {link}"
        for page, text in pages.items()
        for link in _links_to_this_host(page, text)
        if not _leads_somewhere(link, built_site, anchors)
    }
    assert sorted(findings) == []


def _links_to_this_host(page: str, text: str) -> Generator[str]:
    for link in LINK.findall(text):
        target = urljoin(BASE + page, unescape(link))
        if target.startswith("http://127.0.0.1/"):
            yield target


def _leads_somewhere(link: str, site: Path, anchors: dict[str, set[str]]) -> bool:
    path, _, anchor = link.removeprefix(BASE).partition("#")
    if path.endswith("/") or not path:
        path += "index.html"
    if not (site / path).is_file():
        return False
    return not anchor or path not in anchors or unquote(anchor) in anchors[path]
