"""Exchange of travel rule data: the payment's page, inquiries of others, and the setting."""

import json
from collections.abc import AsyncGenerator

import pytest

from landbridge.customers.travel_exchanges import service
from landbridge.customers.travel_exchanges.model import (
    ExchangeDirection,
    ExchangeStatus,
    PendingMessage,
)
from landbridge.dashboard.compliance.travel_rule_pages import PENDING, STATES
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from tests.customers.travel_exchanges.exchange_world import (
    HOST,
    SETTING,
    ExchangeWorld,
    exchange_world,
    inquiry,
)
from tests.dashboard.browsing import visit
from tests.dashboard.test_menu_counts import counts

PAGE = "/dashboard/settings/travel-rule-exchange"
HEADERS = {
    "api-version": "3.2.1",
    "request-identifier": "key-1",
    "content-type": "application/json",
}


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[ExchangeWorld]:
    async with exchange_world(database) as found:
        yield found


async def test_a_payment_says_what_the_other_provider_has_to_do(world: ExchangeWorld) -> None:
    admin = await visit(world.org)
    payment = await world.pay("silent")
    shown = await admin.load(f"/dashboard/transactions/{payment}")
    assert "The inquiry has not reached the other provider yet" in shown.text
    await world.deliver()
    await world.payments.work(minutes=10)
    shown = await admin.load(f"/dashboard/transactions/{payment}")
    assert "Approval of the other provider" in shown.text
    assert f"Exchange with {HOST}: The other provider has not answered" in shown.text
    exchange = await world.exchange()
    assert f"/dashboard/inquiries/{exchange['id']}" in shown.links()


async def test_a_reviewer_reads_the_data_and_answers(world: ExchangeWorld) -> None:
    await world.org.client.post(
        f"/trp/{world.org.org_id}/inquiries?t=i", content=inquiry(None), headers=HEADERS
    )
    exchange = await world.exchange()
    path = f"/dashboard/inquiries/{exchange['id']}"
    admin = await visit(world.org)
    listed = await admin.load("/dashboard/inquiries")
    assert path in listed.links()
    assert "Waits for your answer" in listed.text
    assert path in (await admin.load("/dashboard/inquiries?show=open")).links()
    assert "/dashboard/inquiries?show=open" in (await admin.load("/dashboard")).links()
    assert counts(listed)["/dashboard/inquiries"] == "1"
    assert "Olga" in (await admin.load(path)).text
    refused = await admin.send(f"{path}/approve", {"walletAddress": ""})
    assert refused.status == 422
    assert await admin.submit(f"{path}/reject", {"comment": "not here"}) == path
    assert (await world.exchange())["status"] == "REJECTED"
    answered = await admin.load("/dashboard/inquiries?show=open")
    assert "No other provider waits for your answer" in answered.text
    assert "/dashboard/inquiries" not in counts(answered)
    assert path in (await admin.load("/dashboard/inquiries")).links()
    assert "/dashboard/inquiries?show=open" not in (await admin.load("/dashboard")).links()
    analyst = await visit(world.org, MemberRole.ANALYST)
    seen = await analyst.load(path)
    assert "Olga" not in seen.text
    assert "Reject inquiry" not in seen.text


async def test_strangers_push_no_counterparty_off_the_list(
    world: ExchangeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LISTED_MAX", 2)
    stranger = inquiry(None, callback="http://127.0.0.1:9001/resolutions")
    for at, body in enumerate((stranger, stranger, inquiry(None), stranger, stranger)):
        await world.org.client.post(
            f"/trp/{world.org.org_id}/inquiries?t=i",
            content=body,
            headers=HEADERS | {"request-identifier": f"key-{at}"},
        )
    admin = await visit(world.org)
    listed = await admin.load("/dashboard/inquiries?show=open")
    assert HOST in listed.text
    assert "127.0.0.1:9001" in listed.text


async def test_data_with_any_number_are_shown_and_rejected(world: ExchangeWorld) -> None:
    numbers = b'{"a": 1.50, "b": -0.0, "c": 1e300, "d": 123456789012345678901234567890, "e": "<b>"}'
    body = inquiry(None, IVMS101="HERE").replace(b'"HERE"', numbers)
    await world.org.client.post(
        f"/trp/{world.org.org_id}/inquiries?t=i", content=body, headers=HEADERS
    )
    path = f"/dashboard/inquiries/{(await world.exchange())['id']}"
    admin = await visit(world.org)
    shown = await admin.load(path)
    assert '"a": 1.5' in shown.text
    assert '"d": 123456789012345678901234567890' in shown.text
    assert "<b>" not in shown.response.text
    assert '"e": "<b>"' in shown.text
    assert await admin.submit(f"{path}/reject", {"comment": "not here"}) == path


async def test_an_admin_sets_providers_and_coins(world: ExchangeWorld) -> None:
    admin = await visit(world.org)
    page = await admin.load(PAGE)
    assert (await world.org.get(SETTING))["travelAddress"] in page.text
    fields = {"amountUnit": "SMALLEST", "policy": "APPROVE", "name": "Other"}
    added = {"action": "add-provider", "host": "vasp.example.com"} | fields
    assert await admin.submit(PAGE, added) == PAGE
    refused = await admin.send(PAGE, added | {"host": "not a host"})
    assert refused.status == 422
    coin = {"chain": "BASE", "currency": "usdc", "identifier": "0SANDB0X2"}
    assert await admin.submit(PAGE, {"action": "add-coin"} | coin) == PAGE
    found = await world.org.get(SETTING)
    assert [each["host"] for each in found["counterparties"]] == [HOST, "vasp.example.com"]
    assert coin in found["assets"]
    page = await admin.load(PAGE)
    for action in ("remove-provider", "remove-coin"):
        form = f"//form[input[@name='action'][@value='{action}']]/@data-confirm"
        assert page.tree.xpath(form)[0].startswith("Remove ")
    assert await admin.submit(PAGE, {"action": "remove-provider", "host": HOST}) == PAGE
    assert await admin.submit(PAGE, {"action": "remove-coin", "identifier": "0SANDB0X2"}) == PAGE
    switched = {"action": "switch", "isOn": "no", "requiresTravelAddress": "yes"}
    assert await admin.submit(PAGE, switched) == PAGE
    found = await world.org.get(SETTING)
    assert (found["isOn"], found["requiresTravelAddress"]) == (False, True)
    assert json.dumps(found["counterparties"]).count("host") == 1
    analyst = await visit(world.org, MemberRole.ANALYST)
    assert (await analyst.open(PAGE)).status == 403


def test_each_state_and_each_message_has_words() -> None:
    assert set(STATES) == {(one, two) for one in ExchangeDirection for two in ExchangeStatus}
    assert set(PENDING) == set(PendingMessage)
