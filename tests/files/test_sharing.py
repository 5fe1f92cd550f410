"""Pictures take a core for seconds: one organisation's delay nobody else's."""

import asyncio

from tests.files.pictures import GOOD, png
from tests.files.sending import send
from tests.tenants import Tenant, good

MANY = 6


async def test_many_pictures_of_one_delay_nobody_elses(org: Tenant, other_org: Tenant) -> None:
    large = png(width=7_000, height=7_000)
    sent: set[int] = set()
    is_going = asyncio.Event()

    async def send_large(at: int) -> None:
        good(await send(org, large, f"{at}.png"))
        sent.add(at)
        is_going.set()

    crowd = [asyncio.create_task(send_large(at)) for at in range(MANY)]
    await is_going.wait()
    before = len(sent)
    good(await send(other_org, GOOD["photo.png"], "photo.png"))
    # One place was free for it: it waited for none of those that were there before.
    assert len(sent) <= before + 1 < MANY
    await asyncio.gather(*crowd)
