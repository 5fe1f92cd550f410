"""SQL statements on swap_provider_policies."""

from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.payments.swaps.provider_choice_model import SwapProviderChoice, SwapProviderPolicy
from landbridge.platform.db.pool import Tx

_GET = "select choices::text, version from swap_provider_policies where org_id = $1"

# Returns no row if the choices are in force already, or if the version in force is not $4.
_SET = """
insert into swap_provider_policies as p (org_id, choices, version, updated_at)
values ($1, $2::text::jsonb, 1, $3)
on conflict (org_id) do update
set choices = excluded.choices, version = p.version + 1, updated_at = excluded.updated_at
where p.choices <> excluded.choices and ($4::integer is null or p.version = $4)
returning version
"""


async def get(tx: Tx, org_id: UUID) -> SwapProviderPolicy | None:
    """Return an organisation's choices; None if none were ever set."""
    row = await tx.fetchrow(_GET, org_id)
    if row is None:
        return None
    choices = msgspec.json.decode(row["choices"], type=tuple[SwapProviderChoice, ...])
    return SwapProviderPolicy(choices, row["version"])


async def set_choices(
    tx: Tx,
    org_id: UUID,
    choices: tuple[SwapProviderChoice, ...],
    at: datetime,
    *,
    instead_of: int | None,
) -> int | None:
    """Store choices and return their version.

    None if they are in force already, or version `instead_of` is no longer in force.
    """
    text = msgspec.json.encode(choices).decode()
    version: int | None = await tx.fetchval(_SET, org_id, text, at, instead_of)
    return version
