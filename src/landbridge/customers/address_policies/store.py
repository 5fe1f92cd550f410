"""SQL statements on address_policies."""

from datetime import datetime
from uuid import UUID

from landbridge.customers.address_policies.model import AddressPolicy
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row

_GET = """
select blocked_addresses, allowed_addresses, new_address_hours, new_address_amount_max, version
from address_policies where org_id = $1
"""

# Returns no row if the policy is in force already, or if the version in force is not $7.
_SET = """
insert into address_policies (org_id, blocked_addresses, allowed_addresses, new_address_hours,
    new_address_amount_max, version, updated_at)
values ($1, $2, $3, $4, $5, 1, $6)
on conflict (org_id) do update
set blocked_addresses = excluded.blocked_addresses, allowed_addresses = excluded.allowed_addresses,
    new_address_hours = excluded.new_address_hours,
    new_address_amount_max = excluded.new_address_amount_max,
    version = address_policies.version + 1, updated_at = excluded.updated_at
where (address_policies.blocked_addresses, address_policies.allowed_addresses,
        address_policies.new_address_hours, address_policies.new_address_amount_max)
    <> (excluded.blocked_addresses, excluded.allowed_addresses, excluded.new_address_hours,
        excluded.new_address_amount_max)
    and ($7::integer is null or address_policies.version = $7)
returning version
"""


async def get(tx: Tx, org_id: UUID) -> AddressPolicy | None:
    """Return an organisation's policy; None if none was ever set."""
    return read_optional_row(await tx.fetchrow(_GET, org_id), AddressPolicy)


async def set_policy(
    tx: Tx, org_id: UUID, policy: AddressPolicy, at: datetime, *, instead_of: int | None
) -> int | None:
    """Store a policy and return its version.

    Return None if the same policy is in force already, or `instead_of` is not the version in force.
    """
    version: int | None = await tx.fetchval(
        _SET,
        org_id,
        list(policy.blocked_addresses),
        list(policy.allowed_addresses),
        policy.new_address_hours,
        policy.new_address_amount_max,
        at,
        instead_of,
    )
    return version
