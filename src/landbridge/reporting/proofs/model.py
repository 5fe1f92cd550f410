"""Trees, leaves and accounts of provable books."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.changes.model import LogPosition
from landbridge.reporting.proofs.tree import leaf_hash


@dataclass(frozen=True, slots=True)
class ProofTree:
    """Progress of an organisation's tree: the number of leaves, and the change of the last one."""

    org_id: UUID
    epoch: int
    size: int
    read_to: LogPosition
    # Last published head of the epoch before, in one line.
    previous_head: str | None


class AccountState(NamedTuple):
    """Number of an account's entries, and its balance after them, in units."""

    entry_count: int
    available: int
    held: int


EMPTY_ACCOUNT = AccountState(0, 0, 0)


class LoggedEntry(NamedTuple):
    """Entry as stored; `account` is an account's id, or role and asset of a house account."""

    account: str
    wallet_id: UUID | None
    asset: str
    available: int
    held: int


@dataclass(frozen=True, slots=True)
class RecordOpening:
    """Record as created; `details` is the JSON text of the database."""

    user_id: UUID
    request_id: UUID
    source_asset: str
    source_units: int
    destination_asset: str
    destination_units: int
    details: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedChange:
    """Change with its entries; `facts` is the JSON text of the database.

    `opening` is the record, at its first change.
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
    """Leaf of the tree: the parts that it covers, and the salt of each."""

    index: int
    change: LoggedChange
    parts: tuple[bytes, ...]
    salts: tuple[bytes, ...]
    # The hashes of all parts, which are the content of the leaf.
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
    """Checkpoint as it was published; `note` is the signed text."""

    epoch: int
    size: int
    root: bytes
    note: str
    created_at: datetime
