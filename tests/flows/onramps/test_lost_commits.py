"""A commit that nobody heard of is tried again, and must not be done again."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from landbridge.core.clock import Clock
from landbridge.core.ids import derived_id
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.db.test_lost_commits import Forgetful
from tests.onramps import (
    check_books,
    deposit,
    make_onramp,
    make_payer,
    onramp_of,
    receive,
    retrieve,
    settle,
    statuses,
)
from tests.tenants import SETTINGS, Tenant, held
from tests.virtual_accounts.made import make_account


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org`, in a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield replace(org, house=wire(SETTINGS, database, Clock(await take_lane(org.house.database))))
    await database.close()


async def test_verbs_and_steps_are_done_once(org: Tenant, doubtful: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, is_accepted=False)
    onramps, onramp_id = doubtful.house.onramps, UUID(onramp["id"])
    refreshed = await onramps.refresh(org.caller, onramp_id)
    assert refreshed == await onramp_of(org, onramp["id"])
    accepted = await onramps.accept(org.caller, onramp_id)
    assert accepted == await onramp_of(org, onramp["id"])
    await deposit(doubtful, onramp)
    await settle(doubtful)
    assert await statuses(org, onramp) == [
        *("CREATED", "OPEN_QUOTE", "OPEN_QUOTE", "AWAITING_FUNDS", "FIAT_INITIATED"),
        *("FIAT_PENDING", "FIAT_PROCESSED", "CRYPTO_INITIATED", "CRYPTO_PENDING", "COMPLETED"),
    ]
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, user) == "100"
    await check_books(org)


async def test_a_deposit_on_a_virtual_account_is_taken_once(org: Tenant, doubtful: Tenant) -> None:
    user = await make_payer(org)
    account = await make_account(org, user)
    number = account["depositInstructions"]["wire"]["accountNumber"]
    whole = await receive(doubtful, account_number=number, amount="10")
    await receive(doubtful, account_number=number, amount="0.10")
    await settle(doubtful)
    await settle(org)
    found = await retrieve(org, {"id": str(derived_id(whole.id, "onramp"))})
    assert found["status"] == "COMPLETED"
    assert await held(org, user) == "10"
    await check_books(org)


async def test_a_cancel_is_done_once(org: Tenant, doubtful: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    cancelled = await doubtful.house.onramps.cancel(org.caller, UUID(onramp["id"]))
    assert cancelled.status == "NOT_INITIATED"
    assert (await statuses(org, onramp))[-2:] == ["IN_REVIEW", "NOT_INITIATED"]
