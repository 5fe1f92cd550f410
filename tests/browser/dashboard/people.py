"""Who works in these tests, and how they come in."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import unquote

from playwright.async_api import Page

ADMIN, PASSWORD = "admin@example.com", "slate-Mango-77-orbit"

# Pages of those who are not signed in.
OUTSIDE = {"sign-in": "/dashboard/sign-in", "forgot": "/dashboard/forgot"}

# Opens a browser with somebody in it.
Desk = Callable[..., AbstractAsyncContextManager[Page]]


@dataclass(frozen=True, slots=True)
class Colleague:
    """A member whom a test has to itself."""

    name: str
    email: str


def somebody(name: str) -> Colleague:
    """Somebody whom no other test knows."""
    own = f"{name}{token_hex(3)}"
    return Colleague(own, f"{own.lower()}@team.example.com")


async def sign_in(page: Page, email: str, password: str) -> None:
    """By e-mail and password, to the overview."""
    await page.goto("/dashboard/sign-in")
    await type_in(page, email, password)
    await page.wait_for_url("**/dashboard")


async def type_in(page: Page, email: str, password: str) -> None:
    """Fill the form of the sign-in page, and send it."""
    await page.get_by_label("E-mail address").fill(email)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in", exact=True).click()


@asynccontextmanager
async def looked_for(page: Page, text: str) -> AsyncGenerator[None]:
    """Until what is typed within was answered to its last letter.

    Before that, what is found for its first letters may be there, and be replaced at any time.
    """
    async with page.expect_response(lambda came: unquote(came.url).endswith(f"q={text}")) as coming:
        yield
    await (await coming.value).finished()


async def invite(page: Page, colleague: Colleague, role: str) -> None:
    """As an admin, on the page of the team."""
    await page.goto("/dashboard/team")
    await page.get_by_role("link", name="Invite somebody").click()
    await page.get_by_label("E-mail address").fill(colleague.email)
    await page.get_by_label("Name", exact=True).fill(colleague.name)
    await page.get_by_label("Role", exact=True).select_option(role)
    await page.get_by_role("button", name="Invite").click()


async def accept(page: Page, link: str) -> None:
    """Take an invitation up, and choose the password that all have here."""
    await page.goto(link)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_label("The same once more").fill(PASSWORD)
    await page.get_by_role("button", name="Join").click()
    await page.wait_for_url("**/dashboard")


async def join(desk: Desk, role: str, name: str) -> Colleague:
    """Somebody new, invited by the first admin; they are not signed in anywhere."""
    colleague = somebody(name)
    async with desk() as page:
        await invite(page, colleague, role)
        link = await page.get_by_role("region", name="Link").inner_text()
    async with desk(None) as page:
        await accept(page, link)
    return colleague
