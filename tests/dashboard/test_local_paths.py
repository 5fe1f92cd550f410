"""Redirects back to the page with the form: checked before anything changes."""

import pytest

from tests.dashboard.browsing import visit
from tests.tenants import Tenant


@pytest.mark.parametrize("back", ["//[x", "https://evil.example", "/dashboard/../v2"])
async def test_advancing_the_clock_returns_to_the_page(org: Tenant, back: str) -> None:
    admin = await visit(org)
    fields = {"seconds": "60", "back": back}
    assert await admin.submit("/dashboard/sandbox/clock", fields) == "/dashboard/sandbox"


@pytest.mark.parametrize("host", ["a:99999999", "a:-1", "a:b", "[::1]:1_0", "a:", "[::1"])
async def test_a_host_with_a_wrong_port_is_no_server_error(org: Tenant, host: str) -> None:
    admin = await visit(org)
    signed_in = {"Cookie": f"landbridge={admin.cookie}"}
    for path in ("/dashboard/users?type=business", "/dashboard/transactions", "/dashboard/nothing"):
        for headers in ({"Host": host}, {"Host": host, **signed_in}):
            found = await org.client.get(path, headers=headers)
            assert found.status_code in {200, 303, 404}, (path, found.text)
    forgot = await org.client.get("/dashboard/forgot", headers={"Host": host})
    assert forgot.status_code == 200
    redirected = await org.client.get("/dashboard/users?type=business", headers={"Host": host})
    target = "/dashboard/sign-in?next=%2Fdashboard%2Fusers%3Ftype%3Dbusiness"
    assert redirected.headers["location"] == target
