"""An operator at a page: what a task takes in clicks, keystrokes, pages and seconds."""

import time
from dataclasses import dataclass, field

from playwright.async_api import Locator, Page, Request, expect

# What a person takes for a click, with the move to it, and for a keystroke.
CLICK_S, KEYSTROKE_S = 1.2, 0.25


@dataclass(slots=True)
class TaskEffort:
    """Effort of one task. `page_s` are the seconds in which pages were answered and drawn."""

    clicks: int = 0
    keystrokes: int = 0
    pages: int = 0
    page_s: float = 0.0

    @property
    def seconds(self) -> float:
        """Return how long the task takes a person who knows the way."""
        return self.page_s + CLICK_S * self.clicks + KEYSTROKE_S * self.keystrokes


@dataclass(slots=True)
class Operator:
    """Does tasks from the overview and counts them.

    Each action names what shows that it is done; the time until then is the page's.
    """

    page: Page
    effort: TaskEffort = field(default_factory=TaskEffort)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self._count_page(request))  # noqa: PLW0108  Playwright marks a handler, which slots forbid

    async def begin(self) -> None:
        """Go to the overview, where each task begins."""
        self.effort = TaskEffort()  # the page of the overview belongs to no task
        await self.page.goto("/dashboard")
        self.effort = TaskEffort()

    async def click(self, target: Locator, shown: Locator) -> None:
        """Click, until this is shown."""
        await target.scroll_into_view_if_needed()
        self.effort.clicks += 1
        began = time.perf_counter()
        await target.click()
        await self._see(shown, began)

    async def press(self, keys: str, shown: Locator) -> None:
        """Press a key, or some at once, until this is shown."""
        self.effort.keystrokes += 1
        began = time.perf_counter()
        await self.page.keyboard.press(keys)
        await self._see(shown, began)

    async def type(self, text: str, shown: Locator | None = None) -> None:
        """Type where the focus is, until this is shown; the time is that after the last letter."""
        self.effort.keystrokes += len(text)
        await self.page.keyboard.type(text)
        if shown is not None:
            await self._see(shown, time.perf_counter())

    async def paste(self, text: str, shown: Locator) -> None:
        """Paste where the focus is, until this is shown."""
        self.effort.keystrokes += 1
        began = time.perf_counter()
        await self.page.keyboard.insert_text(text)
        await self._see(shown, began)

    async def download(self, target: Locator) -> str:
        """Click a link to a file; return the file's text."""
        self.effort.clicks += 1
        began = time.perf_counter()
        async with self.page.expect_download() as coming:
            await target.click()
        file = await (await coming.value).path()
        self.effort.page_s += time.perf_counter() - began
        return file.read_text(encoding="utf-8")

    async def _see(self, shown: Locator, began: float) -> None:
        await shown.first.wait_for()
        await self.page.wait_for_load_state()
        self.effort.page_s += time.perf_counter() - began
        await expect(self.page.locator("main")).to_be_visible()

    def _count_page(self, request: Request) -> None:
        """Count documents; a page that a form leads to is one with the form's answer."""
        if request.is_navigation_request() and request.redirected_from is None:
            self.effort.pages += 1
