"""House accounts: exact at any moment, folded once, whoever folds and whatever commits late."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.house import house_balance, house_balances, roll_up, roll_up_step
from landbridge.ledger.model import Posting, Role
from landbridge.ledger.service import Ledger
from tests import make
from tests.make import MOVES, MOVES_BY_KIND, USDC, USDT, Status
from tests.waiting import holding

T = TypeVar("T")

OUTSIDE, LIQUIDITY = (Role.OUTSIDE, USDC.code), (Role.LIQUIDITY, USDC.code)


async def test_a_balance_is_exact_before_between_and_after_roll_ups(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    assert await house_balances(database, org_id) == {}
    account_id = await make.make_account(database, org_id)
    for round_ in range(1, 4):
        for units in (1, 2, 3):
            await ledger.open(make.funding(org_id, account_id, units), MOVES)
            assert await in_store(database, org_id) == 6 * (1 - round_)
        assert await house_balances(database, org_id) == {OUTSIDE: -6 * round_}
        await settle(database)
        assert not await roll_up(database, [org_id])
        assert await in_store(database, org_id) == -6 * round_
        assert await house_balances(database, org_id) == {OUTSIDE: -6 * round_}
    assert await house_balance(database, org_id, Role.OUTSIDE, USDC) == Money(-18, USDC)
    assert await house_balance(database, org_id, Role.FEES, USDT) == Money(0, USDT)
    assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_a_held_row_of_one_organisation_does_not_stop_the_others(
    dsn: str, database: Database, ledger: Ledger
) -> None:
    orgs = [await make.make_org(database) for _ in range(2)]
    for org_id in orgs:
        account_id = await make.make_account(database, org_id)
        await ledger.open(make.funding(org_id, account_id, 1), MOVES)
        await database.rows("insert into house_rolls values ($1, '0')", org_id)
    await settle(database)
    impatient = await Impatient.connect(dsn, name="tests", size_max=1)
    hold = "select from house_rolls where org_id = $1 for update"
    async with holding(database, hold, orgs[0]):
        await roll_up(impatient, orgs)
        assert [await in_store(database, org_id) for org_id in orgs] == [0, -1]
    await roll_up(impatient, orgs)
    assert [await in_store(database, org_id) for org_id in orgs] == [-1, -1]
    await impatient.close()


class Impatient(Database):
    """Waits for locks hardly at all."""

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        async def briefly(tx: Tx) -> T:
            await tx.execute("set local lock_timeout = '10ms'")
            return await work(tx)

        return await super().transact(briefly)


async def test_all_roles_and_assets_of_a_journal_are_folded(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=10)
    usdc = await make.account_of(database, org_id, wallet_id)
    usdt = await make.account_of(database, org_id, wallet_id, asset=USDT)
    swap = [
        Posting(usdc, Money(-10, USDC)),
        Posting(Role.LIQUIDITY, Money(9, USDC)),
        Posting(Role.FEES, Money(1, USDC)),
        Posting(Role.LIQUIDITY, Money(-9, USDT)),
        Posting(usdt, Money(9, USDT)),
    ]
    await ledger.open(make.opening(org_id, Status.OPEN, journals={0: swap}), MOVES)
    expected = {
        OUTSIDE: -10,
        LIQUIDITY: 9,
        (Role.FEES, USDC.code): 1,
        (Role.LIQUIDITY, USDT.code): -9,
    }
    assert await house_balances(database, org_id) == expected
    await settle(database)
    await roll_up(database, [org_id])
    assert await house_balances(database, org_id) == expected


@pytest.mark.one_commit(reason="a step that is done again is the next one")
async def test_a_step_is_bounded_and_never_cuts_a_transaction_in_two(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id)
    for _ in range(5):
        await ledger.open(make.funding(org_id, account_id, 1), MOVES)
    accounts = [await make.make_account(database, org_id) for _ in range(4)]
    await asyncio.gather(*(ledger.open(make.funding(org_id, each, 1), MOVES) for each in accounts))
    await settle(database)
    folded = [await in_store(database, org_id)]
    while await roll_up_step(database, org_id, changes_max=2):
        folded.append(await in_store(database, org_id))
    assert folded == [0, -2, -4, -9]


async def test_two_workers_at_once_beside_busy_payers_fold_everything_once(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    accounts = [await make.make_account(database, org_id) for _ in range(8)]
    is_busy = True

    async def fold() -> None:
        while await roll_up_step(database, org_id, changes_max=3) or is_busy:
            balances = await house_balances(database, org_id)
            assert balances.get(OUTSIDE, 0) >= -400

    async def pay(account_id: UUID) -> None:
        for _ in range(50):
            await ledger.open(make.funding(org_id, account_id, 1), MOVES)

    folders = [asyncio.create_task(fold()) for _ in range(3)]
    await asyncio.gather(*map(pay, accounts))
    await settle(database)
    is_busy = False
    await asyncio.gather(*folders)
    assert await house_balances(database, org_id) == {OUTSIDE: -400}
    assert await in_store(database, org_id) == -400
    assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_what_commits_late_is_not_skipped(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    account_id, other_id = [await make.make_account(database, org_id) for _ in range(2)]
    written, may_commit = asyncio.Event(), asyncio.Event()

    async def late(tx: Tx) -> None:
        await store.open_batch(tx, [make.funding(org_id, account_id, 100)])
        written.set()
        await may_commit.wait()

    task = asyncio.create_task(database.transact(late))
    await written.wait()
    # These have a later transaction id and commit before.
    await ledger.open(make.funding(org_id, other_id, 1), MOVES)
    await roll_up(database, [org_id])
    assert await in_store(database, org_id) == 0
    assert await house_balances(database, org_id) == {OUTSIDE: -1}
    may_commit.set()
    await task
    assert await house_balances(database, org_id) == {OUTSIDE: -101}
    await settle(database)
    await roll_up(database, [org_id])
    assert await in_store(database, org_id) == -101


async def test_a_quiet_organisation_is_read_but_not_written(
    database: Database, ledger: Ledger
) -> None:
    org_id, stranger = await make.make_org(database), await make.make_org(database)
    for each in (org_id, stranger):
        await make.make_account(database, each, units=7)
    await settle(database)
    await roll_up(database, [org_id])
    before = await database.rows("select ctid, xmin from house_rolls where org_id = $1", org_id)
    await roll_up(database, [org_id])
    after = await database.rows("select ctid, xmin from house_rolls where org_id = $1", org_id)
    assert before == after
    assert await in_store(database, stranger) == 0


async def test_an_organisation_that_overflows_does_not_stop_the_others(
    database: Database, ledger: Ledger
) -> None:
    full, other = await make.make_org(database), await make.make_org(database)
    for org_id in (full, other):
        await make.make_account(database, org_id, units=7)
    await database.rows(
        "insert into house_accounts (org_id, role, asset, rolled_units)"
        " values ($1, 'outside', $2, 1 - 10::numeric ^ 38)",
        full,
        USDC.code,
    )
    await settle(database)
    await roll_up(database, [full, other])
    assert await in_store(database, other) == -7


async def settle(database: Database) -> None:
    """Wait until nothing on this server that began before runs any more (other tests may)."""
    rows = await database.rows("select pg_current_xact_id()::text as tx")
    done = "select pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 as yes"
    while not (await database.rows(done, rows[0]["tx"]))[0]["yes"]:  # noqa: ASYNC110  no event tells
        await asyncio.sleep(0.01)


async def in_store(database: Database, org_id: UUID) -> int:
    """What is rolled up of the outside account."""
    rows = await database.rows(
        "select rolled_units from house_accounts where org_id = $1 and role = 'outside'", org_id
    )
    return int(rows[0]["rolled_units"]) if rows else 0
