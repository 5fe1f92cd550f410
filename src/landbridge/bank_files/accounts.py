"""Verbs on the accounts that organisations have at their banks."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec
import structlog

from landbridge.bank_files import account_store as store
from landbridge.bank_files.account_store import SealedAccount
from landbridge.bank_files.funding import FundingAccount
from landbridge.bank_files.model import ACCOUNT_KIND
from landbridge.bank_files.places.opening import paths_of
from landbridge.bank_files.trying import check_files
from landbridge.changes.service import tell
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.ids import derived_id
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import DataKey, Vault

_log = structlog.stdlib.get_logger()

# Where to pay is asked for each record of a list. What was set is seen by every process after that.
_KEPT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAccount:
    """An account of an organisation at its bank, opened.

    What the bank had told by `read_at` (the organisation's time) is known and applied.
    """

    org_id: UUID
    id: UUID
    currency: str
    told: FundingAccount
    version: int
    updated_at: datetime
    read_at: datetime | None


class OwnAccounts:
    """One for each organisation and currency."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._kept: dict[tuple[UUID, str], tuple[float, OwnAccount | None]] = {}

    async def set(
        self, org_id: UUID, told: FundingAccount, *, actor: str, at: datetime
    ) -> OwnAccount:
        """Make the account of this currency, or change it: for what is written from now on.

        Answers it as it is then: of two that set it at once, the later one's stands. Raises
        `FieldInvalid` for one of which no file could be written, and for another's place.
        """
        check_files(told)
        await self._check_place(org_id, told)
        account_id = derived_id(org_id, f"bank account/{told.currency}")

        async def work(tx: Tx) -> None:
            key = await self._vault.make(tx, org_id, org_id)
            sealed = key.seal(told, context=_context(account_id))
            version = await store.put(
                tx, org_id, account_id, currency=told.currency, sealed_details=sealed, at=at
            )
            if version is None:
                return  # set before, and the answer was lost
            await tell(
                tx,
                org_id=org_id,
                object_id=account_id,
                seq=version,
                kind=ACCOUNT_KIND,
                what="set",
                actor=actor,
                at=at,
                facts={"currency": told.currency, "rails": list(told.rails)},
            )

        await self._database.transact(work)
        self._kept.pop((org_id, told.currency), None)
        found = await self.find(org_id, told.currency)
        if found is None:
            raise Broken("an account that was set is not there")
        return found

    async def find(self, org_id: UUID, currency: str) -> OwnAccount | None:
        """The account of an organisation in a currency, as it was up to five seconds ago.

        Raises `Broken` for one that can't be opened: nobody must take it for none at all.
        """
        now_s, place = time.monotonic(), (org_id, currency)
        kept = self._kept.get(place)
        if kept is not None and kept[0] > now_s:
            return kept[1]

        async def read(tx: Tx) -> OwnAccount | None:
            rows = await store.of(tx, [org_id])
            row = next((each for each in rows if each.currency == currency), None)
            return row and _opened(row, await self._vault.find(tx, org_id, org_id))

        found = await self._database.transact(read)
        self._kept[place] = (now_s + _KEPT_S, found)
        return found

    async def of(self, org_ids: Collection[UUID]) -> Sequence[OwnAccount]:
        """All accounts of these organisations that can be opened, as they are now.

        One that can't is logged, and stops no other.
        """
        return await self._database.transact(lambda tx: self.of_in(tx, org_ids))

    async def of_in(self, tx: Tx, org_ids: Collection[UUID]) -> Sequence[OwnAccount]:
        """The same, in the caller's transaction."""
        return await self._all_opened(tx, await store.of(tx, org_ids))

    async def _all_opened(self, tx: Tx, rows: Sequence[SealedAccount]) -> Sequence[OwnAccount]:
        keys = await self._vault.find_own(tx, {each.org_id for each in rows})
        found: list[OwnAccount] = []
        for row in rows:
            try:
                found.append(_opened(row, keys.get(row.org_id)))
            except (Broken, msgspec.MsgspecError):
                # Without what was wrong with it: the library's words quote what was sealed.
                _log.error("bank_files.account_broken", org_id=str(row.org_id), id=str(row.id))
        return found

    async def _check_place(self, org_id: UUID, told: FundingAccount) -> None:
        """Raise `FieldInvalid` for folders that another organisation has: a file is of one."""

        async def read(tx: Tx) -> Sequence[OwnAccount]:
            rows = [each for each in await store.every(tx) if each.org_id != org_id]
            return await self._all_opened(tx, rows)

        taken = {
            path
            for each in await self._database.transact(read)
            for path in paths_of(each.told.place).values()
        }
        if not taken.isdisjoint(paths_of(told.place).values()):
            raise FieldInvalid(
                "place must not have a folder that another organisation's account has",
                field="place",
            )


def _opened(row: SealedAccount, key: DataKey | None) -> OwnAccount:
    if key is None:
        raise Broken(f"account {row.id} is sealed under a key that is gone")
    return OwnAccount(
        org_id=row.org_id,
        id=row.id,
        currency=row.currency,
        told=key.open(row.sealed_details, context=_context(row.id), type=FundingAccount),
        version=row.version,
        updated_at=row.updated_at,
        read_at=row.read_at,
    )


def _context(account_id: UUID) -> str:
    return f"funding_accounts.details:{account_id}"
