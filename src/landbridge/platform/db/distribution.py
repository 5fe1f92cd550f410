"""Distribution of a database over the nodes of Citus: all rows of an organisation are on one node.

Tables with `org_id` are distributed by it, except the tables in `ON_COORDINATOR`. Tables without it
stay on the coordinator, except the tables in `ON_EACH_NODE`, which other tables refer to.

Guarantees:
- Distribution is one transaction: a database is distributed as a whole, or not at all.
- Run again, it distributes what a newer version has added.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database, Row, Tx

# Tables with a copy on each node.
ON_EACH_NODE: Final = frozenset({"master_keys", "orgs"})
# Tenants' tables that stay on the coordinator: their rows are looked up before the organisation is
# known, or have a key that must be unique across organisations, or refer to such a table.
ON_COORDINATOR: Final = frozenset(
    {
        *("api_keys", "sessions", "team_members", "team_member_links", "passkeys"),
        *("totp_secrets", "recovery_codes", "saved_views"),
        *("provider_accounts", "provider_credits"),
        *("chain_orders", "chain_attempts", "solana_attempts"),
    }
)
# Table that is distributed first; rows of the other tables are placed on the nodes of its rows.
# (Citus calls that colocation.)
_FIRST: Final = "transfers"
_MARK: Final = "distributed by org_id"
# Numbers of change batches are drawn on the nodes. Each node draws from a range of its own, so no
# number is drawn twice.
_SEQUENCE: Final = "change_batch_numbers"
_CREATE_SEQUENCE: Final = f"""
do $do$
declare first bigint := (select groupid from pg_dist_local_group)::bigint << 48;
begin
execute format('create sequence if not exists {_SEQUENCE} minvalue %s start %s', first, first);
end
$do$
"""  # noqa: S608  constants
# The coordinator opens sessions on the nodes without our session settings, so the nodes set these.
_NODE_SETTINGS: Final = {
    "timezone": "UTC",
    "lock_timeout": "10s",
    "jit": "off",
    "enable_seqscan": "off",
    "max_parallel_workers_per_gather": "0",
}

_HAS_CITUS: Final = "select exists (select from pg_extension where extname = 'citus') as yes"
_TABLES: Final = """
select c.relname::text as name,
    exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id'
    ) as is_tenant
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition
order by c.relname <> $1, c.relname
"""
_FOREIGN_KEYS: Final = """
select k.conname::text as name, k.conrelid::regclass::text as table_name,
    k.confrelid::regclass::text as referenced, pg_get_constraintdef(k.oid) as definition
from pg_constraint k
where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0
order by k.conname
"""
# Unique keys that do not contain `org_id`, which Citus requires in them.
_UNLED_KEYS: Final = """
select k.conname::text as name, k.conrelid::regclass::text as table_name,
    pg_get_constraintdef(k.oid) as definition
from pg_constraint k
join pg_attribute o on o.attrelid = k.conrelid and o.attname = 'org_id'
where k.contype in ('p', 'u') and k.connamespace = 'public'::regnamespace
    and o.attnum <> all(k.conkey) and k.conparentid = 0
order by k.conname
"""
_KNOWN_TABLES: Final = "p.logicalrelid::regclass::text as name from pg_dist_partition p"
_PLACES: Final = f"""
    i.org_id, p.groupid as node, p.shardid as shard
from (
    select o.org_id, get_shard_id_for_distribution_column('{_FIRST}', o.org_id) as shard_id
    from unnest($1::uuid[]) as o (org_id)
) i
join pg_dist_placement p on p.shardid = i.shard_id
"""  # noqa: S608  constants
# Seconds for which a known placement is used; only an operator's command moves organisations.
_PLACES_S: Final = 60.0
# Seconds for which a node that did not answer is left out: each attempt on it costs a second.
_AVOIDED_S: Final = 5.0
_SIGNATURE: Final = "p.oid::regprocedure"


class DistributionRefused(LandbridgeError):
    """The database can't be distributed."""


def is_distributed_table(name: str, *, is_tenant: bool) -> bool:
    """Return whether the rows of a table are on the nodes of their organisations."""
    return is_tenant and name not in ON_COORDINATOR


async def distribute(database: Database, functions: Sequence[str]) -> list[str]:
    """Distribute all tables, and `functions` by their first argument; return the new tables.

    No other process may use the database in the meantime.
    """
    if not (await database.rows(_HAS_CITUS))[0]["yes"]:
        raise DistributionRefused(
            "The database has no Citus. Create its extension on a coordinator with workers first: "
            "see docs/guides/citus.md."
        )
    try:
        return await database.transact_once(lambda tx: _distribute(tx, functions))
    except asyncpg.OutOfMemoryError as error:
        raise DistributionRefused(
            "A node has too few locks: set max_locks_per_transaction = 1024 on each of them."
        ) from error


async def _distribute(tx: Tx, functions: Sequence[str]) -> list[str]:
    known = {row["name"] for row in await tx.fetch(f"select {_KNOWN_TABLES}")}
    tables = [row for row in await tx.fetch(_TABLES, _FIRST) if row["name"] not in known]
    distributed = [
        row["name"]
        for row in tables
        if is_distributed_table(row["name"], is_tenant=row["is_tenant"])
    ]
    # Each node is then reached by one connection, so that later steps see the rows of earlier ones.
    await tx.execute("set local citus.multi_shard_modify_mode = 'sequential'")
    foreign_keys = await _drop_foreign_keys(tx, {row["name"] for row in tables})
    await _lead_keys(tx, distributed)
    for row in tables:
        if row["name"] in ON_EACH_NODE:
            await tx.execute(f"select create_reference_table('{row['name']}')")
    for name in distributed:
        beside = "default" if name == _FIRST else _FIRST
        await tx.execute(
            f"select create_distributed_table('{name}', 'org_id', colocate_with => '{beside}')"
        )
    for key in foreign_keys:
        await tx.execute(
            f"alter table {key['table_name']} add constraint {key['name']} {key['definition']}"
        )
    for name in functions:
        call = f"({_SIGNATURE}, 'org', colocate_with => '{_FIRST}', force_delegation => true)"
        await tx.execute(
            f"select create_distributed_function{call} from pg_proc p where proname = $1",  # noqa: S608  constants
            name,
        )
    await _prepare_nodes(tx)
    await tx.execute(f"comment on table {_FIRST} is '{_MARK}'")
    return distributed


async def _drop_foreign_keys(tx: Tx, tables: set[str]) -> list[Row]:
    """Drop the foreign keys of these tables and return them, so that they can be restored."""
    keys = [row for row in await tx.fetch(_FOREIGN_KEYS) if row["table_name"] in tables]
    for key in keys:
        await tx.execute(f"alter table {key['table_name']} drop constraint {key['name']}")
    return keys


async def _lead_keys(tx: Tx, tables: Sequence[str]) -> None:
    """Add `org_id` to the unique keys of these tables."""
    for key in await tx.fetch(_UNLED_KEYS):
        if key["table_name"] in tables:
            definition = key["definition"].removesuffix(")") + ", org_id)"
            await tx.execute(
                f"alter table {key['table_name']} drop constraint {key['name']},"
                f" add constraint {key['name']} {definition}"
            )


async def _prepare_nodes(tx: Tx) -> None:
    """Create the sequence on each node, and set the session settings of all nodes."""
    answers = "result from run_command_on_workers($1) where not success"
    for row in await tx.fetch(f"select {answers}", _CREATE_SEQUENCE):
        raise DistributionRefused(f"A worker refuses: {row['result']}.")
    name = await tx.fetchval("select quote_ident(current_database())")
    for setting, value in _NODE_SETTINGS.items():
        # Run on the coordinator, this sets the setting on every node.
        await tx.execute(f"alter database {name} set {setting} = '{value}'")


class Nodes:
    """Knows on which node each organisation's rows are, and which nodes failed lately."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._places: dict[UUID, tuple[int, int]] = {}
        self._read_s = 0.0
        self._avoided_s: dict[int, float] = {}

    async def split(self, org_ids: Collection[UUID]) -> list["OneShard"]:
        """Divide organisations so that a statement about one part needs only one node.

        Organisations on a node that failed lately are left out.
        """
        now_s = time.monotonic()
        if now_s - self._read_s > _PLACES_S:
            self._places, self._read_s = {}, now_s
        if unknown := [each for each in org_ids if each not in self._places]:
            rows = await self._database.rows(f"select {_PLACES}", unknown)
            self._places |= {row["org_id"]: (row["node"], row["shard"]) for row in rows}
        shards: defaultdict[tuple[int, int], list[UUID]] = defaultdict(list)
        for org_id in org_ids:
            if org_id in self._places:
                shards[self._places[org_id]].append(org_id)
        return [
            OneShard(node, found)
            for (node, _), found in shards.items()
            if self._avoided_s.get(node, 0) <= now_s
        ]

    def avoid(self, shard: "OneShard") -> None:
        """Leave out all organisations on this shard's node for some seconds."""
        self._avoided_s[shard.node] = time.monotonic() + _AVOIDED_S

    def is_avoided(self, shard: "OneShard") -> bool:
        """Return whether the node of these organisations has failed lately."""
        return self._avoided_s.get(shard.node, 0) > time.monotonic()


@dataclass(frozen=True, slots=True)
class OneShard:
    """Organisations with rows in the same shards, and their node."""

    node: int
    org_ids: Sequence[UUID]
