"""Digests of records as they were opened, kept with their first change and compared by the audit.

They cover what never changes afterwards: kind, owner, request id, what the record was opened to
move, and its details. Where later moves replace amounts, the details hold those of the opening
(past.py).
"""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import Opening, Transfer
from landbridge.ledger.past import opened_units

# Object members in one order, so that equal details have equal digests.
_encode = msgspec.json.Encoder(order="deterministic").encode


def digest_of_opening(opening: Opening) -> bytes:
    """Return the SHA-256 of a record that is about to be opened."""
    return _digest(
        opening.org_id,
        opening.id,
        opening.kind,
        opening.user_id,
        opening.request_id,
        opening.source.asset.code,
        opening.source.units,
        opening.destination.asset.code,
        opening.destination.units,
        opening.details,
    )


def digest_of_opened(record: Transfer) -> bytes:
    """Return the SHA-256 of a record as it was opened; equal while nobody has altered it."""
    source_units, destination_units = opened_units(record)
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
    # A JSON array: its texts are quoted, so no two different records have the same bytes. Units
    # are texts, because they may have more digits than a JSON number.
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
