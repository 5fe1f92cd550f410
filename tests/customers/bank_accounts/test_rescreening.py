"""Active accounts that a list names later: they wait for a reviewer again."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.customers.verification.rescreening import NoSanctionsList
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.screening.model import SanctionsEntry
from tests.customers.bank_accounts.bodies import having, whole
from tests.customers.bank_accounts.test_api import at, us
from tests.payouts import accept, make_account, make_offramp, make_payee, offramp_body, shown, way
from tests.providers.screening.lists import entity, person, sanctions_list
from tests.tenants import SETTINGS, Tenant, make_tenant, run_due, served

REVIEWS = "/v2/reviews/accounts"
HOLDER = "Severina Quillfeather"


@pytest.fixture
async def org(own_database: Database) -> AsyncIterator[Tenant]:
    """Organisation of an own installation: sanctions lists are shared by all organisations."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def load(org: Tenant, *entries: SanctionsEntry) -> None:
    digest = f"{len(entries)}" * 64
    await org.container.screening.load(sanctions_list(entries, digest), is_forced=True)


async def rescreened(org: Tenant) -> tuple[int, int]:
    """Return how many accounts were compared, and how many wait."""
    found = await org.container.account_rescreening.run({org.org_id: timedelta()}, batch_size=2)
    return found.compared, found.opened


async def add(org: Tenant, user: str, **changes: Any) -> str:
    body = us()
    for name, value in {"accountHolder.name": HOLDER, **changes}.items():
        body = having(body, name, value)
    added = await org.post(at(user), body)
    assert added["status"] == "ACTIVE"
    return str(added["id"])


async def test_an_account_that_a_list_names_later_waits_for_a_reviewer(org: Tenant) -> None:
    user = await make_payee(org)
    listed = await add(org, user)
    others = [await add(org, user, **{"accountHolder.name": f"Ada Other{n}"}) for n in range(3)]
    await load(org, person(1, "SOMEBODY, Else"))
    assert await rescreened(org) == (4, 0)
    await load(org, person(1, "SOMEBODY, Else"), person(2, "QUILLFEATHER, Severina"))
    assert await rescreened(org) == (4, 1)
    assert await rescreened(org) == (3, 0)
    account = await org.get(at(user, listed))
    assert (account["status"], account["isValid"]) == ("PENDING", False)
    assert all([(await org.get(at(user, each)))["status"] == "ACTIVE" for each in others])
    (review,) = (await org.get(REVIEWS))["reviews"]
    assert [each["entryId"] for each in review["hits"]] == ["2"]
    change = await org.container.database.rows(
        "select actor, facts ->> 'status' as status from changes "
        "where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        UUID(listed),
    )
    assert [(each["actor"], each["status"]) for each in change][1:] == [
        ("sanctions list", "PENDING")
    ]
    assert (await org.post(f"{REVIEWS}/{listed}", {"decision": "approve"}))["status"] == "ACTIVE"
    # The reviewer has seen this entry.
    assert await rescreened(org) == (4, 0)


async def test_an_account_at_a_listed_bank_waits(org: Tenant) -> None:
    user = await make_payee(org)
    listed = await add(org, user, **{"us.bankName": "Marrowgate Maritime Bank"})
    await load(org, entity(1, "MARROWGATE MARITIME BANK LLC"))
    assert await rescreened(org) == (1, 1)
    assert (await org.get(at(user, listed)))["status"] == "PENDING"
    body = having(us(), "us.bankName", "Marrowgate Maritime Bank")
    assert (await org.post(at(user), body))["status"] == "PENDING"


async def test_a_banks_name_in_another_script_is_no_reason_to_wait(org: Tenant) -> None:
    user = await make_payee(org)
    await load(org, entity(1, "MARROWGATE MARITIME BANK LLC"))
    await add(org, user, **{"us.bankName": "中国银行"})


async def test_nothing_is_compared_without_a_list(org: Tenant) -> None:
    user = await make_payee(org)
    await add(org, user)
    with pytest.raises(NoSanctionsList):
        await rescreened(org)


async def test_a_payout_under_way_brings_the_coins_back(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    offramp = await make_offramp(org, user, account)
    await accept(org, offramp)
    name = whole(way("us", "wire"))["accountHolder"]["name"]
    await load(org, person(1, name))
    assert await rescreened(org) == (1, 1)
    await run_due(org)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 86_400})
    ended = await shown(org, offramp)
    assert ended["status"] == "CRYPTO_RETURNED"
    assert account in ended["failedReason"]
    refused = await org.refused("POST", "/v2/offramps", offramp_body(user, account))
    assert refused == "409 INACTIVE_ACCOUNT"
