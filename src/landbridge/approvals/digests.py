"""What a decision is bound to: a payment, word for word as it was asked for."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import Opening, Transfer

# Members in one order, whoever wrote them.
_encode = msgspec.json.Encoder(order="deterministic").encode


def digest_of_opening(opening: Opening) -> bytes:
    """SHA-256 of a payment that is about to be opened."""
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
    """SHA-256 of a payment as it stands in the books; equal while nobody has touched it."""
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
    # Units as texts: they may have more digits than a JSON number of some readers.
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
