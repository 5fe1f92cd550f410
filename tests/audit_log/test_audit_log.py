"""Who did what: newest first, whole moments, bounded, one organisation's alone; never edited."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from landbridge.audit_log.model import PEOPLE, ActorType, Filters
from landbridge.audit_log.service import AuditLog
from landbridge.changes.service import tell
from landbridge.core.pages import Window
from landbridge.db.pool import Tx
from tests.tenants import Tenant

SOURCES = Path(__file__).parents[2] / "src/landbridge"
LOG = "/v2/audit-log"
T0 = datetime(2031, 1, 1, tzinfo=UTC)
FIRST = Window(limit=10, after=None, before=None)
# Takes sealed pictures away once no event shows them; nothing else of a change.
PICTURES = "update changes c set picture_owner_id = null, sealed_picture = null from"
# Numbers the log anew after a restore, with nobody at work; nothing but the order is in it.
NUMBERS = "update changes c set tx = n.number from"


async def tell_some(org: Tenant, count: int, actor: str, at: datetime = T0) -> None:
    async def work(tx: Tx) -> None:
        for place in range(count):
            await tell(
                tx,
                org_id=org.org_id,
                object_id=uuid4(),
                seq=1,
                kind="TEST",
                what="try",
                actor=actor,
                at=at + timedelta(seconds=place),
                facts={"secret": "x"},
            )

    await org.house.database.transact(work)


async def test_it_tells_what_keys_people_and_commands_did_and_not_the_worker(org: Tenant) -> None:
    await tell_some(org, 2, f"key:{org.caller.id}")
    await tell_some(org, 2, "worker")
    await tell_some(org, 1, "cli")
    answer = await org.send("GET", LOG, kind="TEST", limit=50)
    assert answer.status_code == 200
    found = answer.json()["entries"]
    assert [each["actor"]["type"] for each in found].count("key") == 2
    assert {each["actor"]["type"] for each in found} == {"key", "cli"}
    assert [each["at"] for each in found] == sorted((each["at"] for each in found), reverse=True)
    assert all(each["facts"] == {} for each in found)
    worker = await org.send("GET", LOG, kind="TEST", actorType="worker")
    assert worker.json()["count"] == 2


async def test_filters_narrow_it_and_wrong_ones_are_refused(org: Tenant) -> None:
    await tell_some(org, 1, "member:11111111-1111-4111-8111-111111111111")
    answer = await org.send("GET", LOG, actorId="11111111-1111-4111-8111-111111111111")
    (entry,) = answer.json()["entries"]
    assert (await org.send("GET", LOG, objectId=entry["objectId"])).json()["count"] == 1
    assert (await org.send("GET", LOG, objectId=str(uuid4()))).json()["count"] == 0
    assert (await org.send("GET", LOG, objectId="x")).status_code == 400
    assert (await org.send("GET", LOG, actorType="cat")).status_code == 400


async def test_a_page_never_parts_changes_of_one_moment(org: Tenant) -> None:
    for _ in range(3):
        await tell_some(org, 2, "cli")
    filters = Filters(kind="TEST")
    log = AuditLog(org.house.database)
    page = await log.page(org.org_id, filters, Window(limit=1, after=None, before=None))
    assert len(page.entries) == 3
    rest = await log.page(org.org_id, filters, Window(limit=9, after=None, before=page.next))
    assert len(rest.entries) == 3
    assert rest.next is None


async def test_a_search_ends_a_page_early_and_goes_on(org: Tenant) -> None:
    await tell_some(org, 1, "cli")
    await tell_some(org, 20, f"key:{org.caller.id}", T0 + timedelta(days=1))
    log = AuditLog(org.house.database, looked_at_max=5)
    filters = Filters(actor_types=frozenset({ActorType.CLI, ActorType.KEY}), actor_id="nobody")
    pages, window = 0, FIRST
    while True:
        page = await log.page(org.org_id, filters, window)
        pages += 1
        if page.next is None:
            break
        window = Window(limit=10, after=None, before=page.next)
    assert pages > 4
    people = await log.page(org.org_id, Filters(actor_types=PEOPLE, kind="TEST"), FIRST)
    assert len(people.entries) == 1


async def test_nothing_of_another_organisation_is_told(org: Tenant, other_org: Tenant) -> None:
    await tell_some(other_org, 3, "cli")
    assert (await org.send("GET", LOG, kind="TEST")).json()["count"] == 0


def test_no_statement_changes_a_change_but_for_its_picture_and_its_number() -> None:
    found: list[str] = []
    for path in SOURCES.rglob("*.py"):
        text = " ".join(path.read_text().split())
        found += re.findall(
            r"(?:update|delete from|truncate(?: table)?|merge into) (?:only )?changes\b.{0,60}",
            text,
        )
    assert len(found) == 2
    for allowed in (PICTURES, NUMBERS):
        assert [each for each in found if each.startswith(allowed)], found


async def test_the_service_runs_where_changes_can_not_be_edited(org: Tenant) -> None:
    """As docs/concepts/changes.md says it: who connects may add and read, and forget pictures."""
    role = f"clerk_{uuid4().hex}"

    async def work(tx: Tx) -> tuple[bool, bool, bool, bool, bool]:
        await tx.execute(f"create role {role}")
        await tx.execute(f"grant select, insert, update, delete on changes to {role}")
        await tx.execute(f"revoke update, delete, truncate on changes from {role}")
        await tx.execute(f"grant update (picture_owner_id, sealed_picture) on changes to {role}")
        row = await tx.fetchrow(
            """
            select has_table_privilege($1, 'changes', 'insert') as a,
                has_table_privilege($1, 'changes', 'delete') as b,
                has_column_privilege($1, 'changes', 'actor', 'update') as c,
                has_column_privilege($1, 'changes', 'at', 'update') as d,
                has_column_privilege($1, 'changes', 'sealed_picture', 'update') as e
            """,
            role,
        )
        await tx.execute(f"drop owned by {role}")
        await tx.execute(f"drop role {role}")
        assert row is not None
        return row["a"], row["b"], row["c"], row["d"], row["e"]

    found = await org.house.database.single(work)
    assert found == (True, False, False, False, True)


@pytest.mark.parametrize("path", [LOG])
async def test_it_needs_a_key(org: Tenant, path: str) -> None:
    assert (await org.client.get(path)).status_code == 401
