"""Going back to where a form was: looked at before anything is done."""

import pytest

from tests.dashboard.browsing import visit
from tests.tenants import Tenant


@pytest.mark.parametrize("back", ["//[x", "https://evil.example", "/dashboard/../v2"])
async def test_the_clock_moves_and_one_stays_here(org: Tenant, back: str) -> None:
    admin = await visit(org)
    fields = {"seconds": "60", "back": back}
    assert await admin.done("/dashboard/sandbox/clock", fields) == "/dashboard/sandbox"
