"""Leaves: canonical JSON of a change and its entries, in salted parts. Pure.

The parts of a leaf, in order: the change; at the first change of a record, the record as created;
then one part for each entry. A part is JSON with sorted members, without spaces, of strings,
integers, booleans and null. Units are strings, because they may exceed what readers of JSON take
for an integer. The hash of a part is SHA-256 of its salt and its bytes. Nobody without the salt can
test a guess about a part.
"""

import hmac
import json
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from typing import Any

from landbridge.ledger.snapshots import override_units
from landbridge.platform.changes.model import LogPosition
from landbridge.reporting.proofs.model import (
    EMPTY_ACCOUNT,
    AccountState,
    BookLeaf,
    LoggedChange,
    LoggedEntry,
    ProofBlock,
    RecordOpening,
)
from landbridge.reporting.proofs.tree import TILE_WIDTH

_VERSION = 1

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


class LeafBuilder:
    """Builds leaves one after the other, from an index and the accounts' states before it."""

    def __init__(self, salt_key: bytes, size: int, block: ProofBlock | None = None) -> None:
        """Begin after `size` leaves; `block` is the one of the next leaf, if it has begun."""
        self._salt_key = salt_key
        self._size = size
        self.accounts: dict[str, AccountState] = {}
        self.blocks: dict[int, ProofBlock] = {} if block is None else {block.number: block}

    @property
    def size(self) -> int:
        """Return the number of leaves so far."""
        return self._size

    def build(
        self, changes: Iterable[LoggedChange], only: Collection[LogPosition] | None = None
    ) -> Iterator[BookLeaf]:
        """Yield the leaf of each change; `accounts` and `blocks` move on with them.

        With `only`, the leaves of other changes are left out: making one costs most of the time.
        """
        for change in changes:
            number = self._size // TILE_WIDTH
            block = self.blocks.get(number)
            if block is None:
                block = self.blocks[number] = ProofBlock(number, change.position, {})
            states = [self._advance(block, each) for each in change.entries]
            self._size += 1
            if only is not None and change.position not in only:
                continue
            parts = [_change_part(change)]
            if change.opening is not None:
                parts.append(_record_part(change.kind, change.opening))
            parts += map(_entry_part, change.entries, states)
            yield self._leaf(self._size - 1, change, tuple(parts))

    def _leaf(self, index: int, change: LoggedChange, parts: tuple[bytes, ...]) -> BookLeaf:
        salts = tuple(
            _salt(self._salt_key, index, number, change.position) for number in range(len(parts))
        )
        hashes = tuple(
            sha256(salt + part).digest() for salt, part in zip(salts, parts, strict=True)
        )
        return BookLeaf(index, change, parts, salts, hashes)

    def _advance(self, block: ProofBlock, entry: LoggedEntry) -> AccountState:
        """Apply an entry to its account; return the state after it."""
        before = self.accounts.get(entry.account, EMPTY_ACCOUNT)
        block.balances.setdefault(entry.account, before)
        after = AccountState(
            before.entry_count + 1, before.available + entry.available, before.held + entry.held
        )
        self.accounts[entry.account] = after
        return after


def _entry_part(entry: LoggedEntry, after: AccountState) -> bytes:
    return _part(
        {
            "account": entry.account,
            "asset": entry.asset,
            "available": str(entry.available),
            "balanceAvailable": str(after.available),
            "balanceHeld": str(after.held),
            "count": after.entry_count,
            "held": str(entry.held),
            "part": "entry",
            "wallet": None if entry.wallet_id is None else str(entry.wallet_id),
        }
    )


def _change_part(change: LoggedChange) -> bytes:
    digest = change.snapshot_digest
    return _part(
        {
            "actor": change.actor,
            "facts": _members(change.facts),
            "kind": change.kind,
            "object": str(change.position.object_id),
            "occurredAt": change.occurred_at.isoformat(timespec="microseconds"),
            "part": "change",
            "seq": change.position.seq,
            "settled": change.is_settled,
            "snapshot": None if digest is None else digest.hex(),
            "statusAfter": change.status_after,
            "statusBefore": change.status_before,
            "type": change.change_type,
        }
    )


def _record_part(kind: str, record: RecordOpening) -> bytes:
    details = _members(record.details)
    # A later quote replaces the amounts of the record; the details then hold those of the creation.
    source, destination = override_units((record.source_units, record.destination_units), details)
    return _part(
        {
            "destinationAsset": record.destination_asset,
            "destinationUnits": str(destination),
            "details": details,
            "kind": kind,
            "part": "record",
            "request": str(record.request_id),
            "sourceAsset": record.source_asset,
            "sourceUnits": str(source),
            "user": str(record.user_id),
        }
    )


def _part(members: dict[str, Any]) -> bytes:
    return _encode(members | {"v": _VERSION}).encode()


def _members(text: str | None) -> dict[str, Any]:
    # Fractions stay as they are stored: no float repeats them exactly.
    return {} if text is None else json.loads(text, parse_float=str)


def _salt(key: bytes, index: int, number: int, position: LogPosition) -> bytes:
    """Return the salt of a part.

    It names the change too: after a restored backup another change may have the same index, and the
    salt that was revealed for the first one must say nothing about the second.
    """
    name = f"{index}.{number}.{position.object_id}.{position.seq}"
    return hmac.digest(key, name.encode(), "sha256")
