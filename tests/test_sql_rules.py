"""Our own lints on SQL: every statement in the package, and the schema it runs on."""

import ast
import re

import asyncpg

from landbridge.ledger.functions import (
    LOCK_AND_ADVANCE,
    LOCK_AND_CREATE,
    NODE_FUNCTIONS,
    PREVIOUS,
)
from landbridge.platform.changes import placing
from landbridge.platform.db.pool import Database, Tx
from tests.sources import PACKAGE, report, sources
from tests.statements import STATEMENT, Statement, statements

COMMAND = re.compile(
    r"\s*(?:create|alter|drop|set|lock|truncate)\s+"
    r"(?:table|database|index|local|transaction|session|role|user)\b",
    re.IGNORECASE,
)
TABLE = re.compile(r"\b(?:from|join|into|update)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?", re.IGNORECASE)
# Keywords that may follow a table name instead of an alias.
NO_ALIAS = {
    "as", "cross", "for", "full", "group", "join", "left", "limit", "on", "order", "set", "using",
    "values", "where",
}  # fmt: skip
# How a statement is limited to one organisation, or to one per row: it compares or writes org_id.
SCOPE = re.compile(r"\borg_id\s*=\s*(?:\$\d|\w+\.org_id|any)|\(\s*org_id\b|\bby (?:\w+\.)?org_id\b")
REAL_TIME = re.compile(
    r"\b(?:now\s*\(|current_(?:timestamp|date|time)\b|localtime|(?:clock|statement)_timestamp)"
)
CALLS = {
    "cursor",
    "fetch",
    "fetchrow",
    "fetchval",
    "execute",
    "executemany",
    "fetchmany",
    "rows",
    "prepare",
}

UNSCOPED_ALLOWED = {
    **{
        ("providers/sidecar/waiting_store.py", name): "the metric counts all organisations"
        for name in ("_COUNT", "_PROBLEMS_OF_ALL")
    },
    **{
        (f"providers/sidecar/{kind}_store.py", name): "a provider knows our key alone"
        for kind in ("application", "order", "screening")
        for name in ("_FIND_BY_KEY" if kind == "order" else "_NOTE_WEBHOOK", "_CLOSE")
    },
    ("customers/travel_exchanges/queue_store.py", "_NOTE_WEBHOOK"): "it knows our key alone",
    ("providers/sidecar/account_store.py", "_OF_PROVIDER"): "a credit names its account alone",
    ("providers/sidecar/credit_store.py", "_CLOSE"): "a credit may be of no organisation",
    ("providers/sidecar/credit_store.py", "_FIND"): "a provider knows its own id alone",
    (
        "payments/bank_files/funding_account_store.py",
        "_HAS_FOLDER",
    ): "a folder belongs to one of all organisations",
    ("platform/orgs/store.py", "_FIND_KEYS"): "a key is how the organisation is found out",
    **{
        ("customers/chain_deposits/store.py", name): "a block has deposits of all organisations"
        for name in ("_CONFIRMED", "_COUNT_ORPHANS", "_ORPHAN", "_ORPHANS", "_REMOVE_CONFIRMED")
    },
    **{
        (
            "customers/chain_deposits/treasury_store.py",
            name,
        ): "a block has deposits of all organisations"
        for name in (
            "_CONFIRMED",
            "_COUNT_LOST",
            "_LOSE",
            "_LOSE_CONFIRMED",
            "_OVERDUE",
            "_REMOVE_CONFIRMED",
        )
    },
    ("customers/users/terms_store.py", "_FIND_BY_SESSION"): "the hosted page knows its token alone",
    ("customers/onboarding/store.py", "_FIND_BY_HASH"): "the hosted form knows its token alone",
    (
        "developers/webhooks/store.py",
        "_FIND_ORG",
    ): "receivers fetch keys by the endpoint's id alone",
    ("customers/team/store.py", "_FIND_BY_EMAIL"): "whoever signs in says an address alone",
    ("customers/team/link_store.py", "_FIND"): "whoever follows a link knows its token alone",
    ("customers/team/passkey_store.py", "_FIND"): "an authenticator says its key's id alone",
    (
        "providers/evm/outbox/overview_store.py",
        "_GAS_SINCE",
    ): "relayers pay the gas of all organisations",
    (
        "providers/evm/outbox/order_store.py",
        "_BATCHES_BEGUN",
    ): "an address belongs to one organisation",
    (
        "providers/evm/outbox/order_store.py",
        "_PLAN_AGAIN",
    ): "a relayer is of all organisations, and so are the orders that wait for it",
    (
        "providers/evm/outbox/attempt_store.py",
        "_TAKE",
    ): "a relayer's nonces are of all organisations",
    (
        "providers/evm/outbox/attempt_store.py",
        "_AT_NONCES",
    ): "all organisations share the nonces of a relayer",
}
UNLED_ALLOWED = {
    "api_keys_secret_hash_key": "a key is how the organisation is found out",
    "agreements_session_token_key": "the hosted page knows its token alone",
    "kyc_links_token_hash_key": "the hosted form knows its token alone",
    "provider_accounts_provider_key": "a credit names its account by provider and number alone",
    "provider_credits_pkey": "a provider knows its own id alone",
    "provider_orders_key_key": "a provider knows our key alone",
    "provider_applications_key_key": "a provider knows our key alone",
    "provider_applications_recheck_at_idx": "a worker takes those of all organisations in turn",
    "travel_rule_exchanges_provider_idx": "a provider knows our key alone",
    "provider_screenings_key_key": "a provider knows our key alone",
    "provider_screenings_recheck_at_idx": "a worker takes those of all organisations in turn",
    "provider_orders_recheck_at_idx": "a worker takes the orders of all organisations in turn",
    "webhook_endpoints_id_key": "receivers fetch keys by the endpoint's id alone",
    "team_members_email_key": "whoever signs in says an address alone",
    "sessions_secret_hash_key": "the cookie is how the organisation is found out",
    "team_member_links_token_hash_key": "whoever follows a link knows its token alone",
    "passkeys_credential_id_key": "an authenticator says its key's id alone",
    "chain_attempts_fees_key": "all organisations share the nonces of a relayer",
    "chain_attempts_block_idx": "a block has transactions of all organisations",
    "chain_orders_gas_due": "a worker books the gas of all organisations",
    "chain_orders_open": "a chain's worker takes the orders of all organisations in turn",
    "chain_deposits_block_number_idx": "a block has deposits of all organisations",
    "chain_deposits_returns_by_idx": "a block has deposits of all organisations",
    "treasury_deposits_block_number_idx": "a block has deposits of all organisations",
    "treasury_deposits_chain_idx": "a block has deposits of all organisations",
    "transfers_external_source_idx": "a chain knows addresses alone",
    "wallets_address_idx": "a chain knows addresses alone",
    "changes_tracking_idx": "GIN takes no uuid; a bank gives each reference once",
    "users_search_trigrams_idx": "GIN takes no uuid; each trigram belongs to one organisation",
}
BUILT_UP_ALLOWED = {
    "ledger/functions.py": "functions of constant bodies, and calls of them",
    "app/backups/store.py": "counts each table that there is, by its name as the server quotes it",
    "platform/db/distribution.py": "names of tables, and functions that Citus alone has",
    "platform/db/one_organisation.py": "adds comparisons to a literal statement",
    "platform/db/embedded/server.py": "creates one database by a constant name",
    "developers/webhooks/delivery/partitions.py": "partitions by day: a constant and digits",
}
REAL_TIME_ALLOWED = {
    (
        "platform/core/clock.py",
        "_DATABASE_TIME",
    ): "rates are of all organisations, so of no one's clock",
    ("platform/db/migrate.py", "_RECORD"): "a migration belongs to no organisation, so to no clock",
}


async def test_every_statement_can_be_prepared(database: Database) -> None:
    findings = [
        f"{each}: {reason}"
        for each in statements()
        if (reason := await _why_not_prepared(database, each))
    ]
    assert not findings, report("These do not fit the schema; mend one or the other:", findings)


async def test_every_statement_keeps_to_an_organisation(database: Database) -> None:
    tenants = await _tenant_tables(database)
    found: dict[tuple[str, str], str] = {}
    for each in statements():
        if wrong := _unscoped(each.sql, tenants):
            found[each.file, each.name] = f"{each}: {wrong}"
    findings = [text for key, text in found.items() if key not in UNSCOPED_ALLOWED]
    rule = "A tenant's rows are found by org_id first; add it, also to each join:"
    assert not findings, report(rule, findings)
    stale = sorted(str(key) for key in UNSCOPED_ALLOWED.keys() - found.keys())
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


def test_no_statement_is_built_up() -> None:
    findings: list[str] = []
    files: set[str] = set()
    for source in sources("src/landbridge"):
        file = source.path.relative_to(PACKAGE).as_posix()
        for node in source.nodes:
            if _is_built_up(node):
                files.add(file)
                if file not in BUILT_UP_ALLOWED:
                    findings.append(f"{source.name}:{getattr(node, 'lineno', 0)}")
    rule = "SQL is a literal constant with $1, $2; pass values and arrays as parameters:"
    assert not findings, report(rule, findings)
    stale = sorted(BUILT_UP_ALLOWED.keys() - files)
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


async def test_no_statement_selects_all_columns(database: Database) -> None:
    tables = {row["name"] for row in await database.rows(TABLES)}
    findings: list[str] = []
    for each in statements():
        if re.search(r"select\s+\*(?!\s+from\s+unnest)", each.sql):
            findings.append(f"{each}: select *")
        aliases = {alias or table: table for table, alias in _tables(each.sql)}
        findings += [
            f"{each}: {alias}.*"
            for alias in re.findall(r"(\w+)\.\*", each.sql)
            if aliases.get(alias) in tables
        ]
    assert not findings, report("List the columns; only the rows of unnest may be *:", findings)


def test_statements_take_the_time_as_a_parameter() -> None:
    found = {
        (each.file, each.name): str(each) for each in statements() if REAL_TIME.search(each.sql)
    }
    findings = [text for key, text in found.items() if key not in REAL_TIME_ALLOWED]
    rule = "Pass the Clock's moment as a parameter; the database's own is no organisation's:"
    assert not findings, report(rule, findings)
    stale = sorted(str(key) for key in REAL_TIME_ALLOWED.keys() - found.keys())
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


async def test_keys_and_indexes_of_tenants_begin_with_org_id(database: Database) -> None:
    rows = await database.rows(INDEXES)
    unled = {row["name"] for row in rows if row["first_column"] != "org_id"}
    findings = sorted(unled - UNLED_ALLOWED.keys())
    assert not findings, report("Put org_id first in these, so that they can be sharded:", findings)
    stale = sorted(UNLED_ALLOWED.keys() - unled)
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


async def test_the_schema_only_holds_data(database: Database) -> None:
    functions = (LOCK_AND_CREATE.name, LOCK_AND_ADVANCE.name, placing.NAME, *PREVIOUS)
    functions = (*functions, *NODE_FUNCTIONS)
    generated = {"sequence change_batch_numbers"} | {f"function {each}" for each in functions}
    active = {f"{row['kind']} {row['name']}" for row in await database.rows(ACTIVE_THINGS)}
    assert generated <= active
    rule = "No triggers, functions, rules or sequences: what happens is in the statements:"
    assert active <= generated, report(rule, sorted(active - generated))


async def test_constraints_are_named_after_their_table(database: Database) -> None:
    findings = [
        row["name"]
        for row in await database.rows(CONSTRAINTS)
        if not re.fullmatch(rf"{row['table_name']}_(?:\w+_)?(?:pkey|key|fkey|check)", row["name"])
    ]
    rule = "Name it <table>_<columns>_<key|fkey|check> or <table>_pkey; stores go by the name:"
    assert not findings, report(rule, findings)


TABLES = """
select c.relname::text as name,
    exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id'
    ) as is_tenant
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition
"""

INDEXES = """
select i.relname::text as name, f.attname::text as first_column
from pg_index x
join pg_class i on i.oid = x.indexrelid
join pg_class t on t.oid = x.indrelid
join pg_attribute o on o.attrelid = t.oid and o.attname = 'org_id'
left join pg_attribute f on f.attrelid = t.oid and f.attnum = x.indkey[0]
where t.relnamespace = 'public'::regnamespace
"""

ACTIVE_THINGS = """
select 'trigger' as kind, tgname::text as name from pg_trigger where not tgisinternal
union all
select 'function', proname::text from pg_proc where pronamespace = 'public'::regnamespace
union all
select 'rule', r.rulename::text
from pg_rewrite r
join pg_class c
    on c.oid = r.ev_class and c.relnamespace = 'public'::regnamespace and c.relkind <> 'v'
union all
select 'sequence', relname::text
from pg_class
where relkind = 'S' and relnamespace = 'public'::regnamespace
"""

# Nullability is declared at the column; PostgreSQL 18 adds a constraint for it. Partitions have the
# constraints of their table under its names.
CONSTRAINTS = """
select c.conname::text as name, t.relname::text as table_name
from pg_constraint c
join pg_class t on t.oid = c.conrelid
where t.relnamespace = 'public'::regnamespace and c.contype <> 'n' and not t.relispartition
"""


async def _tenant_tables(database: Database) -> set[str]:
    tables = {row["name"] for row in await database.rows(TABLES) if row["is_tenant"]}
    assert {"accounts", "api_keys", "transfers", "users", "wallets"} <= tables
    return tables


async def _why_not_prepared(database: Database, statement: Statement) -> str | None:
    async def work(tx: Tx) -> None:
        await tx.execute(f"prepare house_rule as {statement.sql}")
        await tx.execute("deallocate house_rule")

    try:
        await database.transact(work)
    except asyncpg.PostgresError as error:
        return str(error)
    return None


def _tables(sql: str) -> list[tuple[str, str]]:
    """Return (table, alias or nothing) for every table and CTE that is read or written."""
    return [
        (table, "" if alias.lower() in NO_ALIAS else alias) for table, alias in TABLE.findall(sql)
    ]


def _unscoped(sql: str, tenants: set[str]) -> str | None:
    """Return the tables of a statement that are not limited to an organisation."""
    touched = [(table, alias) for table, alias in _tables(sql) if table in tenants]
    if touched and not SCOPE.search(sql):
        return "nothing compares org_id"
    for table, alias in touched:
        written = rf"\binto\s+{table}(?:\s+as\s+\w+)?\s*\(\s*org_id\b"
        read = rf"\b{alias}\.org_id\b" if alias else r"\borg_id\b"
        if not re.search(f"{written}|{read}", sql):
            return f"{table} {alias} is not tied to org_id"
    return None


def _is_built_up(node: ast.AST) -> bool:
    """Return whether a statement is concatenated: f-string, +, %, format, join; or passed such."""
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return _is_sql(text)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add() | ast.Mod()):
            return _is_sql(text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _is_sql(text)
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in CALLS:
            return isinstance(first, ast.JoinedStr | ast.BinOp | ast.Call)
        case _:
            return False


def _is_sql(text: str) -> bool:
    return bool(STATEMENT.match(text) or COMMAND.match(text))
