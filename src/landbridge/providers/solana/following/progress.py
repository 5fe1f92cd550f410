"""Statements on solana_token_accounts."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.solana.following.model import AccountReading

_OF_ORGS = """
select org_id, address, last_signature, units, slot
from solana_token_accounts where org_id = any($1::uuid[])
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


async def store(tx: Tx, readings: Sequence[AccountReading]) -> None:
    """Store readings; the caller has locked the chain's cursor."""
    await tx.execute(
        _STORE,
        [each.org_id for each in readings],
        [each.address for each in readings],
        [each.last_signature for each in readings],
        [each.units for each in readings],
        [each.slot for each in readings],
    )
