"""Accounts for deposits at connected providers.

Guarantees:
- a key has one account for ever, whatever the providers file or the provider says later;
- no two accounts of a provider, or of an organisation, have the same number;
- coordinates are read from the database, so payers see the same while a provider is down.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Unavailable, Unclear
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.rails.port import DepositCoordinates
from landbridge.providers.sidecar import account_store
from landbridge.providers.sidecar.account_store import SealedAccount
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.credits import DepositAccount

_log = structlog.stdlib.get_logger()

_KEPT_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAccounts:
    """Accounts that providers have given to organisations."""

    database: Database
    vault: Vault
    clock: Clock
    routes: ProvidersFile
    providers: Mapping[str, SidecarClient]
    # Cache for lists, which read coordinates for each record: an account never changes. None for an
    # account of other rails.
    _kept: dict[tuple[UUID, str], DepositCoordinates | None] = field(
        default_factory=dict[tuple[UUID, str], DepositCoordinates | None]
    )

    async def number(self, org_id: UUID, currency: str, key: UUID) -> str | None:
        """Return the account number of a key; the first call gets it from the provider.

        None if no route names a provider. Raises `Unavailable`.
        """
        stored = await self.database.single(lambda tx: account_store.find(tx, org_id, key))
        if stored is not None:
            return stored.account_number
        name = self.routes.deposit_provider(org_id, currency)
        if name is None:
            return None
        try:
            account = await self.providers[name].open_account(org_id, currency, key)
        except Unclear as error:
            _log.warning("provider.problem", provider=name, order=str(key), reason=str(error))
            raise Unavailable(f"provider {name} gave no valid account") from error
        found = await self.database.transact(
            lambda tx: self._add(tx, name, (org_id, key), currency, account)
        )
        if found is None:
            _log.warning(
                "provider.problem", provider=name, order=str(key), reason="number given before"
            )
            raise Unavailable(f"provider {name} gave the number of another account")
        return found

    async def coordinates(self, org_id: UUID, account_number: str) -> DepositCoordinates | None:
        """Return what payers need to know about an account; None if no provider has given it."""
        kept_as = (org_id, account_number)
        if kept_as not in self._kept:
            found = await self.database.read(lambda tx: self._find(tx, org_id, account_number))
            if len(self._kept) >= _KEPT_MAX:
                self._kept.clear()
            self._kept[kept_as] = found
        return self._kept[kept_as]

    async def _add(
        self, tx: Tx, provider: str, of: tuple[UUID, UUID], currency: str, account: DepositAccount
    ) -> str | None:
        """Store an account; return the number of its key, None if another key has this number."""
        org_id, key = of
        data_key = await self.vault.make(tx, org_id, org_id)
        added = SealedAccount(
            org_id=org_id,
            key=key,
            provider=provider,
            currency=currency,
            account_number=account.account_number,
            sealed_coordinates=data_key.seal(account.coordinates, context=_context(key)),
            created_at=self.clock.now(),
        )
        await account_store.add(tx, added)
        stored = await account_store.find(tx, org_id, key)
        return None if stored is None else stored.account_number

    async def _find(self, tx: Tx, org_id: UUID, account_number: str) -> DepositCoordinates | None:
        row = await account_store.find_number(tx, org_id, account_number)
        if row is None:
            return None
        key = await self.vault.find(tx, org_id, org_id)
        if key is None:
            raise InvariantBroken(f"account {row.key} is sealed under a key that is gone")
        return key.open(row.sealed_coordinates, context=_context(row.key), type=DepositCoordinates)


def _context(key: UUID) -> str:
    return f"provider_accounts.coordinates:{key}"
