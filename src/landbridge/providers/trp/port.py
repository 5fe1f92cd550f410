"""Port to other providers (VASPs) that travel rule data are exchanged with.

Each message carries our key, the same for every attempt. Silence and an answer that can't be
understood decide nothing: the message is sent again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.errors import Unclear


class InquiryAnswer(StrEnum):
    """What the other provider says about a transfer."""

    PENDING = "PENDING"  # it has the inquiry, and answers later
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryResolution:
    """Answer to an inquiry.

    An approval has the `address` to pay to, and the URL `callback` for what became of the transfer,
    unless a connected provider takes that under our key.
    A rejection has a `comment` of the other provider: it may name people.
    """

    answer: InquiryAnswer
    address: str | None = None
    callback: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferInquiry:
    """Question whether coins may be sent, with the data about their parties (IVMS101).

    `token` identifies the asset on its chain, by its digital token identifier (DTI, ISO 24165).
    `callback` is our URL for a later answer. `host` is that of the other provider, and
    `wallet_address` the wallet to pay to: what connects organisations with others needs them.
    """

    org_id: UUID
    host: str
    wallet_address: str
    token: str
    amount: Decimal
    callback: str
    ivms101: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferConfirmation:
    """What became of an approved transfer: its transaction, or None if nothing was sent."""

    transaction_hash: str | None


class VaspUnreachable(Unclear):
    """A message may not have arrived, or its answer can't be used; it is sent again.

    The text is ours, without personal data.
    """


class OtherVasps(Protocol):
    """Sends messages to other providers. Never called inside a transaction."""

    def check_url(self, field: str, url: str) -> str:
        """Return the normalised URL; raises `FieldInvalid` if nothing may be sent there."""
        ...

    async def inquire(self, url: str, key: str, inquiry: TransferInquiry) -> InquiryResolution:
        """Ask the provider of the beneficiary. Raises `VaspUnreachable`."""
        ...

    async def resolve(self, url: str, key: str, resolution: InquiryResolution) -> None:
        """Answer an inquiry of the provider of the originator. Raises `VaspUnreachable`."""
        ...

    async def confirm(self, url: str, key: str, confirmation: TransferConfirmation) -> None:
        """Report what became of an approved transfer. Raises `VaspUnreachable`."""
        ...
