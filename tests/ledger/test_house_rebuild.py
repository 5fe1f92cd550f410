"""Rebuild of house account roll-ups, from any damage and under load."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from landbridge.app.cli import commands
from landbridge.ledger import house_accounts
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances, rebuild, roll_up, roll_up_step
from landbridge.ledger.model import HouseRole
from landbridge.ledger.service import Ledger
from landbridge.platform.db.pool import Database
from tests import make
from tests.change_log import placed
from tests.ledger.test_house_accounts import OUTSIDE, in_store
from tests.make import MOVES_BY_KIND, TRANSITIONS

# Damage from a restored dump, a mistake in SQL or a bug.
DAMAGES: dict[str, tuple[str, dict[HouseRole, tuple[int, int]]]] = {
    "a sum that is wrong": (
        "update house_accounts set rolled_up_units = 100 where org_id = $1",
        {HouseRole.OUTSIDE: (100, -400)},
    ),
    "a sum that is lost": (
        "delete from house_accounts where org_id = $1",
        {HouseRole.OUTSIDE: (0, -400)},
    ),
    "a sum of nothing": (
        (
            "insert into house_accounts (org_id, role, asset, rolled_up_units)"
            " values ($1, 'fees', 'usdc:POLYGON', 7)"
        ),
        {HouseRole.FEES: (7, 0)},
    ),
    "a watermark that was moved back": (
        "update house_rollups set rolled_up_to = '0' where org_id = $1",
        {HouseRole.OUTSIDE: (-400, 0)},
    ),
    "a watermark that skips entries": (
        (
            "update house_rollups r set rolled_up_to = l.last_place + 1"
            " from change_logs l where r.org_id = $1 and l.org_id = $1"
        ),
        {HouseRole.OUTSIDE: (-400, -450)},
    ),
    "a watermark ahead of its log": (
        "update house_rollups set rolled_up_to = '999999999999' where org_id = $1",
        {HouseRole.OUTSIDE: (-400, -450)},
    ),
    "no watermark": (
        "delete from house_rollups where org_id = $1",
        {HouseRole.OUTSIDE: (-400, 0)},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_rebuild_repairs_the_roll_up(own_database: Database, damage: str) -> None:
    ledger = Ledger(own_database)
    org_id, other_id = [await make.make_org(own_database) for _ in range(2)]
    for each in (org_id, other_id):
        account_id = await make.make_account(own_database, each, units=400)
        await placed(own_database)
        await roll_up(own_database, [each])
        # Not rolled up yet.
        await ledger.create(make.funding(each, account_id, 50), TRANSITIONS)
    statement, found = DAMAGES[damage]
    await placed(own_database)
    await own_database.rows(statement, org_id)
    differences = await rebuild(own_database, org_id)
    assert {each.role: (each.rolled, each.summed) for each in differences} == found
    balances = await house_balances(own_database, org_id)
    assert {key: units for key, units in balances.items() if units} == {OUTSIDE: -450}
    audited = await audit(own_database, MOVES_BY_KIND, {})
    assert audited.is_clean, table(audited)
    # The next roll-up continues from there.
    account_id = await make.make_account(own_database, org_id, units=5)
    await placed(own_database)
    await roll_up(own_database, [org_id, other_id])
    assert await in_store(own_database, org_id) == -455
    assert await in_store(own_database, other_id) == -450
    assert await rebuild(own_database, org_id) == []


async def test_rebuild_under_load_loses_and_repeats_nothing(
    database: Database, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_accounts, "REBUILD_CHANGES", 5)
    org_id = await make.make_org(database)
    accounts = [await make.make_account(database, org_id) for _ in range(6)]
    is_busy = True

    async def fold() -> None:
        while await roll_up_step(database, org_id, changes_max=3) or is_busy:
            balances = await house_balances(database, org_id)
            assert -300 <= balances.get(OUTSIDE, 0) <= 0

    async def pay(account_id: UUID) -> None:
        for _ in range(50):
            await ledger.create(make.funding(org_id, account_id, 1), TRANSITIONS)

    async def build() -> int:
        count = 0
        while is_busy:
            # The rollup is correct at any moment, so a rebuild finds no difference.
            assert await rebuild(database, org_id) == []
            count += 1
        return count

    folding, building = asyncio.create_task(fold()), asyncio.create_task(build())
    await asyncio.gather(*map(pay, accounts))
    await placed(database)
    is_busy = False
    assert await building > 0
    await folding
    assert await house_balances(database, org_id) == {OUTSIDE: -300}
    await roll_up(database, [org_id])
    assert await in_store(database, org_id) == -300
    assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_command_reports_repaired_sums(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    orgs = [await make.make_org(own_database) for _ in range(2)]
    for each in orgs:
        await make.make_account(own_database, each, units=400)
        await placed(own_database)
        await roll_up(own_database, [each])
        await own_database.rows(
            "update house_accounts set rolled_up_units = 100 where org_id = $1", each
        )

    def run(*args: str) -> tuple[int, str]:
        environment = {"LANDBRIDGE_DATABASE_URL": own_dsn, "LANDBRIDGE_DATA_DIR": str(tmp_path)}
        ran = CliRunner().invoke(commands, ["house", "rebuild", *args], env=environment)
        return ran.exit_code, ran.output

    wrong = "outside usdc:POLYGON: 100 units rolled up, entries sum to -400"
    code, output = await asyncio.to_thread(run, "--org", str(orgs[1]))
    assert (code, output.count(wrong)) == (0, 1), output
    code, output = await asyncio.to_thread(run, "--all")
    assert (code, output.count(wrong), output.count("0 sums were wrong")) == (0, 1, 1), output
    assert [await in_store(own_database, each) for each in orgs] == [-400, -400]
    assert (await asyncio.to_thread(run, "--all", "--org", str(orgs[0])))[0] == 2
