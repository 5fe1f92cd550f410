"""No name of an external address is stored for a user who is being erased concurrently."""

import asyncio
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.customers.wallets.model import ExternalWallet
from landbridge.platform.core.errors import UserFrozen
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.tokens import Chain
from tests.tenants import Tenant, make_user
from tests.waiting import done_or_waiting, waits_for

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
_OTHER = """
insert into external_wallets
    (org_id, id, user_id, chain, address, is_active, created_at, updated_at)
select $1, gen_random_uuid(), $2, 'POLYGON', $3, true, created_at, created_at
from users where org_id = $1 and id = $2
"""
_LABELS = "select sealed_label from external_wallets where org_id = $1"


class Undone(Exception):
    """Raised to roll the test's transaction back."""


async def frozen(org: Tenant) -> str:
    """User who may be erased."""
    user = await make_user(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    return user


def register(org: Tenant, user: str) -> asyncio.Task[ExternalWallet]:
    """Register as a request that read the user before they were frozen."""
    registering = org.container.wallets.register(
        org.caller,
        UUID(user),
        chain=Chain.POLYGON,
        address=OUTSIDE,
        name="Ada's bank",
        reference="r1",
    )
    return asyncio.create_task(registering)


def erase(org: Tenant, user: str) -> asyncio.Task[httpx2.Response]:
    return asyncio.create_task(org.send("DELETE", f"/v2/users/{user}/personal-data"))


async def test_no_address_is_registered_for_a_user_being_erased(org: Tenant) -> None:
    user, database = await frozen(org), org.container.database

    async def work(
        tx: Tx,
    ) -> tuple["asyncio.Task[httpx2.Response]", "asyncio.Task[ExternalWallet]"]:
        # Erasing does all else before, and destroys the key last.
        await tx.fetch(
            "select from data_keys where org_id = $1 and id = $2 for update", org.org_id, UUID(user)
        )
        erasing = erase(org, user)
        eraser = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        registering = register(org, user)
        await done_or_waiting(database, registering, eraser)
        return erasing, registering

    erasing, registering = await database.transact(work)
    assert (await erasing).status_code == 200
    with pytest.raises(UserFrozen, match="erased"):
        await registering
    assert await database.rows(_LABELS, org.org_id) == []


async def test_erasing_waits_for_an_address_and_blanks_its_name(org: Tenant) -> None:
    user, database = await frozen(org), org.container.database
    begun: list[asyncio.Task[Any]] = []

    async def work(tx: Tx) -> None:
        # The same address is being released by another user: registering waits for that.
        await tx.execute(_OTHER, org.org_id, UUID(user), OUTSIDE)
        registering = register(org, user)
        registrar = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        erasing = erase(org, user)
        begun.extend((registering, erasing))
        await done_or_waiting(database, erasing, registrar)
        raise Undone

    with pytest.raises(Undone):
        await database.transact(work)
    registering, erasing = begun
    assert (await registering).address == OUTSIDE
    assert (await erasing).status_code == 200
    assert [row["sealed_label"] for row in await database.rows(_LABELS, org.org_id)] == [None]
