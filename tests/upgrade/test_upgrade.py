"""A database of release 0.1.0 is migrated, is consistent, and completes what was open."""

import re
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.app.container import open_container
from landbridge.platform.changes.model import START, LogPosition
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.changes.service import read
from landbridge.platform.db.migrate import migrations
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import landbridge
from tests.conftest import new_database
from tests.tenants import SETTINGS, good, served

pytestmark = pytest.mark.long

DUMP = Path(__file__).with_name("release_0_1_0.sql")
KEY = {"Authorization": "Bearer a-key-of-my-own-choice-1234"}
LAST = 30


def _command(dsn: str, folder: Path, *command: str) -> str:
    """Run a command as an operator does; return its output."""
    master_key = SETTINGS.master_key or ""
    done = landbridge(*command, folder=folder, database_url=dsn, master_key=master_key)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Migrations fill some tables; these rows are in the dump too.
_EMPTY = """
do $$ begin
    execute (
        select 'truncate ' || string_agg(format('%I', tablename), ', ')
        from pg_tables
        where schemaname = 'public'
    );
end $$;
set session_replication_role = replica;
"""


async def _restore(dsn: str) -> None:
    """Bring a database to where the release left it, on a server that counts anew."""
    schema = "".join(each.sql for each in migrations() if each.number <= LAST)
    table = """
        create table migrations (
            number integer not null, name text not null, digest text not null,
            applied_at timestamptz not null, constraint migrations_pkey primary key (number)
        );
    """
    rows = DUMP.read_text(encoding="utf-8")
    database = await Database.connect(dsn, name="restore", size_max=1)
    await database.single(lambda tx: tx.execute(f"{table}{schema}{_EMPTY}{rows}"))
    await database.close()


# Each change and each reader at its position, as the release left them.
_CHANGES_BEFORE = """
select org_id, tx::text::bigint as place, object_id, seq from changes order by tx, object_id, seq
"""
_READERS_BEFORE = """
select org_id, read_tx::text::bigint as place, read_object_id as object_id, read_seq as seq
from webhook_endpoints
union all
select org_id, rolled_up_to::text::bigint, org_id, 0 from house_rollups
order by place, object_id
"""
_READERS = """
select org_id, read_place as place, read_object_id as object_id, read_seq as seq
from webhook_endpoints
union all
select org_id, rolled_up_to, org_id, 0 from house_rollups
order by place, object_id
"""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of the organisation's changes, and those of readers."""

    org_id: UUID
    changes: list[LogPosition]
    readers: list[LogPosition]


async def _rows(dsn: str, statement: str) -> list[tuple[UUID, LogPosition]]:
    database = await Database.connect(dsn, name="tests", size_max=1)
    rows = await database.rows(statement)
    await database.close()
    return [
        (row["org_id"], LogPosition(row["place"], row["object_id"], row["seq"])) for row in rows
    ]


async def _positions(dsn: str) -> Positions:
    """Return what the release has stored."""
    changes, readers = await _rows(dsn, _CHANGES_BEFORE), await _rows(dsn, _READERS_BEFORE)
    (org_id,) = {org_id for org_id, _ in (*changes, *readers)}
    return Positions(org_id, [each for _, each in changes], [each for _, each in readers])


async def _check_positions(dsn: str, database: Database, before: Positions) -> None:
    """Check that a reader with any position of the release continues as before."""
    assert [each for _, each in await _rows(dsn, _READERS)] == before.readers
    for index, position in enumerate((START, *before.changes)):
        rest = await database.single(
            lambda tx, position=position: read(tx, before.org_id, position, limit=1000)
        )
        assert [each.position for each in rest] == before.changes[index:]


async def _check_later_changes(database: Database, before: Positions) -> None:
    """Check that what happens after the upgrade is ahead of every reader."""
    await place_changes(database, [before.org_id])
    last = max((*before.changes, *before.readers))
    later = await database.single(lambda tx: read(tx, before.org_id, last, limit=1000))
    count = await database.rows("select count(*) from changes")
    assert later
    assert len(before.changes) + len(later) == count[0]["count"]


async def test_release_is_migrated_and_its_open_payout_completes(
    server_dsn: str, tmp_path: Path
) -> None:
    async with new_database(server_dsn, is_migrated=False) as dsn:
        await _restore(dsn)
        positions = await _positions(dsn)
        applied = _command(dsn, tmp_path, "migrate").splitlines()
        assert len(applied) == migrations()[-1].number - LAST
        before = _command(dsn, tmp_path, "check")
        assert set(re.findall(r"(\d+)$", before, re.MULTILINE)) == {"0"}, before

        async with (
            open_container(SETTINGS, dsn, name="tests") as container,
            served(container) as http,
        ):
            await _check_positions(dsn, container.database, positions)
            listed = good(await http.get("/v2/offramps", headers=KEY))["records"]
            (waiting, paid) = (each["transferDetails"] for each in listed)
            assert (waiting["status"], paid["status"]) == ("FIAT_PENDING", "COMPLETED")
            # What was sealed opens: the account of the payout, and the person.
            user = waiting["source"]["userId"]
            (account,) = good(await http.get(f"/v2/users/{user}/accounts", headers=KEY))["banks"]
            assert account["accountNumber"] == "****6789"
            good(
                await http.post(
                    "/v2/sandbox/clock/advance", headers=KEY, json={"seconds": 3 * 3600}
                )
            )
            await container.scheduler.run_all(await container.orgs.clock_offsets())
            found = good(await http.get(f"/v2/offramps/{waiting['id']}", headers=KEY))
            assert found["transferDetails"]["status"] == "COMPLETED"
            await _check_later_changes(container.database, positions)
            path = f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency=usdc"
            assert good(await http.get(path, headers=KEY))["displayBalance"] == "290"
        after = _command(dsn, tmp_path, "check")
        assert set(re.findall(r"(\d+)$", after, re.MULTILINE)) == {"0"}, after
