"""A commit whose answer was lost is retried without a second effect."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import derived_id
from landbridge.platform.orgs.clock_nodes import take_node
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
from tests.payments.virtual_accounts.virtual_account_setup import make_account
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant, held


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org` on a database that runs every transaction twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield replace(
        org,
        container=wire(SETTINGS, database, Clock(await take_node(org.container.database))),
    )
    await database.close()


async def test_lost_commit_answer_applies_verbs_and_steps_once(
    org: Tenant, doubtful: Tenant
) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, is_accepted=False)
    onramps, onramp_id = doubtful.container.onramps, UUID(onramp["id"])
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


async def test_lost_commit_answer_takes_a_virtual_account_deposit_once(
    org: Tenant, doubtful: Tenant
) -> None:
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


async def test_lost_commit_answer_cancels_once(org: Tenant, doubtful: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    cancelled = await doubtful.container.onramps.cancel(org.caller, UUID(onramp["id"]))
    assert cancelled.status == "NOT_INITIATED"
    assert (await statuses(org, onramp))[-2:] == ["IN_REVIEW", "NOT_INITIATED"]
