"""Retired names of ramps' events: sent to endpoints that list them, in place of the newer ones."""

import jwt
import pytest

from tests.customers.bank_accounts.verified import make_verified
from tests.developers.webhooks.endpoints import make_webhook
from tests.developers.webhooks.worker_steps import hook, receiving, running_dispatcher, until
from tests.onramps import make_onramp
from tests.tenants import Tenant, refusal

RETIRED = ["ONRAMP.CREATE", "ONRAMP.UPDATE", "OFFRAMP.CREATE", "OFFRAMP.UPDATE"]
NEWER = ["ONRAMP.TRANSACTION.CREATE", "ONRAMP.STATUS.OPEN_QUOTE", "ONRAMP.STATUS.AWAITING_FUNDS"]


async def test_an_endpoint_receives_the_names_that_it_lists(org: Tenant) -> None:
    async with receiving() as newer, receiving() as retired, running_dispatcher(org):
        await hook(org, newer, "ONRAMP.*")
        # A pattern that also matches the newer names changes nothing.
        await hook(org, retired, "ONRAMP.*", *RETIRED)
        onramp = str((await make_onramp(org, await make_verified(org)))["id"])
        await until(lambda: len(newer.of(onramp)) == len(retired.of(onramp)) == len(NEWER))
    assert newer.of(onramp) == NEWER
    assert retired.of(onramp) == ["ONRAMP.CREATE", "ONRAMP.UPDATE", "ONRAMP.UPDATE"]
    assert [each.id for each in retired.received] == [each.id for each in newer.received]
    actions = [each.event["eventAction"] for each in retired.received]
    assert actions == ["CREATE", "UPDATE", "UPDATE"]
    data = [each.event["data"] for each in retired.received]
    assert data == [each.event["data"] for each in newer.received]
    last = retired.received[-1]
    assert last.headers["landbridge-event-type"] == "ONRAMP.UPDATE"
    token = last.headers["authorization"].removeprefix("Bearer ")
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["eventType"], claims["eventAction"]) == ("ONRAMP.UPDATE", "UPDATE")


async def test_without_them_no_pattern_brings_a_retired_name(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        await hook(org, receiver, "*")
        onramp = str((await make_onramp(org, await make_verified(org)))["id"])
        await until(lambda: len(receiver.of(onramp)) == len(NEWER))
    assert receiver.of(onramp) == NEWER


async def test_an_endpoint_shows_the_names_that_it_lists(org: Tenant) -> None:
    created = await make_webhook(org, eventTypes=["USER.*", *RETIRED])
    assert created["eventTypes"] == ["USER.*", *RETIRED]
    assert (await org.get(f"/v2/webhooks/{created['id']}"))["eventTypes"] == created["eventTypes"]


@pytest.mark.parametrize("name", ["SWAP.UPDATE", "USER.STATUS", "ONRAMP.UPDATES"])
async def test_no_other_retired_name_can_be_listed(org: Tenant, name: str) -> None:
    body = {"url": "https://hooks.example.com/landbridge", "eventTypes": [name]}
    answer = await org.send("POST", "/v2/webhooks", body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
