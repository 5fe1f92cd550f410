"""Lists across all users: a page is found by indexes, however rare the filter's matches are."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.customers.bank_accounts import store as bank_accounts
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.chain_deposits import deposit_list_store as deposits
from landbridge.customers.wallets import store as wallets
from landbridge.payments.virtual_accounts import store as virtual_accounts
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.reporting import user_summaries
from tests.make import make_org

COUNT, LIMIT = 20_000, 26
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2100, 1, 1, tzinfo=UTC)
CHAINS = list(Chain)
ASSETS = [token.asset.code for token in TOKENS.values()]
STATUSES = ["CONFIRMED", "COMPLETED", "ORPHANED", "REVERSED"]
TYPES = [(ramp, type_) for type_, ramp in BY_TYPE]
# One row in 5,000 has the rare values.
FILL_BANK_ACCOUNTS = """
insert into bank_accounts (org_id, id, user_id, ramp, type, currency, status, version,
    sealed_details, created_at, updated_at)
select $1, gen_random_uuid(), $2, 'offramp', case when n % 5000 = 0 then 'mexico' else 'us' end,
    'usd', case when n % 5000 = 0 then 'REJECTED' else 'ACTIVE' end, 1, '\\x00',
    $3::timestamptz + n * interval '1 second', $3
from generate_series(1, $4::integer) n
"""
FILL_VIRTUAL_ACCOUNTS = """
insert into virtual_accounts (org_id, id, user_id, status, source_currency, destination_currency,
    destination_chain, wallet_address, account_number, version, created_at, updated_at)
select $1, gen_random_uuid(), $2, case when n % 5000 = 0 then 'deactivated' else 'activated' end,
    'usd', 'usdc', case when n % 5000 = 0 then 'SOLANA' else 'POLYGON' end, 'a', n::text, 1,
    $3::timestamptz + n * interval '1 second', $3
from generate_series(1, $4::integer) n
"""
FILL_EXTERNAL_WALLETS = """
insert into external_wallets (org_id, id, user_id, chain, address, is_active, created_at,
    updated_at)
select $1, gen_random_uuid(), $2, case when n % 5000 = 0 then 'SOLANA' else 'POLYGON' end,
    n::text, n % 5000 <> 0, $3::timestamptz + n * interval '1 second', $3
from generate_series(1, $4::integer) n
"""
FILL_DEPOSITS = """
insert into chain_deposits (org_id, id, chain, transaction_hash, position, block_number,
    block_hash, wallet_id, user_id, asset, units, source_address, contract_address, status,
    found_at)
select $1, gen_random_uuid(), 'POLYGON', n::text, 0, n, 'b', gen_random_uuid(), $2,
    case when n % 5000 = 0 then 'usdt:POLYGON' else 'usdc:POLYGON' end, 1, 'a', 'a',
    case when n % 5000 = 0 then 'REVERSED' else 'COMPLETED' end,
    $3::timestamptz + n * interval '1 second'
from generate_series(1, $4::integer) n
"""
FILL_RECORDS = """
insert into transfers (org_id, id, kind, user_id, request_id, request, status, version,
    source_asset, source_units, destination_asset, destination_units, details, created_at,
    updated_at)
select $1, gen_random_uuid(), 'WALLET.DEPOSIT', $2, gen_random_uuid(), '{}', 'COMPLETED', 1,
    'usdc:POLYGON', 1, 'usdc:POLYGON', 1,
    case when n % 5000 = 0 then '{"transaction_hash": "t", "source_address": "s"}'::jsonb
        else '{"found_at": "2026-01-01"}'::jsonb end,
    $3::timestamptz + n * interval '1 second', $3
from generate_series(1, $4::integer) n
"""
# One user in 5,000 is frozen.
FILL_USERS = """
insert into users (org_id, id, request_id, type, agreement_id, version, created_at, updated_at,
    sealed_summary, sealed_profile, sealed_request, search_trigrams, frozen_at)
select $1, gen_random_uuid(), gen_random_uuid(), 'individual', $2, 1,
    $3::timestamptz + n * interval '1 second', $3, '\\x00', '\\x00', '\\x00', '{}',
    case when n % 5000 = 0 then $3::timestamptz end
from generate_series(1, $4::integer) n
"""
USER = """
insert into users (org_id, id, request_id, type, agreement_id, version, created_at, updated_at,
    sealed_summary, sealed_profile, sealed_request, search_trigrams)
values ($1, $2, $2, 'individual', $3, 1, $4, $4, '\\x00', '\\x00', '\\x00', '{}')
"""
AGREEMENT = """
insert into agreements (org_id, id, session_token, created_at, expires_at)
values ($1, $2, $2::uuid::text, $3, $3)
"""
PAGES: dict[str, tuple[str, str, tuple[Any, ...], tuple[Any, ...]]] = {
    "bank_accounts": (
        bank_accounts.PAGE_OF_ORG,
        FILL_BANK_ACCOUNTS,
        (
            ["PENDING", "ACTIVE", "REJECTED", "INACTIVE"],
            [ramp for ramp, _ in TYPES],
            [type_ for _, type_ in TYPES],
        ),
        (["REJECTED"], ["offramp"], ["mexico"]),
    ),
    "virtual_accounts": (
        virtual_accounts.PAGE_OF_ORG,
        FILL_VIRTUAL_ACCOUNTS,
        (["activated", "deactivated"], CHAINS),
        (["deactivated"], ["SOLANA"]),
    ),
    "external_wallets": (
        wallets.EXTERNALS_OF_ORG,
        FILL_EXTERNAL_WALLETS,
        ([True, False], CHAINS),
        ([False], ["SOLANA"]),
    ),
    "chain_deposits": (
        deposits.PAGE_OF_ORG,
        FILL_DEPOSITS,
        (ASSETS, STATUSES),
        (["usdt:POLYGON"], ["REVERSED"]),
    ),
    "transfers": (deposits.PAGE_OF_ORG, FILL_RECORDS, (ASSETS, STATUSES), (ASSETS, ["COMPLETED"])),
}


@pytest.mark.parametrize("table", PAGES)
async def test_page_reads_few_rows_of_many(own_database: Database, table: str) -> None:
    org_id, user_id = await make_org(own_database), new_id()
    statement, fill, every, rare = PAGES[table]

    async def work(tx: Tx) -> list[tuple[int, int]]:
        await _fill(tx, org_id, user_id, fill)
        await tx.execute(f"analyze {table}")
        return [await _read(tx, statement, org_id, chosen) for chosen in (every, rare)]

    (all_rows, all_read), (rare_rows, rare_read) = await own_database.transact(work)
    # Rows are read in an index for each value, then again to sort and join them.
    assert all_rows == (COUNT // 5000 if table == "transfers" else LIMIT)
    assert rare_rows == COUNT // 5000
    assert all_read <= 3 * LIMIT
    assert rare_read <= 2 * rare_rows


async def test_page_of_deposits_of_a_user_reads_few_rows_of_many(own_database: Database) -> None:
    org_id, user_id = await make_org(own_database), new_id()

    async def work(tx: Tx) -> tuple[int, int]:
        await _fill(tx, org_id, user_id, FILL_DEPOSITS)
        await _fill_rows(tx, org_id, user_id, FILL_RECORDS)
        await tx.execute("analyze chain_deposits")
        await tx.execute("analyze transfers")
        return await _read(tx, deposits.PAGE_OF_USER, org_id, (ASSETS, STATUSES), user_id)

    rows, read = await own_database.transact(work)
    assert rows == LIMIT
    assert read <= 3 * LIMIT


async def test_frozen_users_are_found_among_many(own_database: Database) -> None:
    org_id, agreement = await make_org(own_database), new_id()

    async def work(tx: Tx) -> tuple[int, int]:
        await tx.execute(AGREEMENT, org_id, agreement, BEGAN)
        await tx.execute(FILL_USERS, org_id, agreement, BEGAN, COUNT)
        await tx.execute("analyze users")
        text = await tx.fetchval(
            f"explain (analyze, format json) {user_summaries.FROZEN}", org_id, END, None, LIMIT
        )
        (plan,) = msgspec.json.decode(str(text))
        return int(plan["Plan"]["Actual Rows"]), _rows_read(plan["Plan"])

    assert await own_database.transact(work) == (COUNT // 5000, COUNT // 5000)


async def _fill(tx: Tx, org_id: UUID, user_id: UUID, statement: str) -> None:
    agreement = new_id()
    await tx.execute(AGREEMENT, org_id, agreement, BEGAN)
    await tx.execute(USER, org_id, user_id, agreement, BEGAN)
    await _fill_rows(tx, org_id, user_id, statement)


async def _fill_rows(tx: Tx, org_id: UUID, user_id: UUID, statement: str) -> None:
    await tx.execute(statement, org_id, user_id, BEGAN, COUNT)


async def _read(
    tx: Tx, statement: str, org_id: UUID, chosen: tuple[Any, ...], *more: UUID
) -> tuple[int, int]:
    """Return how many rows a page has, and how many its statement reads from tables."""
    text = await tx.fetchval(
        f"explain (analyze, format json) {statement}",
        *(org_id, *chosen, END, UUID(int=0), LIMIT, *more),
    )
    (plan,) = msgspec.json.decode(str(text))
    return int(plan["Plan"]["Actual Rows"]), _rows_read(plan["Plan"])


def _rows_read(node: Any) -> int:
    own = 0
    if "Scan" in node["Node Type"] and "Relation Name" in node:
        removed = node.get("Rows Removed by Filter", 0)
        own = round((node["Actual Rows"] + removed) * node["Actual Loops"])
    return own + sum(_rows_read(each) for each in node.get("Plans", ()))
