"""A server is recovered to a point in time, from a base backup and the archive of its log."""

import time
from pathlib import Path

import pytest

from tests.app.failover.payers import FUNDS, SWAPS, USDC_UNITS, Payer, paying
from tests.app.failover.server_pair import PostgresServer, archived
from tests.app.processes.server_process import Served, landbridge, served, swap_body

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

# Seconds of load before and after the point in time.
LOAD_S = 3.0
# The transaction that makes a swap final has its time a moment before the response arrives.
MARGIN_S = 1.0

NOW = "select clock_timestamp()"
MISTAKE = "drop table entries cascade"


def test_recovery_to_a_point_in_time_keeps_what_was_acknowledged_before(tmp_path: Path) -> None:
    with archived() as archive:
        with served(tmp_path, database_url=archive.primary.dsn, log_format="json") as server:
            archive.back_up()
            with paying(server) as payers:
                time.sleep(LOAD_S)
                before = time.monotonic() - MARGIN_S
                at = archive.primary.query(NOW)
                time.sleep(LOAD_S)
            after = count(archive.primary, payers)
        # An operator's mistake, which a standby would repeat at once.
        archive.primary.query(MISTAKE)
        archive.close_log()
        archive.primary.kill()
        recovered = archive.recover(at)
        audited = landbridge("check", folder=tmp_path, database_url=recovered.dsn)
        assert audited.returncode == 0, audited.stdout
        kept = count(recovered, payers)
        assert 0 < kept < after
        with served(tmp_path, database_url=recovered.dsn, log_format="json") as server:
            for payer in payers:
                check_kept(server, recovered, payer, before)
                go_on(server, recovered, payer)
        audited = landbridge("check", folder=tmp_path, database_url=recovered.dsn)
        assert audited.returncode == 0, audited.stdout


def count(server: PostgresServer, payers: list[Payer]) -> int:
    """Return the number of swaps of these users."""
    return sum(len(swaps_of(server, each.user)) for each in payers)


def swaps_of(server: PostgresServer, user: str) -> dict[str, str]:
    """Return the status of each swap of a user by its request id."""
    rows = server.query(f"{SWAPS} where kind = 'WALLET.SWAP' and user_id = '{user}'")
    return dict(line.split("|") for line in rows.splitlines())


def check_kept(server: Served, recovered: PostgresServer, payer: Payer, before: float) -> None:
    """Check that all swaps acknowledged before the point are there, with their money."""
    found = swaps_of(recovered, payer.user)
    due = {each for each, at in payer.acknowledged.items() if at < before}
    assert due <= {each for each, status in found.items() if status == "COMPLETED"}
    done = [each for each, status in found.items() if status == "COMPLETED"]
    path = f"/v2/users/{payer.user}/wallets/balance?chain=POLYGON&currency=usdc"
    status, balance = server.call("GET", path)
    assert (status, balance["balance"]) == (200, str((FUNDS - len(done)) * USDC_UNITS))


def go_on(server: Served, recovered: PostgresServer, payer: Payer) -> None:
    """Check that a swap which the recovery took back is made once when its client repeats it."""
    lost = sorted(set(payer.acknowledged) - set(swaps_of(recovered, payer.user)))
    assert lost
    repeated = {**swap_body(payer.user), "requestId": lost[0]}
    for _ in range(2):
        status, _ = server.call("POST", "/v2/wallets/swaps", repeated)
        assert status == 200
    assert lost[0] in swaps_of(recovered, payer.user)
