"""Audit log: newest first, whole moments, bounded, per organisation; never edited."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from landbridge.platform.audit_log.model import PEOPLE, ActorType, AuditLogFilters
from landbridge.platform.audit_log.service import AuditLog
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx
from tests.tenants import Tenant

SOURCES = Path(__file__).parents[3] / "src/landbridge"
LOG = "/v2/audit-log"
T0 = datetime(2031, 1, 1, tzinfo=UTC)
FIRST = PageWindow(limit=10, after=None, before=None)
# Replaces sealed snapshots that no event shows any more by their digests; changes nothing else.
SNAPSHOT_CLEANUP = (
    "update changes c set snapshot_owner_id = null, sealed_snapshot = null,"
    " snapshot_digest = sha256(c.sealed_snapshot) from"
)


async def record_changes(org: Tenant, count: int, actor: str, at: datetime = T0) -> None:
    async def work(tx: Tx) -> None:
        for index in range(count):
            await append_change(
                tx,
                org_id=org.org_id,
                object_id=uuid4(),
                seq=1,
                kind="TEST",
                change_type="try",
                actor=actor,
                at=at + timedelta(seconds=index),
                facts={"secret": "x"},
            )

    await org.container.database.transact(work)


async def test_log_has_actions_of_keys_people_and_commands_but_not_the_worker(org: Tenant) -> None:
    await record_changes(org, 2, f"key:{org.caller.id}")
    await record_changes(org, 2, "worker")
    await record_changes(org, 1, "cli")
    answer = await org.send("GET", LOG, kind="TEST", limit=50)
    assert answer.status_code == 200
    found = answer.json()["entries"]
    assert [each["actor"]["type"] for each in found].count("key") == 2
    assert {each["actor"]["type"] for each in found} == {"key", "cli"}
    assert [each["at"] for each in found] == sorted((each["at"] for each in found), reverse=True)
    assert all(each["facts"] == {} for each in found)
    worker = await org.send("GET", LOG, kind="TEST", actorType="worker")
    assert worker.json()["count"] == 2


async def test_filters_narrow_the_log_and_invalid_ones_are_refused(org: Tenant) -> None:
    await record_changes(org, 1, "member:11111111-1111-4111-8111-111111111111")
    answer = await org.send("GET", LOG, actorId="11111111-1111-4111-8111-111111111111")
    (entry,) = answer.json()["entries"]
    assert (await org.send("GET", LOG, objectId=entry["objectId"])).json()["count"] == 1
    assert (await org.send("GET", LOG, objectId=str(uuid4()))).json()["count"] == 0
    assert (await org.send("GET", LOG, objectId="x")).status_code == 400
    assert (await org.send("GET", LOG, actorType="cat")).status_code == 400


async def test_a_page_never_parts_changes_of_one_moment(org: Tenant) -> None:
    for _ in range(3):
        await record_changes(org, 2, "cli")
    filters = AuditLogFilters(kind="TEST")
    log = AuditLog(org.container.database)
    page = await log.page(org.org_id, filters, PageWindow(limit=1, after=None, before=None))
    assert len(page.entries) == 3
    rest = await log.page(org.org_id, filters, PageWindow(limit=9, after=None, before=page.next))
    assert len(rest.entries) == 3
    assert rest.next is None


async def test_sparse_search_ends_a_page_early_and_continues(org: Tenant) -> None:
    await record_changes(org, 1, "cli")
    await record_changes(org, 20, f"key:{org.caller.id}", T0 + timedelta(days=1))
    log = AuditLog(org.container.database, scan_max=5)
    filters = AuditLogFilters(
        actor_types=frozenset({ActorType.CLI, ActorType.KEY}), actor_id="nobody"
    )
    pages, window = 0, FIRST
    while True:
        page = await log.page(org.org_id, filters, window)
        pages += 1
        if page.next is None:
            break
        window = PageWindow(limit=10, after=None, before=page.next)
    assert pages > 4
    people = await log.page(org.org_id, AuditLogFilters(actor_types=PEOPLE, kind="TEST"), FIRST)
    assert len(people.entries) == 1


async def test_log_excludes_other_organisations(org: Tenant, other_org: Tenant) -> None:
    await record_changes(other_org, 3, "cli")
    assert (await org.send("GET", LOG, kind="TEST")).json()["count"] == 0


def test_only_the_snapshot_of_a_change_can_be_updated() -> None:
    found: list[str] = []
    for path in SOURCES.rglob("*.py"):
        text = " ".join(path.read_text().split())
        found += re.findall(
            r"(?:update|delete from|truncate(?: table)?|merge into) (?:only )?changes\b.{0,120}",
            text,
        )
    assert len(found) == 1
    assert found[0].startswith(SNAPSHOT_CLEANUP), found


async def test_service_runs_where_changes_are_immutable(org: Tenant) -> None:
    """As docs/concepts/changes.md states: the service may insert, read, and delete snapshots."""
    role = f"clerk_{uuid4().hex}"

    async def work(tx: Tx) -> tuple[bool, bool, bool, bool, bool]:
        await tx.execute(f"create role {role}")
        await tx.execute(f"grant select, insert, update, delete on changes to {role}")
        await tx.execute(f"revoke update, delete, truncate on changes from {role}")
        await tx.execute(f"grant update (snapshot_owner_id, sealed_snapshot) on changes to {role}")
        row = await tx.fetchrow(
            """
            select has_table_privilege($1, 'changes', 'insert') as a,
                has_table_privilege($1, 'changes', 'delete') as b,
                has_column_privilege($1, 'changes', 'actor', 'update') as c,
                has_column_privilege($1, 'changes', 'occurred_at', 'update') as d,
                has_column_privilege($1, 'changes', 'sealed_snapshot', 'update') as e
            """,
            role,
        )
        await tx.execute(f"drop owned by {role}")
        await tx.execute(f"drop role {role}")
        assert row is not None
        return row["a"], row["b"], row["c"], row["d"], row["e"]

    found = await org.container.database.single(work)
    assert found == (True, False, False, False, True)


@pytest.mark.parametrize("path", [LOG])
async def test_audit_log_requires_a_key(org: Tenant, path: str) -> None:
    assert (await org.client.get(path)).status_code == 401
