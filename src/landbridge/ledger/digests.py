"""Creation digests: a hash of each record as it was created, verified by the audit.

The digest is stored with the record's first change. It covers everything that never changes
afterwards: kind, owner, request id, created amounts and details. Where later changes replace
amounts, the details hold the original ones (snapshots.py).
"""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import CreateTransfer, Transfer
from landbridge.ledger.snapshots import original_units

# Members of objects are sorted, so that equal details have equal digests.
_encode = msgspec.json.Encoder(order="deterministic").encode


def creation_digest_of(creation: CreateTransfer) -> bytes:
    """Return the SHA-256 digest of a record that is about to be created."""
    return _digest(
        creation.org_id,
        creation.id,
        creation.kind,
        creation.user_id,
        creation.request_id,
        creation.source.asset.code,
        creation.source.units,
        creation.destination.asset.code,
        creation.destination.units,
        creation.details,
    )


def stored_creation_digest(record: Transfer) -> bytes:
    """Return the SHA-256 digest of a stored record as created; altered data give another digest."""
    source_units, destination_units = original_units(record)
    return _digest(
        record.org_id,
        record.id,
        record.kind,
        record.user_id,
        record.request_id,
        record.source_asset,
        source_units,
        record.destination_asset,
        destination_units,
        record.details,
    )


def _digest(  # noqa: PLR0917  one argument for each member of the digest, in its order
    org_id: UUID,
    record_id: UUID,
    kind: str,
    user_id: UUID,
    request_id: UUID,
    source_asset: str,
    source_units: int,
    destination_asset: str,
    destination_units: int,
    details: Mapping[str, Any],
) -> bytes:
    # A JSON array quotes its texts, so two different records never have the same bytes. Units are
    # texts, because they may have more digits than a JSON number.
    members = (
        org_id,
        record_id,
        kind,
        user_id,
        request_id,
        source_asset,
        str(source_units),
        destination_asset,
        str(destination_units),
        details,
    )
    return hashlib.sha256(_encode(members)).digest()
