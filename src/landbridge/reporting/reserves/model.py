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
    """Units of an asset that are owed, and that are held at a block of its chain, as texts.

    `owed_units` are customers' balances: the sum of the tree with `root`, which has `pieces`.
    `open_units` are owed in addition: in open payments, waiting deposits, and fees of others.
    `addresses_digest` is the SHA-256 of a salt and the addresses that hold the coins.
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
        """Return held units divided by owed units, rounded down; None if nothing is owed."""
        due = int(self.owed_units) + int(self.open_units)
        if not due:
            return None
        return (Decimal(self.held_units) / due).quantize(_RATIO_STEP, ROUND_DOWN)


class ReserveStatement(msgspec.Struct, frozen=True, kw_only=True):
    """Published statement about a closed day.

    Its text is rebuilt from the close whenever it is read, so no version may change its members.
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
        """Return the text of the statement as it is published."""
        return msgspec.json.encode(self, order="sorted").decode()

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the statement."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedLiabilities:
    """Liabilities in all assets of a source at a place in the log, and its addresses.

    `own_units` belong to the organisation itself, by asset.
    """

    read_place: int
    trees: Sequence[LiabilityTree]
    own_units: dict[str, int]
    addresses: Sequence[str]
    addresses_salt: bytes

    @property
    def addresses_digest(self) -> bytes:
        """Return the salted SHA-256 of the addresses."""
        return digest_addresses(self.addresses_salt, self.addresses)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReserve:
    """Stored liabilities of an asset at the cut of a day."""

    asset: str
    source: str
    owed_units: int
    open_units: int
    pieces: int
    root: bytes
    addresses: int
    addresses_digest: bytes


def digest_addresses(salt: bytes, addresses: Collection[str]) -> bytes:
    """Return the SHA-256 of a salt and the sorted addresses, one per line."""
    return sha256(salt + "\n".join(addresses).encode()).digest()
