"""Trees, leaves and accounts of provable books."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.changes.model import LogPosition
from landbridge.reporting.proofs.tree import leaf_hash


@dataclass(frozen=True, slots=True)
class ProofTree:
    """Progress of an organisation's tree: number of leaves, and log position of the last one."""

    org_id: UUID
    epoch: int
    size: int
    read_to: LogPosition
    # Last published head of the previous epoch, in one line; None in the first epoch.
    previous_head: str | None


class AccountState(NamedTuple):
    """Number of an account's entries, and its balance after them, in smallest units."""

    entry_count: int
    available: int
    held: int


EMPTY_ACCOUNT = AccountState(0, 0, 0)


class LoggedEntry(NamedTuple):
    """Stored entry; `account` is an account's id, or the role and asset of a house account."""

    account: str
    wallet_id: UUID | None
    asset: str
    available: int
    held: int


@dataclass(frozen=True, slots=True)
class RecordOpening:
    """Record as it was created; `details` is the JSON text from the database."""

    user_id: UUID
    request_id: UUID
    source_asset: str
    source_units: int
    destination_asset: str
    destination_units: int
    details: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedChange:
    """Change with its entries; `facts` is the JSON text from the database.

    `opening` is the record if this is its first change, otherwise None.
    """

    position: LogPosition
    kind: str
    change_type: str
    status_before: str | None
    status_after: str | None
    actor: str
    facts: str | None
    occurred_at: datetime
    is_settled: bool
    snapshot_digest: bytes | None
    opening: RecordOpening | None
    entries: tuple[LoggedEntry, ...]


@dataclass(frozen=True, slots=True)
class BookLeaf:
    """Leaf of the tree: its parts, and the salt of each part."""

    index: int
    change: LoggedChange
    parts: tuple[bytes, ...]
    salts: tuple[bytes, ...]
    # Hashes of all parts; together they are the hashed content of the leaf.
    part_hashes: tuple[bytes, ...]

    @property
    def hash(self) -> bytes:
        """Return the hash of the leaf."""
        return leaf_hash(b"".join(self.part_hashes))


@dataclass(frozen=True, slots=True)
class ProofBlock:
    """Block of 256 leaves: its first change, and the accounts' states before it."""

    number: int
    first: LogPosition
    balances: dict[str, AccountState]


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """Stored checkpoint; `note` is the signed text, which is published unchanged."""

    epoch: int
    size: int
    root: bytes
    note: str
    created_at: datetime
