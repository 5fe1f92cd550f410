"""Statements on solana_token_accounts."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays, read_row
from landbridge.providers.solana.following.model import AccountReading, FollowedAccount

_OF_ORGS = """
select org_id, address, last_signature, units, slot
from solana_token_accounts where org_id = any($1::uuid[])
"""

_LAST_SIGNATURES = """
select a.address, a.last_signature
from unnest($1::uuid[], $2::text[]) as i (org_id, address)
join solana_token_accounts a on a.org_id = i.org_id and a.address = i.address
"""

_STORE = """
insert into solana_token_accounts as a (org_id, address, last_signature, units, slot)
select i.org_id, i.address, i.last_signature, i.units, i.slot
from unnest($1::uuid[], $2::text[], $3::text[], $4::numeric[], $5::bigint[])
    as i (org_id, address, last_signature, units, slot)
on conflict (org_id, address) do update
set last_signature = excluded.last_signature, units = excluded.units, slot = excluded.slot
"""


async def of_orgs(tx: Tx, org_ids: Collection[UUID]) -> Mapping[str, AccountReading]:
    """Return the last reading of each account that was read before, by address."""
    return {
        row["address"]: read_row(row, AccountReading)
        for row in await tx.fetch(_OF_ORGS, list(org_ids))
    }


async def last_signatures(
    tx: Tx, accounts: Collection[FollowedAccount]
) -> Mapping[str, str | None]:
    """Return the last transaction that was read of each account that was read, by its address."""
    rows = await tx.fetch(
        _LAST_SIGNATURES,
        [each.org_id for each in accounts],
        [each.address for each in accounts],
    )
    return {row["address"]: row["last_signature"] for row in rows}


async def store(tx: Tx, readings: Sequence[AccountReading]) -> None:
    """Store readings; the caller has locked the chain's cursor."""
    await tx.execute(_STORE, *column_arrays(_STORE, readings))
