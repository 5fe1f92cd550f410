"""Party contexts: user, wallet and accounts of a payer or payee, read by one grouped statement."""

from uuid import UUID

from landbridge.customers.wallets import store
from landbridge.customers.wallets.model import PartyContext
from landbridge.platform.core.money import Asset
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain

_Key = tuple[UUID, UUID, Chain, str, str | None]


class PartyContexts:
    """Reads party contexts of all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lookups = grouped(database, lambda: GroupCommit(self._find, concurrency=2))

    async def find(
        self, org_id: UUID, user_id: UUID, chain: Chain, asset: Asset, other: Asset | None = None
    ) -> PartyContext:
        """Return the context of a user's wallet on a chain, with its accounts of these assets."""
        other_code = None if other is None else other.code
        return await self._lookups.call((org_id, user_id, chain, asset.code, other_code))

    async def _find(self, keys: list[_Key]) -> list[PartyContext]:
        return await self._database.single(lambda tx: store.party_contexts(tx, keys))
