"""Statements on provider_accounts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_optional_row, read_row, write_row
from landbridge.providers.sidecar.credits import GivenAccount

_ADD = """
insert into provider_accounts
    (org_id, key, provider, currency, account_number, sealed_coordinates, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
"""

_FIND = """
select org_id, key, provider, currency, account_number, sealed_coordinates, created_at
from provider_accounts where org_id = $1 and key = $2
"""

_FIND_NUMBER = """
select org_id, key, provider, currency, account_number, sealed_coordinates, created_at
from provider_accounts where org_id = $1 and account_number = $2
"""

_OF_PROVIDER = """
select org_id, account_number, currency
from provider_accounts where provider = $1 and account_number = any($2)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAccount:
    """Account that a provider gave for one of our keys, as stored."""

    org_id: UUID
    key: UUID
    provider: str
    currency: str
    account_number: str
    sealed_coordinates: bytes
    created_at: datetime


async def add(tx: Tx, account: SealedAccount) -> None:
    """Store an account, unless the key or the number is known."""
    await write_row(tx, _ADD, account)


async def find(tx: Tx, org_id: UUID, key: UUID) -> SealedAccount | None:
    """Return the account of a key; None if there is none."""
    return _account(await tx.fetchrow(_FIND, org_id, key))


async def find_number(tx: Tx, org_id: UUID, account_number: str) -> SealedAccount | None:
    """Return the account with this number; None if there is none."""
    return _account(await tx.fetchrow(_FIND_NUMBER, org_id, account_number))


async def of_provider(
    tx: Tx, provider: str, account_numbers: Collection[str]
) -> Mapping[str, GivenAccount]:
    """Return those of these accounts that this provider has given, by number."""
    rows = await tx.fetch(_OF_PROVIDER, provider, list(account_numbers))
    return {row["account_number"]: read_row(row, GivenAccount) for row in rows}


def _account(row: Row | None) -> SealedAccount | None:
    return read_optional_row(row, SealedAccount)
