"""Redirects back to the page with the form: checked before anything changes."""

import pytest

from tests.dashboard.browsing import visit
from tests.tenants import Tenant


@pytest.mark.parametrize("back", ["//[x", "https://evil.example", "/dashboard/../v2"])
async def test_advancing_the_clock_returns_to_the_page(org: Tenant, back: str) -> None:
    admin = await visit(org)
    fields = {"seconds": "60", "back": back}
    assert await admin.submit("/dashboard/sandbox/clock", fields) == "/dashboard/sandbox"
