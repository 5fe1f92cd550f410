"""Lists of an organisation's virtual accounts, of all users or of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.payments.virtual_accounts import store
from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountStatus
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Chain


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualAccountListFilter:
    """Filter of a list of accounts; None includes all.

    `account_number` must be a complete number, which only one account has.
    """

    user_id: UUID | None = None
    account_number: str | None = None
    chain: Chain | None = None
    status: VirtualAccountStatus | None = None

    def matches(self, account: VirtualAccount) -> bool:
        """Return whether an account that was found by its number matches the other filters."""
        return (
            self.user_id in {None, account.user_id}
            and self.chain in {None, account.chain}
            and self.status in {None, account.status}
        )


@dataclass(frozen=True, slots=True)
class VirtualAccountLists:
    """Reads accounts of all users of an organisation, with one SQL statement for each page."""

    database: Database

    async def page(
        self, org_id: UUID, wanted: VirtualAccountListFilter, window: PositionWindow
    ) -> Sequence[VirtualAccount]:
        """Return a page of the accounts that match the filter, newest first."""
        return await self.database.read_on_replica(lambda tx: _page(tx, org_id, wanted, window))


async def _page(
    tx: Tx, org_id: UUID, wanted: VirtualAccountListFilter, window: PositionWindow
) -> Sequence[VirtualAccount]:
    if wanted.account_number is not None:
        found = await store.find_number(tx, org_id, wanted.account_number)
        is_listed = found is not None and wanted.matches(found)
        is_after = found is not None and window.before.precedes(found)
        return [found] if found is not None and is_listed and is_after else []
    if wanted.user_id is not None:
        return await store.page(
            tx,
            org_id,
            wanted.user_id,
            window,
            filters=(None, None, wanted.chain),
            status=wanted.status,
        )
    return await store.page_of_org(
        tx,
        org_id,
        window,
        statuses=list(VirtualAccountStatus) if wanted.status is None else [wanted.status],
        chains=list(Chain) if wanted.chain is None else [wanted.chain],
    )
