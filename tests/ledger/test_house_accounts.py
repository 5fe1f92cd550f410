"""House accounts: exact at any moment and rolled up once, despite concurrency and late commits."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.house_accounts import house_balances, roll_up, roll_up_step
from landbridge.ledger.model import HouseRole, Posting
from landbridge.ledger.service import Ledger
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.change_log import placed
from tests.house_accounts import house_balance
from tests.make import MOVES_BY_KIND, TRANSITIONS, USDC, USDT, Status
from tests.waiting import holding

T = TypeVar("T")

OUTSIDE, LIQUIDITY = (HouseRole.OUTSIDE, USDC.code), (HouseRole.LIQUIDITY, USDC.code)


async def test_balance_is_exact_before_between_and_after_roll_ups(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    assert await house_balances(database, org_id) == {}
    account_id = await make.make_account(database, org_id)
    for round_ in range(1, 4):
        for units in (1, 2, 3):
            await ledger.create(make.funding(org_id, account_id, units), TRANSITIONS)
            assert await in_store(database, org_id) == 6 * (1 - round_)
        assert await house_balances(database, org_id) == {OUTSIDE: -6 * round_}
        await placed(database)
        assert not await roll_up(database, [org_id])
        assert await in_store(database, org_id) == -6 * round_
        assert await house_balances(database, org_id) == {OUTSIDE: -6 * round_}
    assert await house_balance(database, org_id, HouseRole.OUTSIDE, USDC) == Money(-18, USDC)
    assert await house_balance(database, org_id, HouseRole.FEES, USDT) == Money(0, USDT)
    assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_locked_row_of_one_organisation_does_not_stop_other_roll_ups(
    dsn: str, database: Database, ledger: Ledger
) -> None:
    orgs = [await make.make_org(database) for _ in range(2)]
    for org_id in orgs:
        account_id = await make.make_account(database, org_id)
        await ledger.create(make.funding(org_id, account_id, 1), TRANSITIONS)
        await database.rows("insert into house_rollups values ($1, '0')", org_id)
    await placed(database)
    impatient = await ShortLockTimeoutDatabase.connect(dsn, name="tests", size_max=1)
    hold = "select from house_rollups where org_id = $1 for update"
    async with holding(database, hold, orgs[0]):
        await roll_up(impatient, orgs)
        assert [await in_store(database, org_id) for org_id in orgs] == [0, -1]
    await roll_up(impatient, orgs)
    assert [await in_store(database, org_id) for org_id in orgs] == [-1, -1]
    await impatient.close()


class ShortLockTimeoutDatabase(Database):
    """Database with a very short lock timeout."""

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        async def briefly(tx: Tx) -> T:
            await tx.execute("set local lock_timeout = '10ms'")
            return await work(tx)

        return await super().transact(briefly)


async def test_all_roles_and_assets_of_a_journal_are_rolled_up(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=10)
    usdc = await make.account_of(database, org_id, wallet_id)
    usdt = await make.account_of(database, org_id, wallet_id, asset=USDT)
    swap = [
        Posting(usdc, Money(-10, USDC)),
        Posting(HouseRole.LIQUIDITY, Money(9, USDC)),
        Posting(HouseRole.FEES, Money(1, USDC)),
        Posting(HouseRole.LIQUIDITY, Money(-9, USDT)),
        Posting(usdt, Money(9, USDT)),
    ]
    await ledger.create(make.opening(org_id, Status.OPEN, journals={0: swap}), TRANSITIONS)
    expected = {
        OUTSIDE: -10,
        LIQUIDITY: 9,
        (HouseRole.FEES, USDC.code): 1,
        (HouseRole.LIQUIDITY, USDT.code): -9,
    }
    assert await house_balances(database, org_id) == expected
    await placed(database)
    await roll_up(database, [org_id])
    assert await house_balances(database, org_id) == expected


@pytest.mark.one_commit(reason="a step that is done again is the next one")
async def test_step_is_bounded_and_never_splits_a_batch(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id)
    for _ in range(5):
        await ledger.create(make.funding(org_id, account_id, 1), TRANSITIONS)
    accounts = [await make.make_account(database, org_id) for _ in range(4)]
    await asyncio.gather(
        *(ledger.create(make.funding(org_id, each, 1), TRANSITIONS) for each in accounts)
    )
    await placed(database)
    folded = [await in_store(database, org_id)]
    while await roll_up_step(database, org_id, changes_max=2):
        folded.append(await in_store(database, org_id))
    assert folded == [0, -2, -4, -9]


async def test_concurrent_workers_roll_up_everything_once(
    database: Database, ledger: Ledger
) -> None:
    org_id = await make.make_org(database)
    accounts = [await make.make_account(database, org_id) for _ in range(8)]
    is_busy = True

    async def fold() -> None:
        while await roll_up_step(database, org_id, changes_max=3) or is_busy:
            await placed(database)
            balances = await house_balances(database, org_id)
            assert balances.get(OUTSIDE, 0) >= -400

    async def pay(account_id: UUID) -> None:
        for _ in range(50):
            await ledger.create(make.funding(org_id, account_id, 1), TRANSITIONS)

    folders = [asyncio.create_task(fold()) for _ in range(3)]
    await asyncio.gather(*map(pay, accounts))
    await placed(database)
    is_busy = False
    await asyncio.gather(*folders)
    assert await house_balances(database, org_id) == {OUTSIDE: -400}
    assert await in_store(database, org_id) == -400
    assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_late_commit_is_not_skipped(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    account_id, other_id = [await make.make_account(database, org_id) for _ in range(2)]
    written, may_commit = asyncio.Event(), asyncio.Event()

    async def late(tx: Tx) -> None:
        await store.lock_and_create(tx, [make.funding(org_id, account_id, 100)])
        written.set()
        await may_commit.wait()

    task = asyncio.create_task(database.transact(late))
    await written.wait()
    # These have a larger number and commit before.
    await ledger.create(make.funding(org_id, other_id, 1), TRANSITIONS)
    await roll_up(database, [org_id])
    assert await in_store(database, org_id) == -1
    assert await house_balances(database, org_id) == {OUTSIDE: -1}
    may_commit.set()
    await task
    assert await house_balances(database, org_id) == {OUTSIDE: -101}
    await placed(database)
    await roll_up(database, [org_id])
    assert await in_store(database, org_id) == -101


async def test_inactive_organisation_is_not_written(database: Database, ledger: Ledger) -> None:
    org_id, outsider = await make.make_org(database), await make.make_org(database)
    for each in (org_id, outsider):
        await make.make_account(database, each, units=7)
    await placed(database)
    await roll_up(database, [org_id])
    before = await database.rows("select ctid, xmin from house_rollups where org_id = $1", org_id)
    await roll_up(database, [org_id])
    after = await database.rows("select ctid, xmin from house_rollups where org_id = $1", org_id)
    assert before == after
    assert await in_store(database, outsider) == 0


async def test_failing_roll_up_does_not_stop_other_organisations(
    database: Database, ledger: Ledger
) -> None:
    full, other = await make.make_org(database), await make.make_org(database)
    for org_id in (full, other):
        await make.make_account(database, org_id, units=7)
    await database.rows(
        "insert into house_accounts (org_id, role, asset, rolled_up_units)"
        " values ($1, 'outside', $2, 1 - 10::numeric ^ 38)",
        full,
        USDC.code,
    )
    await placed(database)
    await roll_up(database, [full, other])
    assert await in_store(database, other) == -7


async def in_store(database: Database, org_id: UUID) -> int:
    """Return the rolled-up units of the outside account."""
    rows = await database.rows(
        "select rolled_up_units from house_accounts where org_id = $1 and role = 'outside'", org_id
    )
    return int(rows[0]["rolled_up_units"]) if rows else 0
