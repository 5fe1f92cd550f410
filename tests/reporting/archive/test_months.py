"""Months of the archive: what they contain, when they are finished, and that they verify alone."""

from base64 import b64decode
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet
import pytest

from landbridge.app.container.registry import ASSETS, TRANSITIONS
from landbridge.ledger.corrections import correct
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.changes.service import history
from landbridge.platform.core.ids import derived_id
from landbridge.reporting.archive.model import (
    ArchivedMonth,
    ArchiveInvalid,
    MonthNotFinished,
    month_name,
    next_month,
)
from landbridge.reporting.archive.verification import verify_months
from tests.reporting.archive.months import (
    FAR,
    archived,
    folder_of,
    pass_month,
    pay,
    request_of,
)
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due

_TABLES = ("changes", "transfers", "entries", "balances")


def _rows(org: Tenant, folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of all months, with an ordinary reader of Parquet."""
    months = folder_of(org, folder)
    untyped: Any = pyarrow.parquet
    return [
        row
        for each in months.months()
        for row in untyped.read_table(months.month(each) / f"{name}.parquet").to_pylist()
    ]


async def _verified(org: Tenant, folder: Path) -> list[ArchivedMonth]:
    return list(verify_months(folder_of(org, folder), await books.keys(org)))


async def test_each_change_is_in_one_month_with_its_entries(org: Tenant, tmp_path: Path) -> None:
    for _ in range(3):
        await pay(org)
        await pass_month(org)
        await run_due(org)
    found = await archived(org, tmp_path)
    assert await _verified(org, tmp_path) == found
    names = [each.manifest.month for each in found]
    first = folder_of(org, tmp_path).months()[0]
    second = next_month(first)
    assert names == [month_name(each) for each in (first, second, next_month(second))]

    end = found[-1].manifest.size
    database = org.container.database
    logged = await database.rows(
        "select c.object_id::text as object_id, c.seq, c.kind, c.occurred_at, c.facts::text"
        " as facts from change_batches b join changes c on c.org_id = $1 and c.batch = b.number"
        " where b.org_id = $1 order by b.place, c.object_id, c.seq limit $2",
        *(org.org_id, end),
    )
    changes = _rows(org, tmp_path, "changes")
    assert [tuple(each[name] for name in ("object_id", "seq", "kind")) for each in changes] == [
        (each["object_id"], each["seq"], each["kind"]) for each in logged
    ]
    assert [each["occurred_at"] for each in changes] == [each["occurred_at"] for each in logged]
    assert [each["facts"] for each in changes] == [each["facts"] for each in logged]
    entries = await database.rows(
        "select sum(e.available) as available, count(*)::int as count from entries e"
        " where e.org_id = $1",
        org.org_id,
    )
    rows = _rows(org, tmp_path, "entries")
    assert len(rows) == entries[0]["count"]
    assert sum(each["available"] for each in rows) == entries[0]["available"]
    statuses = await database.rows(
        "select t.id::text as id, t.status, t.request::text as request from transfers t"
        " where t.org_id = $1",
        org.org_id,
    )
    assert {each["id"]: (each["status"], each["request"]) for each in statuses} == {
        each["id"]: (each["status"], each["request"]) for each in _rows(org, tmp_path, "transfers")
    }


async def test_balances_are_brought_forward(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    await pass_month(org)
    await archived(org, tmp_path)
    months = folder_of(org, tmp_path)
    untyped: Any = pyarrow.parquet
    before, after = (
        untyped.read_table(months.month(each) / "balances.parquet").to_pylist()
        for each in months.months()
    )
    closing = {each["account"]: (each["count"], each["available"]) for each in before}
    opening = {
        each["account"]: (each["forward_count"], each["forward_available"])
        for each in after
        if each["forward_count"]
    }
    assert closing == opening
    accounts = await org.container.database.rows(
        "select a.id::text as id, a.available from accounts a where a.org_id = $1", org.org_id
    )
    stated = {each["account"]: each["available"] for each in after}
    assert {each["id"]: each["available"] for each in accounts if each["available"]} == {
        each["id"]: stated[each["id"]] for each in accounts if each["available"]
    }


async def test_a_month_without_changes_is_there_too(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await org.container.orgs.advance_clock(org.org_id, timedelta(days=100), actor="test")
    await run_due(org)
    found = await archived(org, tmp_path)
    assert len(found) >= 3
    assert found[1].manifest.first == found[1].manifest.size
    assert await _verified(org, tmp_path) == found


async def test_the_next_run_writes_what_is_missing_and_nothing_twice(
    org: Tenant, tmp_path: Path
) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    first = await archived(org, tmp_path)
    assert await archived(org, tmp_path) == []
    await pay(org)
    await pass_month(org)
    await run_due(org)
    second = await archived(org, tmp_path)
    assert await _verified(org, tmp_path) == [*first, *second]
    # Another folder gets all of them.
    assert len(await archived(org, tmp_path / "other")) == len(first) + len(second)


async def test_each_month_is_in_the_log_with_its_digest(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    (found,) = await archived(org, tmp_path)
    object_id = derived_id(org.org_id, f"ARCHIVE/{found.manifest.month}")

    async def recorded() -> list[object]:
        changes = await org.container.database.single(
            lambda tx: history(tx, org.org_id, [object_id])
        )
        return [each.facts for each in changes[object_id]]

    assert await recorded() == [{"month": found.manifest.month, "manifest": found.digest}]
    await archived(org, tmp_path)
    assert len(await recorded()) == 1
    (entry,) = (await org.get("/v2/audit-log", kind="ARCHIVE"))["entries"]
    assert entry["actor"]["type"] == "cli"


async def test_a_month_that_may_still_change_is_refused(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    with pytest.raises(MonthNotFinished, match="is not over yet"):
        await archived(org, tmp_path, FAR)
    user, other = await make_user(org, funds="10"), await make_user(org)
    paid = await make_transfer(org, user, other)
    await pass_month(org)
    with pytest.raises(MonthNotFinished, match=paid["id"]):
        await archived(org, tmp_path)
    request = await request_of(org, tmp_path)
    with pytest.raises(MonthNotFinished, match=paid["id"]):
        assert [each async for each in org.container.archive.plan(request)] == []
    assert not folder_of(org, tmp_path).months()
    await run_due(org)
    request = await request_of(org, tmp_path)
    planned = [each async for each in org.container.archive.plan(request)]
    assert [month_name(each) for each in planned] == [
        each.manifest.month for each in await archived(org, tmp_path)
    ]


async def test_later_changes_of_a_payment_are_in_later_months(org: Tenant, tmp_path: Path) -> None:
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user, status=SwapStatus.COMPLETED)
    await pass_month(org)
    first = await archived(org, tmp_path)
    on = org.container
    await correct(
        *(on.database, on.ledger, ASSETS, TRANSITIONS),
        org_id=org.org_id,
        transfer_id=UUID(swap["id"]),
        seqs=[4],
        reason="wrong",
        actor="test",
        at=on.clock.stamp(await on.orgs.clock_offset(org.org_id)),
    )
    await pass_month(org)
    second = await archived(org, tmp_path)
    assert await _verified(org, tmp_path) == [*first, *second]


async def test_an_archive_of_another_database_is_refused(
    org: Tenant, other_org: Tenant, tmp_path: Path
) -> None:
    for each in (org, other_org):
        await pay(each)
        await pass_month(each)
        await run_due(each)
        await archived(each, tmp_path)
    own, other = folder_of(org, tmp_path), folder_of(other_org, tmp_path)
    (month,) = own.months()
    own.month(month).rename(tmp_path / "aside")
    other.month(month).rename(own.month(month))
    with pytest.raises(ArchiveInvalid, match="was moved"):
        await archived(org, tmp_path)
    with pytest.raises(ArchiveInvalid):
        await _verified(org, tmp_path)


async def test_a_restored_backup_is_named(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    await archived(org, tmp_path)
    size = await books.log_size(org)
    await books.restore(org, size - 3)
    await pass_month(org)
    with pytest.raises(ArchiveInvalid, match="is not of this database"):
        await archived(org, tmp_path)


async def test_files_have_no_personal_data(org: Tenant, tmp_path: Path) -> None:
    user = await make_user(org, funds="10", firstName="Zebedee", lastName="Quartermaine")
    await make_swap(org, user, status=SwapStatus.COMPLETED)
    await pass_month(org)
    await archived(org, tmp_path)
    texts = [str(row).lower() for name in _TABLES for row in _rows(org, tmp_path, name)]
    assert any(user in each for each in texts)
    assert not [each for each in texts if "zebedee" in each or "quartermaine" in each]


async def test_a_root_is_that_of_the_books(org: Tenant, tmp_path: Path) -> None:
    await pay(org)
    await pass_month(org)
    await run_due(org)
    (found,) = await archived(org, tmp_path)
    manifest = found.manifest
    assert b64decode(manifest.root) == await org.container.proofs.segments.root(
        org.org_id, manifest.size
    )
    assert await books.findings(org, manifest.checkpoint) == []
