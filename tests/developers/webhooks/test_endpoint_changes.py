"""A running worker uses the current endpoint, and an advanced clock loses nothing."""

from landbridge.payments.swaps.model import SwapStatus
from tests.developers.webhooks.worker_steps import hook, receiving, running_dispatcher, until_rows
from tests.tenants import Tenant, good, make_swap, make_user

CREATE = "WALLET.SWAP.TRANSACTION.CREATE"
DELIVERED = "DELIVERED"


async def swap(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await make_swap(org, user, status=SwapStatus.COMPLETED)


async def test_an_idle_worker_sends_nothing_to_a_previous_url(org: Tenant) -> None:
    async with receiving() as before, receiving() as now, running_dispatcher(org):
        created = await hook(org, before, CREATE)
        await swap(org)
        await until_rows(org, created, [DELIVERED])
        good(await org.send("PATCH", f"/v2/webhooks/{created}", {"url": now.url}))
        await swap(org)
        await until_rows(org, created, [DELIVERED] * 2)
    assert (len(before.received), len(now.received)) == (1, 1)


async def test_an_idle_worker_signs_with_no_previous_key(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        await swap(org)
        await until_rows(org, created, [DELIVERED])
        good(await org.send("POST", f"/v2/webhooks/{created}/rotate", {"overlapSeconds": 0}))
        await swap(org)
        await until_rows(org, created, [DELIVERED] * 2)
    first, second = (each.headers["authorization"].split(".")[0] for each in receiver.received)
    assert first != second


async def test_a_clock_that_was_moved_by_a_year_loses_nothing(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver, CREATE)
        await swap(org)
        good(await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 366 * 86400}))
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED])
