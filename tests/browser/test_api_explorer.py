"""The list of operations and Swagger UI in a real browser."""

from playwright.async_api import Browser, expect

from tests.app.processes.server_process import Served


async def test_operation_of_the_list_opens_with_a_form_to_send_it(
    browser: Browser, site: Served
) -> None:
    page = await browser.new_page(base_url=f"http://127.0.0.1:{site.port}")
    refused: list[str] = []
    page.on("console", lambda each: refused.append(each.text) if "Policy" in each.text else None)

    await page.goto("/docs")
    await page.get_by_role("link", name="Create a swap").click()
    await expect(page.locator(".opblock.is-open .opblock-summary-path")).to_contain_text("swaps")
    await page.get_by_role("button", name="Try it out").click()
    await expect(page.get_by_role("button", name="Execute")).to_be_visible()

    await page.get_by_role("link", name="All operations").click()
    await page.get_by_role("link", name="An onramp was created.").click()
    await expect(page.locator(".opblock.is-open .opblock-summary-path")).to_contain_text("ONRAMP")
    assert refused == []
    await page.close()
