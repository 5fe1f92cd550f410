"""A process that reads on a standby begins to write, without a real standby.

With one, and with every route: `tests/app/failover/test_standby.py`.
"""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from landbridge.app.container import open_container
from landbridge.platform.core.clock import StandbyClock
from landbridge.platform.core.errors import ReadOnlyServer
from landbridge.platform.db import promotion
from landbridge.platform.db.pool import Database
from landbridge.platform.db.promotion import run_on_promotion
from tests.tenants import SETTINGS, SWAPS, make_tenant, make_user, served, swap_body

PATIENCE_S = 30.0


async def set_read_only(operator: Database, value: str) -> None:
    """Set what sessions from here on may do, as at a standby."""
    name = (await operator.rows("select current_database() as name"))[0]["name"]
    await operator.rows(f"alter database {name} set default_transaction_read_only = {value}")


async def test_the_api_reads_until_it_may_write(own_dsn: str, own_database: Database) -> None:
    async with (
        open_container(SETTINGS, own_dsn, name="tests") as container,
        served(container) as client,
    ):
        org = await make_tenant(container, client)
        user = await make_user(org, funds="10")
    # Its session may write all the time.
    await set_read_only(own_database, "on")
    async with (
        open_container(SETTINGS, own_dsn, name="tests", reads_on_standby=True) as container,
        served(container) as client,
    ):
        org = replace(org, container=container, client=client)
        assert (await org.get(f"/v2/users/{user}"))["id"] == user
        answer = await org.send("POST", SWAPS, swap_body(user))
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "this server is read-only" in answer.json()["errorDetails"]
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/readyz?for=reads")).status_code == 200
        await set_read_only(own_database, "off")
        async with asyncio.timeout(PATIENCE_S):
            while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110  no event
                await asyncio.sleep(0.05)
        await org.post(SWAPS, swap_body(user))


async def test_without_leave_to_read_a_standby_is_refused(
    own_dsn: str, own_database: Database
) -> None:
    async with open_container(SETTINGS, own_dsn, name="tests"):
        pass
    await set_read_only(own_database, "on")
    with pytest.raises(ReadOnlyServer):
        async with open_container(SETTINGS, own_dsn, name="tests"):
            pass
    # A command that only reads runs there.
    async with open_container(SETTINGS, own_dsn, name="tests", writes=False) as container:
        assert not await container.orgs.all()


async def test_what_fails_on_the_promotion_is_repeated(
    own_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promotion, "_CHECK_EVERY_S", 0.01)
    attempts = 0

    async def begin() -> None:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise ValueError(attempts)

    database: Any
    probe: Any
    database, probe = [await Database.connect(own_dsn, name="tests", size_max=1) for _ in range(2)]
    with capture_logs() as logs:
        async with run_on_promotion(database, probe, begin), asyncio.timeout(PATIENCE_S):
            assert database.is_standby
            while database.is_standby:  # noqa: ASYNC110  it sets no event
                await asyncio.sleep(0.01)
    assert attempts == 3
    assert [each["event"] for each in logs] == [
        "database.standby",
        "database.not_promoted",
        "database.not_promoted",
        "database.promoted",
    ]
    await database.close()
    await probe.close()


def test_a_clock_without_a_node_stamps_nothing() -> None:
    clock = StandbyClock()
    assert not clock.can_stamp
    with pytest.raises(ReadOnlyServer):
        clock.stamp()
    clock.begin(142)
    assert clock.can_stamp
    assert clock.stamp().microsecond % 100 == 42
