"""Users in responses. Source: contract, users 2 and interface/user."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import UNSET, UnsetType

from landbridge.customers.users.model import UserCard, UserType
from landbridge.customers.wallets.model import Wallet
from landbridge.platform.http.responses import Moment, WireStruct, reply_of


class WalletReply(WireStruct, frozen=True):
    """Wallet of a user."""

    address: str


class UserReply(WireStruct, frozen=True):
    """User; wallets are listed under `INDIVIDUAL`, including those of businesses.

    `metadata` is an extension of the contract, and absent where there is none.
    """

    id: UUID
    created_at: Moment
    type: UserType
    email: str
    name: str
    wallets: dict[str, dict[str, WalletReply]]
    metadata: dict[str, str] | UnsetType = UNSET


def user_reply(user: UserCard, wallets: Sequence[Wallet]) -> UserReply:
    """Return a user as a response, with all its wallets."""
    return reply_of(
        user,
        UserReply,
        wallets={
            "INDIVIDUAL": {wallet.chain: WalletReply(address=wallet.address) for wallet in wallets}
        },
        metadata=user.metadata or UNSET,
    )
