"""Changing the master key by command: while a server runs, and broken off in between."""

import asyncio
import base64
import signal
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.app.container import open_container
from landbridge.app.settings import Settings
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, new_key
from landbridge.platform.encryption.service import Vault
from tests.app.processes.server_process import clean_environ, landbridge
from tests.tenants import fund, held, make_tenant, make_user, served
from tests.waiting import holding

pytestmark = pytest.mark.long

OLD, NEW = (base64.b64encode(new_key()).decode() for _ in range(2))
BEFORE, BOTH, AFTER = OLD, f"2:{NEW},1:{OLD}", f"2:{NEW}"


async def _reseal(dsn: str, folder: Path, key: str) -> tuple[int, str]:
    done = await asyncio.to_thread(
        landbridge, "reseal", database_url=dsn, data_dir=str(folder), master_key=key
    )
    return done.returncode, done.stdout + done.stderr


async def test_everything_opens_with_the_new_key_alone_afterwards(
    own_dsn: str, tmp_path: Path
) -> None:
    before = Settings(master_key=BEFORE, data_dir=str(tmp_path))
    async with (
        open_container(before, own_dsn, name="test") as container,
        served(container) as client,
    ):
        org = await make_tenant(container, client)
        user = await make_user(org, funds="5")
        reply = await org.get(f"/v2/users/{user}")
    both = Settings(master_key=BOTH, data_dir=str(tmp_path))
    async with open_container(both, own_dsn, name="test") as container, served(container) as client:
        running = await make_tenant(container, client, name="More")
        later = await make_user(running)
        code, output = await _reseal(own_dsn, tmp_path, BOTH)
        assert code == 0, output
        assert "No other is needed any more" in output
        assert (await running.get(f"/v2/users/{later}"))["name"] == "Ada Example"
        assert await _reseal(own_dsn, tmp_path, BOTH) == (
            0,
            ("0 data keys were encrypted again with master key 2. No other is needed any more.\n"),
        )
    after = Settings(master_key=AFTER, data_dir=str(tmp_path))
    async with (
        open_container(after, own_dsn, name="test") as container,
        served(container) as client,
    ):
        org = type(org)(container, client, org.caller, org.key)
        assert await org.get(f"/v2/users/{user}") == reply
        assert (await org.get("/v2/users", firstName="ad"))["count"] == 1
        await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
        await fund(org, user, "1", chain="BASE")
        assert await held(org, user) == "5"


@pytest.mark.parametrize(
    ("key", "says"),
    [(BEFORE, "wrong key"), (AFTER, "master key 1, which is not configured")],
    ids=["another of this id", "none of this id"],
)
async def test_without_the_other_key_no_start_and_no_command(
    own_dsn: str, own_database: Database, tmp_path: Path, key: str, says: str
) -> None:
    vault = Vault(Sealer(base64.b64decode(OLD if key is AFTER else NEW)))
    org_id = await _org(own_database)
    await own_database.transact(lambda tx: vault.make(tx, org_id, org_id))
    code, output = await _reseal(own_dsn, tmp_path, key)
    assert code == 1
    assert says in output
    assert len(output.splitlines()) == 1


@pytest.mark.long
@pytest.mark.long
async def test_killed_reseal_continues_from_its_position(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    old = Vault(Sealer(base64.b64decode(OLD)))
    org_id, owners = await _org(own_database), [new_id() for _ in range(4_000)]
    for at in range(0, len(owners), 1_000):
        for owner in owners[at : at + 1_000]:
            await own_database.transact(lambda tx, owner=owner: old.make(tx, org_id, owner))
    derived = await _derived(own_database, old, org_id, owners)
    # However late it checks, it is not done: it waits for the last transaction.
    last = "select from data_keys where org_id = $1 and id = $2 for update"
    async with holding(own_database, last, org_id, max(owners)):
        process = _started(own_dsn, tmp_path)
        while not await _count(own_database, 2):  # noqa: ASYNC110  another process makes it so
            await asyncio.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(process.wait, 60)
    assert 0 < await _count(own_database, 2) < len(owners)
    both = Vault(Sealer({2: base64.b64decode(NEW), 1: base64.b64decode(OLD)}))
    assert await _derived(own_database, both, org_id, owners) == derived
    left = await _count(own_database, 1)
    code, output = await _reseal(own_dsn, tmp_path, BOTH)
    assert (code, output.split()[0]) == (0, str(left))
    new = Vault(Sealer({2: base64.b64decode(NEW)}))
    await own_database.transact(new.check_seal)
    assert await _derived(own_database, new, org_id, owners) == derived


def _started(dsn: str, folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "landbridge", "reseal"],
        env=clean_environ(database_url=dsn, data_dir=str(folder), master_key=BOTH),
        stdout=subprocess.DEVNULL,
    )


async def _org(database: Database) -> UUID:
    org_id = new_id()
    await database.rows(
        "insert into orgs (id, name, created_at) values ($1, 'Test', '2026-01-01Z')", org_id
    )
    return org_id


async def _count(database: Database, master_key_id: int) -> int:
    (row,) = await database.rows(
        "select count(*) as many from data_keys where master_key_id = $1", master_key_id
    )
    return row["many"]


async def _derived(
    database: Database, vault: Vault, org_id: UUID, owners: list[UUID]
) -> dict[UUID, bytes]:
    """Return a hash of each owner's key."""
    found = await database.transact(lambda tx: vault.find_many(tx, org_id, owners))
    return {owner: key.derive("test") for owner, key in found.items()}
