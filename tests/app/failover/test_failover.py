"""The primary is killed under load, and its standby promoted."""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.db.session_settings import Pooler, PoolerSettingsMissing
from tests.app.failover.payers import DETECTION_S, check_swaps, outage, paying
from tests.app.failover.server_pair import (
    PATIENCE_S,
    PostgresServer,
    ServerPair,
    replicated,
)
from tests.app.processes.server_process import Served, landbridge, served
from tests.platform.db.pooler_process import PGBOUNCER, give_settings, pooled

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

# Seconds of load before the failure and after the promotion.
LOAD_S = 3.0
# Retries of connections and of requests, and the promotion itself, on a busy machine.
RECOVERY_S_MAX = 20.0

# The worker rolls up the house accounts of each change.
WORKER_IS_BEHIND = """
select count(*) from change_batches b join house_rollups h on h.org_id = b.org_id
where b.place >= h.rolled_up_to or b.place is null
"""


@pytest.mark.parametrize("fail", [PostgresServer.kill, PostgresServer.freeze])
def test_failover_loses_and_doubles_nothing(
    tmp_path: Path, fail: Callable[[PostgresServer], None]
) -> None:
    with replicated() as pair, served(tmp_path, database_url=pair.dsn, log_format="json") as server:
        fail_over(server, pair, fail)


@pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")
def test_failover_behind_a_pooler_loses_and_doubles_nothing(tmp_path: Path) -> None:
    with replicated() as pair:
        with pooled(pair.primary.dsn) as pooler:
            asyncio.run(give_missing_settings(pair.primary.dsn, pooler.url))
        with (
            pooled(pair.primary.dsn) as pooler,
            served(
                tmp_path,
                database_url=pair.dsn,
                pooler_url=pooler.url,
                pooler_statements="lost",
                log_format="json",
            ) as server,
        ):
            fail_over(
                server,
                pair,
                PostgresServer.kill,
                when_promoted=lambda: pooler.lead_to(pair.standby.dsn),
            )


async def give_missing_settings(dsn: str, pooler_url: str) -> None:
    """Give the role what a pooler does not pass on."""
    with pytest.raises(PoolerSettingsMissing) as missing:
        await Database.connect(
            pooler_url, name="tests", size_max=1, pooler=Pooler(keeps_statements=False)
        )
    await give_settings(dsn, missing.value)


def fail_over(
    server: Served,
    pair: ServerPair,
    fail: Callable[[PostgresServer], None],
    *,
    when_promoted: Callable[[], None] = lambda: None,
) -> None:
    """Let the primary fail under load, and promote the standby; check all payments."""
    with paying(server) as payers:
        time.sleep(LOAD_S)
        failed_at = time.monotonic()
        fail(pair.primary)
        time.sleep(DETECTION_S)
        pair.standby.promote()
        when_promoted()
        time.sleep(LOAD_S)
    outage_s = outage(payers, failed_at)
    slowest_s = max(each.slowest_s for each in payers)
    print(  # noqa: T201  the measurement
        f"\noutage {outage_s:.2f} s, {DETECTION_S:.0f} s of it until promotion; "
        f"slowest response {slowest_s:.2f} s"
    )
    assert outage_s < DETECTION_S + RECOVERY_S_MAX
    assert {status for each in payers for status in each.refusals} <= {503}
    for payer in payers:
        check_swaps(server, pair.standby, payer)
    check_processes(server, pair)


def check_processes(server: Served, pair: ServerPair) -> None:
    """Check that API and worker reconnected by themselves, and that the books are clean."""
    assert server.call("GET", "/readyz")[0] == HTTPStatus.OK
    assert "process.died" not in server.output.read_text()
    deadline = time.monotonic() + PATIENCE_S
    while pair.standby.query(WORKER_IS_BEHIND) != "0":
        assert time.monotonic() < deadline, server.output.read_text()[-4000:]
        time.sleep(0.1)
    audited = landbridge("check", folder=server.folder, database_url=pair.dsn)
    assert audited.returncode == 0, audited.stdout
