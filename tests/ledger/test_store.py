"""The main statements: every outcome in one batch, and equal results for any batch size."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.model import (
    AdvanceTransfer,
    CommitOutcome,
    CreateTransfer,
    DueCheck,
    HouseRole,
    Posting,
    Transfer,
)
from landbridge.ledger.service import Ledger
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import PAYMENT, TRANSITIONS, USDC, Status
from tests.matrices import part_of

MINUTE = timedelta(minutes=1)


async def test_one_batch_returns_every_outcome_of_a_create(database: Database) -> None:
    org_id = await make.make_org(database)
    accounts = [await make.make_account(database, org_id, units=10) for _ in range(6)]
    known = make.opening(org_id, Status.HELD, account_id=accounts[0], units=4)
    await Ledger(database).create(known, TRANSITIONS)
    stray = {0: [Posting(new_id(), Money(1, USDC)), Posting(HouseRole.OUTSIDE, Money(-1, USDC))]}
    batch = [
        make.opening(org_id, Status.HELD, account_id=accounts[1], units=10),
        replace(known, id=new_id()),
        # Duplicate and insufficient: it was already paid, so duplicate wins.
        replace(known, id=new_id(), journals={0: make.held(accounts[2], Money(99, USDC))}),
        make.opening(org_id, Status.HELD, account_id=accounts[3], units=11),
        make.opening(org_id, Status.OPEN, journals=stray),
        make.opening(org_id, Status.OPEN),
        make.funding(org_id, accounts[4], 5),
    ]
    outcomes = await open_all(database, batch)
    assert outcomes == [
        *(
            CommitOutcome.DONE,
            CommitOutcome.DUPLICATE,
            CommitOutcome.DUPLICATE,
            CommitOutcome.INSUFFICIENT,
            CommitOutcome.UNKNOWN_ACCOUNT,
        ),
        *(CommitOutcome.DONE, CommitOutcome.DONE),
    ]
    balances = [await make.balance(database, each) for each in accounts]
    assert balances == [(6, 4), (0, 10), (10, 0), (10, 0), (15, 0), (10, 0)]
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_records_with_one_id_in_two_organisations_are_two(database: Database) -> None:
    known = make.opening(await make.make_org(database))
    other = replace(make.opening(await make.make_org(database)), id=known.id)
    assert await open_all(database, [known]) == [CommitOutcome.DONE]
    assert await open_all(database, [known, other]) == [CommitOutcome.DUPLICATE, CommitOutcome.DONE]


async def test_one_batch_returns_every_outcome_of_an_advance(database: Database) -> None:
    org_id = await make.make_org(database)
    ledger = Ledger(database)
    accounts = [await make.make_account(database, org_id, units=10) for _ in range(7)]
    records = [
        make.opened(
            await ledger.create(
                make.opening(org_id, account_id=each, units=units, due_in=MINUTE), TRANSITIONS
            )
        )
        for each, units in zip(accounts, (10, 1, 1, 1, 11, 1, 1), strict=True)
    ]
    await ledger.advance(make.move(records[1], Status.GONE), TRANSITIONS)
    stray = {0: [Posting(new_id(), Money(1, USDC)), Posting(HouseRole.OUTSIDE, Money(-1, USDC))]}
    due_at = records[0].created_at + 2 * MINUTE
    batch = [
        make.move(records[0], Status.HELD, due_at=due_at),
        make.move(records[1], Status.HELD),
        make.move(records[2], Status.HELD, timing=DueCheck.IN_TIME, at=due_at),
        make.move(records[3], Status.HELD, timing=DueCheck.OVERDUE),
        make.move(records[4], Status.HELD),
        make.move(records[5], Status.GONE, journals=stray),
        make.move(records[6], Status.HELD, Status.SETTLED, facts={"x": 1}),
        # A record that does not exist at all.
        make.move(replace(records[0], id=new_id(), details={"account_id": None}), Status.GONE),
    ]
    assert await advance_all(database, batch) == [
        *(CommitOutcome.DONE, CommitOutcome.STALE, CommitOutcome.LATE, CommitOutcome.EARLY),
        *(
            CommitOutcome.INSUFFICIENT,
            CommitOutcome.UNKNOWN_ACCOUNT,
            CommitOutcome.DONE,
            CommitOutcome.STALE,
        ),
    ]
    balances = [await make.balance(database, each) for each in accounts]
    assert balances == [(0, 10), *[(10, 0)] * 5, (9, 0)]
    statuses = [(await ledger.get(org_id, PAYMENT, each.id)).status for each in records]
    assert statuses == ["HELD", "GONE", "OPEN", "OPEN", "OPEN", "OPEN", "SETTLED"]
    assert (await ledger.get(org_id, PAYMENT, records[0].id)).due_at == due_at
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


@pytest.mark.parametrize("seed", part_of(range(6), 0, 3))
async def test_batch_of_64_equals_64_batches_of_one(database: Database, seed: int) -> None:
    singly = await World.make(database, seed)
    together = await World.make(database, seed)
    for _ in range(2):
        creations = [world.creations() for world in (singly, together)]
        one_by_one = [(await open_all(database, [each]))[0] for each in creations[0]]
        assert await open_all(database, creations[1]) == one_by_one
        moves = [await world.moves() for world in (singly, together)]
        one_by_one = [(await advance_all(database, [each]))[0] for each in moves[0]]
        assert await advance_all(database, moves[1]) == one_by_one
        assert len(set(one_by_one)) >= 4
    assert await singly.tables() == await together.tables()
    for world in (singly, together):
        assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=world.org_id)).is_clean


async def open_all(database: Database, creations: Sequence[CreateTransfer]) -> list[CommitOutcome]:
    """Create one batch."""
    return await database.transact(lambda tx: store.lock_and_create(tx, creations))


async def advance_all(database: Database, moves: Sequence[AdvanceTransfer]) -> list[CommitOutcome]:
    """Advance one batch."""
    return await database.transact(lambda tx: store.lock_and_advance(tx, moves))


@dataclass
class World:
    """Organisation whose content is determined by a seed, so that two can be compared.

    Ids differ between two of them; `tables` names rows by the position of their record and account.
    """

    database: Database
    org_id: UUID
    accounts: list[UUID]
    dice: random.Random
    opened: list[CreateTransfer]

    @classmethod
    async def make(cls, database: Database, seed: int) -> "World":
        org_id = await make.make_org(database)
        dice = random.Random(seed)  # noqa: S311  a repeatable story
        accounts = [
            await make.make_account(database, org_id, units=dice.randint(1, 5)) for _ in range(64)
        ]
        return cls(database, org_id, accounts, dice, [])

    def creations(self) -> list[CreateTransfer]:
        """Return 64 create commands of all sorts, each with its own account; some are repeated."""
        created: list[CreateTransfer] = []
        again = self.dice.sample(self.opened, min(len(self.opened), 20))
        for account_id in self.accounts:
            status = self.dice.choice([Status.OPEN, Status.HELD, Status.FUNDED])
            units = self.dice.randint(1, 4)
            if again and self.dice.random() < 0.2:
                request = replace(again.pop(), id=new_id(), journals={})
            elif status is Status.FUNDED:
                request = make.funding(self.org_id, account_id, units)
            else:
                request = make.opening(
                    self.org_id, status, units=units, account_id=account_id, due_in=MINUTE
                )
                self.opened.append(request)
            created.append(request)
        return created

    async def moves(self) -> list[AdvanceTransfer]:
        """Return an advance of every created record, at most one for each account."""
        requests: list[AdvanceTransfer] = []
        used: set[str] = set()
        for each in self.opened:
            record = await self._find(each)
            version_lag, timing = self.dice.choice([0, 0, 0, 1]), self.dice.choice(list(DueCheck))
            late_by, choice = self.dice.choice([-1, 0, 1]), self.dice.random()
            if record is None or str(record.details["account_id"]) in used:
                continue
            after = sorted(TRANSITIONS.table[Status(record.status)])
            if not after:
                continue
            used.add(str(record.details["account_id"]))
            path = [after[int(choice * len(after))]]
            if path == [Status.HELD] and choice > 0.5:
                path.append(Status.SETTLED)
            stale = replace(record, version=record.version + version_lag)
            at = (record.due_at or record.updated_at) + late_by * timedelta(microseconds=1)
            requests.append(make.move(stale, *path, timing=timing, at=at, facts={"to": path[-1]}))
        return requests

    async def tables(self) -> list[list[tuple[Any, ...]]]:
        """Return all rows of the organisation, with positions in place of ids."""
        found: list[list[tuple[Any, ...]]] = []
        for statement in TABLES:
            rows = await self.database.rows(statement, self.org_id, self.accounts)
            found.append([tuple(row) for row in rows])  # pyright: ignore[reportArgumentType]
        return found

    async def _find(self, request: CreateTransfer) -> Transfer | None:
        return await Ledger(self.database).find_replay(
            self.org_id, request.request_id, PAYMENT, request.request
        )


ACCOUNTS = """
select array_position($2::uuid[], id) as account, available, held
from accounts
where org_id = $1 and id = any($2::uuid[])
order by 1
"""
TRANSFERS = """
select array_position($2::uuid[], (details->>'account_id')::uuid) as account, source_units, status,
    kind, version, facts, updated_at - created_at as took, due_at - created_at as due_in
from transfers
where org_id = $1
order by 1, 2, 3, 4, 5, 7
"""
ENTRIES = """
select array_position($2::uuid[], account_id) as account, role, seq, line, asset, available, held
from entries
where org_id = $1
order by 1, 2, 3, 4, 5, 6, 7
"""
CHANGES = """
select array_position($2::uuid[], (t.details->>'account_id')::uuid) as account, t.source_units,
    c.seq, c.change_type, c.status_before, c.status_after, c.facts, c.is_settled,
    c.occurred_at - t.created_at as after
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1
order by 1, 2, 3, 9, 4, 5, 6
"""
TABLES = [ACCOUNTS, TRANSFERS, ENTRIES, CHANGES]
