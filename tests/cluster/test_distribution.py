"""Which tables are distributed, on each node, or on the coordinator; and what is refused."""

import asyncio
from pathlib import Path

import pytest

from landbridge.app.backups.backup import back_up
from landbridge.app.backups.model import BackupFailed
from landbridge.ledger.functions import NODE_FUNCTIONS
from landbridge.platform.db.distribution import (
    ON_COORDINATOR,
    ON_EACH_NODE,
    DistributionRefused,
    distribute,
    is_distributed_table,
)
from landbridge.platform.db.one_organisation import for_one_node
from landbridge.platform.db.pool import Database
from tests.cluster.databases import running_cluster
from tests.cluster.nodes import Cluster
from tests.sources import report
from tests.test_sql_rules import TABLES

UNLED_KEYS = """
select k.conrelid::regclass::text as table_name, k.conname::text as name
from pg_constraint k
join pg_attribute o on o.attrelid = k.conrelid and o.attname = 'org_id'
where k.contype in ('p', 'u') and k.connamespace = 'public'::regnamespace
    and o.attnum <> all(k.conkey) and k.conparentid = 0
"""
UNLED_INDEXES = """
select x.indrelid::regclass::text as table_name, x.indexrelid::regclass::text as name
from pg_index x
join pg_attribute o on o.attrelid = x.indrelid and o.attname = 'org_id'
where x.indisunique and o.attnum <> all(x.indkey)
    and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
"""
# These are random, so the organisation is added to them: no other row has one of them.
RANDOM_KEYS = {
    "agreements_session_token_key",
    "kyc_links_token_hash_key",
    "provider_applications_key_key",
    "provider_orders_key_key",
    "provider_screenings_key_key",
    "webhook_endpoints_id_key",
}


async def test_the_lists_name_tables_that_exist(database: Database) -> None:
    tables = {row["name"]: row["is_tenant"] for row in await database.rows(TABLES)}
    assert {each for each in ON_COORDINATOR if tables.get(each)} == ON_COORDINATOR
    assert {each for each in ON_EACH_NODE if tables.get(each) is False} == ON_EACH_NODE


@pytest.mark.skipif(running_cluster() is not None, reason="there the organisation was added")
async def test_keys_of_distributed_tables_have_the_organisation_or_are_random(
    database: Database,
) -> None:
    rows = [*await database.rows(UNLED_KEYS), *await database.rows(UNLED_INDEXES)]
    found = {row["name"] for row in rows if is_distributed_table(row["table_name"], is_tenant=True)}
    rule = "Lead the key by org_id, or keep the table on the coordinator:"
    assert found <= RANDOM_KEYS, report(rule, sorted(found - RANDOM_KEYS))
    assert found == RANDOM_KEYS


@pytest.mark.skipif(running_cluster() is not None, reason="this server has Citus")
async def test_a_server_without_citus_is_refused(own_database: Database) -> None:
    with pytest.raises(DistributionRefused, match="has no Citus"):
        await distribute(own_database, NODE_FUNCTIONS)


async def test_several_nodes_have_no_backup(nodes: Cluster, dsn: str, tmp_path: Path) -> None:
    del nodes
    with pytest.raises(BackupFailed, match="several nodes"):
        await asyncio.to_thread(back_up, dsn, tmp_path / "one.backup")


def test_each_table_is_compared_with_the_organisations_of_the_arrays() -> None:
    sql = """
    select t.id, a.id
    from unnest($2::uuid[], $1::uuid[]) as i (id, org_id)
    join transfers t on t.org_id = i.org_id and t.id = i.id
    left join accounts a on a.org_id = t.org_id and a.id = t.id
    """
    scoped = for_one_node(sql)
    assert "t.org_id = i.org_id and t.org_id = any($1::uuid[]) and t.id" in scoped
    assert (
        "a.org_id = t.org_id and a.org_id = any($1::uuid[]) and t.org_id = any($1::uuid[])"
        in scoped
    )


def test_a_subquery_is_compared_with_the_organisation_of_the_statement() -> None:
    sql = """
    select x.id from users x
    where x.org_id = $1 and exists (select from wallets w where w.org_id = x.org_id)
    """
    assert "w.org_id = x.org_id and w.org_id = $1 and x.org_id = $1)" in for_one_node(sql)


def test_a_statement_of_no_organisation_stays_as_it_is() -> None:
    sql = "select r.rate from reference_rates r where r.day = $1"
    assert for_one_node(sql) == sql


def test_a_view_is_replaced_by_its_definition_and_compared_with_the_organisation() -> None:
    inner = "SELECT c.org_id, c.seq\n   FROM changes c"
    outer = "SELECT b.org_id FROM batches b, LATERAL ( SELECT FROM s x WHERE x.org_id = b.org_id)"
    views = (("report_batches", outer), ("report_changes", inner))
    sql = "select d.seq from report_changes d join report_batches b on true where d.org_id = $1"
    assert for_one_node(sql, views) == (
        "select d.seq from (SELECT c.org_id, c.seq\n   FROM changes c) d join (SELECT b.org_id"
        " FROM batches b, LATERAL ( SELECT FROM s x WHERE x.org_id = b.org_id and x.org_id = $1"
        " and b.org_id = $1)) b on true where d.org_id = $1"
    )
