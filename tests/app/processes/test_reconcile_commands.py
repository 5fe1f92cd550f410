"""`landbridge reconcile`: prints the comparison, and exits 1 while a difference is open."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import landbridge
from tests.app.processes.test_cli import MASTER_KEY, run

_RUN, _STATUS, _LIST = ("reconcile", "run"), ("reconcile", "status"), ("reconcile", "differences")
_DAMAGE = """
update recon_positions set ledger_units = ledger_units + 5000000 where asset = 'usdc:POLYGON'
"""

_ADMINS = """
insert into team_members (org_id, id, email, name, role, language, theme,
    receives_approval_emails, is_invited, created_at, version)
select o.id, gen_random_uuid(), m.name || '@example.com', m.name, m.role, 'en', 'system', false,
    false, now(), 1
from orgs o, (values ('ada', 'admin'), ('bob', 'admin'), ('eve', 'analyst')) as m (name, role)
"""
_OPEN_EARLIER = "update recon_sources set opened_at = opened_at - interval '3 days'"
_IS_ID = r"\(([0-9a-f-]{36})\)"


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
    asyncio.run(_run(own_dsn, _DAMAGE))
    code, output = printed(*_RUN)
    assert code == 1
    assert "POLYGON: usdc 0 outside, 5 by the ledger, -5 difference\n" in output
    assert "OPEN POSITION -5 usdc on POLYGON, since " in output
    assert output.endswith("Open differences: 1.\n")
    assert printed(*_STATUS) == (1, output)
    assert printed(*_LIST)[1] in output


def test_two_admins_explain_a_difference_and_close_a_day(own_dsn: str, tmp_path: Path) -> None:
    def printed(*args: str) -> tuple[int, str]:
        return _reconcile(own_dsn, tmp_path, *args)

    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    assert printed("run")[0] == 0
    asyncio.run(_run(own_dsn, _ADMINS, _DAMAGE, _OPEN_EARLIER))
    day = str(datetime.now(UTC).date() - timedelta(days=1))
    code, output = printed("run")
    assert code == 1
    code, output = printed("close", day, "--by", "ada@example.com")
    assert (code, "1 unexplained differences are above the tolerance" in output) == (1, True)
    difference = str(re.findall(_IS_ID, printed("differences")[1])[0])
    explain = ("resolve", difference, "--reason", "opening inventory", "--by")
    assert "eve@example.com is no admin" in printed(*explain, "eve@example.com")[1]
    assert "no member has the e-mail address" in printed(*explain, "x@example.com")[1]
    assert printed(*explain, "ada@example.com")[1].startswith(
        "Explained: PROPOSED POSITION -5 usdc"
    )
    assert printed("run")[0] == 1
    accept = ("accept", difference, "--by")
    assert "this takes a second person" in printed(*accept, "ada@example.com")[1]
    assert printed(*accept, "bob@example.com")[1].startswith("Accepted: RESOLVED POSITION")
    assert printed("run")[0] == 0
    code, output = printed("close", day, "--by", "Ada@example.com")
    assert (code, output.startswith(f"{day}: PREPARED, cut at ")) == (0, True)
    assert "POLYGON: usdc 0 outside, 5 by the ledger\n" in output
    close, digest = re.findall(_IS_ID, output)[0], output.rpartition("digest: ")[2].strip()
    confirm = ("confirm", close, digest, "--by")
    assert "you have signed it" in printed(*confirm, "ada@example.com")[1]
    code, output = printed(*confirm, "bob@example.com")
    assert (code, output.startswith(f"{day}: COMPLETED")) == (0, True)
    assert printed(*confirm, "bob@example.com")[0] == 1


def test_a_planted_movement_is_a_difference(own_dsn: str, tmp_path: Path) -> None:
    def printed(*args: str) -> tuple[int, str]:
        return _reconcile(own_dsn, tmp_path, *args)

    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    printed("run")
    for wrong in (("0", "usdc"), ("a", "usdc"), ("1", "eur"), ("1.0000001", "usdc")):
        assert printed("plant", *wrong)[0] == 2
    code, output = printed("plant", "5", "usdc", "--chain", "BASE")
    assert (code, output[:11]) == (0, "Moved in 0x"), output
    assert "TIMING UNKNOWN_OUTSIDE 5 usdc on BASE" in printed("run")[1]


async def _run(dsn: str, *statements: str) -> None:
    database = await Database.connect(dsn, name="test", size_max=1)
    try:
        for each in statements:
            await database.rows(each)
    finally:
        await database.close()


def _reconcile(dsn: str, folder: Path, *args: str) -> tuple[int, str]:
    """Run a command with the master key, which salts what is owed at the cut of a day."""
    done = landbridge(
        *("reconcile", *args), database_url=dsn, data_dir=str(folder), master_key=MASTER_KEY
    )
    return done.returncode, done.stdout + done.stderr
