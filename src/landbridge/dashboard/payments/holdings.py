"""A user's wallets with balances, registered addresses and bank accounts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.bank_accounts.schemas import BankAccountPageReply, ListedAccount
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.wallet_api import ExternalWalletPage, ExternalWalletReply
from landbridge.customers.verification.api import ListedStatus
from landbridge.dashboard.users.balances import CoinBalance, load_balances
from landbridge.platform.http.internal_client import InternalClient

_LIMIT = 100
_UNUSABLE = frozenset({"INACTIVE", "REJECTED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class UserHoldings:
    """Coins, addresses, accounts and rails of one user."""

    coins: Sequence[CoinBalance] = ()
    externals: Sequence[ExternalWalletReply] = ()
    # Bank accounts that were not deleted or rejected.
    accounts: Sequence[ListedAccount] = ()
    # Rails on which the user is verified.
    rails: frozenset[str] = frozenset()


async def coins_of(
    interface: InternalClient, user: UserReply, currencies: Collection[str] = ()
) -> Sequence[CoinBalance]:
    """Return the coins in a user's wallets, non-empty ones first; all if no currency is given."""
    found = await load_balances(interface, user, currencies)
    return sorted(found, key=lambda each: not each.available)


async def externals_of(interface: InternalClient, user_id: str) -> Sequence[ExternalWalletReply]:
    """Addresses that a user has registered, the newest hundred."""
    path = f"/v2/users/{user_id}/wallets/external"
    reply = await interface.read(ExternalWalletPage, path, limit=_LIMIT)
    return [each for each in reply.external_wallets if each.active]


async def accounts_of(
    interface: InternalClient, user_id: UUID | str, rail: str
) -> Sequence[ListedAccount]:
    """Bank accounts of a user, `onramp` or `offramp`, the newest hundred."""
    path = f"/v2/users/{user_id}/accounts"
    reply = await interface.read(BankAccountPageReply, path, rail=rail, limit=_LIMIT)
    return [each for each in reply.banks if each.status not in _UNUSABLE]


async def rails_of(interface: InternalClient, user_id: str) -> frozenset[str]:
    """Return the rails on which the user is verified."""
    statuses = await interface.read(
        list[ListedStatus], "/v2/kyc/status", userId=user_id, limit=_LIMIT
    )
    return frozenset(each.rails for each in statuses if each.status == "ACTIVE")
