"""Events of accounts show what was retrieved right after each change, until they are erased."""

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.screening.model import OFAC_SDN, Entry, EntryType, SanctionsList
from landbridge.wiring import wire
from tests.accounts.bodies import having, whole
from tests.accounts.test_api import BODIES, us
from tests.accounts.test_api import at as bank_at
from tests.accounts.verified import make_verified
from tests.tenants import SETTINGS, Tenant, make_tenant, register, served
from tests.virtual_accounts.made import (
    OUTSIDE,
    account_body,
    apply,
    at,
    make_account,
    make_receiver,
    make_rule,
)
from tests.virtual_accounts.test_deposits import account_of, arrive, note

from .shown import Walk, data, erase, events

LISTED = "Severina Quillfeather"


@pytest.fixture
async def strict_org(own_database: Database) -> AsyncIterator[Tenant]:
    """An organisation of an installation that has a sanctions list."""
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    entry = Entry(
        id="4711",
        type=EntryType.INDIVIDUAL,
        names=(LISTED,),
        programs=("TEST",),
        birth_dates=(),
    )
    await house.screening.load(SanctionsList(OFAC_SDN, "0" * 64, None, (entry,)))
    async with served(house) as client:
        yield await make_tenant(house, client)


def _of_bank_account(org: Tenant, user: str, account: str) -> Walk:
    return Walk(org, UUID(account), bank_at(user, account))


def _of_virtual_account(org: Tenant, user: str, account: str) -> Walk:
    return Walk(org, UUID(account), at(user, account))


async def test_every_type_of_account_is_shown_whole_and_then_deleted(org: Tenant) -> None:
    user = await make_verified(org)
    for case in BODIES.values():
        added = await org.post(bank_at(user), whole(case))
        walk = _of_bank_account(org, user, added["id"])
        assert (await walk.look())["isValid"] is True
        await org.send("DELETE", walk.path)
        assert (await walk.look())["status"] == "INACTIVE"
        kind = f"ACCOUNT.{case.ramp.upper()}"
        assert await walk.shown() == ([f"{kind}.CREATE", f"{kind}.UPDATE"], walk.seen)


async def test_an_account_is_shown_as_a_reviewer_decided(strict_org: Tenant) -> None:
    org, user = strict_org, await make_verified(strict_org, Rail.USD)
    for decision in ("approve", "reject"):
        body = having(us(), "accountHolder.name", LISTED)
        walk = _of_bank_account(org, user, (await org.post(bank_at(user), body))["id"])
        assert (await walk.look())["status"] == "PENDING"
        told = {"decision": decision, "reason": "a reason"}
        await org.post(f"/v2/reviews/accounts/{walk.object_id}", told)
        await walk.look()
        assert (await walk.shown())[1] == walk.seen


async def test_an_account_whose_numbers_are_wrong_is_shown_rejected(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = having(us(), "us.routingNumber", "021000022")
    walk = _of_bank_account(org, user, (await org.post(bank_at(user), body))["id"])
    shown = await walk.look()
    assert (shown["status"], len(shown["invalidFields"])) == ("REJECTED", 1)


async def test_an_erased_users_account_is_shown_as_retrieved_now(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    made = [(await org.post(bank_at(user), us()))["id"] for _ in range(2)]
    virtual = (await make_account(org, user))["id"]
    await org.send("DELETE", bank_at(user, made[0]))
    await erase(org, user)
    walks = [_of_bank_account(org, user, each) for each in made]
    for walk in (*walks, _of_virtual_account(org, user, virtual)):
        types, shown = await walk.shown()
        # Made, and deleted or deactivated, and that by the erasure if nobody did before.
        assert len(types) >= 2
        assert shown == [await walk.retrieved()] * len(types)
        # As a word: an address may spell it.
        assert not re.search(r"\bAda\b", str(shown))


async def test_a_virtual_account_is_shown_as_after_each_change(org: Tenant) -> None:
    user = await make_receiver(org)
    walk = _of_virtual_account(org, user, (await make_account(org, user))["id"])
    account = str(walk.object_id)
    made = await walk.look()
    assert made["microDeposits"] == {"count": 0, "data": []}
    rule = (await make_rule(org))["id"]
    await apply(org, user, account, rule)
    assert (await walk.look())["settlementRuleId"] == rule
    await org.send("DELETE", at(user, account, "settlement-rules"))
    await walk.look()
    external = await register(org, user, OUTSIDE)
    elsewhere = account_body(None, externalWalletId=external)
    await org.post(at(user, account, "update"), elsewhere)
    assert (await walk.look())["destination"]["walletAddress"] == OUTSIDE
    for verb in ("deactivate", "reactivate"):
        await org.post(at(user, account, verb), {})
        await walk.look()
    types, shown = await walk.shown()
    kind = "ACCOUNT.VIRTUAL_ACCOUNT"
    assert types == [f"{kind}.CREATE", *[f"{kind}.UPDATE"] * (len(walk.seen) - 1)]
    assert shown == walk.seen


async def test_a_virtual_account_shows_the_cents_and_the_name_of_its_time(org: Tenant) -> None:
    user = await make_receiver(org)
    walk = _of_virtual_account(org, user, (await make_account(org, user))["id"])
    account = await account_of(org, user, str(walk.object_id))
    await walk.look()
    await note(org, account, await arrive(org, account, "0.32"))
    await org.post(f"/v2/users/{user}", {"firstName": "Bea"})
    await org.post(at(user, str(account.id), "deactivate"), {})
    after = await walk.look()
    assert after["microDeposits"]["count"] == 1
    assert after["depositInstructions"]["beneficiary"]["name"].startswith("Bea ")
    assert (await walk.shown())[1] == walk.seen


async def test_a_virtual_account_of_an_erased_user_still_tells_of_its_changes(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await apply(org, user, account, (await make_rule(org))["id"])
    await erase(org, user)
    await org.send("DELETE", at(user, account, "settlement-rules"))
    found = await events(org, UUID(account))
    now = await org.get(at(user, account))
    assert await data(org, found) == [now] * 4


async def test_no_picture_and_no_fact_names_anybody(org: Tenant) -> None:
    user = await make_receiver(org, firstName="Wilhelmina")
    body: dict[str, Any] = having(us(), "accountHolder.name", "Wilhelmina Quill")
    await org.post(bank_at(user), body)
    await make_account(org, user)
    rows = await org.house.database.rows(
        "select c::text as whole from changes c where org_id = $1", org.org_id
    )
    for text in ("Wilhelmina", "Quill", body["us"]["routingNumber"]):
        assert not any(text in row["whole"] for row in rows)
        assert not any(text.encode().hex() in row["whole"] for row in rows)
