"""Users who pay while a database server fails, and what must hold for their payments."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from tests.app.failover.server_pair import PATIENCE_S, PostgresServer
from tests.app.processes.server_process import Served, fund, make_user, swap_body

PAYERS = 8
FUNDS = 100_000
USDC_UNITS = 10**6
# Seconds from the failure of the primary to the promotion: what a failover manager takes.
DETECTION_S = 1.0

SWAPS = "select request_id, status from transfers"


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
