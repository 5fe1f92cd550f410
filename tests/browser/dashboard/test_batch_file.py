"""A batch from a file: one line is wrong and nothing is made; mended, every line is paid."""

from pathlib import Path

from playwright.async_api import Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague


async def test_a_file_is_previewed_line_by_line_and_paid(
    open_dashboard: OpenDashboard, api: ScenarioClient, tmp_path: Path
) -> None:
    payer = await sign_up(api, unique_colleague("Payer").name, funds="100")
    names = [unique_colleague("Payee").name for _ in range(2)]
    payees = [await sign_up(api, name) for name in names]
    emails = [f"{name.lower()}@example.com" for name in names]
    lines = [f"{emails[0]},10.5,,May", f"{emails[1]},2,,May"]
    outsider = f"{unique_colleague('Nobody').name.lower()}@example.com,1,,May"
    wrong, right = tmp_path / "wrong.csv", tmp_path / "right.csv"
    wrong.write_text("\n".join(["payee,amount,currency,note", *lines, outsider]))
    right.write_text("\n".join(["payee,amount,currency,note", *lines]))
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/new/batch?userId={payer}")
        await _preview(page, wrong, ["None", "None", "No user has this e-mail."])
        await expect(page.get_by_role("alert")).to_contain_text("1 line can't be paid")
        await expect(page.get_by_role("button", name="Create")).to_have_count(0)
        assert await _batches(api, payer) == 0
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_label("Lines")).to_have_value(wrong.read_text())
        await _preview(page, right, ["None", "None"])
        row = page.get_by_role("row", name=emails[0])
        await expect(row.get_by_role("link", name=names[0])).to_have_attribute(
            "href", f"/dashboard/users/{payees[0]}"
        )
        await expect(page.get_by_text("12.50 USDC").first).to_be_visible()
        assert await _batches(api, payer) == 0
        await page.get_by_role("button", name="Create and send").click()
        await page.wait_for_url("**/dashboard/transactions/*")
        await page.get_by_role("button", name="+1 minute").click()
        await expect(page.locator("#payment .heading .status")).to_have_attribute(
            "title", "COMPLETED"
        )
    assert await _batches(api, payer) == 1


async def _preview(page: Page, file: Path, wrongs: list[str]) -> None:
    """Choose a file and look at it; this is wrong with each of its lines."""
    await page.get_by_label("CSV file").set_input_files(file)
    await page.get_by_role("button", name="Review").click()
    await expect(page.get_by_text("No payment has been created yet")).to_be_visible()
    cells = page.get_by_role("region", name="Lines").locator("tbody tr td:last-child")
    await expect(cells).to_have_text(wrongs)


async def _batches(api: ScenarioClient, user: str) -> int:
    return int((await api.get("/v2/wallets/transfers/batches", userId=user))["count"])
