"""Organisations' accounts at their banks."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

import msgspec
import structlog

from landbridge.payments.bank_files import funding_account_store as store
from landbridge.payments.bank_files.funding_account import FundingAccount
from landbridge.payments.bank_files.funding_account_store import SealedFundingAccount
from landbridge.payments.bank_files.model import ACCOUNT_KIND
from landbridge.payments.bank_files.preflight import check_files
from landbridge.payments.bank_files.transports.connect import folder_paths, inbox_path
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault

_log = structlog.stdlib.get_logger()

# Seconds for which accounts are cached, because lists read deposit coordinates for each record. A
# change of an account reaches every process within this time.
_CACHE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FundingAccountView:
    """Decrypted account of an organisation at its bank.

    Every file that the bank had left by `statements_read_at` (on the organisation's clock) is read,
    and its lines are applied.
    """

    org_id: UUID
    id: UUID
    currency: str
    settings: FundingAccount
    version: int
    updated_at: datetime
    statements_read_at: datetime | None


class FundingAccounts:
    """Manages the funding accounts: one per organisation and currency."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._kept: dict[tuple[UUID, str], tuple[float, FundingAccountView | None]] = {}

    async def set(
        self, org_id: UUID, settings: FundingAccount, *, actor: str, at: datetime
    ) -> FundingAccountView:
        """Create or change the account of this currency, for files written from now on.

        Return the account as it is afterwards: of two concurrent changes, the later one wins.
        Raises `FieldInvalid` if no file could be written for the account, or if its transport
        belongs to another organisation.
        """
        check_files(settings)
        account_id = derived_id(org_id, f"bank account/{settings.currency}")

        async def work(tx: Tx) -> None:
            folder_digests = await self._claim_folders(tx, org_id, settings)
            key = await self._vault.make(tx, org_id, org_id)
            sealed = key.seal(settings, context=_context(account_id))
            version = await store.put(
                tx,
                org_id,
                account_id,
                currency=settings.currency,
                sealed_details=sealed,
                folder_digests=folder_digests,
                at=at,
            )
            if version is None:
                return  # set before, and the commit's confirmation was lost
            await append_change(
                tx,
                org_id=org_id,
                object_id=account_id,
                seq=version,
                kind=ACCOUNT_KIND,
                change_type="set",
                actor=actor,
                at=at,
                facts={"currency": settings.currency, "rails": list(settings.rails)},
            )

        await self._database.transact(work)
        self._kept.pop((org_id, settings.currency), None)
        found = await self.find(org_id, settings.currency)
        if found is None:
            raise InvariantBroken("an account that was set is not there")
        return found

    async def find(self, org_id: UUID, currency: str) -> FundingAccountView | None:
        """Return an organisation's account in a currency, at most five seconds old.

        Raises `InvariantBroken` if it can't be decrypted: it must not look like a missing account.
        """
        now_s, cache_key = time.monotonic(), (org_id, currency)
        cached = self._kept.get(cache_key)
        if cached is not None and cached[0] > now_s:
            return cached[1]

        async def read(tx: Tx) -> FundingAccountView | None:
            rows = await store.list_by_orgs(tx, [org_id])
            row = next((each for each in rows if each.currency == currency), None)
            return row and _decrypt(row, await self._vault.find(tx, org_id, org_id))

        found = await self._database.read(read)
        self._kept[cache_key] = (now_s + _CACHE_S, found)
        return found

    async def list_all(self, org_ids: Collection[UUID]) -> Sequence[FundingAccountView]:
        """Return the accounts of these organisations, not from the cache.

        Accounts that can't be decrypted are logged and skipped.
        """
        return await self._database.read(lambda tx: self.list_in(tx, org_ids))

    async def list_in(self, tx: Tx, org_ids: Collection[UUID]) -> Sequence[FundingAccountView]:
        """Do the same as `list_all` in the caller's transaction."""
        return await self._decrypt_all(tx, await store.list_by_orgs(tx, org_ids))

    async def list_sharing_in(
        self, tx: Tx, org_id: UUID, account_id: UUID
    ) -> Sequence[FundingAccountView]:
        """Return this account and all that share its transport.

        Return none if this account can't be decrypted.
        """
        accounts = await self.list_in(tx, [org_id])
        paths = {each.id: inbox_path(each.settings.transport) for each in accounts}
        return [each for each in accounts if paths[each.id] == paths.get(account_id)]

    async def _decrypt_all(
        self, tx: Tx, rows: Sequence[SealedFundingAccount]
    ) -> Sequence[FundingAccountView]:
        keys = await self._vault.find_own(tx, {each.org_id for each in rows})
        found: list[FundingAccountView] = []
        for row in rows:
            try:
                found.append(_decrypt(row, keys.get(row.org_id)))
            except (InvariantBroken, msgspec.MsgspecError):
                # The cause is not logged, because the library's message quotes decrypted content.
                _log.error("bank_files.account_broken", org_id=str(row.org_id), id=str(row.id))
        return found

    async def _claim_folders(
        self, tx: Tx, org_id: UUID, settings: FundingAccount
    ) -> Sequence[bytes]:
        """Return the digests of the account's folders.

        Until the transaction ends, no other account's folders can be set. Raises `FieldInvalid`
        for folders of another organisation: a file belongs to one organisation.
        """
        await store.lock_folders(tx)
        for each in await self._decrypt_all(tx, await store.list_without_folders(tx)):
            await store.set_folders(tx, each.org_id, each.id, _folder_digests(each.settings))
        digests = _folder_digests(settings)
        if await store.has_folder(tx, org_id, digests):
            raise FieldInvalid(
                "transport must not have a folder that another organisation's account has",
                field="transport",
            )
        return digests


def _folder_digests(settings: FundingAccount) -> Sequence[bytes]:
    return [sha256(path.encode()).digest() for path in folder_paths(settings.transport).values()]


def _decrypt(row: SealedFundingAccount, key: DataKey | None) -> FundingAccountView:
    if key is None:
        raise InvariantBroken(f"account {row.id} is sealed under a key that is gone")
    return copy_fields(
        row,
        FundingAccountView,
        settings=key.open(row.sealed_details, context=_context(row.id), type=FundingAccount),
    )


def _context(account_id: UUID) -> str:
    return f"funding_accounts.details:{account_id}"
