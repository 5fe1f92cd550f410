"""The primary is killed under load, and its standby promoted."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from tests.app.failover.server_pair import (
    PATIENCE_S,
    PostgresServer,
    ServerPair,
    replicated,
)
from tests.app.processes.server_process import (
    Served,
    fund,
    landbridge,
    make_user,
    served,
    swap_body,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

PAYERS = 8
FUNDS = 100_000
USDC_UNITS = 10**6
# Seconds from the failure of the primary to the promotion: what a failover manager takes.
DETECTION_S = 1.0
# Seconds of load before the failure and after the promotion.
LOAD_S = 3.0
# Retries of connections and of requests, and the promotion itself, on a busy machine.
RECOVERY_S_MAX = 20.0

SWAPS = "select request_id, status from transfers"
# The worker rolls up the house accounts of each change.
WORKER_IS_BEHIND = """
select count(*) from changes c join house_rollups h on h.org_id = c.org_id
where c.tx >= h.rolled_up_to
"""


@dataclass
class Payer:
    """User of the platform who swaps one unit at a time, and repeats what was not acknowledged."""

    server: Served
    user: str
    # Seconds of the monotonic clock at each acknowledged swap, by its request id.
    acknowledged: dict[str, float] = field(default_factory=dict[str, float])
    refusals: list[int] = field(default_factory=list[int])
    # Seconds until the slowest response.
    slowest_s: float = 0.0

    def run(self, stop: threading.Event) -> None:
        """Swap until `stop`, and then until the last one is acknowledged."""
        while not stop.is_set():
            body = swap_body(self.user)
            swap = self._until_ok("/v2/wallets/swaps", body)
            path = f"/v2/wallets/swaps/{swap['transferDetails']['id']}/accept"
            self._until_ok(path, None)
            self.acknowledged[body["requestId"]] = time.monotonic()

    def _until_ok(self, path: str, body: Any) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            begun = time.monotonic()
            status, answer = self.server.call("POST", path, body)
            self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
            if status == HTTPStatus.OK:
                return answer
            assert time.monotonic() < deadline, (status, answer)
            self.refusals.append(status)
            time.sleep(0.05)


@contextmanager
def paying(server: Served) -> Generator[list[Payer]]:
    """Payers who swap at once, from here to the end of the context."""
    payers = [Payer(server, make_user(server, f"Payer{number}")) for number in range(PAYERS)]
    for each in payers:
        fund(server, each.user, str(FUNDS))
    stop = threading.Event()
    threads = [threading.Thread(target=each.run, args=(stop,)) for each in payers]
    for thread in threads:
        thread.start()
    try:
        yield payers
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("fail", [PostgresServer.kill, PostgresServer.freeze])
def test_failover_loses_and_doubles_nothing(
    tmp_path: Path, fail: Callable[[PostgresServer], None]
) -> None:
    with replicated() as pair, served(tmp_path, database_url=pair.dsn, log_format="json") as server:
        with paying(server) as payers:
            time.sleep(LOAD_S)
            failed_at = time.monotonic()
            fail(pair.primary)
            time.sleep(DETECTION_S)
            pair.standby.promote()
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


def outage(payers: list[Payer], failed_at: float) -> float:
    """Return the seconds from the failure to the first swap that was acknowledged after it."""
    times = [at for each in payers for at in each.acknowledged.values()]
    assert any(at < failed_at for at in times)
    # Until promotion nothing can be acknowledged; what was on its way at the kill may be.
    return min(at for at in times if at > failed_at + DETECTION_S) - failed_at


def check_swaps(server: Served, standby: PostgresServer, payer: Payer) -> None:
    """Check that each acknowledged request made exactly one swap, and no other one was made."""
    rows = standby.query(f"{SWAPS} where kind = 'WALLET.SWAP' and user_id = '{payer.user}'")
    made = [line.split("|") for line in rows.splitlines()]
    assert sorted(made) == sorted([each, "COMPLETED"] for each in payer.acknowledged)
    path = f"/v2/users/{payer.user}/wallets/balance?chain=POLYGON&currency=usdc"
    status, balance = server.call("GET", path)
    assert (status, balance["balance"]) == (200, str((FUNDS - len(made)) * USDC_UNITS))


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
