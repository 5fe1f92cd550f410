"""Files of any length take the same memory, measured in a separate process."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tests.reporting.exports.downloads import fill
from tests.tenants import SETTINGS, Tenant, make_user

ROWS = 100_000
# The bound for a million rows. Keeping all rows would exceed it: their text alone is 26 MB, their
# values several times as much.
EXTRA_MB_MAX = {"csv": 20, "parquet": 60}

# Prints the peak memory above that after the first chunk, in megabytes, and the number of bytes.
# The peak is reset at the first chunk (Linux: 5 to clear_refs), because a process inherits its
# parent's.
PROGRAM = """
import asyncio, sys
from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.reporting.exports.model import ExportFormat
from landbridge.app.settings import Settings
from landbridge.platform.http.caller import Caller
from landbridge.app.container import wire

PARAMS = {
    "createdAfter": "2026-02-01", "createdBefore": "2026-03-01", "calculationInterval": "month"
}

def most_mb():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

async def main(dsn, org, form, hoards, key, data):
    database = await Database.connect(dsn, name="memory", size_max=2)
    settings = Settings(master_key=key, public_url="http://landbridge.test", data_dir=data)
    exports = wire(settings, database, ReadingClock()).exports
    caller = Caller(UUID(org), UUID(org), timedelta())
    _, chunks = await exports.transaction_file(caller, "OUTCOMES", PARAMS, ExportFormat(form))
    size = len(await anext(chunks))
    open("/proc/self/clear_refs", "w").write("5")
    before, kept = most_mb(), []
    async for chunk in chunks:
        size += len(chunk)
        if hoards == "hoards":
            kept.append(bytearray(chunk) * 8)
    print(most_mb() - before, size)
    await database.close()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "parquet"])
async def test_a_long_file_takes_no_more_memory_than_a_short_one(
    org: Tenant, dsn: str, form: str
) -> None:
    since = datetime(2026, 2, 1, tzinfo=UTC)
    await fill(org, await make_user(org), ROWS, since=since, apart=timedelta(seconds=20))
    extra_mb, size = read(org, dsn, form, "passes")
    assert size > (20_000_000 if form == "csv" else 5_000_000)
    assert extra_mb < EXTRA_MB_MAX[form]
    # Control: keeping all chunks eight times is measured as that much more.
    hoarded_mb, _ = read(org, dsn, form, "hoards")
    assert hoarded_mb > extra_mb + 4 * size / 2**20


def read(org: Tenant, dsn: str, form: str, content: str) -> tuple[float, int]:
    """Return the megabytes that reading takes, and the bytes read, in a separate process."""
    ran = subprocess.run(
        [
            *(sys.executable, "-c", PROGRAM, dsn, str(org.org_id), form, content),
            *(str(SETTINGS.master_key), str(SETTINGS.data_dir)),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    extra_mb, size = ran.stdout.split()
    return float(extra_mb), int(size)
