"""Digests that bind a decision to the exact payment that was requested."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import CreateTransfer, Transfer

# Encodes fields in a fixed order, so that equal payments have equal digests.
_encode = msgspec.json.Encoder(order="deterministic").encode


def digest_of_creation(opening: CreateTransfer) -> bytes:
    """Return the SHA-256 of a payment that is about to be created."""
    return _digest(
        opening.org_id,
        opening.id,
        opening.kind,
        opening.user_id,
        source=(opening.source.asset.code, opening.source.units),
        destination=(opening.destination.asset.code, opening.destination.units),
        request=opening.request,
        details=opening.details,
    )


def digest_of_record(record: Transfer) -> bytes:
    """Return the SHA-256 of a stored payment, which equals `digest_of_creation` if unchanged."""
    return _digest(
        record.org_id,
        record.id,
        record.kind,
        record.user_id,
        source=(record.source_asset, record.source_units),
        destination=(record.destination_asset, record.destination_units),
        request=record.request,
        details=record.details,
    )


def _digest(
    org_id: UUID,
    transfer_id: UUID,
    kind: str,
    user_id: UUID,
    *,
    source: tuple[str, int],
    destination: tuple[str, int],
    request: Mapping[str, Any],
    details: Mapping[str, Any],
) -> bytes:
    # Units are strings, because some JSON readers can't represent that many digits.
    payment = {
        "organisation": str(org_id),
        "id": str(transfer_id),
        "kind": kind,
        "user": str(user_id),
        "source": [source[0], str(source[1])],
        "destination": [destination[0], str(destination[1])],
        "request": request,
        "details": details,
    }
    return hashlib.sha256(_encode(payment)).digest()
