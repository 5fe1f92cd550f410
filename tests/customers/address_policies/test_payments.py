"""Payments to outside addresses under sanctions lists and the organisations' own policies."""

from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from landbridge.app.container import Container, wire
from landbridge.payments.limits.model import CoolDown, LimitAction, LimitRules
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.onramps import ONRAMPS, make_payer, onramp_body
from tests.payments.virtual_accounts.virtual_account_setup import account_body, make_receiver
from tests.payments.virtual_accounts.virtual_account_setup import at as virtual_accounts
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.providers.screening.lists import person, sanctions_list
from tests.tenants import (
    BATCHES,
    SETTINGS,
    TRANSFERS,
    Tenant,
    batch_body,
    make_tenant,
    make_user,
    register,
    sentence,
    served,
    transfer_body,
)

POLICY = "/v2/organization/address-policy"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
CAROL = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


@pytest.fixture
async def own_org(own_database: Database) -> AsyncIterator[Tenant]:
    """Sanctions lists belong to the installation, so the test that loads one has its own."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def set_policy(org: Tenant, **policy: Any) -> dict[str, Any]:
    answer = await org.send("PUT", POLICY, policy)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


async def paying_user(org: Tenant) -> str:
    """Return a user with 100 usdc, who has registered both addresses."""
    user = await make_user(org, funds="100")
    await register(org, user, BOB)
    await register(org, user, CAROL)
    return user


async def refused_sentence(org: Tenant, user: str, address: str, amount: int = 10) -> str:
    """Return the sentence that refuses a transfer."""
    answer = await org.send(
        "POST", TRANSFERS, transfer_body(user, {"walletAddress": address}, amount)
    )
    assert answer.status_code == 400, answer.text
    return sentence(answer)


async def test_without_a_policy_every_registered_address_is_paid(org: Tenant) -> None:
    user = await paying_user(org)
    assert await org.get(POLICY) == {
        "status": "success",
        "data": {
            "blockedAddresses": [],
            "allowedAddresses": [],
            "newAddressHours": 0,
            "newAddressAmountMax": 0,
            "version": 0,
        },
        "metadata": {},
    }
    await org.post(TRANSFERS, transfer_body(user, {"walletAddress": BOB}))


async def test_a_blocked_address_is_refused_in_any_case(org: Tenant) -> None:
    user = await paying_user(org)
    policy = await set_policy(org, blockedAddresses=[BOB.lower(), BOB])
    assert policy["blockedAddresses"] == [BOB.lower()]
    assert await refused_sentence(org, user, BOB) == (
        "destination.walletAddress: the destination is on the organisation's block list"
    )
    await org.post(TRANSFERS, transfer_body(user, {"walletAddress": CAROL}))
    items = [{"walletAddress": each, "amount": "1"} for each in (CAROL, BOB)]
    answer = await org.send("POST", BATCHES, batch_body(user, *items))
    assert answer.status_code == 400
    assert "block list" in sentence(answer)


async def test_a_registered_wallet_is_refused_by_its_id(org: Tenant) -> None:
    user = await make_payer(org)
    wallet = await register(org, user, BOB)
    body = onramp_body(user, destination={"externalWalletId": wallet})
    await set_policy(org, newAddressHours=24, newAddressAmountMax=10)
    answer = await org.send("POST", ONRAMPS, body)
    assert answer.status_code == 400
    assert sentence(answer).startswith("destination.amount")
    await set_policy(org, blockedAddresses=[BOB])
    answer = await org.send("POST", ONRAMPS, body)
    assert answer.status_code == 400
    assert sentence(answer).startswith("destination.externalWalletId")


@pytest.mark.parametrize(
    ("policy", "field", "words"),
    [
        ({"blockedAddresses": [BOB]}, "walletAddress", "block list"),
        ({"allowedAddresses": [CAROL]}, "walletAddress", "list of allowed addresses"),
        # Both fees go to one address.
        ({"newAddressHours": 24, "newAddressAmountMax": 10}, "value", "moves at most 10 usdc"),
    ],
)
async def test_fees_of_an_offramp_follow_the_policy(
    org: Tenant, policy: dict[str, Any], field: str, words: str
) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    fees = [{"type": "FLAT", "value": 6, "walletAddress": BOB} for _ in range(2)]
    body = offramp_body(user, account, 1, developerFee={"fees": fees})
    await set_policy(org, **policy)
    answer = await org.send("POST", OFFRAMPS, body)
    assert answer.status_code == 400, answer.text
    at = 1 if field == "value" else 0
    assert sentence(answer).startswith(f"developerFee.fees[{at}].{field}: ")
    assert words in sentence(answer)
    await set_policy(org)
    await org.post(OFFRAMPS, body)


async def test_another_return_address_follows_the_policy(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    ends = {"userId": None, "externalWalletId": await register(org, user, BOB)}
    await set_policy(org, blockedAddresses=[CAROL])
    body = offramp_body(None, account, 1, source={**ends, "returnAddress": CAROL})
    answer = await org.send("POST", OFFRAMPS, body)
    assert answer.status_code == 400, answer.text
    assert sentence(answer).startswith("source.returnAddress: ")
    await org.post(OFFRAMPS, offramp_body(None, account, 1, source=ends))


async def test_only_allowed_addresses_and_own_wallets_are_paid(org: Tenant) -> None:
    user, other = await paying_user(org), await make_user(org)
    await set_policy(org, allowedAddresses=[BOB])
    assert "list of allowed addresses" in await refused_sentence(org, user, CAROL)
    await org.post(TRANSFERS, transfer_body(user, {"walletAddress": BOB}))
    await org.post(TRANSFERS, transfer_body(user, other))


async def test_a_new_address_is_paid_within_the_bound(org: Tenant) -> None:
    user = await paying_user(org)
    await set_policy(org, newAddressHours=24, newAddressAmountMax=10)
    assert "moves at most 10 usdc" in await refused_sentence(org, user, BOB, 11)
    await org.post(TRANSFERS, transfer_body(user, {"walletAddress": BOB}, 10))
    items = [{"walletAddress": BOB, "amount": "6"} for _ in range(2)]
    answer = await org.send("POST", BATCHES, batch_body(user, *items))
    assert answer.status_code == 400
    assert sentence(answer).startswith("destination.batch[1].amount")
    await org.container.database.rows(
        "update external_wallets set created_at = created_at - interval '25 hours'"
        " where org_id = $1 returning id",
        org.org_id,
    )
    await org.post(TRANSFERS, transfer_body(user, {"walletAddress": BOB}, 11))


async def test_a_policy_is_its_organisation_s_own(org: Tenant, container: Container) -> None:
    other = await make_tenant(container, org.client)
    await set_policy(org, blockedAddresses=[BOB], newAddressHours=1)
    assert (await other.get(POLICY))["data"]["version"] == 0
    user = await paying_user(other)
    await other.post(TRANSFERS, transfer_body(user, {"walletAddress": BOB}))


async def test_a_change_is_in_the_audit_log_once(org: Tenant) -> None:
    assert (await set_policy(org, blockedAddresses=[BOB]))["version"] == 1
    assert (await set_policy(org, blockedAddresses=[BOB]))["version"] == 1
    assert (await set_policy(org))["version"] == 2
    entries = (await org.get("/v2/audit-log", kind="ADDRESS_POLICY"))["entries"]
    assert [each["facts"]["blocked_addresses"] for each in entries] == [0, 1]


async def test_addresses_of_a_policy_are_checked(org: Tenant) -> None:
    for policy in (
        {"blockedAddresses": ["nobody"]},
        {"allowedAddresses": [BOB, "0x12"]},
        {"newAddressHours": -1},
        {"newAddressAmountMax": 10**13},
    ):
        assert (await org.send("PUT", POLICY, policy)).status_code == 400


async def test_a_sanctioned_address_is_refused(own_org: Tenant) -> None:
    user = await paying_user(own_org)
    listed = replace(person(1, "LAST, First"), addresses=(BOB.lower(),))
    await own_org.container.screening.load(sanctions_list([listed]))
    assert await refused_sentence(own_org, user, BOB) == (
        "destination.walletAddress: the destination is on a sanctions list"
    )
    await own_org.post(TRANSFERS, transfer_body(user, {"walletAddress": CAROL}))


@pytest.mark.parametrize("rule", ["policy", "limits"])
async def test_a_virtual_account_waits_until_its_address_is_not_new(org: Tenant, rule: str) -> None:
    """It delivers whatever arrives, so a cool-down of new addresses would bound nothing."""
    user = await make_receiver(org)
    own = await make_virtual_account(org, user)
    wallet = await register(org, user, BOB)
    to_bob = account_body(None, externalWalletId=wallet)
    if rule == "policy":
        await set_policy(org, newAddressHours=24, newAddressAmountMax=50)
    else:
        rules = LimitRules(cool_down=CoolDown(24, Decimal(50), LimitAction.REFUSE))
        limits, at = org.container.limits, org.container.clock.stamp()
        await limits.set_rules(org.org_id, rules, actor="test", at=at)
    path = virtual_accounts(user, own["id"])
    changes = virtual_accounts(user, own["id"], "update")
    for each in (virtual_accounts(user), changes):
        answer = await org.send("POST", each, to_bob)
        assert answer.status_code in {400, 403}
        assert "at least 24 hours ago" in sentence(answer)
    assert (await org.get(path))["destination"] == own["destination"]
    await org.post("/v2/sandbox/clock/advance", {"seconds": 24 * 3600})
    await org.post(virtual_accounts(user), to_bob)
    await org.post(changes, to_bob)
