"""The two statements themselves: every outcome in one batch, and batches of any size alike."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.model import Move, Opening, Outcome, Posting, Role, Timing, Transfer
from landbridge.ledger.service import Ledger
from tests import make
from tests.make import MOVES, PAYMENT, USDC, Status

MINUTE = timedelta(minutes=1)


async def test_every_outcome_of_an_opening_comes_out_of_one_batch(database: Database) -> None:
    org_id = await make.make_org(database)
    accounts = [await make.make_account(database, org_id, units=10) for _ in range(6)]
    known = make.opening(org_id, Status.HELD, account_id=accounts[0], units=4)
    await Ledger(database).open(known, MOVES)
    stray = {0: [Posting(new_id(), Money(1, USDC)), Posting(Role.OUTSIDE, Money(-1, USDC))]}
    batch = [
        make.opening(org_id, Status.HELD, account_id=accounts[1], units=10),
        replace(known, id=new_id()),
        # Known and short: it was paid already, and that is what counts.
        replace(known, id=new_id(), journals={0: make.held(accounts[2], Money(99, USDC))}),
        make.opening(org_id, Status.HELD, account_id=accounts[3], units=11),
        make.opening(org_id, Status.OPEN, journals=stray),
        make.opening(org_id, Status.OPEN),
        make.funding(org_id, accounts[4], 5),
    ]
    outcomes = await open_all(database, batch)
    assert outcomes == [
        *(Outcome.DONE, Outcome.KNOWN, Outcome.KNOWN, Outcome.SHORT, Outcome.STRAY),
        *(Outcome.DONE, Outcome.DONE),
    ]
    balances = [await make.balance(database, each) for each in accounts]
    assert balances == [(6, 4), (0, 10), (10, 0), (10, 0), (15, 0), (10, 0)]
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_every_outcome_of_a_move_comes_out_of_one_batch(database: Database) -> None:
    org_id = await make.make_org(database)
    ledger = Ledger(database)
    accounts = [await make.make_account(database, org_id, units=10) for _ in range(7)]
    records = [
        make.opened(
            await ledger.open(
                make.opening(org_id, account_id=each, units=units, due_in=MINUTE), MOVES
            )
        )
        for each, units in zip(accounts, (10, 1, 1, 1, 11, 1, 1), strict=True)
    ]
    await ledger.advance(make.move(records[1], Status.GONE), MOVES)
    stray = {0: [Posting(new_id(), Money(1, USDC)), Posting(Role.OUTSIDE, Money(-1, USDC))]}
    due_at = records[0].created_at + 2 * MINUTE
    batch = [
        make.move(records[0], Status.HELD, due_at=due_at),
        make.move(records[1], Status.HELD),
        make.move(records[2], Status.HELD, timing=Timing.IN_TIME, at=due_at),
        make.move(records[3], Status.HELD, timing=Timing.OVERDUE),
        make.move(records[4], Status.HELD),
        make.move(records[5], Status.GONE, journals=stray),
        make.move(records[6], Status.HELD, Status.SETTLED, facts={"x": 1}),
        # A record that is not there at all.
        make.move(replace(records[0], id=new_id(), details={"account_id": None}), Status.GONE),
    ]
    assert await advance_all(database, batch) == [
        *(Outcome.DONE, Outcome.LOST, Outcome.LATE, Outcome.EARLY),
        *(Outcome.SHORT, Outcome.STRAY, Outcome.DONE, Outcome.LOST),
    ]
    balances = [await make.balance(database, each) for each in accounts]
    assert balances == [(0, 10), *[(10, 0)] * 5, (9, 0)]
    statuses = [(await ledger.get(org_id, PAYMENT, each.id)).status for each in records]
    assert statuses == ["HELD", "GONE", "OPEN", "OPEN", "OPEN", "OPEN", "SETTLED"]
    assert (await ledger.get(org_id, PAYMENT, records[0].id)).due_at == due_at
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


@pytest.mark.parametrize("seed", range(6))
async def test_a_batch_of_64_leaves_what_64_batches_of_one_leave(
    database: Database, seed: int
) -> None:
    singly = await World.make(database, seed)
    together = await World.make(database, seed)
    for _ in range(2):
        openings = [world.openings() for world in (singly, together)]
        one_by_one = [(await open_all(database, [each]))[0] for each in openings[0]]
        assert await open_all(database, openings[1]) == one_by_one
        moves = [await world.moves() for world in (singly, together)]
        one_by_one = [(await advance_all(database, [each]))[0] for each in moves[0]]
        assert await advance_all(database, moves[1]) == one_by_one
        assert len(set(one_by_one)) >= 4
    assert await singly.tables() == await together.tables()
    for world in (singly, together):
        assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=world.org_id)).is_clean


async def open_all(database: Database, openings: Sequence[Opening]) -> list[Outcome]:
    """One batch, with its locks."""
    accounts = {
        (each.org_id, posting.account)
        for each in openings
        for postings in each.journals.values()
        for posting in postings
        if isinstance(posting.account, UUID)
    }

    async def work(tx: Any) -> list[Outcome]:
        await store.lock(tx, transfers=(), accounts=accounts)
        return await store.open_batch(tx, openings)

    return await database.transact(work)


async def advance_all(database: Database, moves: Sequence[Move]) -> list[Outcome]:
    """One batch, with its locks."""
    accounts = {
        (each.transfer.org_id, posting.account)
        for each in moves
        for postings in each.journals.values()
        for posting in postings
        if isinstance(posting.account, UUID)
    }
    records = {(each.transfer.org_id, each.transfer.id) for each in moves}

    async def work(tx: Any) -> list[Outcome]:
        await store.lock(tx, transfers=records, accounts=accounts)
        return await store.advance_batch(tx, moves)

    return await database.transact(work)


@dataclass
class World:
    """An organisation in which everything is decided by a seed, so that two can be compared.

    Ids differ between two of them; `tables` names rows by the place of their record and account.
    """

    database: Database
    org_id: UUID
    accounts: list[UUID]
    dice: random.Random
    opened: list[Opening]

    @classmethod
    async def make(cls, database: Database, seed: int) -> "World":
        org_id = await make.make_org(database)
        dice = random.Random(seed)  # noqa: S311  a repeatable story
        accounts = [
            await make.make_account(database, org_id, units=dice.randint(1, 5)) for _ in range(64)
        ]
        return cls(database, org_id, accounts, dice, [])

    def openings(self) -> list[Opening]:
        """64 of all sorts, each with an account of its own; some are asked for again."""
        made: list[Opening] = []
        again = self.dice.sample(self.opened, min(len(self.opened), 20))
        for account_id in self.accounts:
            status = self.dice.choice([Status.OPEN, Status.HELD, Status.FUNDED])
            units = self.dice.randint(1, 4)
            if again and self.dice.random() < 0.2:
                asked = replace(again.pop(), id=new_id(), journals={})
            elif status is Status.FUNDED:
                asked = make.funding(self.org_id, account_id, units)
            else:
                asked = make.opening(
                    self.org_id, status, units=units, account_id=account_id, due_in=MINUTE
                )
                self.opened.append(asked)
            made.append(asked)
        return made

    async def moves(self) -> list[Move]:
        """A move of every record that was opened, at most one for each account."""
        asked: list[Move] = []
        used: set[str] = set()
        for each in self.opened:
            record = await self._find(each)
            version_lag, timing = self.dice.choice([0, 0, 0, 1]), self.dice.choice(list(Timing))
            late_by, choice = self.dice.choice([-1, 0, 1]), self.dice.random()
            if record is None or str(record.details["account_id"]) in used:
                continue
            after = sorted(MOVES.table[Status(record.status)])
            if not after:
                continue
            used.add(str(record.details["account_id"]))
            path = [after[int(choice * len(after))]]
            if path == [Status.HELD] and choice > 0.5:
                path.append(Status.SETTLED)
            seen = replace(record, version=record.version + version_lag)
            at = (record.due_at or record.updated_at) + late_by * timedelta(microseconds=1)
            asked.append(make.move(seen, *path, timing=timing, at=at, facts={"to": path[-1]}))
        return asked

    async def tables(self) -> list[list[tuple[Any, ...]]]:
        """All rows of the organisation, named by places instead of ids."""
        found: list[list[tuple[Any, ...]]] = []
        for statement in TABLES:
            rows = await self.database.rows(statement, self.org_id, self.accounts)
            found.append([tuple(row) for row in rows])  # pyright: ignore[reportArgumentType]
        return found

    async def _find(self, asked: Opening) -> Transfer | None:
        return await Ledger(self.database).find_replay(
            self.org_id, asked.request_id, PAYMENT, asked.request
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
    c.seq, c.what, c.status_before, c.status_after, c.facts, c.rests, c.at - t.created_at as after
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1
order by 1, 2, 3, 9, 4, 5, 6
"""
TABLES = [ACCOUNTS, TRANSFERS, ENTRIES, CHANGES]
