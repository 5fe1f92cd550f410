"""Reads and erasure of bank accounts in other packages' transactions."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.holder_screening import record_account_change
from landbridge.customers.bank_accounts.records import opened
from landbridge.platform.db.pool import Tx


async def known_since(
    tx: Tx, org_id: UUID, account_ids: Collection[UUID]
) -> Mapping[UUID, datetime]:
    """Return the creation time of each account, by account id."""
    return await store.known_since(tx, org_id, account_ids)


async def find_suspended(tx: Tx, org_id: UUID, account_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return the accounts that wait for a new review after a match on a later sanctions list."""
    return await store.suspended(tx, org_id, account_ids) if account_ids else frozenset()


async def forget_hashes(tx: Tx, org_id: UUID, account_ids: Collection[UUID]) -> None:
    """Remove the coordinate hashes of those of these accounts that are erased."""
    if account_ids:
        await store.forget_hashes(tx, org_id, account_ids)


async def forget(
    tx: Tx, org_id: UUID, user_id: UUID, at: datetime, *, keep_hashes_of: Collection[UUID] = ()
) -> None:
    """Blank personal data in a user's accounts and deactivate them; part of erasing the user.

    Accounts in `keep_hashes_of` keep the hashes of their coordinates.
    """
    erased = await store.erase(tx, org_id, user_id, at, keep_hashes_of=keep_hashes_of)
    for each in erased:
        await record_account_change(tx, opened(each, None), "erasure", key=None)
