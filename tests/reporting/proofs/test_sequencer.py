"""Every change becomes one leaf, once and in order, and all that is stored is verified."""

import asyncio
import json
from datetime import timedelta

import msgspec
import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.changes.service import append_change, delete_snapshots
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.proofs import store
from landbridge.reporting.proofs.books_verifier import Books
from landbridge.reporting.proofs.sequencer import SequencerLag
from tests.change_log import place_by_number, placed
from tests.make import make_org
from tests.query_plans import rows_read
from tests.reporting.proofs import proof_books as books
from tests.tenants import METRICS_TOKEN, Tenant, make_swap, make_user

_CHANGES = "select count(*)::int as count from changes where org_id = $1"
_ACCOUNTS = """
select a.id::text as account, count(e.account_id)::int as entry_count, a.available::text,
    a.held::text
from accounts a
join entries e on e.org_id = a.org_id and e.account_id = a.id
where a.org_id = $1
group by a.org_id, a.id
"""
# In no order, as in a log that several organisations write at once.
_LONG_LOG = """
insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at, is_settled,
    batch)
select o.org_id, gen_random_uuid(), 1, 'KIND', 'what', 'cli', now(), true, n
from unnest($1::uuid[]) o (org_id)
cross join generate_series(1, 10000) n
order by random()
"""
_TREES = """
insert into proof_trees (org_id, epoch, size, read_place, read_object_id, read_seq)
select org_id, 1, 1, 100, gen_random_uuid(), 1
from unnest($1::uuid[]) o (org_id)
"""


async def test_books_of_payments_are_proven_online_and_offline(org: Tenant) -> None:
    await books.paid_books(org)
    first = await books.checkpoint(org)
    assert await books.findings(org, first) == []
    await make_user(org, funds="7")
    proven = await books.checked(org, first)
    (changes,) = await org.container.database.rows(_CHANGES, org.org_id)
    assert proven.size == changes["count"] > 15
    assert await books.findings(org, first) == []
    stored = {
        row["account"]: (row["entry_count"], int(row["available"]), int(row["held"]))
        for row in await org.container.database.rows(_ACCOUNTS, org.org_id)
    }
    assert stored
    assert stored.items() <= proven.balances.items()
    houses = {each.partition("/")[0] for each in proven.balances.keys() - stored.keys()}
    assert {"outside", "liquidity", "fees"} <= houses


async def test_export_has_the_record_once_and_each_entry(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "2", status=SwapStatus.COMPLETED)
    leaves = [json.loads(line) for line in (await books.exported(org))[1:]]
    parts = [[json.loads(part["text"]) for part in leaf] for leaf in leaves]
    of_swap = [each for each in parts if each[0]["object"] == swap["id"]]
    assert [each[0]["seq"] for each in of_swap] == list(range(1, len(of_swap) + 1))
    records = [part for leaf in of_swap for part in leaf if part["part"] == "record"]
    assert [each["sourceUnits"] for each in records] == ["2000000"]
    assert of_swap[-1][0]["statusAfter"] == "COMPLETED"
    entries = [part for part in of_swap[-1] if part["part"] == "entry"]
    assert sum(int(each["available"]) + int(each["held"]) for each in entries) == 0
    assert entries
    assert {each["wallet"] is None for each in entries} == {True, False}
    salts = [part["salt"] for leaf in leaves for part in leaf]
    assert len(salts) == len(set(salts))


@pytest.mark.parametrize("leaves_max", [1, 7, 256])
async def test_tree_does_not_depend_on_the_steps(org: Tenant, leaves_max: int) -> None:
    await books.paid_books(org)
    whole = await books.checkpoint(org)
    await books.forget_tree(org.container.database, org)
    sequencer = org.container.proofs.sequencer
    while await sequencer.append(org.org_id, leaves_max=leaves_max):
        pass
    assert await books.checkpoint(org) == whole
    assert await books.findings(org, whole) == []


async def test_blocks_of_a_long_log_can_be_rebuilt(org: Tenant) -> None:
    await books.fill_log(org, 600)
    await books.paid_books(org, swaps=20)
    await books.sequenced(org)
    assert await books.findings(org) == []
    (tree,) = await org.container.database.rows(
        "select size, (select count(*) from proof_blocks where org_id = $1) as blocks"
        " from proof_trees where org_id = $1",
        org.org_id,
    )
    assert tree["size"] > 600
    assert tree["blocks"] == -(-tree["size"] // 256)


async def test_concurrent_workers_append_each_change_once(org: Tenant) -> None:
    await books.paid_books(org)
    await placed(org.container.database)
    sequencer = org.container.proofs.sequencer
    await asyncio.gather(*(sequencer.run_once([org.org_id]) for _ in range(4)))
    await books.sequenced(org)
    assert (await books.checked(org)).size
    assert await books.findings(org) == []


async def test_change_that_commits_late_is_not_skipped(org: Tenant) -> None:
    began, go = asyncio.Event(), asyncio.Event()
    late = new_id()

    async def work(tx: Tx) -> None:
        await append_change(
            tx,
            org_id=org.org_id,
            object_id=late,
            seq=1,
            kind="TEST",
            change_type="set",
            actor="test",
            at=org.container.clock.stamp(),
        )
        began.set()
        await go.wait()

    slow = asyncio.create_task(org.container.database.transact(work))
    await began.wait()
    user = await make_user(org, funds="5")
    sequencer = org.container.proofs.sequencer
    await sequencer.run_once([org.org_id])
    before = await _size(org)
    go.set()
    await slow
    proven = await books.checked(org)
    assert proven.seqs[str(late)] == 1
    assert proven.seqs[user] >= 1
    assert before < proven.size == await _size(org)


async def test_removed_snapshots_change_no_leaf(org: Tenant) -> None:
    await make_user(org, funds="5")
    kept = await books.checkpoint(org)
    database = org.container.database
    (before,) = await database.rows(_SNAPSHOTS, org.org_id)
    assert before["count"]
    tomorrow = org.container.clock.now() + timedelta(days=1)
    await database.transact(
        lambda tx: delete_snapshots(tx, org.org_id, before=tomorrow, below=None, limit=99)
    )
    (after,) = await database.rows(_SNAPSHOTS, org.org_id)
    assert after["count"] == 0
    assert await books.findings(org, kept) == []
    assert isinstance(await books.checked(org, kept), Books)


async def test_checkpoint_is_signed_once_per_interval_and_not_without_changes(org: Tenant) -> None:
    signing, database = org.container.proofs.signing, org.container.database
    offsets = {org.org_id: timedelta()}
    await books.sequenced(org)
    await signing.sign_due(offsets)
    await make_user(org)
    await books.sequenced(org)
    await signing.sign_due(offsets)
    assert len(await database.single(lambda tx: store.checkpoints(tx, org.org_id))) == 1
    later = {org.org_id: signing.every + timedelta(seconds=1)}
    await signing.sign_due(later)
    await signing.sign_due({org.org_id: later[org.org_id] * 2})
    signed = await database.single(lambda tx: store.checkpoints(tx, org.org_id))
    assert [each.size for each in signed] == sorted({each.size for each in signed})
    assert len(signed) == 2


_SNAPSHOTS = """
select count(sealed_snapshot)::int as count from changes where org_id = $1
"""


async def _size(org: Tenant) -> int:
    tree = await org.container.database.single(lambda tx: store.find(tx, org.org_id))
    assert tree is not None
    return tree.size


async def test_the_lag_counts_what_is_in_no_tree_and_the_age_of_the_oldest(
    org: Tenant, other_org: Tenant
) -> None:
    await books.sequenced(org)
    await books.sequenced(other_org)
    ids = [org.org_id, other_org.org_id]
    # As if the worker looked an hour later.
    lag = SequencerLag(org.container.database, org.container.clock)
    assert await lag.measure(dict.fromkeys(ids, timedelta(hours=1))) == (0, 0)
    await books.fill_log(org, 3)
    await placed(org.container.database)
    await books.fill_log(other_org, 2)
    changes, seconds = await lag.measure(dict.fromkeys(ids, timedelta(hours=1)))
    assert (changes, 3595 < seconds <= 3605) == (5, True)
    await books.sequenced(org)
    assert (await lag.measure({org.org_id: timedelta(hours=1)})) == (0, 0)
    assert (await lag.measure(dict.fromkeys(ids, timedelta(hours=1))))[0] == 2
    answer = await org.client.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    assert "landbridge_proofs_behind_changes 2.0" in answer.text.splitlines()


async def test_changes_without_a_place_show_in_the_lag(org: Tenant) -> None:
    await books.sequenced(org)
    lag = SequencerLag(org.container.database, org.container.clock)
    await books.fill_log(org, 1)
    assert (await lag.measure({org.org_id: timedelta()}))[0] == 1
    await placed(org.container.database)
    assert (await lag.measure({org.org_id: timedelta()}))[0] == 1
    await books.sequenced(org)
    assert (await lag.measure({org.org_id: timedelta()}))[0] == 0


async def test_organisations_behind_are_found_by_one_look_each(own_database: Database) -> None:
    org_ids = [await make_org(own_database) for _ in range(3)]

    async def fill(tx: Tx) -> None:
        await tx.execute(_LONG_LOG, org_ids)
        for each in org_ids:
            await place_by_number(tx, each)
        await tx.execute(_TREES, org_ids)
        await tx.execute("analyze changes, change_batches, proof_trees")

    async def explain(tx: Tx) -> str:
        analyzed = f"explain (analyze, format json) {vars(store)['_BEHIND']}"
        return str(await tx.fetchval(analyzed, org_ids))

    await own_database.transact(fill)
    (plan,) = msgspec.json.decode(await own_database.transact(explain))
    assert rows_read(plan["Plan"]) < 50
    assert set(await own_database.single(lambda tx: store.find_behind(tx, org_ids))) == set(org_ids)
