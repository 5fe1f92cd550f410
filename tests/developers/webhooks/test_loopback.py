"""Endpoints on the server's own machine: only for a sandbox that is not reachable from outside."""

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.app.settings import SettingsInvalid, read
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, served

SWITCH = "LANDBRIDGE_LOOPBACK_WEBHOOKS"
LOCAL = {"url": "http://127.0.0.1:9411/webhooks", "eventTypes": ["*"]}
ANYWHERE = "0.0.0.0"  # noqa: S104  nothing is bound to it here
MASTER_KEY = SETTINGS.master_key or ""


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.0.0.9", True),
        ("::1", True),
        ("localhost", True),
        (ANYWHERE, False),
        ("::", False),
        ("10.0.0.7", False),
        ("payments.example", False),
    ],
)
def test_loopback_is_allowed_only_if_the_server_listens_on_loopback(
    host: str, *, expected: bool
) -> None:
    assert read({"LANDBRIDGE_HOST": host}).allows_loopback_webhooks is expected


def test_a_setting_decides_otherwise() -> None:
    assert read({"LANDBRIDGE_HOST": ANYWHERE, SWITCH: "on"}).allows_loopback_webhooks
    assert not read({SWITCH: "off"}).allows_loopback_webhooks
    with pytest.raises(SettingsInvalid, match=f"{SWITCH} must be one of on, off"):
        read({SWITCH: "yes"})


def test_production_never_does() -> None:
    production = {"LANDBRIDGE_MODE": "production", "LANDBRIDGE_MASTER_KEY": MASTER_KEY}
    assert not read(production).allows_loopback_webhooks
    with pytest.raises(SettingsInvalid, match="not for production"):
        read({**production, SWITCH: "on"})


async def test_it_is_refused_where_others_reach_the_server(own_database: Database) -> None:
    shared = msgspec.structs.replace(SETTINGS, host=ANYWHERE)
    container = wire(shared, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        answer = await org.send("POST", "/v2/webhooks", LOCAL)
    assert answer.status_code == 400, refusal(answer)
    assert "https://" in answer.json()["errorDetails"]


async def test_loopback_is_allowed_without_external_clients(org: Tenant) -> None:
    assert (await org.post("/v2/webhooks", LOCAL))["url"] == LOCAL["url"]
