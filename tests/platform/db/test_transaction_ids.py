"""Stored transaction ids ahead of the server: detected, and repaired without changing the log."""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.bootstrap import prepare
from landbridge.app.container import open_container, wire
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db import transaction_ids
from landbridge.platform.db.pool import Database
from landbridge.platform.db.transaction_ids import (
    CONSUMED_MAX,
    UNFROZEN_MAX,
    TransactionIdRepair,
    TransactionIds,
    TransactionIdsAhead,
    plan,
)
from landbridge.platform.orgs.clock_nodes import take_node
from tests import make
from tests.conftest import new_database
from tests.platform.db.log_rows import (
    ADD_BLOCK,
    ADD_BUILD,
    ADD_CHANGE,
    ADD_CURSOR,
    ADD_DELIVERY,
    ADD_ENDPOINT,
    ADD_ROLL,
    ADD_SOURCE,
    ADD_TREE,
)
from tests.tenants import SETTINGS, served

# Every stored transaction id by table: which of them order changes, and which are cursors.
STORED = {
    ("changes", "tx"),
    ("house_rollups", "rolled_up_to"),
    ("proof_blocks", "first_tx"),
    ("proof_trees", "read_tx"),
    ("recon_cursors", "opened_tx"),
    ("recon_cursors", "read_tx"),
    ("recon_sources", "read_tx"),
    ("report_builds", "rolled_up_to"),
    ("webhook_deliveries", "tx"),
    ("webhook_endpoints", "read_tx"),
}
# Too far ahead to be used up: in the epoch after the next.
FAR = 2 << 32

# Moves all ids of a column on.
_SHIFT = {
    (table, column): f"update {table} set {column} = (({column}::text::numeric + $1)::text)::xid8"  # noqa: S608  names of ours
    for table, column in STORED
}
_IDS = {
    (table, column): f"select {column}::text as id from {table} order by 1"  # noqa: S608  names of ours
    for table, column in sorted(STORED)
}


def silent(_line: str) -> None:
    """Print nothing."""


async def test_every_column_of_transaction_ids_is_repaired(database: Database) -> None:
    rows = await database.rows(
        "select t.relname::text as name, a.attname::text as column"
        " from pg_attribute a join pg_class t on t.oid = a.attrelid"
        " where a.atttypid = 'xid8'::regtype and t.relnamespace = 'public'::regnamespace"
        " and t.relkind in ('r', 'p') and not t.relispartition"
    )
    assert {(row["name"], row["column"]) for row in rows} == STORED, (
        "A new column of transaction ids belongs into landbridge/db/transaction_ids.py, too."
    )


async def test_one_id_that_is_ahead_refuses_every_start(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    settings = Settings(data_dir=str(tmp_path))
    await prepare(settings, own_dsn)
    (row,) = await own_database.rows("select id from orgs")
    await _fill(own_database, row["id"])
    await transaction_ids.check(own_database)
    for column in sorted(STORED - {("webhook_deliveries", "tx"), ("proof_blocks", "first_tx")}):
        await own_database.rows(_SHIFT[column], FAR)
        with pytest.raises(TransactionIdsAhead, match="landbridge repair-transaction-ids"):
            await prepare(settings, own_dsn)
        for name in ("api", "worker"):
            with pytest.raises(TransactionIdsAhead):
                async with open_container(settings, own_dsn, name=name):
                    pass
        # Read-only commands work, to diagnose the problem.
        async with open_container(settings, own_dsn, name="cli", writes=False):
            pass
        await own_database.rows(_SHIFT[column], -FAR)
        await transaction_ids.check(own_database)
    await prepare(settings, own_dsn)


async def test_a_process_is_not_ready_while_ids_are_ahead(own_database: Database) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    org_id = await make.make_org(own_database)
    async with served(container) as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        await own_database.rows(ADD_ROLL, org_id, str(FAR))
        answer = await client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["status"] == "not ready"
        assert "landbridge repair-transaction-ids" in answer.json()["reason"]
        # The process is alive: a restart would not help.
        assert (await client.get("/healthz")).status_code == 200
        await own_database.rows(
            "update house_rollups set rolled_up_to = '0' where org_id = $1", org_id
        )
        assert (await client.get("/readyz")).status_code == 200


async def test_ids_are_never_ahead_while_a_server_is_at_work(own_database: Database) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id) for _ in range(3)]
    for each in accounts:
        await make.Ledger(own_database).create(make.funding(org_id, each, 5), make.TRANSITIONS)
        await transaction_ids.check(own_database)
    assert await transaction_ids.repair(own_database, silent) == TransactionIdRepair(
        0, is_renumbered=False
    )


NEW_SERVER = TransactionIds(largest=0, transactions=0, next=750, unfrozen=20)


@pytest.mark.parametrize(
    ("ids", "repair"),
    [
        (NEW_SERVER, TransactionIdRepair(0, is_renumbered=False)),
        (replace(NEW_SERVER, largest=749), TransactionIdRepair(0, is_renumbered=False)),
        (replace(NEW_SERVER, largest=750), TransactionIdRepair(1, is_renumbered=False)),
        (replace(NEW_SERVER, largest=750_000), TransactionIdRepair(749_251, is_renumbered=False)),
        (
            replace(NEW_SERVER, largest=749 + CONSUMED_MAX, transactions=9),
            TransactionIdRepair(CONSUMED_MAX, is_renumbered=False),
        ),
        (
            replace(NEW_SERVER, largest=750 + CONSUMED_MAX, transactions=9),
            TransactionIdRepair(0, is_renumbered=True),
        ),
        (
            replace(NEW_SERVER, largest=FAR, transactions=746),
            TransactionIdRepair(0, is_renumbered=True),
        ),
        (
            replace(NEW_SERVER, largest=FAR, transactions=747),
            TransactionIdRepair(1, is_renumbered=True),
        ),
        (
            replace(NEW_SERVER, largest=FAR, transactions=10**9),
            TransactionIdRepair(10**9 + 4 - 750, is_renumbered=True),
        ),
        # Fewer are used up where rows have not been frozen for long.
        (
            TransactionIds(
                largest=50_000_000, transactions=10, next=750, unfrozen=UNFROZEN_MAX - 1_000
            ),
            TransactionIdRepair(0, is_renumbered=True),
        ),
    ],
)
def test_ids_are_used_up_where_that_takes_minutes(
    ids: TransactionIds, repair: TransactionIdRepair
) -> None:
    assert plan(ids) == repair


def test_server_that_must_freeze_first_explains_how() -> None:
    ids = TransactionIds(largest=FAR, transactions=10**9, next=750, unfrozen=10**9)
    with pytest.raises(TransactionIdsAhead, match="vacuumdb --all --freeze"):
        plan(ids)


async def test_using_up_ids_keeps_stored_data(server_dsn: str) -> None:
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="restore", size_max=1, is_patient=True)
        org_id = await make.make_org(database)
        await _fill(database, org_id)
        ahead = (await transaction_ids.survey(database)).next + 15_000
        for statement in _SHIFT.values():
            await database.rows(statement, ahead)
        before = await _stored(database)
        with pytest.raises(TransactionIdsAhead):
            await transaction_ids.check(database)
        lines: list[str] = []
        repaired = await transaction_ids.repair(database, lines.append)
        # Other tests on this server use up a few of them meanwhile.
        assert repaired.consumed > 10_000
        assert not repaired.is_renumbered
        assert "Using up" in lines[0]
        assert await _stored(database) == before
        await transaction_ids.check(database)
        assert (await transaction_ids.repair(database, silent)).consumed == 0
        await database.close()


@pytest.mark.parametrize("seed", range(4))
async def test_renumbering_keeps_the_order_and_every_readers_position(
    server_dsn: str, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  the same each time
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="restore", size_max=1, is_patient=True)
        for _ in range(10):
            await _make_log(database, await make.make_org(database), chance)
        for statement in _SHIFT.values():
            await database.rows(statement, FAR)
        before = await _views(database)
        repaired = await transaction_ids.repair(database, silent)
        assert repaired.is_renumbered
        assert await _views(database) == before
        await transaction_ids.check(database)
        ids = await transaction_ids.survey(database)
        assert 3 <= ids.largest < ids.next
        assert await transaction_ids.repair(database, silent) == TransactionIdRepair(
            0, is_renumbered=False
        )
        await database.close()


@pytest.mark.parametrize("name", ["api", "worker"])
async def test_a_process_at_work_is_to_be_stopped_first(own_dsn: str, name: str) -> None:
    process = await Database.connect(own_dsn, name=name, size_max=1)
    database = await Database.connect(own_dsn, name="restore", size_max=1, is_patient=True)
    with pytest.raises(TransactionIdsAhead, match=f"stop them .landbridge {name}."):
        await transaction_ids.repair(database, silent)
    await process.close()
    await database.close()


@dataclass
class View:
    """An organisation's log as its readers see it, without transaction ids."""

    log: list[tuple[UUID, int]]
    # Number of transactions in the log, and the changes of each.
    together: list[list[tuple[UUID, int]]]
    rolled: list[set[tuple[UUID, int]]]
    folded: list[set[tuple[UUID, int]]]
    compared: list[set[tuple[UUID, int]]]
    to_read: list[list[tuple[UUID, int]]]
    deliveries: list[tuple[UUID, int]]


async def _fill(database: Database, org_id: UUID) -> None:
    """Insert one row of each kind, all in the past."""
    object_id = new_id()
    await database.rows(ADD_CHANGE, org_id, object_id, 1, "10")
    await database.rows(ADD_ROLL, org_id, "11")
    await database.rows(ADD_BUILD, org_id, "12")
    await database.rows(ADD_CURSOR, org_id, "11", "12")
    await database.rows(ADD_SOURCE, org_id, "12")
    await database.rows(ADD_ENDPOINT, org_id, new_id(), "13", UUID(int=0), 0)
    await database.rows(ADD_TREE, org_id, "10", object_id, 1)


async def _make_log(database: Database, org_id: UUID, chance: random.Random) -> None:
    """Create a log of some objects, with readers at changes, between them and beyond."""
    await database.rows(
        "create table if not exists webhook_deliveries_20260101 partition of webhook_deliveries"
        " for values from ('2026-01-01') to ('2026-01-02')"
    )
    objects = [new_id() for _ in range(4)]
    seqs = dict.fromkeys(objects, 0)
    places: list[tuple[int, UUID, int]] = []
    tx = chance.randrange(1, 50)
    for _ in range(chance.randrange(1, 30)):
        tx += chance.choice([0, 0, 1, 1, 2, 100, 1 << 33])
        object_id = chance.choice(objects)
        seqs[object_id] += 1
        places.append((tx, object_id, seqs[object_id]))
        await database.rows(ADD_CHANGE, org_id, object_id, seqs[object_id], str(tx))

    def mark() -> int:
        at, _, _ = chance.choice(places)
        return max(at + chance.choice([-1, 0, 0, 1, 50]), 0)

    await database.rows(ADD_ROLL, org_id, str(mark()))
    await database.rows(ADD_BUILD, org_id, str(mark()))
    for statement in (ADD_TREE, ADD_BLOCK):
        at, object_id, seq = chance.choice(places)
        await database.rows(statement, org_id, str(at), object_id, seq)
    await database.rows(ADD_CURSOR, org_id, str(mark()), str(mark()))
    await database.rows(ADD_SOURCE, org_id, str(mark()))
    for _ in range(3):
        endpoint = new_id()
        at, object_id, seq = chance.choice(places)
        if chance.random() < 0.5:
            at = mark()
            object_id, seq = chance.choice([(UUID(int=0), 0), (object_id, seq)])
        await database.rows(ADD_ENDPOINT, org_id, endpoint, str(at), object_id, seq)
        for at, object_id, seq in chance.sample(places, min(5, len(places))):
            row = (new_id(), endpoint, str(at), object_id, seq)
            await database.rows(ADD_DELIVERY, org_id, *row)


async def _views(database: Database) -> dict[UUID, View]:
    return {
        row["id"]: await _view(database, row["id"])
        for row in await database.rows("select id from orgs order by id")
    }


async def _view(database: Database, org_id: UUID) -> View:
    async def ids(sql: str) -> list[Any]:
        return [tuple(row.values()) for row in await database.rows(sql, org_id)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    changes = [
        (int(tx), object_id, seq)
        for tx, object_id, seq in await ids(
            "select c.tx::text, object_id, seq from changes c where org_id = $1"
            " order by c.tx, object_id, seq"
        )
    ]
    rolled = [
        int(each)
        for (each,) in await ids("select rolled_up_to::text from house_rollups where org_id = $1")
    ]
    folded = [
        int(each)
        for (each,) in await ids("select rolled_up_to::text from report_builds where org_id = $1")
    ]
    cursors = [
        int(each)
        for row in await ids(
            "select r.opened_tx::text, r.read_tx::text, s.read_tx::text"
            " from recon_cursors r join recon_sources s on s.org_id = r.org_id"
            " where r.org_id = $1"
        )
        for each in row
    ]
    places = [
        (int(tx), object_id, seq)
        for tx, object_id, seq in await ids(
            "(select read_tx::text, read_object_id, read_seq from webhook_endpoints"
            " where org_id = $1 order by id) union all"
            " (select read_tx::text, read_object_id, read_seq from proof_trees where org_id = $1)"
            " union all (select first_tx::text, first_object_id, first_seq from proof_blocks"
            " where org_id = $1)"
        )
    ]
    return View(
        log=[(object_id, seq) for _, object_id, seq in changes],
        together=[
            [(object_id, seq) for at, object_id, seq in changes if at == tx]
            for tx in sorted({tx for tx, _, _ in changes})
        ],
        rolled=[{(object_id, seq) for tx, object_id, seq in changes if tx < to} for to in rolled],
        folded=[{(object_id, seq) for tx, object_id, seq in changes if tx < to} for to in folded],
        compared=[
            {(object_id, seq) for tx, object_id, seq in changes if tx < to} for to in cursors
        ],
        to_read=[[each[1:] for each in changes if each > position] for position in places],
        deliveries=await ids(
            "select d.object_id, d.seq from webhook_deliveries d"
            " join changes c on c.org_id = d.org_id and c.tx = d.tx"
            " and c.object_id = d.object_id and c.seq = d.seq"
            " where d.org_id = $1 order by d.endpoint_id, d.tx, d.object_id, d.seq, d.id"
        ),
    )


async def _stored(database: Database) -> list[Any]:
    return [await database.rows(sql) for sql in _IDS.values()]
