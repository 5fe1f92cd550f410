"""Users as answers have them. Source: contract, users 2 and interface/user."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.users.model import UserCard, UserType
from landbridge.wallets.model import Wallet
from landbridge.web.reply import Moment, WireStruct, moment


class WalletReply(WireStruct, frozen=True):
    """A wallet of a user."""

    address: str


class UserReply(WireStruct, frozen=True):
    """A user; wallets are listed under `INDIVIDUAL`, those of businesses too."""

    id: UUID
    created_at: Moment
    type: UserType
    email: str
    name: str
    wallets: dict[str, dict[str, WalletReply]]


def user_reply(user: UserCard, wallets: Sequence[Wallet]) -> UserReply:
    """A user with these wallets, which are all that the user has."""
    return UserReply(
        id=user.id,
        created_at=moment(user.created_at),
        type=user.type,
        email=user.email,
        name=user.name,
        wallets={
            "INDIVIDUAL": {wallet.chain: WalletReply(address=wallet.address) for wallet in wallets}
        },
    )
