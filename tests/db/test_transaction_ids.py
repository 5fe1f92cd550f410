"""Stored transaction ids: seen when they are ahead of the server, and repaired without a change."""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.bootstrap import prepare
from landbridge.core.clock import Clock
from landbridge.core.ids import new_id
from landbridge.db import transaction_ids
from landbridge.db.pool import Database
from landbridge.db.transaction_ids import (
    CONSUMED_MAX,
    UNFROZEN_MAX,
    Ids,
    Repair,
    TransactionIdsAhead,
    plan,
)
from landbridge.orgs.service import take_lane
from landbridge.settings import Settings
from landbridge.wiring import open_house, wire
from tests import make
from tests.conftest import new_database
from tests.tenants import SETTINGS, served

# Every stored transaction id, by table. Which of them a change is ordered by, and which are marks.
STORED = {
    ("changes", "tx"),
    ("house_rolls", "rolled_to"),
    ("report_builds", "folded_to"),
    ("webhook_deliveries", "tx"),
    ("webhook_endpoints", "read_tx"),
}
# Beyond what can be used up: in the next epoch but one.
FAR = 2 << 32

_ADD_CHANGE = """
insert into changes (org_id, object_id, seq, kind, what, actor, at, rests, tx)
values ($1, $2, $3, 'THING', 'set', 'test', now(), true, $4::text::xid8)
"""
_ADD_ROLL = "insert into house_rolls (org_id, rolled_to) values ($1, $2::text::xid8)"
_ADD_BUILD = """
insert into report_builds (org_id, build, zone, folded_to, is_current, created_at)
values ($1, 1, 'UTC', $2::text::xid8, true, now())
"""
_ADD_ENDPOINT = """
insert into webhook_endpoints (
    org_id, id, url, event_types, status, spelling, has_standard_headers, version, created_at,
    updated_at, read_tx, read_object_id, read_seq, begins_at, round
)
values (
    $1, $2, 'https://example.com', '{}', 'ACTIVE', 'CREATE', false, 1, now(), now(),
    $3::text::xid8, $4, $5, now(), 1
)
"""
_ADD_DELIVERY = """
insert into webhook_deliveries (
    org_id, id, day, endpoint_id, round, tx, object_id, seq, part, event_type, event_at, status,
    gives_up_at, attempt_count, attempts, created_at, updated_at
)
values (
    $1, $2, '2026-01-01', $3, 1, $4::text::xid8, $5, $6, 0, 'THING', now(), 'DELIVERED', now(), 0,
    '[]', now(), now()
)
"""
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
    """Say nothing."""


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
    for column in sorted(STORED - {("webhook_deliveries", "tx")}):
        await own_database.rows(_SHIFT[column], FAR)
        with pytest.raises(TransactionIdsAhead, match="landbridge repair-transaction-ids"):
            await prepare(settings, own_dsn)
        for name in ("api", "worker"):
            with pytest.raises(TransactionIdsAhead):
                async with open_house(settings, own_dsn, name=name):
                    pass
        # What only reads helps to find out.
        async with open_house(settings, own_dsn, name="cli", writes=False):
            pass
        await own_database.rows(_SHIFT[column], -FAR)
        await transaction_ids.check(own_database)
    await prepare(settings, own_dsn)


async def test_a_process_is_not_ready_while_ids_are_ahead(own_database: Database) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    org_id = await make.make_org(own_database)
    async with served(house) as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        await own_database.rows(_ADD_ROLL, org_id, str(FAR))
        answer = await client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["status"] == "not ready"
        assert "landbridge repair-transaction-ids" in answer.json()["reason"]
        # It lives: nothing would be better if it was started again.
        assert (await client.get("/healthz")).status_code == 200
        await own_database.rows("update house_rolls set rolled_to = '0' where org_id = $1", org_id)
        assert (await client.get("/readyz")).status_code == 200


async def test_ids_are_never_ahead_while_a_server_is_at_work(own_database: Database) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id) for _ in range(3)]
    for each in accounts:
        await make.Ledger(own_database).open(make.funding(org_id, each, 5), make.MOVES)
        await transaction_ids.check(own_database)
    assert await transaction_ids.repair(own_database, silent) == Repair(0, is_renumbered=False)


NEW_SERVER = Ids(largest=0, transactions=0, next=750, unfrozen=20)


@pytest.mark.parametrize(
    ("ids", "wanted"),
    [
        (NEW_SERVER, Repair(0, is_renumbered=False)),
        (replace(NEW_SERVER, largest=749), Repair(0, is_renumbered=False)),
        (replace(NEW_SERVER, largest=750), Repair(1, is_renumbered=False)),
        (replace(NEW_SERVER, largest=750_000), Repair(749_251, is_renumbered=False)),
        (
            replace(NEW_SERVER, largest=749 + CONSUMED_MAX, transactions=9),
            Repair(CONSUMED_MAX, is_renumbered=False),
        ),
        (
            replace(NEW_SERVER, largest=750 + CONSUMED_MAX, transactions=9),
            Repair(0, is_renumbered=True),
        ),
        (replace(NEW_SERVER, largest=FAR, transactions=746), Repair(0, is_renumbered=True)),
        (replace(NEW_SERVER, largest=FAR, transactions=747), Repair(1, is_renumbered=True)),
        (
            replace(NEW_SERVER, largest=FAR, transactions=10**9),
            Repair(10**9 + 4 - 750, is_renumbered=True),
        ),
        # Fewer are used up where rows have not been frozen for long.
        (
            Ids(largest=50_000_000, transactions=10, next=750, unfrozen=UNFROZEN_MAX - 1_000),
            Repair(0, is_renumbered=True),
        ),
    ],
)
def test_ids_are_used_up_where_that_takes_minutes(ids: Ids, wanted: Repair) -> None:
    assert plan(ids) == wanted


def test_a_server_that_must_freeze_first_is_told_how() -> None:
    ids = Ids(largest=FAR, transactions=10**9, next=750, unfrozen=10**9)
    with pytest.raises(TransactionIdsAhead, match="vacuumdb --all --freeze"):
        plan(ids)


async def test_using_up_ids_leaves_what_is_stored(server_dsn: str) -> None:
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
        assert repaired.consumed > 15_000
        assert not repaired.is_renumbered
        assert "Using up" in lines[0]
        assert await _stored(database) == before
        await transaction_ids.check(database)
        assert (await transaction_ids.repair(database, silent)).consumed == 0
        await database.close()


@pytest.mark.parametrize("seed", range(4))
async def test_a_new_numbering_keeps_the_order_and_what_each_reader_has_passed(
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
        assert await transaction_ids.repair(database, silent) == Repair(0, is_renumbered=False)
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
    """What the readers of an organisation's log see of it, without a single transaction id."""

    log: list[tuple[UUID, int]]
    # How many transactions the log has, and which changes are in one.
    together: list[list[tuple[UUID, int]]]
    rolled: list[set[tuple[UUID, int]]]
    folded: list[set[tuple[UUID, int]]]
    to_read: list[list[tuple[UUID, int]]]
    deliveries: list[tuple[UUID, int]]


async def _fill(database: Database, org_id: UUID) -> None:
    """One of everything, all of it in the past."""
    thing = new_id()
    await database.rows(_ADD_CHANGE, org_id, thing, 1, "10")
    await database.rows(_ADD_ROLL, org_id, "11")
    await database.rows(_ADD_BUILD, org_id, "12")
    await database.rows(_ADD_ENDPOINT, org_id, new_id(), "13", UUID(int=0), 0)


async def _make_log(database: Database, org_id: UUID, chance: random.Random) -> None:
    """A log of some objects, with readers anywhere in it: at changes, between them, beyond."""
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
        thing = chance.choice(objects)
        seqs[thing] += 1
        places.append((tx, thing, seqs[thing]))
        await database.rows(_ADD_CHANGE, org_id, thing, seqs[thing], str(tx))

    def mark() -> int:
        at, _, _ = chance.choice(places)
        return max(at + chance.choice([-1, 0, 0, 1, 50]), 0)

    await database.rows(_ADD_ROLL, org_id, str(mark()))
    await database.rows(_ADD_BUILD, org_id, str(mark()))
    for _ in range(3):
        endpoint = new_id()
        at, thing, seq = chance.choice(places)
        if chance.random() < 0.5:
            at = mark()
            thing, seq = chance.choice([(UUID(int=0), 0), (thing, seq)])
        await database.rows(_ADD_ENDPOINT, org_id, endpoint, str(at), thing, seq)
        for at, thing, seq in chance.sample(places, min(5, len(places))):
            row = (new_id(), endpoint, str(at), thing, seq)
            await database.rows(_ADD_DELIVERY, org_id, *row)


async def _views(database: Database) -> dict[UUID, View]:
    return {
        row["id"]: await _view(database, row["id"])
        for row in await database.rows("select id from orgs order by id")
    }


async def _view(database: Database, org_id: UUID) -> View:
    async def ids(sql: str) -> list[Any]:
        return [tuple(row.values()) for row in await database.rows(sql, org_id)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    changes = [
        (int(tx), thing, seq)
        for tx, thing, seq in await ids(
            "select c.tx::text, object_id, seq from changes c where org_id = $1"
            " order by c.tx, object_id, seq"
        )
    ]
    rolled = [
        int(each)
        for (each,) in await ids("select rolled_to::text from house_rolls where org_id = $1")
    ]
    folded = [
        int(each)
        for (each,) in await ids("select folded_to::text from report_builds where org_id = $1")
    ]
    places = [
        (int(tx), thing, seq)
        for tx, thing, seq in await ids(
            "select read_tx::text, read_object_id, read_seq from webhook_endpoints"
            " where org_id = $1 order by id"
        )
    ]
    return View(
        log=[(thing, seq) for _, thing, seq in changes],
        together=[
            [(thing, seq) for at, thing, seq in changes if at == tx]
            for tx in sorted({tx for tx, _, _ in changes})
        ],
        rolled=[{(thing, seq) for tx, thing, seq in changes if tx < to} for to in rolled],
        folded=[{(thing, seq) for tx, thing, seq in changes if tx < to} for to in folded],
        to_read=[[each[1:] for each in changes if each > place] for place in places],
        deliveries=await ids(
            "select d.object_id, d.seq from webhook_deliveries d"
            " join changes c on c.org_id = d.org_id and c.tx = d.tx"
            " and c.object_id = d.object_id and c.seq = d.seq"
            " where d.org_id = $1 order by d.endpoint_id, d.tx, d.object_id, d.seq, d.id"
        ),
    )


async def _stored(database: Database) -> list[Any]:
    return [await database.rows(sql) for sql in _IDS.values()]
