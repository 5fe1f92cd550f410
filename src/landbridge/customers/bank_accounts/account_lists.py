"""Lists of an organisation's bank accounts, of all users or of one."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import AccountSummary, BankAccount, BankAccountStatus
from landbridge.customers.bank_accounts.records import opened_all
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault

# Accounts of one user that are decrypted to read the holder's name.
_HOLDERS_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BankAccountListFilter:
    """Filter of a list of bank accounts; a member that is None does not filter."""

    user_id: UUID | None = None
    ramp: Ramp | None = None
    type: str | None = None
    status: BankAccountStatus | None = None


@dataclass(frozen=True, slots=True)
class BankAccountLists:
    """Reads accounts of all users of an organisation, one statement for each page."""

    database: Database
    vault: Vault

    async def page(
        self, org_id: UUID, wanted: BankAccountListFilter, window: PositionWindow
    ) -> Sequence[BankAccount]:
        """Return a page of accounts that match the filter, newest first, including deleted ones."""

        async def read(tx: Tx) -> Sequence[BankAccount]:
            found = await _stored(tx, org_id, wanted, window)
            return await opened_all(tx, self.vault, org_id, found)

        return await self.database.read_on_replica(read)

    async def holders(
        self, org_id: UUID, user_ids: Collection[UUID]
    ) -> Mapping[UUID, Sequence[str]]:
        """Return holder names of each user's newest active accounts, by user id."""

        async def read(tx: Tx) -> Mapping[UUID, Sequence[str]]:
            found = await store.active_of_users(tx, org_id, user_ids, _HOLDERS_MAX)
            names: defaultdict[UUID, list[str]] = defaultdict(list)
            for each in await opened_all(tx, self.vault, org_id, found):
                if each.holder is not None:
                    names[each.user_id].append(each.holder["name"])
            return names

        return await self.database.read_on_replica(read)


async def _stored(
    tx: Tx, org_id: UUID, wanted: BankAccountListFilter, window: PositionWindow
) -> Sequence[store.SealedBankAccount]:
    if wanted.user_id is not None:
        return await store.page(
            tx,
            org_id,
            wanted.user_id,
            window,
            filters=(wanted.ramp, wanted.type, None),
            status=wanted.status,
        )
    return await store.page_of_org(
        tx,
        org_id,
        window,
        statuses=list(BankAccountStatus) if wanted.status is None else [wanted.status],
        types=[
            (ramp, type_)
            for type_, ramp in BY_TYPE
            if wanted.ramp in {None, ramp} and wanted.type in {None, type_}
        ],
    )


@dataclass(frozen=True, slots=True)
class AccountSummaries:
    """Reads short forms of bank accounts by id."""

    database: Database
    vault: Vault

    async def of(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, AccountSummary]:
        """Return the summaries of these accounts by id; unknown ids are left out.

        An erased account has a summary without a bank and a number.
        """
        if not ids:
            return {}

        async def work(tx: Tx) -> Mapping[UUID, AccountSummary]:
            found = await store.get_many(tx, org_id, ids)
            accounts = await opened_all(tx, self.vault, org_id, found)
            return {each.id: each.summary for each in accounts}

        return await self.database.read(work)
