"""`landbridge archive`: what it prints, and that it survives kill -9 at any point."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.reporting.archive.model import ArchiveInvalid
from landbridge.reporting.archive.verification import verify_months
from tests.long import few_of
from tests.reporting.archive.months import archived, folder_of, pass_month, pay, request_of
from tests.reporting.proofs import proof_books as books
from tests.tenants import SETTINGS, Tenant, run_due

_FAR = "2999-01"


def _environment(dsn: str) -> dict[str, str]:
    assert SETTINGS.master_key is not None
    return {"LANDBRIDGE_DATABASE_URL": dsn, "LANDBRIDGE_MASTER_KEY": SETTINGS.master_key}


async def _run(dsn: str, *words: str) -> tuple[int, str]:
    found = await asyncio.to_thread(
        CliRunner().invoke, commands, ["archive", *words], env=_environment(dsn)
    )
    return found.exit_code, found.output or repr(found.exception)


async def test_commands_write_and_verify(org: Tenant, dsn: str, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    folder, keys = tmp_path / "archive", tmp_path / "keys.txt"
    keys.write_text(await books.keys(org))
    now = await org.container.orgs.now(org.org_id)
    first = f"{now.replace(day=1) - timedelta(days=1):%Y-%m}"
    own = ("--org", str(org.org_id))

    code, output = await _run(dsn, "write", str(folder), "--before", _FAR, *own, "--dry-run")
    assert f"{org.org_id} {first}: would be written\n" in output
    assert (code, folder.exists()) == (1, False)

    code, output = await _run(dsn, "write", str(folder), "--before", _FAR, *own)
    assert code == 1
    assert f"{org.org_id} {first}: written and verified, " in output
    assert "is not over yet." in output
    month = folder_of(org, folder).path / first
    assert {each.name for each in month.iterdir()} == {
        *("manifest.json", "changes.parquet", "transfers.parquet"),
        *("entries.parquet", "balances.parquet"),
    }
    assert {stat.S_IMODE(each.stat().st_mode) for each in month.iterdir()} == {0o600}
    assert stat.S_IMODE(month.stat().st_mode) == 0o700

    code, output = await _run(dsn, "verify", str(folder), "--keys", str(keys))
    assert (code, output.startswith(f"{org.org_id} {first}: whole, ")) == (0, True)
    (month / "entries.parquet").write_bytes(b"")
    code, output = await _run(dsn, "verify", str(folder), "--keys", str(keys))
    assert (code, "SHA-256" in output) == (1, True)


async def test_words_that_make_no_sense_are_refused(dsn: str, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text("")
    for words, sentence in (
        (("write", str(tmp_path), "--before", "2026-13"), "--before is a month"),
        (("write", str(tmp_path), "--before", "2026-1"), "--before is a month"),
        (("verify", str(tmp_path), "--keys", str(keys)), "has no archived months"),
        (
            ("write", str(tmp_path), "--before", _FAR, "--all", "--org", str(uuid4())),
            "exclude each other",
        ),
    ):
        code, output = await _run(dsn, *words)
        assert (code, sentence in output) == (2, True), output


async def test_without_its_library_it_says_how_to_get_it(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, output = await _run(dsn, "write", str(tmp_path), "--before", _FAR)
    assert (code, "The archive needs pyarrow" in output) == (2, True), output


# A command is killed as soon as it has come this far: states of the folder of an organisation.
_STAGES: dict[str, Callable[[Path], bool]] = {
    "a folder was begun": lambda path: any(path.glob(".partial-*")),
    "a manifest was written": lambda path: any(path.glob(".partial-*/manifest.json")),
    "a month got its name": lambda path: any(path.glob("????-??")),
    "the next month was begun": lambda path: (
        any(path.glob("????-??")) and any(path.glob(".partial-*/changes.parquet"))
    ),
}


@pytest.mark.parametrize("stage", few_of(_STAGES))
async def test_a_killed_command_goes_on(org: Tenant, dsn: str, tmp_path: Path, stage: str) -> None:
    for _ in range(3):
        await pay(org)
        await books.fill_log(org, 300)
        await pass_month(org)
        await run_due(org)
    keys = await books.keys(org)
    now = await org.container.orgs.now(org.org_id)
    words = ["write", "--before", f"{now:%Y-%m}", "--org", str(org.org_id)]
    folder = tmp_path / "archive"
    months = folder_of(org, folder)
    reached = partial(_STAGES[stage], months.path)
    killed = await asyncio.to_thread(_kill_once, [*words, str(folder)], dsn, reached)
    assert killed
    # What has its name is whole.
    kept = list(verify_months(months, keys))
    code, output = await _run(dsn, *words, str(folder))
    assert code == 0, output
    found = list(verify_months(months, keys))
    assert found[: len(kept)] == kept
    assert len(found) == 3
    assert sorted(each.name for each in months.path.iterdir()) == [
        each.manifest.month for each in found
    ]
    rows = await org.container.database.rows(
        "select c.facts ->> 'manifest' as digest from changes c"
        " where c.org_id = $1 and c.kind = 'ARCHIVE'",
        org.org_id,
    )
    digests = [row["digest"] for row in rows]
    assert [digests.count(each.digest) for each in found] == [1, 1, 1]


def _kill_once(words: list[str], dsn: str, is_reached: Callable[[], bool]) -> bool:
    """Run a command and kill it at a stage; return False if it ended before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "landbridge", "archive", *words],
        env=os.environ | _environment(dsn),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            if is_reached():
                process.kill()
                return process.wait() == -signal.SIGKILL
            time.sleep(0.0005)
        return False
    finally:
        process.kill()
        process.wait()


async def test_two_commands_do_not_write_to_one_folder(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    request = await request_of(org, tmp_path)
    first = org.container.archive.write(request)
    await anext(first)
    with pytest.raises(ArchiveInvalid, match="Another command"):
        await archived(org, tmp_path)
    await first.aclose()
    assert await archived(org, tmp_path) == []
