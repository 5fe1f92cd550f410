"""Image checks use a core for long, but delay no other organisation."""

import asyncio

from tests.platform.files.sample_files import GOOD, png
from tests.platform.files.uploads import send
from tests.tenants import Tenant, good

MANY = 8


async def test_many_images_of_one_organisation_do_not_delay_others(
    org: Tenant, other_org: Tenant
) -> None:
    large = png(width=7_000, height=7_000)
    done: list[str] = []

    async def send_one(tenant: Tenant, content: bytes, name: str) -> None:
        good(await send(tenant, content, name))
        done.append(name)

    crowd = [send_one(org, large, f"{at}.png") for at in range(MANY)]
    await asyncio.gather(*crowd, send_one(other_org, GOOD["photo.png"], "other.png"))
    # This file was sent last. In one queue with all the others it would also be checked last.
    assert done.index("other.png") < MANY // 2
