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
OpenDashboard = Callable[..., AbstractAsyncContextManager[Page]]


@dataclass(frozen=True, slots=True)
class Colleague:
    """A member whom a test has to itself."""

    name: str
    email: str


def unique_colleague(name: str) -> Colleague:
    """Return a colleague whose name and address no other test uses."""
    own = f"{name}{token_hex(3)}"
    return Colleague(own, f"{own.lower()}@team.example.com")


async def sign_in(page: Page, email: str, password: str) -> None:
    """By e-mail and password, to the overview."""
    await page.goto("/dashboard/sign-in")
    await type_in(page, email, password)
    await page.wait_for_url("**/dashboard")


async def type_in(page: Page, email: str, password: str) -> None:
    """Fill the form of the sign-in page, and send it."""
    await page.get_by_role("textbox", name="E-mail", exact=True).fill(email)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in", exact=True).click()


@asynccontextmanager
async def looked_for(page: Page, text: str) -> AsyncGenerator[None]:
    """Until what is typed within was answered to its last letter.

    Before that, what is found for its first letters may be there, and be replaced at any time.
    """
    async with page.expect_response(
        lambda response: unquote(response.url).endswith(f"q={text}")
    ) as coming:
        yield
    await (await coming.value).finished()


async def invite(page: Page, colleague: Colleague, role: str) -> None:
    """As an admin, on the page of the team."""
    await page.goto("/dashboard/team")
    await page.get_by_role("link", name="Invite member").click()
    await page.get_by_role("textbox", name="E-mail", exact=True).fill(colleague.email)
    await page.get_by_label("Name", exact=True).fill(colleague.name)
    await page.get_by_label("Role", exact=True).select_option(role)
    await page.get_by_role("button", name="Send invitation").click()


async def accept(page: Page, link: str) -> None:
    """Take an invitation up, and choose the password that all have here."""
    await page.goto(link)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_label("Confirm password").fill(PASSWORD)
    await page.get_by_role("button", name="Join").click()
    await page.wait_for_url("**/dashboard")


async def join(open_dashboard: OpenDashboard, role: str, name: str) -> Colleague:
    """Add a member invited by the first admin; they have no session."""
    colleague = unique_colleague(name)
    async with open_dashboard() as page:
        await invite(page, colleague, role)
        link = await page.get_by_role("region", name="Link").inner_text()
    async with open_dashboard(None) as page:
        await accept(page, link)
    return colleague
