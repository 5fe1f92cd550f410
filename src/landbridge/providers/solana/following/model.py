"""Token accounts that are followed, their last readings, and the transfers found in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.providers.evm.following.model import LoggedTransfer


@dataclass(frozen=True, slots=True)
class FollowedAccount:
    """Token account of a wallet or of an organisation's own address; `owner` is that address."""

    org_id: UUID
    owner: str
    currency: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountReading:
    """State of an account after the transaction `last_signature`; None if it had none yet."""

    org_id: UUID
    address: str
    last_signature: str | None
    units: int
    slot: int


@dataclass(frozen=True, slots=True)
class FoundTransfers:
    """Transfers into an account, the oldest first, and the account after them.

    `sent` are the signatures of the transactions that have taken units out of it.
    """

    account: FollowedAccount
    transfers: Sequence[LoggedTransfer]
    sent: Sequence[str]
    reading: AccountReading
