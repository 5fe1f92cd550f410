"""Real processes on real connections, all after the same money, records and request ids."""

from collections import Counter

import pytest

from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from tests import make
from tests.house_accounts import house_balance
from tests.long import few_of
from tests.make import MOVES_BY_KIND, USDC
from tests.races import racing_processes


@pytest.mark.parametrize("seed", few_of(range(4)))
async def test_three_processes_on_eight_wallets_never_surface_a_constraint(
    own_dsn: str, own_database: Database, seed: int
) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id, units=6) for _ in range(8)]
    clerks = [
        racing_processes.start_process(
            racing_processes.race, own_dsn, org_id, accounts, 10 * seed + index
        )
        for index in range(3)
    ]
    reports = [each.report() for each in clerks]
    outcomes = sum((each.outcomes for each in reports), Counter[str]())
    # Only ordinary outcomes: no CheckViolationError, no UniqueViolationError, no Busy.
    assert set(outcomes) <= {"opened", "replayed", "short", "moved", "lost"}, outcomes
    # The race took place: each of these outcomes occurred.
    assert min(outcomes[each] for each in ("opened", "replayed", "short", "moved", "lost")) > 0
    # A deadlock would be retried unnoticed; locks in one order prevent deadlocks.
    rows = await own_database.rows(
        "select deadlocks from pg_stat_database where datname = current_database()"
    )
    assert rows[0]["deadlocks"] == 0
    created = [record_id for each in reports for record_id in each.opened]
    rows = await own_database.rows(
        "select id from transfers where org_id = $1 and status <> 'FUNDED'", org_id
    )
    assert sorted(created) == sorted(row["id"] for row in rows)
    moved = [version for each in reports for version in each.moved]
    assert len(set(moved)) == len(moved)
    audited = await audit(own_database, MOVES_BY_KIND, {}, org_id=org_id)
    assert audited.is_clean, table(audited)


@pytest.mark.parametrize("covered", few_of([37, 0, 1, 99, 120]))
async def test_concurrent_spenders_win_only_up_to_the_balance(
    dsn: str, database: Database, covered: int
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=covered)
    clerks = [
        racing_processes.start_process(racing_processes.spend, dsn, org_id, account_id, 50)
        for _ in range(2)
    ]
    for each in clerks:
        each.wait_until_started()
    for each in clerks:
        each.pipe.send("go")
    outcomes = sum((each.report().outcomes for each in clerks), Counter[str]())
    won = min(covered, 100)
    assert outcomes == +Counter(opened=won, short=100 - won)
    assert await make.balance(database, account_id) == (covered - won, won)


@pytest.mark.parametrize("units", [1, 50])
async def test_fifty_retries_of_one_request_in_two_processes_are_one_record(
    dsn: str, database: Database, units: int
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=units)
    request_id = new_id()
    clerks = [
        racing_processes.start_process(racing_processes.retry, dsn, org_id, account_id, request_id)
        for _ in range(2)
    ]
    for each in clerks:
        each.wait_until_started()
    for each in clerks:
        each.pipe.send("go")
    outcomes = sum((each.report().outcomes for each in clerks), Counter[str]())
    assert outcomes == Counter(opened=1, replayed=49)
    assert await make.balance(database, account_id) == (units - 1, 1)
    assert (await house_balance(database, org_id, HouseRole.OUTSIDE, USDC)).units == -units
