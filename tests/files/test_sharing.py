"""Pictures take a core for long: one organisation's delay nobody else's."""

import asyncio

from tests.files.pictures import GOOD, png
from tests.files.sending import send
from tests.tenants import Tenant, good

MANY = 8


async def test_many_pictures_of_one_delay_nobody_elses(org: Tenant, other_org: Tenant) -> None:
    large = png(width=7_000, height=7_000)
    done: list[str] = []

    async def send_one(tenant: Tenant, content: bytes, name: str) -> None:
        good(await send(tenant, content, name))
        done.append(name)

    crowd = [send_one(org, large, f"{at}.png") for at in range(MANY)]
    await asyncio.gather(*crowd, send_one(other_org, GOOD["photo.png"], "other.png"))
    # It was sent last. In one line with all the others it would be checked last, too.
    assert done.index("other.png") < MANY // 2
