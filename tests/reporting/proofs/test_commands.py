"""Commands on provable books."""

import asyncio
import stat
from pathlib import Path

from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.reporting.proofs.books_verifier import check_books
from tests.reporting.proofs import proof_books as books
from tests.tenants import SETTINGS, Tenant


async def test_an_export_is_for_its_owner_alone_and_verifies(
    org: Tenant, dsn: str, tmp_path: Path
) -> None:
    await books.paid_books(org, swaps=1)
    file, keys = tmp_path / "books.txt", await books.keys(org)

    async def run(*arguments: str) -> tuple[int, str]:
        env = {"LANDBRIDGE_DATABASE_URL": dsn, "LANDBRIDGE_MASTER_KEY": SETTINGS.master_key}
        words = ["proofs", *arguments, "--org", str(org.org_id)]
        found = await asyncio.to_thread(CliRunner().invoke, commands, words, env=env)
        return found.exit_code, found.output or repr(found.exception)

    code, output = await run("export", "--out", str(file))
    assert code == 0, output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (await run("keys"))[1].split() == keys.split()
    size = check_books(iter(file.read_text().splitlines()), keys, None).size
    assert output == f"{size} changes are in {file}.\n"
    assert (await run("verify"))[0] == 0
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"\xff\xfe no checkpoint")
    code, output = await run("verify", "--checkpoint", str(broken))
    assert (code, "has no signature" in output) == (1, True)
    assert (await run("resume"))[0] != 0
