"""Port to other providers (VASPs) with which travel rule data are exchanged.

Each message carries our key, the same for every attempt. A missing or malformed answer decides
nothing: the message is sent again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.errors import Unclear


class InquiryAnswer(StrEnum):
    """Other provider's answer to an inquiry about a transfer."""

    PENDING = "PENDING"  # the provider has the inquiry, and answers later
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryResolution:
    """Answer to an inquiry.

    An approval has the `address` to pay, and the URL `callback` for the confirmation of the
    transfer; it has no URL if a connected provider takes the confirmation under our key. A
    rejection has a `comment` of the other provider, which may name people.
    """

    answer: InquiryAnswer
    address: str | None = None
    callback: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferInquiry:
    """Question whether coins may be sent, with the data about their parties (IVMS101).

    `token` identifies the asset on its chain, by its digital token identifier (DTI, ISO 24165).
    `callback` is our URL for a later answer. `host` is the other provider's host, and
    `wallet_address` the wallet to pay; adapters that connect organisations with other providers
    need them.
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
    """Result of an approved transfer: its transaction hash, None if nothing was sent."""

    transaction_hash: str | None


class VaspUnreachable(Unclear):
    """A message may not have arrived, or its answer is unusable; it is sent again.

    The text is ours, without personal data.
    """


class OtherVasps(Protocol):
    """Sends messages to other providers. Never called inside a transaction."""

    def check_url(self, field: str, url: str) -> str:
        """Return the normalised URL; raises `FieldInvalid` if nothing may be sent there."""
        ...

    async def inquire(self, url: str, key: str, inquiry: TransferInquiry) -> InquiryResolution:
        """Send an inquiry to the beneficiary's provider. Raises `VaspUnreachable`."""
        ...

    async def resolve(self, url: str, key: str, resolution: InquiryResolution) -> None:
        """Answer an inquiry of the originator's provider. Raises `VaspUnreachable`."""
        ...

    async def confirm(self, url: str, key: str, confirmation: TransferConfirmation) -> None:
        """Report the result of an approved transfer. Raises `VaspUnreachable`."""
        ...
