"""`landbridge reconcile`: prints the comparison, and exits 1 while a difference is open."""

import asyncio
from pathlib import Path

from landbridge.platform.db.pool import Database
from tests.app.processes.test_cli import run

_RUN, _STATUS, _LIST = ("reconcile", "run"), ("reconcile", "status"), ("reconcile", "differences")
_DAMAGE = """
update recon_positions set ledger_units = ledger_units + 5000000 where asset = 'usdc:POLYGON'
"""


def test_an_open_difference_is_printed_with_exit_code_1(own_dsn: str, tmp_path: Path) -> None:
    def printed(*args: str) -> tuple[int, str]:
        code, output, _ = run(own_dsn, tmp_path, *args)
        return code, output

    printed("orgs", "create", "--name", "Acme")
    assert printed(*_STATUS) == (0, "Nothing was compared yet.\nOpen differences: 0.\n")
    code, output = printed(*_RUN)
    assert code == 0
    assert "POLYGON: compared up to block 0 at " in output
    assert output.endswith("Open differences: 0.\n")
    assert printed(*_LIST) == (0, "No differences.\n")
    asyncio.run(_damage(own_dsn))
    code, output = printed(*_RUN)
    assert code == 1
    assert "POLYGON: usdc 0 outside, 5 by the ledger, -5 difference\n" in output
    assert "OPEN POSITION -5 usdc on POLYGON, since " in output
    assert output.endswith("Open differences: 1.\n")
    assert printed(*_STATUS) == (1, output)
    assert printed(*_LIST)[1] in output


async def _damage(dsn: str) -> None:
    database = await Database.connect(dsn, name="test", size_max=1)
    try:
        await database.rows(_DAMAGE)
    finally:
        await database.close()
