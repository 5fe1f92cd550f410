"""Ten tasks of an operator, each from the overview, and the organisation that they are done in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.browser.dashboard.operator import Operator
from tests.tenants import transfer_body

# Payments that wait for an approval, and the row of the one that is in doubt.
_WAITING, _DOUBTFUL = 8, 3
# An amount that no other payment has.
_AMOUNT = "846.35"


@dataclass(frozen=True, slots=True)
class OperatorScenario:
    """What the tasks are about: ids of payments and names of users."""

    transfer: str
    payout: str
    failed: str
    stuck: str
    asked_about: str
    suspect: str
    webhook: str


async def lay_out(api: ScenarioClient) -> OperatorScenario:
    """Create payments that wait, fail or are stuck, questions about some, and an endpoint."""
    webhook = await api.post(
        "/v2/webhooks", {"url": "http://127.0.0.1:9/landbridge", "eventTypes": ["*"]}
    )
    payer, payee = await sign_up(api, "Hedy", funds="5000"), await sign_up(api, "Radia")
    stuck = await _transfer(api, transfer_body(payer, payee, 5), plan="chain_send=late:20d")
    await api.pass_time(2 * 3600)
    await SCENARIOS["OFFRAMP.RFI.OPEN"](api)
    asked_about = (await SCENARIOS["OFFRAMP.RFI.OPEN"](api)).subject_id
    await SCENARIOS["OFFRAMP.STATUS.FIAT_FAILED"](api)
    failed = (await SCENARIOS["OFFRAMP.STATUS.FIAT_FAILED"](api)).subject_id
    payout = (await SCENARIOS["OFFRAMP.STATUS.COMPLETED"](api)).subject_id
    transfer = await _transfer(api, transfer_body(payer, payee, _AMOUNT))
    for number in range(_WAITING):
        await _transfer(api, transfer_body(payer, payee, 10 + number, requireApproval=True))
    await sign_up(api, "Wallace")
    await api.pass_time()
    return OperatorScenario(
        transfer=transfer,
        payout=payout,
        failed=failed,
        stuck=stuck,
        asked_about=asked_about,
        suspect="Wallace",
        webhook=webhook["id"],
    )


async def _transfer(
    api: ScenarioClient, body: Mapping[str, object], plan: str | None = None
) -> str:
    created = await api.post("/v2/wallets/transfers", body, plan=plan)
    return str(created["transferDetails"]["id"])


def _menu(page: Page, name: str) -> Locator:
    return page.locator("#menu").get_by_role("link", name=name)


def _call(page: Page, name: str) -> Locator:
    """Return an item of "Needs attention"."""
    return page.locator(".calls").get_by_role("link", name=name)


def _title(page: Page, text: str) -> Locator:
    return page.get_by_role("heading", level=1, name=text)


def _status(page: Page, status: str) -> Locator:
    return page.locator(f'#payment .heading .status[title="{status}"]')


async def _search(operator: Operator, page: Page) -> None:
    search = page.get_by_role("button", name="Search or go to")
    await operator.click(search, page.locator("#palette input"))


async def _find_payment_by_amount(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await _search(operator, page)
    found = page.locator(f'#palette-found [data-to$="{scenario.transfer}"][aria-selected="true"]')
    await operator.type(_AMOUNT, found)
    await operator.press("Enter", _title(page, f"{_AMOUNT} USDC on Polygon"))


async def _say_where_a_payout_goes(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await _search(operator, page)
    found = page.locator(f'#palette-found [data-to$="{scenario.payout}"][aria-selected="true"]')
    await operator.paste(scenario.payout.replace("-", "")[-12:], found)
    to = page.get_by_role("region", name="To")
    await operator.press("Enter", to)
    for text in ("Test Bank", "••6789", "Ada Approval", "United States", "Wire"):
        await expect(to).to_contain_text(text)


async def _approve_eight_with_one_doubt(operator: Operator, _scenario: OperatorScenario) -> None:
    page = operator.page
    await operator.click(_call(page, "Payments awaiting approval"), _title(page, "Approvals"))
    row = page.locator("#approvals tbody tr").nth(_DOUBTFUL)
    await operator.click(row.get_by_role("link").first, page.locator("#drawer #payment"))
    await operator.press("Escape", page.locator("#approvals"))
    results = page.get_by_role("heading", name="Results")
    every = page.get_by_role("checkbox", name="Select all")
    await operator.click(every, page.get_by_text("Selected: 8 / 8"))
    await operator.click(row.get_by_role("checkbox"), page.get_by_text("Selected: 7 / 8"))
    await operator.click(page.get_by_role("button", name="Approve"), results)
    await expect(page.locator("#approvals tbody tr")).to_have_count(1)


async def _retry_a_failed_payment(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await operator.click(_call(page, "Payments of today that failed"), _title(page, "Transactions"))
    link = page.locator(f'#transactions th a[href$="{scenario.failed}"]')
    await operator.click(link, page.locator("#drawer #payment .problem"))
    again = page.locator("#drawer").get_by_role("link", name="Try again")
    await operator.click(again, page.get_by_role("button", name="Review"))
    review = page.get_by_role("button", name="Review")
    await operator.click(review, page.get_by_role("button", name="Get quote"))
    await operator.click(page.get_by_role("button", name="Get quote"), _status(page, "OPEN_QUOTE"))


async def _see_what_is_stuck(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await operator.click(_menu(page, "Stuck payments"), _title(page, "Stuck payments"))
    await expect(page.locator(f'#stuck a[href$="/transactions/{scenario.stuck}"]')).to_be_visible()


async def _read_the_fees_of_this_month(operator: Operator, _scenario: OperatorScenario) -> None:
    page = operator.page
    await operator.click(_menu(page, "Fees and billing"), page.locator("#fees .tiles"))


async def _export_the_failures_of_last_week(
    operator: Operator, _scenario: OperatorScenario
) -> None:
    page = operator.page
    await operator.click(_menu(page, "Transactions"), page.locator("#views"))
    failed = page.locator("#views").get_by_role("link", name="Failed")
    await operator.click(failed, page.locator('#views [aria-current]:has-text("Failed")'))
    last_week = page.get_by_role("link", name="Last week")
    await operator.click(last_week, page.locator('.chips [aria-current]:has-text("Last week")'))
    text = await operator.download(page.get_by_role("link", name="Export CSV"))
    assert len(text.splitlines()) > 1
    assert "COMPLETED" not in text


async def _freeze_a_user(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await _search(operator, page)
    found = page.locator('#palette-found [data-to*="/users/"][aria-selected="true"]')
    await operator.type(scenario.suspect, found)
    await operator.press("Enter", _title(page, scenario.suspect))
    reason = page.get_by_label("Reason")
    await operator.click(page.get_by_role("link", name="Freeze"), reason)
    await expect(reason).to_be_focused()
    await operator.type("Court order")
    await operator.press("Enter", page.get_by_role("button", name="Unfreeze"))


async def _answer_a_request_for_information(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    title = _title(page, "Requests for information")
    await operator.click(_call(page, "Requests for information"), title)
    link = page.locator(f'#reviews a[href$="{scenario.asked_about}"]')
    await operator.click(link, page.get_by_label("Answer"))
    await expect(page.get_by_label("Answer")).to_be_focused()
    await operator.type("An invoice for software")
    answer = page.get_by_role("button", name="Record answer")
    await operator.click(answer, page.get_by_text("Answer recorded"))


async def _rotate_a_webhook_key(operator: Operator, scenario: OperatorScenario) -> None:
    page = operator.page
    await operator.click(_menu(page, "Webhooks"), _title(page, "Webhooks"))
    link = page.locator(f'main a[href$="{scenario.webhook}"]')
    tab = page.get_by_role("link", name="Keys and verification")
    await operator.click(link, tab)
    await operator.click(tab, page.get_by_role("button", name="Rotate key"))
    rotate = page.get_by_role("button", name="Rotate key")
    await operator.click(rotate, page.get_by_text("Key rotated"))


# In the order of the issue; the first words of each row of the table.
TASKS: Mapping[str, Callable[[Operator, OperatorScenario], Awaitable[None]]] = {
    "Find a payment by amount": _find_payment_by_amount,
    "Say where a payout goes": _say_where_a_payout_goes,
    "Approve eight payments with one doubt": _approve_eight_with_one_doubt,
    "Find out why a payment failed and try again": _retry_a_failed_payment,
    "See what is stuck": _see_what_is_stuck,
    "Read this month's fees": _read_the_fees_of_this_month,
    "Export last week's failures": _export_the_failures_of_last_week,
    "Freeze a user": _freeze_a_user,
    "Answer a request for information": _answer_a_request_for_information,
    "Rotate a webhook key": _rotate_a_webhook_key,
}
