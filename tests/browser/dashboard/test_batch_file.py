"""A batch from a file: one line is wrong and nothing is made; mended, every line is paid."""

from pathlib import Path

from playwright.async_api import Page, expect

from landbridge.stories.client import Client
from landbridge.stories.people import sign_up
from tests.browser.dashboard.people import Desk, somebody


async def test_a_file_is_previewed_line_by_line_and_paid(
    desk: Desk, api: Client, tmp_path: Path
) -> None:
    payer = await sign_up(api, somebody("Payer").name, funds="100")
    names = [somebody("Payee").name for _ in range(2)]
    payees = [await sign_up(api, name) for name in names]
    emails = [f"{name.lower()}@example.com" for name in names]
    lines = [f"{emails[0]},10.5,,May", f"{emails[1]},2,,May"]
    stranger = f"{somebody('Nobody').name.lower()}@example.com,1,,May"
    wrong, right = tmp_path / "wrong.csv", tmp_path / "right.csv"
    wrong.write_text("\n".join(["payee,amount,currency,note", *lines, stranger]))
    right.write_text("\n".join(["payee,amount,currency,note", *lines]))
    async with desk() as page:
        await page.goto(f"/dashboard/new/batch?userId={payer}")
        await _preview(page, wrong, ["Nothing", "Nothing", "No user has this e-mail."])
        await expect(page.get_by_role("alert")).to_contain_text("1 line can't be paid")
        await expect(page.get_by_role("button", name="Create")).to_have_count(0)
        assert await _batches(api, payer) == 0
        await page.get_by_role("button", name="Change something").click()
        await expect(page.get_by_label("Lines")).to_have_value(wrong.read_text())
        await _preview(page, right, ["Nothing", "Nothing"])
        row = page.get_by_role("row", name=emails[0])
        await expect(row.get_by_role("link", name=names[0])).to_have_attribute(
            "href", f"/dashboard/users/{payees[0]}"
        )
        await expect(page.get_by_text("12.50 usdc").first).to_be_visible()
        assert await _batches(api, payer) == 0
        await page.get_by_role("button", name="Create and send").click()
        await page.wait_for_url("**/dashboard/transactions/*")
        await page.get_by_role("button", name="+1 minute").click()
        await expect(page.locator("#payment .heading .status")).to_have_text("COMPLETED")
    assert await _batches(api, payer) == 1


async def _preview(page: Page, file: Path, wrongs: list[str]) -> None:
    """Choose a file and look at it; this is wrong with each of its lines."""
    await page.get_by_label("CSV file").set_input_files(file)
    await page.get_by_role("button", name="Review").click()
    await expect(page.get_by_text("Nothing has been made yet")).to_be_visible()
    cells = page.get_by_role("region", name="Lines").locator("tbody tr td:last-child")
    await expect(cells).to_have_text(wrongs)


async def _batches(api: Client, user: str) -> int:
    return int((await api.get("/v2/wallets/transfers/batches", userId=user))["count"])
