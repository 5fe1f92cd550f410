"""What a first visit loads: a page with everything that it names, below 100 KB."""

from typing import Final

import pytest

from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.world import World, build, in_process_client
from tests.tenants import Tenant

BYTES_MAX: Final = 100_000
# Pages that a person opens late, with their own bound: each option of a form of many parts.
LARGE: Final = {"report-builder": 200_000, "report-template-edit": 200_000}


@pytest.mark.long
async def test_a_first_load_is_below_its_bound(org: Tenant) -> None:
    world: World = await build(in_process_client(org))
    admin = await visit(org)
    sizes = {name: await _loaded(admin, path) for name, path in world.pages().items()}
    wrong = {name: size for name, size in sizes.items() if size >= LARGE.get(name, BYTES_MAX)}
    assert not wrong


async def _loaded(visitor: Visitor, path: str) -> int:
    """Return the bytes that a page with its assets sends; every asset is our own."""
    page = await visitor.load(path)
    assets = {
        str(each) for each in page.tree.xpath("//link[@rel]/@href | //script/@src | //img/@src")
    }
    assert all(each.startswith(("/dashboard/assets/", "data:")) for each in assets), assets
    total = len(page.response.content)
    for each in assets:
        if each.startswith("/"):
            sent = (await visitor.open(each)).response
            assert sent.headers["content-encoding"] == "gzip", each
            total += int(sent.headers["content-length"])
    return total
