"""A courier that is under way goes by what its endpoint is now, and a moved clock loses nothing."""

from landbridge.flows.swaps.model import Status
from tests.tenants import Tenant, good, make_swap, make_user

from .carrying import hook, posting, receiving, until_rows

CREATE = "WALLET.SWAP.TRANSACTION.CREATE"
DELIVERED = "DELIVERED"


async def swap(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    await make_swap(org, user, status=Status.COMPLETED)


async def test_a_courier_that_waits_sends_nothing_to_an_address_of_before(org: Tenant) -> None:
    async with receiving() as before, receiving() as now, posting(org):
        made = await hook(org, before, CREATE)
        await swap(org)
        await until_rows(org, made, [DELIVERED])
        good(await org.send("PATCH", f"/v2/webhooks/{made}", {"url": now.url}))
        await swap(org)
        await until_rows(org, made, [DELIVERED] * 2)
    assert (len(before.came), len(now.came)) == (1, 1)


async def test_a_courier_that_waits_signs_with_no_key_of_before(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        await swap(org)
        await until_rows(org, made, [DELIVERED])
        good(await org.send("POST", f"/v2/webhooks/{made}/rotate", {"overlapSeconds": 0}))
        await swap(org)
        await until_rows(org, made, [DELIVERED] * 2)
    first, second = (each.headers["authorization"].split(".")[0] for each in receiver.came)
    assert first != second


async def test_a_clock_that_was_moved_by_a_year_loses_nothing(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver, CREATE)
        await swap(org)
        good(await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 366 * 86400}))
        async with posting(org):
            await until_rows(org, made, [DELIVERED])
