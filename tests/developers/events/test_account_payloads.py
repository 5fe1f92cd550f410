"""Events of accounts show the retrieve right after each change, until they are erased."""

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.screening.model import (
    OFAC_SDN,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
)
from tests.customers.bank_accounts.bodies import having, whole
from tests.customers.bank_accounts.test_api import BODIES, us
from tests.customers.bank_accounts.test_api import at as bank_at
from tests.customers.bank_accounts.verified import make_verified
from tests.developers.events.payload_checks import ObjectHistory, data, erase, events
from tests.payments.virtual_accounts.test_deposits import account_of, arrive, note
from tests.payments.virtual_accounts.virtual_account_setup import (
    OUTSIDE,
    account_body,
    apply,
    at,
    make_account,
    make_receiver,
    make_rule,
)
from tests.tenants import SETTINGS, Tenant, make_tenant, register, served

LISTED = "Severina Quillfeather"


@pytest.fixture
async def strict_org(own_database: Database) -> AsyncIterator[Tenant]:
    """An organisation of an installation that has a sanctions list."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    entry = SanctionsEntry(
        id="4711",
        type=SanctionsEntryType.INDIVIDUAL,
        names=(LISTED,),
        programs=("TEST",),
        birth_dates=(),
    )
    await container.screening.load(SanctionsList(OFAC_SDN, "0" * 64, None, (entry,)))
    async with served(container) as client:
        yield await make_tenant(container, client)


def _of_bank_account(org: Tenant, user: str, account: str) -> ObjectHistory:
    return ObjectHistory(org, UUID(account), bank_at(user, account))


def _of_virtual_account(org: Tenant, user: str, account: str) -> ObjectHistory:
    return ObjectHistory(org, UUID(account), at(user, account))


async def test_every_type_of_account_is_shown_whole_and_then_deleted(org: Tenant) -> None:
    user = await make_verified(org)
    for case in BODIES.values():
        added = await org.post(bank_at(user), whole(case))
        walk = _of_bank_account(org, user, added["id"])
        assert (await walk.record())["isValid"] is True
        await org.send("DELETE", walk.path)
        assert (await walk.record())["status"] == "INACTIVE"
        kind = f"ACCOUNT.{case.ramp.upper()}"
        assert await walk.shown() == ([f"{kind}.CREATE", f"{kind}.UPDATE"], walk.seen)


async def test_an_account_is_shown_as_a_reviewer_decided(strict_org: Tenant) -> None:
    org, user = strict_org, await make_verified(strict_org, Rail.USD)
    for decision in ("approve", "reject"):
        body = having(us(), "accountHolder.name", LISTED)
        walk = _of_bank_account(org, user, (await org.post(bank_at(user), body))["id"])
        assert (await walk.record())["status"] == "PENDING"
        params = {"decision": decision, "reason": "a reason"}
        await org.post(f"/v2/reviews/accounts/{walk.object_id}", params)
        await walk.record()
        assert (await walk.shown())[1] == walk.seen


async def test_an_account_whose_numbers_are_wrong_is_shown_rejected(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = having(us(), "us.routingNumber", "021000022")
    walk = _of_bank_account(org, user, (await org.post(bank_at(user), body))["id"])
    shown = await walk.record()
    assert (shown["status"], len(shown["invalidFields"])) == ("REJECTED", 1)


async def test_an_erased_users_account_is_shown_as_retrieved_now(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    created = [(await org.post(bank_at(user), us()))["id"] for _ in range(2)]
    virtual = (await make_account(org, user))["id"]
    await org.send("DELETE", bank_at(user, created[0]))
    await erase(org, user)
    walks = [_of_bank_account(org, user, each) for each in created]
    for walk in (*walks, _of_virtual_account(org, user, virtual)):
        types, shown = await walk.shown()
        # Created, and deleted or deactivated; by the erasure at the latest.
        assert len(types) >= 2
        assert shown == [await walk.retrieved()] * len(types)
        # As a whole word: an address may contain it.
        assert not re.search(r"\bAda\b", str(shown))


async def test_a_virtual_account_is_shown_as_after_each_change(org: Tenant) -> None:
    user = await make_receiver(org)
    walk = _of_virtual_account(org, user, (await make_account(org, user))["id"])
    account = str(walk.object_id)
    created = await walk.record()
    assert created["microDeposits"] == {"count": 0, "data": []}
    rule = (await make_rule(org))["id"]
    await apply(org, user, account, rule)
    assert (await walk.record())["settlementRuleId"] == rule
    await org.send("DELETE", at(user, account, "settlement-rules"))
    await walk.record()
    external = await register(org, user, OUTSIDE)
    elsewhere = account_body(None, externalWalletId=external)
    await org.post(at(user, account, "update"), elsewhere)
    assert (await walk.record())["destination"]["walletAddress"] == OUTSIDE
    for verb in ("deactivate", "reactivate"):
        await org.post(at(user, account, verb), {})
        await walk.record()
    types, shown = await walk.shown()
    kind = "ACCOUNT.VIRTUAL_ACCOUNT"
    assert types == [f"{kind}.CREATE", *[f"{kind}.UPDATE"] * (len(walk.seen) - 1)]
    assert shown == walk.seen


async def test_a_virtual_account_shows_the_cents_and_the_name_of_its_time(org: Tenant) -> None:
    user = await make_receiver(org)
    walk = _of_virtual_account(org, user, (await make_account(org, user))["id"])
    account = await account_of(org, user, str(walk.object_id))
    await walk.record()
    await note(org, account, await arrive(org, account, "0.32"))
    await org.post(f"/v2/users/{user}", {"firstName": "Bea"})
    await org.post(at(user, str(account.id), "deactivate"), {})
    after = await walk.record()
    assert after["microDeposits"]["count"] == 1
    assert after["depositInstructions"]["beneficiary"]["name"].startswith("Bea ")
    assert (await walk.shown())[1] == walk.seen


async def test_a_virtual_account_of_an_erased_user_still_has_events(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await apply(org, user, account, (await make_rule(org))["id"])
    await erase(org, user)
    await org.send("DELETE", at(user, account, "settlement-rules"))
    found = await events(org, UUID(account))
    now = await org.get(at(user, account))
    assert await data(org, found) == [now] * 4


async def test_snapshots_and_facts_contain_no_names(org: Tenant) -> None:
    user = await make_receiver(org, firstName="Wilhelmina")
    body: dict[str, Any] = having(us(), "accountHolder.name", "Wilhelmina Quill")
    await org.post(bank_at(user), body)
    await make_account(org, user)
    rows = await org.container.database.rows(
        "select c::text as whole from changes c where org_id = $1", org.org_id
    )
    for text in ("Wilhelmina", "Quill", body["us"]["routingNumber"]):
        assert not any(text in row["whole"] for row in rows)
        assert not any(text.encode().hex() in row["whole"] for row in rows)
