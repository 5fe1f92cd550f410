"""The audit of a database with several organisations, one by one."""

import asyncio
from pathlib import Path

import click
import pytest

from landbridge.app.container import wire
from landbridge.app.container.registry import AUDIT_RULES, TRANSITIONS
from landbridge.app.ledger_commands import AuditRun, run_audit
from landbridge.ledger.audit import LedgerAudit, audit
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS, Tenant, make_tenant, make_user, served


@pytest.fixture
async def tenants(own_database: Database) -> list[Tenant]:
    """Two organisations with payments; the second one has more."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        tenants = [await make_tenant(container, client) for _ in range(2)]
        for count, tenant in enumerate(tenants, start=1):
            for _ in range(count):
                await make_user(tenant, funds="10")
        return tenants


async def run(dsn: str, options: AuditRun) -> tuple[LedgerAudit, list[str]]:
    printed: list[str] = []
    return await asyncio.to_thread(run_audit, dsn, options, printed.append), printed


@pytest.mark.parametrize("jobs", [1, 2])
async def test_organisations_one_by_one_give_the_audit_of_all(
    own_database: Database, own_dsn: str, tenants: list[Tenant], tmp_path: Path, jobs: int
) -> None:
    second = tenants[1].org_id
    await own_database.rows(
        "update accounts set available = available + 1 where org_id = $1", second
    )
    whole = await audit(own_database, TRANSITIONS, AUDIT_RULES)
    parts, printed = await run(own_dsn, AuditRun(jobs=jobs, notes=tmp_path / "notes"))
    assert parts.checks == whole.checks
    assert {each.org_id for each in parts.findings} == {second}
    assert sorted(each.key for each in parts.findings) == sorted(
        each.key for each in whole.findings
    )
    assert len(printed) == 2
    wrong = sum(each.wrong for each in whole.checks)
    assert printed[1] == f"2 of 2 organisations audited, {wrong} wrong rows"


async def test_an_audit_that_was_stopped_goes_on(
    own_database: Database, own_dsn: str, tenants: list[Tenant], tmp_path: Path
) -> None:
    first, second = (each.org_id for each in tenants)
    spoil = "update accounts set available = available + $2 where org_id = $1"
    await own_database.rows(spoil, second, 1)
    options = AuditRun(notes=tmp_path / "notes")
    before, _ = await run(own_dsn, options)
    assert not before.is_clean
    # The first one is not read again; the second one is.
    await own_database.rows(spoil, first, 1)
    await own_database.rows(spoil, second, -1)
    after, printed = await run(own_dsn, options)
    assert after.is_clean
    assert len(printed) == 1
    assert [each.rows for each in after.checks] == [each.rows for each in before.checks]
    assert (await run(own_dsn, options))[1] == []
    # Without the file, all are.
    assert not (await run(own_dsn, AuditRun()))[0].is_clean


async def test_one_organisation_is_audited_alone(
    own_database: Database, own_dsn: str, tenants: list[Tenant]
) -> None:
    first, second = (each.org_id for each in tenants)
    await own_database.rows(
        "update accounts set available = available + 1 where org_id = $1", second
    )
    assert (await run(own_dsn, AuditRun(only=first)))[0].is_clean
    assert not (await run(own_dsn, AuditRun(only=second)))[0].is_clean
    with pytest.raises(click.UsageError, match="no such organisation"):
        await run(own_dsn, AuditRun(only=new_id()))


async def test_a_file_without_notes_is_refused(own_dsn: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_text("something else\n")
    with pytest.raises(click.UsageError, match="Line 1 of"):
        await run(own_dsn, AuditRun(notes=notes))


async def test_an_empty_database_is_clean(own_dsn: str, tmp_path: Path) -> None:
    for options in (AuditRun(), AuditRun(jobs=2, notes=tmp_path / "notes")):
        audited, printed = await run(own_dsn, options)
        assert audited.is_clean
        assert not any(each.rows for each in audited.checks)
        assert not printed
