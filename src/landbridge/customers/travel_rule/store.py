"""SQL statements on the tables of the travel rule."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.customers.travel_rule.jurisdictions import Jurisdiction
from landbridge.customers.travel_rule.model import TravelRuleSetting
from landbridge.platform.db.pool import Row, Tx

_SETTING = """
select jurisdiction, version from travel_rule_settings where org_id = $1
"""

# Returns no row if the jurisdiction is in force already.
_SET = """
insert into travel_rule_settings (org_id, jurisdiction, version, updated_at)
values ($1, $2, 1, $3)
on conflict (org_id) do update
set jurisdiction = excluded.jurisdiction, version = travel_rule_settings.version + 1,
    updated_at = excluded.updated_at
where travel_rule_settings.jurisdiction is distinct from excluded.jurisdiction
returning version
"""

_WALLET = """
select user_id, address, sealed_data, version, challenge_code, challenge_expires_at, proven_at,
    updated_at
from travel_rule_wallets where org_id = $1 and user_id = $2 and address = $3
"""

_LOCK_WALLET = """
select user_id, address, sealed_data, version, challenge_code, challenge_expires_at, proven_at,
    updated_at
from travel_rule_wallets where org_id = $1 and user_id = $2 and address = $3
for update
"""

_WALLETS_AT = """
select user_id, address, sealed_data, version, challenge_code, challenge_expires_at, proven_at,
    updated_at
from travel_rule_wallets where org_id = $1 and address = $2
order by updated_at desc, user_id limit $3
"""

_ADD_WALLET = """
insert into travel_rule_wallets (org_id, user_id, address, sealed_data, version, updated_at)
values ($1, $2, $3, $4, 1, $5)
on conflict (org_id, user_id, address) do nothing
returning version
"""

# Changed data void the proof of ownership, and the challenge for the previous data.
_UPDATE_WALLET = """
update travel_rule_wallets
set sealed_data = $4, version = version + 1, updated_at = $5, proven_at = null,
    challenge_code = null, challenge_expires_at = null
where org_id = $1 and user_id = $2 and address = $3
returning version
"""

_SET_CHALLENGE = """
update travel_rule_wallets set challenge_code = $5, challenge_expires_at = $6
where org_id = $1 and user_id = $2 and address = $3 and version = $4
returning true
"""

# Removes the code, so that it can be used only once.
_SET_PROVEN = """
update travel_rule_wallets
set proven_at = $5, version = version + 1, updated_at = $5, challenge_code = null,
    challenge_expires_at = null
where org_id = $1 and user_id = $2 and address = $3 and challenge_code = $4
    and challenge_expires_at >= $5
returning version
"""

# Replaces the message if a transfer is checked again: the last check counts.
_PUT_MESSAGE = """
insert into travel_rule_messages
    (org_id, screening_id, user_id, jurisdiction, sealed_message, created_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, screening_id) do update
set user_id = excluded.user_id, jurisdiction = excluded.jurisdiction,
    sealed_message = excluded.sealed_message
"""

_MESSAGE = """
select user_id, jurisdiction, sealed_message, created_at
from travel_rule_messages where org_id = $1 and screening_id = $2
"""

_MISSING = """
select missing from travel_rule_waits where org_id = $1 and screening_id = $2
"""

# Returns no row if the same items are missing as before, or if none are and none ever were.
_SET_MISSING = """
insert into travel_rule_waits (org_id, screening_id, missing, version, updated_at)
values ($1, $2, $3, 1, $4)
on conflict (org_id, screening_id) do update
set missing = excluded.missing, version = travel_rule_waits.version + 1,
    updated_at = excluded.updated_at
where travel_rule_waits.missing is distinct from excluded.missing
returning version
"""

_FORGET_WALLETS = """
delete from travel_rule_wallets where org_id = $1 and user_id = $2
"""

_FORGET_MESSAGES = """
delete from travel_rule_messages where org_id = $1 and user_id = $2
"""


async def setting(tx: Tx, org_id: UUID) -> TravelRuleSetting:
    """Return the setting of an organisation."""
    row = await tx.fetchrow(_SETTING, org_id)
    if row is None:
        return TravelRuleSetting()
    found = row["jurisdiction"]
    return TravelRuleSetting(
        jurisdiction=None if found is None else Jurisdiction(found), version=row["version"]
    )


async def set_jurisdiction(
    tx: Tx, org_id: UUID, jurisdiction: Jurisdiction | None, at: datetime
) -> int | None:
    """Store a jurisdiction and return its version; None if it is in force already."""
    version: int | None = await tx.fetchval(_SET, org_id, jurisdiction, at)
    return version


async def find_wallet(
    tx: Tx, org_id: UUID, user_id: UUID, address: str, *, for_update: bool = False
) -> Row | None:
    """Return the row of a user's counterparty wallet; None if there is none."""
    return await tx.fetchrow(_LOCK_WALLET if for_update else _WALLET, org_id, user_id, address)


async def wallets_at(tx: Tx, org_id: UUID, address: str, limit: int) -> list[Row]:
    """Return the rows of all users for an address, the latest first."""
    return await tx.fetch(_WALLETS_AT, org_id, address, limit)


async def add_wallet(
    tx: Tx, org_id: UUID, user_id: UUID, address: str, *, sealed: bytes, at: datetime
) -> int | None:
    """Store a wallet and return its version; None if it is stored already."""
    version: int | None = await tx.fetchval(_ADD_WALLET, org_id, user_id, address, sealed, at)
    return version


async def update_wallet(
    tx: Tx, org_id: UUID, user_id: UUID, address: str, *, sealed: bytes, at: datetime
) -> int:
    """Replace the data of a wallet that the caller has locked; return the version."""
    version: int = await tx.fetchval(_UPDATE_WALLET, org_id, user_id, address, sealed, at)
    return version


async def set_challenge(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    address: str,
    *,
    version: int,
    code: str,
    expires_at: datetime,
) -> bool:
    """Replace the challenge of a wallet; False if its data have another version by now."""
    found = await tx.fetchval(_SET_CHALLENGE, org_id, user_id, address, version, code, expires_at)
    return found is not None


async def set_proven(
    tx: Tx, org_id: UUID, user_id: UUID, address: str, *, code: str, at: datetime
) -> int | None:
    """Consume a challenge and return the wallet's version; None if it was used or has expired."""
    version: int | None = await tx.fetchval(_SET_PROVEN, org_id, user_id, address, code, at)
    return version


async def missing(tx: Tx, org_id: UUID, screening_id: UUID) -> Sequence[str]:
    """Return the items that a transfer lacked at its last check; empty if it lacked none."""
    found: list[str] | None = await tx.fetchval(_MISSING, org_id, screening_id)
    return found or []


async def set_missing(
    tx: Tx, org_id: UUID, screening_id: UUID, names: Sequence[str], at: datetime
) -> int | None:
    """Store the items that a transfer lacks, and return the version; None if unchanged."""
    version: int | None = await tx.fetchval(_SET_MISSING, org_id, screening_id, list(names), at)
    return version


async def put_message(
    tx: Tx,
    org_id: UUID,
    screening_id: UUID,
    user_id: UUID,
    *,
    jurisdiction: Jurisdiction,
    sealed: bytes,
    at: datetime,
) -> None:
    """Store the message of a screened transfer."""
    await tx.execute(_PUT_MESSAGE, org_id, screening_id, user_id, jurisdiction, sealed, at)


async def find_message(tx: Tx, org_id: UUID, screening_id: UUID) -> Row | None:
    """Return the row with the message of a screened transfer; None if there is none."""
    return await tx.fetchrow(_MESSAGE, org_id, screening_id)


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Delete a user's data about wallets, and the messages about the user's transfers."""
    await tx.execute(_FORGET_WALLETS, org_id, user_id)
    await tx.execute(_FORGET_MESSAGES, org_id, user_id)
