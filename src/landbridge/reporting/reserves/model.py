"""Statement of reserves of a day: what is owed and held of each asset. Pure.

The statement is canonical JSON with members in sorted order and units as texts. Its digest is in
the change that confirms the close of the day, and so in the provable books.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_DOWN, Decimal
from hashlib import sha256
from uuid import UUID

import msgspec

from landbridge.reporting.reserves.liabilities import LiabilityTree

_VERSION = 1
_RATIO_STEP = Decimal("0.0001")


class AssetReserve(msgspec.Struct, frozen=True, kw_only=True):
    """What is owed of an asset, and held at a block of its chain; units as texts.

    `owed_units` are customers' balances, as the tree with `root` has them in `pieces`. `open_units`
    are owed beside them: in open payments, deposits that wait, and fees of others.
    `addresses_digest` is the SHA-256 of a salt and of the addresses that hold the coins.
    """

    asset: str
    source: str
    block_number: int
    block_hash: str
    held_units: str
    owed_units: str
    open_units: str
    pieces: int
    root: str
    addresses: int
    addresses_digest: str

    @property
    def ratio(self) -> Decimal | None:
        """Return held by owed, rounded down; None if nothing is owed."""
        due = int(self.owed_units) + int(self.open_units)
        if not due:
            return None
        return (Decimal(self.held_units) / due).quantize(_RATIO_STEP, ROUND_DOWN)


class ReserveStatement(msgspec.Struct, frozen=True, kw_only=True):
    """What an organisation publishes about a closed day.

    The text is made again from the close whenever it is read, so no version may change its members.
    """

    statement: str = "reserves"
    version: int = _VERSION
    org_id: UUID
    day: date
    zone: str
    cut_at: datetime
    reserves: Sequence[AssetReserve]

    @property
    def text(self) -> str:
        """Return the statement as it is published."""
        return msgspec.json.encode(self, order="sorted").decode()

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the statement."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedLiabilities:
    """Liabilities at a place in the log, of all assets of a source, and its addresses.

    `own_units` are what belongs to the organisation, by asset.
    """

    read_place: int
    trees: Sequence[LiabilityTree]
    own_units: dict[str, int]
    addresses: Sequence[str]
    addresses_salt: bytes

    @property
    def addresses_digest(self) -> bytes:
        """Return the digest of the addresses."""
        return digest_addresses(self.addresses_salt, self.addresses)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReserve:
    """Liabilities of an asset at the cut of a day, as stored."""

    asset: str
    source: str
    owed_units: int
    open_units: int
    pieces: int
    root: bytes
    addresses: int
    addresses_digest: bytes


def digest_addresses(salt: bytes, addresses: Collection[str]) -> bytes:
    """Return the SHA-256 of a salt and sorted addresses, one a line."""
    return sha256(salt + "\n".join(addresses).encode()).digest()
